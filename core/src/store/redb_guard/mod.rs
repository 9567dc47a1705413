//! Protection from conditions that redb does not handle: damaged free lists, panics, and deleted
//! data that remains in the file.

pub(crate) mod backend;
pub(crate) mod copy_on_write;
pub(crate) mod free_list_check;
pub(crate) mod panic_guard;
pub(crate) mod secure_erase;
