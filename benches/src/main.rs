//! The comparison.

fn main() {}
