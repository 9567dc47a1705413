//! Reads a dataset: splits it into lines, parses and checks them, and stages their records.

pub(crate) mod line;
pub(crate) mod line_splitter;
pub(crate) mod line_values;
pub(crate) mod load;
pub(crate) mod ordered_numbers;
pub(crate) mod plain_line;
pub(crate) mod staging_buffer;
