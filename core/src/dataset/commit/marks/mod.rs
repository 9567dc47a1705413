//! Marks and mark rows.
//!
//! Code in this module does not edit a row immediately. Edits wait until they are sorted by row, so
//! that each block is written once.
//!
//! - `row_edit`: the possible edits of a row.
//! - Three modules make edits: this one, for the marks that a dataset contains; `enrolment`, for
//!   subjects that learners take; and `moves`, for assessments that are added, removed or moved.
//!   `free_slots` finds free slots for assessments.
//! - `merged_edits` merges edits of one row; `slot_cache` caches the slots of assessments, and
//!   `row_cache` finds marks that are stored already.
//! - `row_writer` applies the edits, and `row_index` then records which rows a learner has.

mod enrolment;
pub(super) mod free_slots;
mod merged_edits;
mod moves;
mod row_cache;
mod row_edit;
pub(crate) mod row_index;
mod row_writer;
mod slot_cache;

use super::change_counter::ChangeCounter;
use super::pending_edits::Deferred;
use crate::dataset::staging::staging_buffer::{Staged, StagedHead};
use crate::dataset::summary::Change;
use crate::error::Result;
use crate::record::Kind;
use crate::record::address::mark_address;
use crate::store::Write;
use free_slots::FreeSlots;
use merged_edits::MergedEdits;
use row_cache::StoredRows;
use row_edit::RowEdit;
use slot_cache::SlotCache;

/// The number of bytes of edits above which they are moved from memory to the store.
const ROWS_BYTES: usize = 12 << 20;
const ROW_INDEX_BYTES: usize = 2 << 20;
const MOVES_BYTES: usize = 2 << 20;

/// The pending changes of marks in a commit.
pub(super) struct PendingMarks {
    /// Edits of mark rows and waiting marks.
    rows: MergedEdits,
    /// Assessments whose marks leave a slot, by that slot.
    moves: Deferred,
    /// Whether the marks of any assessment move. If they do, a stored row may change although the
    /// dataset contains the same marks, so stored marks must not be compared.
    has_moves: bool,
    pub(super) slots: FreeSlots,
}

impl PendingMarks {
    pub(super) fn new() -> PendingMarks {
        PendingMarks {
            rows: MergedEdits::new(Deferred::new("rows", ROWS_BYTES)),
            moves: Deferred::new("moves", MOVES_BYTES),
            has_moves: false,
            slots: FreeSlots::default(),
        }
    }

    /// Makes edits of all staged marks of the current school. Each mark is put into the slot of its
    /// assessment, or among the marks that wait for it, unless it is stored already.
    pub(super) fn take(
        &mut self,
        write: &mut Write<'_>,
        staged: &mut Staged<'_>,
        counter: &mut ChangeCounter,
    ) -> Result<()> {
        let school = staged.head()?.and_then(StagedHead::school);
        let mut places = SlotCache::default();
        let mut stored = StoredRows::default();
        while let Some(head) = staged.head()? {
            let (assessment, learner) = match (head.kind, head.words()) {
                (Kind::Mark, [s, assessment, learner]) if Some(*s) == school => {
                    (*assessment, *learner)
                }
                _ => break,
            };
            let school = school.unwrap_or(0);
            let at = places.find(write, &mut self.slots, school, assessment)?;
            let (partition, key, slot) = mark_address(school, assessment, learner, at);
            let edit = match staged.take()?.put {
                Some(mark)
                    if at.is_some()
                        && !self.has_moves
                        && stored.contains(write, (partition, key), slot, mark)? =>
                {
                    counter.summary.count(Kind::Mark, Change::Unchanged);
                    continue;
                }
                Some(mark) => RowEdit::Set { slot, mark },
                None => RowEdit::Clear { slot },
            };
            self.rows.push(partition, key, edit)?;
            self.rows.spill(write)?;
        }
        Ok(())
    }
}
