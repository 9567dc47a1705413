//! The plan of a pass: which resource is requested next, and why.

pub(crate) mod current_year;
pub(crate) mod cycle;
pub(crate) mod priority;
