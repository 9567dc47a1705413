//! The subjects in which one learner is enrolled in the current year, of which two
//! questions tell.

use super::View;
use super::tables::Tables;
use super::walk::Walk;
use crate::error::Result;
use crate::json::{Chunks, Wire};
use crate::store::{Collection, Key, Partition, Reader, Run, Snapshot};

/// What the records of a learner's subjects have in common.
pub(super) struct EnrolledContext<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) tables: &'a Tables,
    pub(super) year: u64,
    pub(super) wire: Wire,
}

/// Writes the records of the walk's next page, by subject. `push` writes one
/// with a comma, or nothing if the question tells nothing of it.
#[inline]
pub(super) fn walk(
    view: View<'_>,
    school: u64,
    learner: u64,
    wire: Wire,
    walk: &mut Walk,
    out: &mut Chunks<'_>,
    push: impl Fn(&EnrolledContext<'_>, &Run<'_>, usize, &mut Chunks<'_>) -> Result<()>,
) -> Result<()> {
    let tables = view.tables(school, wire)?;
    let Some(year) = view.current_year(&tables) else {
        return Ok(());
    };
    let context = EnrolledContext {
        snapshot: view.snapshot,
        tables: &tables,
        year,
        wire,
    };
    let subjects = Partition::of_year(school, Collection::LearnerSubjects, year);
    let subjects = view.snapshot.records(subjects)?;
    let (from, to) = (Key(learner, 0), Key(learner, u64::MAX));
    let Some(keys) = walk.rest(from, to, |[subject, ..]| Key(learner, *subject)) else {
        return Ok(());
    };
    for pinned in walk.runs(&subjects, keys) {
        let (pinned, indices) = pinned?;
        let run = pinned.run()?;
        for index in walk.in_order(indices) {
            let Key(_, subject) = run.key(index)?;
            let start = out.len();
            push(&context, &run, index, out)?;
            if out.len() > start && !walk.take([subject, 0, 0, 0, 0, 0, 0]) {
                out.truncate(start);
                return Ok(());
            }
        }
    }
    Ok(())
}
