//! Values of lines, sorted until they are committed: `line_values` are what a line contains,
//! `staging_buffer` sorts them by step, kind and key, `ordered_numbers` encodes their keys, and
//! `spilling_stage` moves them to the store when they become too many.

pub(crate) mod line_values;
pub(crate) mod ordered_numbers;
pub(crate) mod spilling_stage;
pub(crate) mod staging_buffer;
