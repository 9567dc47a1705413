//! Reads a dataset: splits it into lines, parses and checks them, and stages and commits their
//! records.

pub(crate) mod line;
pub(crate) mod line_splitter;
pub(crate) mod load;
pub(crate) mod plain_line;
