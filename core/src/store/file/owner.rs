//! The process that has a store open. A forked process shares the file and the lock of its parent,
//! but does not see later changes that the parent makes. If it wrote to the store, its changes
//! would be lost, or would damage the store.

use crate::error::{Error, Result};

#[derive(Debug, Clone, Copy)]
pub(crate) struct Owner(Option<u32>);

impl Owner {
    /// The owner of bytes of which each process has its own copy.
    pub(crate) const ANY: Owner = Owner(None);

    pub(crate) fn this_process() -> Owner {
        Owner(process())
    }

    /// Fails in any process except the one that opened the store.
    pub(crate) fn check(self) -> Result<()> {
        if self.0.is_none() || self.0 == process() {
            return Ok(());
        }
        Err(Error::unsupported(
            "this process was forked from the one that opened the store: open the store \
             again in this process, once the other one has closed it",
        ))
    }

    /// A process that is not this one.
    #[cfg(test)]
    pub(crate) const ANOTHER: Owner = Owner(Some(u32::MAX));
}

/// Returns the id of this process, on platforms where processes can be forked.
fn process() -> Option<u32> {
    cfg!(unix).then(std::process::id)
}
