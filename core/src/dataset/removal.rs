//! Removes records that no line contains: all records of a school or of a learner.

use crate::dataset::commit::Commit;
use crate::dataset::keys::{RecordKey, each_authorisation, each_key};
use crate::dataset::replication::{follower_state, stored_coverage, stored_fetch_log};
use crate::dataset::staging::staging_buffer;
use crate::dataset::summary::Summary;
use crate::error::Result;
use crate::store::{LogPartition, Sorter, Write};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Removes a learner and all records that belong to the learner. Parents and accountable persons
/// remain, unless the store follows some learners of the school and no other of these learners
/// names them.
pub(crate) fn erase_learner(write: &mut Write<'_>, school: u64, learner: u64) -> Result<Summary> {
    stored_coverage::erase_learner(write, school, learner)?;
    stored_fetch_log::erase_learner(write, school, learner)?;
    // The changed keys in the journal identify the learner.
    write.remove_changed_keys(LogPartition::School(school))?;
    let mut sorter = Sorter::default();
    let mut key = Vec::new();
    let mut stage_own = |found: RecordKey<'_>| {
        if found.learner == Some(learner) {
            let entry = staging_buffer::removal(&mut key, found.kind, found.name, found.key);
            sorter.push(&key, &entry)?;
        }
        Ok(())
    };
    each_key(write, school, &mut stage_own, &mut |_| Ok(()))?;
    let mut summary = Commit::new(write, sorter)?.run()?;
    summary.add(&follower_state::remove_unnamed(write, school)?);
    Ok(summary)
}

/// The number of bytes of staged removals above which they are moved from memory to the store.
const REMOVALS_BYTES: usize = 16 << 20;

/// Stages the removal of all records of a school, except those that the dataset contains. Also
/// removes its coverage immediately, so that the school is no longer synced.
pub(crate) fn stage_removal(write: &mut Write<'_>, sorter: &mut Sorter, school: u64) -> Result<()> {
    stored_coverage::remove(write, school)?;
    stored_fetch_log::remove_log(write, school)?;
    follower_state::stop_following(write, school)?;
    stage_all(write, sorter, &[school].into())
}

fn stage_all(write: &mut Write<'_>, sorter: &mut Sorter, schools: &BTreeSet<u64>) -> Result<()> {
    let mut key = Vec::new();
    let sorter = RefCell::new(sorter);
    let mut stage = |found: RecordKey<'_>| {
        let entry = staging_buffer::removal(&mut key, found.kind, found.name, found.key);
        sorter.borrow_mut().push_first(&key, &entry)
    };
    each_authorisation(write, schools, &mut stage)?;
    for school in schools {
        each_key(write, *school, &mut stage, &mut |write| {
            let mut sorter = sorter.borrow_mut();
            if sorter.bytes() > REMOVALS_BYTES {
                write.spill(&mut sorter, "removals")?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Removes all records with the id of this school.
pub(crate) fn remove_school(write: &mut Write<'_>, school: u64) -> Result<Summary> {
    write.remove_changed_keys(LogPartition::School(school))?;
    let mut sorter = Sorter::default();
    stage_removal(write, &mut sorter, school)?;
    Commit::new(write, sorter)?.run()
}

/// Removes all records of schools that are no longer followed. Learners that were erased from them
/// are not added again if the schools are followed again.
pub(crate) fn remove_followed(write: &mut Write<'_>, schools: &BTreeSet<u64>) -> Result<Summary> {
    for school in schools {
        write.remove_changed_keys(LogPartition::School(*school))?;
        stored_coverage::end_sync(write, *school)?;
        stored_fetch_log::remove_log(write, *school)?;
    }
    let mut sorter = Sorter::default();
    stage_all(write, &mut sorter, schools)?;
    Commit::new(write, sorter)?.run()
}
