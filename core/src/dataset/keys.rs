//! Reads the keys of all records of a school.

use crate::error::{Error, Result};
use crate::record::Kind;
use crate::record::kinds::assessment::{SLOT_COLUMN, shared_slot, slot};
use crate::record::kinds::integrator;
use crate::record::stored::mark_row::MarkRow;
use crate::store::{Block, Collection, Key, Partition, Reader, Records, Write};
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

/// The key of a stored record.
pub(crate) struct RecordKey<'a> {
    pub(crate) kind: Kind,
    /// The user name, if the key contains one.
    pub(crate) name: Option<&'a str>,
    /// The numbers of the key, in the order of its fields.
    pub(crate) key: &'a [u64],
    /// The learner to whom the record belongs.
    pub(crate) learner: Option<u64>,
}

/// Returns the partitions of one school.
pub(crate) fn partitions_of(reader: &dyn Reader, school: u64) -> Result<Vec<Partition>> {
    let partition = |collection, number| Partition {
        school,
        collection,
        first: number,
        second: number,
    };
    let [first, .., last] = Collection::ALL;
    let mut partitions = reader.partitions(partition(first, 0), partition(last, u64::MAX))?;
    partitions.retain(|partition| !partition.collection.is_global());
    Ok(partitions)
}

/// Passes the client integrations of schools to `each`. Their rows are ordered by user name and
/// then by school; rows of other schools are skipped without being read.
pub(crate) fn each_authorisation(
    reader: &dyn Reader,
    schools: &BTreeSet<u64>,
    each: &mut dyn FnMut(RecordKey<'_>) -> Result<()>,
) -> Result<()> {
    let mut next = Some(integrator::AUTHORISATION_ROWS.to_vec());
    while let Some(from) = next.take() {
        let range = (from.as_slice(), integrator::AUTHORISATION_END);
        reader.integrator_range(range, false, &mut |key, _| {
            let Some((name, of, api_type)) = integrator::authorisation_of(key) else {
                return Ok(ControlFlow::Continue(()));
            };
            match schools.range(of..).next() {
                Some(school) if *school == of => {
                    each(RecordKey {
                        name: Some(&name),
                        ..found(Kind::ClientIntegration, &[of, api_type])
                    })?;
                    return Ok(ControlFlow::Continue(()));
                }
                Some(school) => next = Some(integrator::authorisation_key(&name, *school, 0)),
                None => {
                    let last = integrator::authorisation_key(&name, u64::MAX, u64::MAX);
                    next = Some([last.as_slice(), &[0]].concat());
                }
            }
            Ok(ControlFlow::Break(()))
        })?;
    }
    Ok(())
}

/// Passes the key of every record of a school to `each`, except client integrations. Marks are in
/// the order of grade, year, term and learner. Calls `between` after each block, while no block is
/// pinned.
pub(crate) fn each_key(
    write: &mut Write<'_>,
    school: u64,
    each: &mut dyn FnMut(RecordKey<'_>) -> Result<()>,
    between: &mut dyn FnMut(&mut Write<'_>) -> Result<()>,
) -> Result<()> {
    let schools = write.records(Partition::global(Collection::Schools))?;
    if schools.get(Key::one(school))?.is_some() {
        each(found(Kind::School, &[school]))?;
    }
    for partition in partitions_of(write, school)? {
        let slots = match partition.collection {
            Collection::MarkRows => Some(assessments_by_slot(write, partition)?),
            _ => None,
        };
        let mut position = 0;
        loop {
            let Some(pinned) = write.records(partition)?.pin(position)? else {
                break;
            };
            let block = pinned.block()?;
            if let Some(slots) = &slots {
                for (index, key) in block.keys().enumerate() {
                    let row = block.record(0, index)?;
                    marks_of_record(partition, key, row, slots, &mut |mark, _| {
                        each(RecordKey {
                            learner: Some(mark.1),
                            ..found(Kind::Mark, &[school, mark.0, mark.1])
                        })
                    })?;
                }
            } else if let Some(kind) = Kind::stored_in(partition.collection) {
                each_record(kind, partition, &block, each)?;
            }
            drop(pinned);
            between(write)?;
            position += 1;
        }
    }
    Ok(())
}

fn found(kind: Kind, key: &[u64]) -> RecordKey<'_> {
    RecordKey {
        kind,
        name: None,
        key,
        learner: None,
    }
}

fn each_record(
    kind: Kind,
    partition: Partition,
    block: &Block<'_>,
    each: &mut dyn FnMut(RecordKey<'_>) -> Result<()>,
) -> Result<()> {
    for (index, key) in block.keys().enumerate() {
        let words = kind.key_of(partition, key);
        each(RecordKey {
            learner: kind.learner(&words, |column| block.filter_column(column, index))?,
            ..found(kind, &words)
        })?;
    }
    Ok(())
}

/// The assessments of a grade and year, by term and slot.
pub(super) type AssessmentsBySlot = HashMap<(u64, u64), u64>;

/// Passes the marks of a record to `each`, each with its assessment and learner. The record is a
/// mark row, or one mark that waits for its assessment.
pub(super) fn marks_of_record(
    partition: Partition,
    key: Key,
    record: &[u8],
    slots: &AssessmentsBySlot,
    each: &mut dyn FnMut(Key, &[u8]) -> Result<()>,
) -> Result<()> {
    if partition.collection == Collection::WaitingMarks {
        return each(key, record);
    }
    let Key(term, learner) = key;
    for mark in MarkRow::open(record)?.marks() {
        let (slot, mark) = mark?;
        let assessment = slots.get(&(term, slot));
        let assessment = assessment.ok_or_else(|| Error::corrupt("a mark has no assessment"))?;
        each(Key(*assessment, learner), mark)?;
    }
    Ok(())
}

/// Reads the assessments of a grade and year, by term and slot. Marks that wait for their
/// assessment have no slots.
pub(super) fn assessments_by_slot(
    reader: &dyn Reader,
    rows: Partition,
) -> Result<AssessmentsBySlot> {
    if rows.collection == Collection::WaitingMarks {
        return Ok(AssessmentsBySlot::new());
    }
    let assessments = Partition {
        collection: Collection::Assessments,
        ..rows
    };
    let mut slots = AssessmentsBySlot::new();
    let mut records = Records::open(reader, assessments)?.all();
    while let Some(record) = records.next()? {
        let Key(term, assessment) = record.key()?;
        let slot = slot(record.filter_column(SLOT_COLUMN)?)?;
        if slots.insert((term, slot), assessment).is_some() {
            return Err(shared_slot());
        }
    }
    Ok(slots)
}
