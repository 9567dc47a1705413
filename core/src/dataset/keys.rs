//! The keys of all records of a school.

use crate::error::{Error, Result};
use crate::record::assessment::{SLOT_TAG, shared_slot, slot};
use crate::record::mark_row::{MarkRow, is_mark};
use crate::record::{Kind, integrator};
use crate::store::{Collection, Key, Partition, Reader, Records, Run, Write};
use std::collections::HashMap;

/// The key of a record that was found.
pub(crate) struct RecordKey<'a> {
    pub(crate) kind: Kind,
    /// The user name, if it is part of the key.
    pub(crate) name: Option<&'a str>,
    /// The numbers of the key, in the order of its fields.
    pub(crate) key: &'a [u64],
    /// The learner whose own it is.
    pub(crate) learner: Option<u64>,
}

/// The partitions of one school.
pub(crate) fn partitions_of(reader: &dyn Reader, school: u64) -> Result<Vec<Partition>> {
    let partition = |collection, number| Partition {
        school,
        collection,
        a: number,
        b: number,
    };
    let [first, .., last] = Collection::ALL;
    let mut partitions = reader.partitions(partition(first, 0), partition(last, u64::MAX))?;
    partitions.retain(|partition| !partition.collection.is_global());
    Ok(partitions)
}

/// Hands on every record that bears this school's id. Marks come by grade,
/// year, term and learner. `between` is called now and then, with nothing read.
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
    write.integrator_rows(integrator::AUTHORISATION_ROWS, &mut |key, _| {
        match integrator::authorisation_of(key) {
            Some((name, of, api_type)) if of == school => each(RecordKey {
                name: Some(&name),
                ..found(Kind::ClientIntegration, &[school, api_type])
            }),
            _ => Ok(()),
        }
    })?;
    for partition in partitions_of(write, school)? {
        let of_marks = partition.collection == Collection::MarkRows;
        let slots = if of_marks {
            slots(write, partition)?
        } else {
            HashMap::new()
        };
        let mut position = 0;
        loop {
            let Some(pinned) = write.records(partition)?.pin(position)? else {
                break;
            };
            let run = pinned.run()?;
            if of_marks {
                each_mark(partition, &run, &slots, each)?;
            } else if let Some(kind) = Kind::kept_in(partition.collection) {
                each_record(kind, partition, &run, each)?;
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
    run: &Run<'_>,
    each: &mut dyn FnMut(RecordKey<'_>) -> Result<()>,
) -> Result<()> {
    for (index, key) in run.keys().enumerate() {
        let words = kind.key_of(partition, key);
        each(RecordKey {
            learner: kind.learner(&words, |tag| run.tag(tag, index))?,
            ..found(kind, &words)
        })?;
    }
    Ok(())
}

/// The marks of the rows of a grade and year.
fn each_mark(
    partition: Partition,
    run: &Run<'_>,
    slots: &HashMap<(u64, u64), u64>,
    each: &mut dyn FnMut(RecordKey<'_>) -> Result<()>,
) -> Result<()> {
    for (index, Key(term, learner)) in run.keys().enumerate() {
        for (slot, mark) in MarkRow::open(run.record(0, index)?)?.slots().enumerate() {
            if is_mark(mark?) {
                let assessment = slots.get(&(term, slot as u64));
                let assessment =
                    assessment.ok_or_else(|| Error::corrupt("a mark has no assessment"))?;
                each(RecordKey {
                    learner: Some(learner),
                    ..found(Kind::Mark, &[partition.school, *assessment, learner])
                })?;
            }
        }
    }
    Ok(())
}

/// The assessments of a grade and year by term and slot.
pub(crate) fn slots(reader: &dyn Reader, rows: Partition) -> Result<HashMap<(u64, u64), u64>> {
    let assessments = Partition {
        collection: Collection::Assessments,
        ..rows
    };
    let mut slots = HashMap::new();
    for pinned in Records::open(reader, assessments)?.all() {
        let (pinned, indices) = pinned?;
        let run = pinned.run()?;
        for index in indices {
            let Key(term, assessment) = run.key(index)?;
            let slot = slot(run.tag(SLOT_TAG, index)?)?;
            if slots.insert((term, slot), assessment).is_some() {
                return Err(shared_slot());
            }
        }
    }
    Ok(slots)
}
