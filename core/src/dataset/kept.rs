//! The records of a school with their values, as a sync compares them with what it was
//! told.

use super::export::values;
use super::keys::{partitions_of, slots};
use super::render;
use crate::error::{Error, Result};
use crate::record::mark::Mark;
use crate::record::mark_row::{MarkRow, is_mark};
use crate::record::{Kind, Value, bake, learner};
use crate::store::{Collection, Key, Partition, Reader, Records, Write};
use std::collections::BTreeSet;

/// A record that is kept.
pub(crate) enum Kept<'a> {
    Record(Kind, Vec<Value<'a>>),
    Mark {
        assessment: u64,
        learner: u64,
        mark: Mark,
    },
}

/// Whether there is no other school, so that what is the same for all schools is this one's.
pub(crate) fn is_alone(reader: &dyn Reader, school: u64) -> Result<bool> {
    let schools = render::schools(reader)?;
    Ok(schools.into_iter().all(|other| other == school))
}

/// Hands on the school and all its records, of marks those of these grades and years; and
/// the lists that are the same for all schools.
/// `between` is called now and then, with nothing read.
pub(crate) fn each_kept(
    write: &mut Write<'_>,
    school: u64,
    marks_of: &BTreeSet<(u64, u64)>,
    each: &mut dyn FnMut(Kept<'_>) -> Result<()>,
    between: &mut dyn FnMut(&mut Write<'_>) -> Result<()>,
) -> Result<()> {
    school_itself(write, school, each)?;
    let lists = LISTS.map(Partition::global);
    for partition in partitions_of(write, school)?.into_iter().chain(lists) {
        let kind = Kind::kept_in(partition.collection).filter(|kind| *kind != Kind::Mark);
        let is_marks = partition.collection == Collection::MarkRows
            && marks_of.contains(&(partition.a, partition.b));
        if kind.is_none() && !is_marks {
            continue;
        }
        let mut position = 0;
        while each_of_run(write, partition, kind, position, each)? {
            between(write)?;
            position += 1;
        }
    }
    Ok(())
}

/// The grades and years in which these assessments lie.
pub(crate) fn places_of(
    write: &Write<'_>,
    school: u64,
    assessments: &BTreeSet<u64>,
) -> Result<BTreeSet<(u64, u64)>> {
    let mut places = BTreeSet::new();
    let partitions = partitions_of(write, school)?.into_iter();
    for partition in partitions.filter(|of| of.collection == Collection::Assessments) {
        for pinned in write.records(partition)?.all() {
            let (pinned, _) = pinned?;
            if pinned.run()?.keys().any(|key| assessments.contains(&key.1)) {
                places.insert((partition.a, partition.b));
                break;
            }
        }
    }
    Ok(places)
}

/// The learners of a status.
pub(crate) fn learners(reader: &dyn Reader, school: u64, status: &str) -> Result<BTreeSet<u64>> {
    let status = learner::STATUSES.iter().position(|one| *one == status);
    let status = status.map(|position| position as u64);
    let mut learners = BTreeSet::new();
    let partition = of_school(school, Collection::Learners);
    for pinned in Records::open(reader, partition)?.all() {
        let (pinned, indices) = pinned?;
        let run = pinned.run()?;
        for index in indices {
            if run.tag(learner::STATUS_TAG, index)? == status {
                learners.insert(run.key(index)?.0);
            }
        }
    }
    Ok(learners)
}

/// The grades that have a record.
pub(crate) fn grades(reader: &dyn Reader, school: u64) -> Result<BTreeSet<u64>> {
    let mut grades = BTreeSet::new();
    for pinned in Records::open(reader, of_school(school, Collection::Grades))?.all() {
        let (pinned, indices) = pinned?;
        let run = pinned.run()?;
        for index in indices {
            grades.insert(run.key(index)?.0);
        }
    }
    Ok(grades)
}

fn of_school(school: u64, collection: Collection) -> Partition {
    Partition {
        school,
        collection,
        a: 0,
        b: 0,
    }
}

fn school_itself(
    write: &Write<'_>,
    school: u64,
    each: &mut dyn FnMut(Kept<'_>) -> Result<()>,
) -> Result<()> {
    let schools = write.records(Partition::global(Collection::Schools))?;
    if let Some((pinned, index)) = schools.get(Key::one(school))? {
        let run = pinned.run()?;
        let values = bake::values(Kind::School, &[school], &run.item(index)?)?;
        each(Kept::Record(Kind::School, values))?;
    }
    Ok(())
}

const LISTS: [Collection; 4] = [
    Collection::EthnicGroups,
    Collection::MaritalStatuses,
    Collection::Genders,
    Collection::Languages,
];

fn each_of_run(
    write: &Write<'_>,
    partition: Partition,
    kind: Option<Kind>,
    position: usize,
    each: &mut dyn FnMut(Kept<'_>) -> Result<()>,
) -> Result<bool> {
    let Some(pinned) = write.records(partition)?.pin(position)? else {
        return Ok(false);
    };
    let run = pinned.run()?;
    if let Some(kind) = kind {
        for (index, key) in run.keys().enumerate() {
            let item = run.item(index)?;
            let values = values(kind, partition, key, &item)?;
            each(Kept::Record(kind, values))?;
        }
        return Ok(true);
    }
    let slots = slots(write, partition)?;
    for (index, Key(term, learner)) in run.keys().enumerate() {
        for (slot, mark) in MarkRow::open(run.record(0, index)?)?.slots().enumerate() {
            let mark = mark?;
            if !is_mark(mark) {
                continue;
            }
            let assessment = slots.get(&(term, slot as u64)).copied();
            let assessment =
                assessment.ok_or_else(|| Error::corrupt("a mark has no assessment"))?;
            if let Some(mark) = Mark::decode(mark)? {
                each(Kept::Mark {
                    assessment,
                    learner,
                    mark,
                })?;
            }
        }
    }
    Ok(true)
}
