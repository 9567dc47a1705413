//! Erasing a learner: every record that is the learner's own.

use super::Commit;
use crate::dataset::keys::{Found, each_key};
use crate::dataset::staged;
use crate::dataset::summary::Summary;
use crate::error::Result;
use crate::record::Kind;
use crate::store::{Sorter, Write};

/// Removes the learner, its subjects, marks and absentees. Parents and
/// accountable persons are people of their own and stay.
pub(crate) fn erase_learner(write: &mut Write<'_>, school: u64, learner: u64) -> Result<Summary> {
    let mut sorter = Sorter::default();
    let mut key = Vec::new();
    let mut take_own = |found: Found<'_>| {
        let own = match (found.kind, found.key) {
            (Kind::Learner, [_, id])
            | (Kind::LearnerSubject, [_, id, ..])
            | (Kind::Mark, [_, _, id]) => *id == learner,
            (Kind::Absentee, _) => found.learner == Some(learner),
            _ => false,
        };
        if own {
            let entry = staged::removal(&mut key, found.kind, None, found.key);
            sorter.push(&key, &entry)?;
        }
        Ok(())
    };
    each_key(write, school, &mut take_own, &mut |_| Ok(()))?;
    Commit::new(write, sorter)?.run()
}
