//! Removing what no line names: every record of a school, or of a learner.

use super::Commit;
#[cfg(feature = "sync")]
use crate::dataset::followed;
use crate::dataset::keys::{RecordKey, each_key};
use crate::dataset::summary::Summary;
use crate::dataset::{coverage, ledger, staged};
use crate::error::Result;
use crate::store::{Area, Sorter, Write};
use std::cell::RefCell;

/// Removes the learner and every record that is the learner's own. Parents and
/// accountable persons are people of their own and stay.
pub(crate) fn erase_learner(write: &mut Write<'_>, school: u64, learner: u64) -> Result<Summary> {
    coverage::erase_learner(write, school, learner)?;
    ledger::erase_learner(write, school, learner)?;
    // What was noted of the learner's records are numbers that tell who it was.
    write.forget_touched(Area::School(school))?;
    let mut sorter = Sorter::default();
    let mut key = Vec::new();
    let mut take_own = |found: RecordKey<'_>| {
        if found.learner == Some(learner) {
            let entry = staged::removal(&mut key, found.kind, found.name, found.key);
            sorter.push(&key, &entry)?;
        }
        Ok(())
    };
    each_key(write, school, &mut take_own, &mut |_| Ok(()))?;
    Commit::new(write, sorter)?.run()
}

/// How many bytes of removals stay in memory; the rest goes to the store.
const REMOVALS_BYTES: usize = 16 << 20;

/// Stages the removal of every record of a school that the dataset itself does
/// not name. What was seen of it goes at once: it is no longer synced.
pub(crate) fn stage_removal(write: &mut Write<'_>, sorter: &mut Sorter, school: u64) -> Result<()> {
    coverage::remove(write, school)?;
    ledger::forget(write, school)?;
    #[cfg(feature = "sync")]
    followed::let_go_of(write, school)?;
    let mut key = Vec::new();
    let sorter = RefCell::new(sorter);
    each_key(
        write,
        school,
        &mut |found| {
            let entry = staged::removal(&mut key, found.kind, found.name, found.key);
            sorter.borrow_mut().push_first(&key, &entry)
        },
        &mut |write| {
            let mut sorter = sorter.borrow_mut();
            if sorter.bytes() > REMOVALS_BYTES {
                write.spill(&mut sorter, "removals")?;
            }
            Ok(())
        },
    )
}

/// Removes every record that bears this school's id.
pub(crate) fn remove_school(write: &mut Write<'_>, school: u64) -> Result<Summary> {
    write.forget_touched(Area::School(school))?;
    let mut sorter = Sorter::default();
    stage_removal(write, &mut sorter, school)?;
    Commit::new(write, sorter)?.run()
}
