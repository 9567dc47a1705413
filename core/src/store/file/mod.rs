//! The file of a store: its path, its lock, its creation, and the bytes that redb reads and writes
//! (`backend`, and `copy_on_write` for trying out changes).

pub(crate) mod backend;
pub(crate) mod copy_on_write;
pub(crate) mod interrupted_creation;
pub(crate) mod locked_file;
pub(crate) mod open_failure;
pub(crate) mod opened_path;
pub(crate) mod owner;
