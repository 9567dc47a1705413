//! A stage that moves its records from memory to the store when they become too many.

use super::line_values::Line;
use super::staging_buffer::Stage;
use crate::error::Result;
use crate::store::{Sorter, Store};
use std::sync::Arc;

/// The number of bytes of staged records above which they are moved from memory to the store.
pub(crate) const STAGE_BYTES: usize = 16 << 20;

/// Staged records of a load or of a feed. Those that were moved to the store are removed from it when the stage
/// is cleared or dropped.
pub(crate) struct SpillingStage {
    store: Arc<Store>,
    pub(crate) stage: Stage,
    /// The name of the entries in the store, if there are any.
    pub(crate) name: Option<String>,
    /// The number of bytes above which records are moved.
    pub(crate) limit: usize,
}

impl SpillingStage {
    pub(crate) fn new(store: Arc<Store>) -> SpillingStage {
        SpillingStage {
            store,
            stage: Stage::default(),
            name: None,
            limit: STAGE_BYTES,
        }
    }

    /// Stages the values of a line with this number, and the hash of its password.
    pub(crate) fn push(&mut self, number: u64, line: &Line<'_>, hash: Option<&str>) -> Result<()> {
        self.stage.push(number, line, hash)?;
        if self.stage.sorter.bytes() > self.limit {
            let name = self.name.get_or_insert_with(|| self.store.staging_name());
            self.store.stage(&mut self.stage.sorter, name)?;
        }
        Ok(())
    }

    /// Returns the staged records. After they are committed, the stage must be cleared.
    pub(crate) fn take(&mut self) -> Sorter {
        std::mem::take(&mut self.stage).sorter
    }

    /// Removes the staged records.
    pub(crate) fn clear(&mut self) {
        self.stage = Stage::default();
        if let Some(name) = self.name.take() {
            // If the store cannot be written now, it removes them when it is opened.
            let _ = self.store.unstage(&name);
        }
    }
}

impl Drop for SpillingStage {
    fn drop(&mut self) {
        self.clear();
    }
}
