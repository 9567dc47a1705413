//! Loads of a dataset in pieces.

use crate::error::{Result, RollbookError};
use crate::report::Summary;
use rollbook::Progress;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A dataset that is being loaded. Push its bytes in pieces of any size, then call `finish`.
///
/// Nothing is stored before the load is finished. A load that is cancelled or released changes
/// nothing. The memory use is limited, whatever the size of the dataset.
#[derive(uniffi::Object)]
pub struct Load {
    /// `None` once the load has ended.
    load: Mutex<Option<rollbook::Load>>,
}

#[uniffi::export]
impl Load {
    /// Receives the next bytes of the dataset, and returns how many lines and bytes were received
    /// so far.
    ///
    /// Fails with `bad_dataset` for the first faulty line. The load has then failed, and every
    /// further call fails with the same error.
    pub fn push(&self, bytes: &[u8]) -> Result<Progress> {
        let mut load = self.lock();
        let load = load.as_mut().ok_or_else(over)?;
        load.push(bytes)?;
        Ok(load.progress())
    }

    /// Ends the dataset, and applies it completely and durably, or not at all.
    ///
    /// Fails with `bad_dataset` for the first error in the dataset, with `busy` if another change
    /// does not finish in time, with `synced` as `apply` does, and with `io` if the store cannot be
    /// written.
    pub fn finish(&self) -> Result<Summary> {
        let load = self.lock().take().ok_or_else(over)?;
        Ok(load.finish()?.into())
    }

    /// Discards the load. Nothing of it is stored. Does nothing if the load has ended.
    pub fn cancel(&self) -> Result<()> {
        if let Some(load) = self.lock().take() {
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

    fn lock(&self) -> MutexGuard<'_, Option<rollbook::Load>> {
        self.load.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn over() -> RollbookError {
    RollbookError::Closed("the load is over: begin another".to_owned())
}
