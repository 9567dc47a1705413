//! Which process holds a store. A process that was forked has its parent's file
//! and lock, but does not see what the parent does to the store from then on: what
//! it wrote would be lost, or would damage the store.

use crate::error::{Error, Result};

#[derive(Debug, Clone, Copy)]
pub(super) struct Owner(Option<u32>);

impl Owner {
    /// For bytes that each process has for itself.
    pub(super) const ANY: Owner = Owner(None);

    pub(super) fn this_process() -> Owner {
        Owner(process())
    }

    /// Refuses every process but the one that opened the store.
    pub(super) fn check(self) -> Result<()> {
        if self.0.is_none() || self.0 == process() {
            return Ok(());
        }
        Err(Error::unsupported(
            "this process was forked from the one that opened the store: open the store \
             anew in this process, once the other one has closed it",
        ))
    }

    /// A process that is not this one.
    #[cfg(test)]
    pub(super) const ANOTHER: Owner = Owner(Some(u32::MAX));
}

/// The number of this process, where processes fork.
fn process() -> Option<u32> {
    cfg!(unix).then(std::process::id)
}
