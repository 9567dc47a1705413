//! Values of lines, sorted until they are committed: `line_values` are what a line contains,
//! `staging_buffer` sorts and stores them by step, kind and key, and `ordered_numbers` encodes their
//! keys.

pub(crate) mod line_values;
pub(crate) mod ordered_numbers;
pub(crate) mod staging_buffer;
