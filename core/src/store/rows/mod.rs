//! Rows of redb's tables, and the checksums of sets of rows.

pub(crate) mod checksum;
pub(crate) mod read;
pub(crate) mod row_set_checksums;
pub(crate) mod table_definitions;
