//! The file of a store: its path, its lock, its creation, and copies of it.

pub(crate) mod backup;
pub(crate) mod interrupted_creation;
pub(crate) mod locked_file;
pub(crate) mod open_failure;
pub(crate) mod opened_path;
pub(crate) mod owner;
