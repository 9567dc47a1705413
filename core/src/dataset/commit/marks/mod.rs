//! Marks, and the rows in which they lie.
//!
//! Nothing here edits a row at once: edits wait until they are sorted by row, so that
//! each run is written once.
//!
//! - `edit`: what may become of a row. `address`: which row, and which slot of it.
//! - Four things make edits: this file, of the marks that a dataset names; `enrolment`,
//!   of subjects that learners take; `moves`, of assessments that come, go or move; and
//!   `slots` says which slots are free for them.
//! - `gathered` makes few of many edits; `places` knows where assessments have their slots,
//!   and `stored` which marks are kept already.
//! - `rows` carries the edits out, and `row_index` then tells where learners have rows.

pub(super) mod address;
mod edit;
mod enrolment;
mod gathered;
mod moves;
mod places;
pub(crate) mod row_index;
mod rows;
pub(super) mod slots;
mod stored;

use super::deferred::Deferred;
use super::tally::Tally;
use crate::dataset::staged::{Head, Staged};
use crate::dataset::summary::Change;
use crate::error::Result;
use crate::record::Kind;
use crate::store::Write;
use address::mark_address;
use edit::RowEdit;
use gathered::Gathered;
use places::Places;
use slots::Slots;
use stored::StoredRows;

/// How many bytes of edits stay in memory; the rest goes to the store.
const ROWS_BYTES: usize = 12 << 20;
const ROW_INDEX_BYTES: usize = 2 << 20;
const MOVES_BYTES: usize = 2 << 20;

/// What a commit is to do with marks.
pub(super) struct Marks {
    /// Edits of mark rows and waiting marks.
    rows: Gathered,
    /// Assessments whose marks leave a slot.
    moves: Deferred,
    /// Whether any assessment's marks go elsewhere, so that a row may change beside what
    /// the dataset says of its marks.
    has_moves: bool,
    pub(super) slots: Slots,
}

impl Marks {
    pub(super) fn new() -> Marks {
        Marks {
            rows: Gathered::new(Deferred::new("rows", ROWS_BYTES)),
            moves: Deferred::new("moves", MOVES_BYTES),
            has_moves: false,
            slots: Slots::default(),
        }
    }

    /// Takes all marks of the school at hand: each into the slot of its assessment, or
    /// among those that wait for it, unless it is kept already.
    pub(super) fn take(
        &mut self,
        write: &mut Write<'_>,
        staged: &mut Staged<'_>,
        tally: &mut Tally,
    ) -> Result<()> {
        let school = staged.head()?.and_then(Head::school);
        let mut places = Places::default();
        let mut stored = StoredRows::default();
        while let Some(head) = staged.head()? {
            let (assessment, learner) = match (head.kind, head.words()) {
                (Kind::Mark, [s, assessment, learner]) if Some(*s) == school => {
                    (*assessment, *learner)
                }
                _ => break,
            };
            let school = school.unwrap_or(0);
            let at = places.of(write, &mut self.slots, school, assessment)?;
            let (partition, key, slot) = mark_address(school, assessment, learner, at);
            let edit = match staged.take()?.put {
                Some(mark)
                    if at.is_some()
                        && !self.has_moves
                        && stored.hold(write, (partition, key), slot, mark)? =>
                {
                    tally.summary.count(Kind::Mark, Change::Unchanged);
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
