//! A commit in progress.

use super::change_counter::ChangeCounter;
use super::marks::PendingMarks;
use super::missing_schools::Needs;
use super::pending_edits::Deferred;
use crate::dataset::staging::staging_buffer::Staged;
use crate::error::Result;
use crate::store::{Sorter, Write};

/// The number of bytes of edits above which they are moved from memory to the store.
const RECORDS_BYTES: usize = 4 << 20;

/// A commit in progress.
pub(crate) struct Commit<'w, 't> {
    pub(super) write: &'w mut Write<'t>,
    pub(super) staged: Staged<'t>,
    pub(super) counter: ChangeCounter,
    pub(super) needs: Needs,
    /// Whether the records are those of a dataset of the app.
    pub(super) is_of_app: bool,
    /// Edits of records that are stored by date, or by grade and year.
    pub(super) records: Deferred,
    pub(super) marks: PendingMarks,
}

impl<'w, 't> Commit<'w, 't> {
    pub(crate) fn new(write: &'w mut Write<'t>, sorter: Sorter) -> Result<Commit<'w, 't>> {
        let sorted = write.sorted(sorter)?;
        let counter = ChangeCounter::new(write);
        Ok(Commit {
            write,
            staged: Staged::new(sorted),
            counter,
            needs: Needs::default(),
            is_of_app: false,
            records: Deferred::new("records", RECORDS_BYTES),
            marks: PendingMarks::new(),
        })
    }

    /// Begins a commit of a dataset of the app, which may not change synced schools.
    pub(crate) fn of_dataset(write: &'w mut Write<'t>, sorter: Sorter) -> Result<Commit<'w, 't>> {
        Ok(Commit {
            is_of_app: true,
            ..Commit::new(write, sorter)?
        })
    }
}
