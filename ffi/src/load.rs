//! A dataset in pieces.

use crate::error::{Result, RollbookError};
use crate::report::Summary;
use rollbook::Progress;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A dataset on its way in: push its bytes in pieces of any size, then finish.
///
/// Nothing is kept before it is finished; a load that is cancelled, or let go,
/// leaves the store as it was. Memory stays bounded whatever the dataset's size.
#[derive(uniffi::Object)]
pub struct Load {
    /// None once it is over.
    load: Mutex<Option<rollbook::Load>>,
}

#[uniffi::export]
impl Load {
    /// Takes the next bytes of the dataset, and says how far it has come.
    ///
    /// Fails as `bad_dataset` for the first faulty line: the load is over then,
    /// and every further call gives the same error.
    pub fn push(&self, bytes: &[u8]) -> Result<Progress> {
        let mut load = self.under_way();
        let load = load.as_mut().ok_or_else(over)?;
        load.push(bytes)?;
        Ok(load.progress())
    }

    /// Ends the dataset: all of it is kept, durably, or nothing.
    ///
    /// Fails as `bad_dataset` for the first fault, as `busy` if another writer
    /// does not end in time, as `io` if the store could not be written.
    pub fn finish(&self) -> Result<Summary> {
        let load = self.under_way().take().ok_or_else(over)?;
        Ok(load.finish()?.into())
    }

    /// Gives the load up; nothing of it is kept. Does nothing if it is over.
    pub fn cancel(&self) -> Result<()> {
        if let Some(load) = self.under_way().take() {
            load.cancel();
        }
        Ok(())
    }
}

impl Load {
    pub(crate) fn new(load: rollbook::Load) -> Load {
        Load {
            load: Mutex::new(Some(load)),
        }
    }

    fn under_way(&self) -> MutexGuard<'_, Option<rollbook::Load>> {
        self.load.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn over() -> RollbookError {
    RollbookError::Closed("the load is over: begin another".to_owned())
}
