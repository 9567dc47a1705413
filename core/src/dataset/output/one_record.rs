//! Finds one record by its key, and writes it as a line.

use super::record_line::{line, mark_values, values};
use crate::error::Result;
use crate::record::Kind;
use crate::record::address::{address, mark_address, slot_address_of};
use crate::record::kinds::mark::Mark;
use crate::record::stored::mark_row::MarkRow;
use crate::store::{Key, Reader, Snapshot};

/// A record that was found.
pub(crate) struct FoundRecord {
    pub(crate) line: String,
    /// The learner to whom the record belongs.
    pub(crate) learner: Option<u64>,
}

/// Returns the record with a key, whose numbers are in the order of its fields, if it exists.
pub(crate) fn find(snapshot: &Snapshot, kind: Kind, key: &[u64]) -> Result<Option<FoundRecord>> {
    if let (Kind::Mark, &[school, assessment, learner]) = (kind, key) {
        let mark = mark(snapshot, school, assessment, learner)?;
        return Ok(mark.map(|mark| FoundRecord {
            line: line(kind, &mark_values(school, Key(assessment, learner), &mark)),
            learner: Some(learner),
        }));
    }
    let Some((partition, at)) = address(snapshot, kind, key)? else {
        return Ok(None);
    };
    let records = snapshot.records(partition)?;
    let Some(record) = records.get(at)? else {
        return Ok(None);
    };
    Ok(Some(FoundRecord {
        line: line(kind, &values(kind, partition, at, &record.item()?)?),
        learner: kind.learner(key, |column| record.filter_column(column))?,
    }))
}

/// Returns a mark. It is in the slot of its assessment in a row of the learner, or waits for the
/// assessment.
fn mark(snapshot: &Snapshot, school: u64, id: u64, learner: u64) -> Result<Option<Mark>> {
    let at = slot_address_of(snapshot, school, id)?;
    let (partition, key, slot) = mark_address(school, id, learner, at);
    let Some(record) = snapshot.records(partition)?.get(key)? else {
        return Ok(None);
    };
    if at.is_none() {
        return Mark::decode(record.column(0)?);
    }
    match MarkRow::open(record.column(0)?)?.mark(slot)? {
        Some(mark) => Mark::decode(mark),
        None => Ok(None),
    }
}
