//! Reads a dataset: splits it into lines, parses and checks them, and stages their records.

pub(crate) mod line;
pub(crate) mod line_values;
pub(crate) mod lines;
pub(crate) mod load;
pub(crate) mod ordered;
pub(crate) mod plain_line;
pub(crate) mod staged;
