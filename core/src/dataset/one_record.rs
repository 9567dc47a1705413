//! One record as a line, found by its key.

use super::export::{line, mark_values, values};
use crate::error::{Error, Failure, Result};
use crate::record::Kind;
use crate::record::assessment::{self, GRADE_TAG, SLOT_TAG, TERM_TAG, YEAR_TAG};
use crate::record::mark::Mark;
use crate::record::mark_row::{MarkRow, is_mark};
use crate::record::storage::{Dated, Storage};
use crate::store::{Collection, Key, Partition, Reader, Snapshot};

/// A record that was found.
pub(crate) struct Found {
    pub(crate) line: String,
    /// The learner whose own it is.
    pub(crate) learner: Option<u64>,
}

/// The record of these numbers, in the order of the key's fields, if it is there.
pub(crate) fn find(snapshot: &Snapshot, kind: Kind, key: &[u64]) -> Result<Option<Found>> {
    let address = match (kind.storage(), key) {
        (Storage::Marks, &[school, assessment, learner]) => {
            let mark = mark(snapshot, school, assessment, learner)?;
            return Ok(mark.map(|mark| Found {
                line: line(kind, &mark_values(school, Key(assessment, learner), &mark)),
                learner: Some(learner),
            }));
        }
        (Storage::Dated { at, .. }, &[school, id]) => dated(snapshot, at, school, id)?,
        (Storage::Assessments, &[school, id]) => assessment(snapshot, school, id)?,
        (storage, key) => storage.address(key),
    };
    let Some((partition, at)) = address else {
        return Ok(None);
    };
    let records = snapshot.records(partition)?;
    let Some((pinned, index)) = records.get(at)? else {
        return Ok(None);
    };
    let run = pinned.run()?;
    Ok(Some(Found {
        line: line(kind, &values(kind, partition, at, &run.item(index)?)?),
        learner: kind.learner(key, |tag| run.tag(tag, index))?,
    }))
}

type Address = Option<(Partition, Key)>;

fn dated(snapshot: &Snapshot, at: Dated, school: u64, id: u64) -> Result<Address> {
    let dates = snapshot.records(Partition::of(school, at.dates))?;
    let Some((pinned, index)) = dates.get(Key::one(id))? else {
        return Ok(None);
    };
    let date = pinned.run()?.tag(Dated::DATE_TAG, index)?;
    let date = date.ok_or_else(astray)?;
    Ok(Some((Partition::of(school, at.records), Key(date, id))))
}

fn assessment(snapshot: &Snapshot, school: u64, id: u64) -> Result<Address> {
    let index = snapshot.records(Partition::of(school, Collection::AssessmentIndex))?;
    let Some((pinned, at)) = index.get(Key::one(id))? else {
        return Ok(None);
    };
    let run = pinned.run()?;
    let tag = |tag| run.tag(tag, at)?.ok_or_else(astray);
    let (grade, year, term) = (tag(GRADE_TAG)?, tag(YEAR_TAG)?, tag(TERM_TAG)?);
    let partition = Partition::of_grade_year(school, Collection::Assessments, grade, year);
    Ok(Some((partition, Key(term, id))))
}

/// A mark lies in its assessment's slot of the learner's row, or waits for the assessment.
fn mark(snapshot: &Snapshot, school: u64, id: u64, learner: u64) -> Result<Option<Mark>> {
    let Some((partition, at)) = assessment(snapshot, school, id)? else {
        let waiting = snapshot.records(Partition::of(school, Collection::WaitingMarks))?;
        let Some((pinned, index)) = waiting.get(Key(id, learner))? else {
            return Ok(None);
        };
        return Mark::decode(pinned.run()?.record(0, index)?);
    };
    let found = snapshot.records(partition)?.get(at)?;
    let (pinned, index) = found.ok_or_else(astray)?;
    let slot = assessment::slot(pinned.run()?.tag(SLOT_TAG, index)?)?;
    let rows = Partition {
        collection: Collection::MarkRows,
        ..partition
    };
    let Some((pinned, index)) = snapshot.records(rows)?.get(Key(at.0, learner))? else {
        return Ok(None);
    };
    let row = MarkRow::open(pinned.run()?.record(0, index)?)?;
    for (number, mark) in (0..).zip(row.slots()) {
        let mark = mark?;
        if number == slot {
            return if is_mark(mark) {
                Mark::decode(mark)
            } else {
                Ok(None)
            };
        }
    }
    Ok(None)
}

fn astray() -> Failure {
    Error::corrupt("a record is not where its index says")
}
