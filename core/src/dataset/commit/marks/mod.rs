//! Marks, and the rows in which they lie.
//!
//! Nothing here edits a row at once: edits wait until they are sorted by row, so that
//! each run is written once.
//!
//! - `edit`: what may become of a row. `address`: which row, and which slot of it.
//! - Four things make edits: this file, of the marks that a dataset names; `enrolment`,
//!   of subjects that learners take; `moves`, of assessments that come, go or move; and
//!   `slots` says which slots are free for them.
//! - `rows` carries the edits out, and `row_index` then tells where learners have rows.

pub(super) mod address;
mod edit;
mod enrolment;
mod moves;
pub(crate) mod row_index;
mod rows;
pub(super) mod slots;

use super::deferred::Deferred;
use crate::dataset::staged::Staged;
use crate::error::Result;
use crate::record::Kind;
use crate::store::Write;
use address::{grade_term_of, mark_address, slot_of};
use edit::RowEdit;
use slots::Slots;

/// How many bytes of edits stay in memory; the rest goes to the store.
const ROWS_BYTES: usize = 12 << 20;
const ROW_INDEX_BYTES: usize = 2 << 20;
const MOVES_BYTES: usize = 2 << 20;

/// What a commit is to do with marks.
pub(super) struct Marks {
    /// Edits of mark rows and waiting marks.
    rows: Deferred,
    /// Assessments whose marks leave a slot.
    moves: Deferred,
    pub(super) slots: Slots,
}

impl Marks {
    pub(super) fn new() -> Marks {
        Marks {
            rows: Deferred::new("rows", ROWS_BYTES),
            moves: Deferred::new("moves", MOVES_BYTES),
            slots: Slots::default(),
        }
    }

    /// Takes all marks of the assessment at hand: into its slot, or among those that
    /// wait for it.
    pub(super) fn take(&mut self, write: &mut Write<'_>, staged: &mut Staged<'_>) -> Result<()> {
        let Some(head) = staged.head()? else {
            return Ok(());
        };
        let &[school, assessment, _] = head.words() else {
            return Ok(());
        };
        let at = match grade_term_of(write, school, assessment)? {
            Some(at) => {
                // A mark must not take the slot of another assessment's.
                self.slots.check(write, school, at)?;
                Some((at, slot_of(write, school, at, assessment)?))
            }
            None => None,
        };
        while let Some(head) = staged.head()? {
            let learner = match (head.kind, head.words()) {
                (Kind::Mark, [s, a, learner]) if (*s, *a) == (school, assessment) => *learner,
                _ => break,
            };
            let (partition, key, slot) = mark_address(school, assessment, learner, at);
            let edit = match staged.take()?.put {
                Some(mark) => RowEdit::Set { slot, mark },
                None => RowEdit::Clear { slot },
            };
            self.rows.push(partition, key, &edit.encode())?;
            self.rows.spill(write)?;
        }
        Ok(())
    }
}
