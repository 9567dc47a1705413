//! The tables of redb and their rows: their definitions, and reading them.

pub(crate) mod read;
pub(crate) mod table_definitions;
