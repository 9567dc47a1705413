//! Protection from conditions that redb does not handle: damaged free lists, and panics.

pub(crate) mod free_list_check;
pub(crate) mod panic_guard;
