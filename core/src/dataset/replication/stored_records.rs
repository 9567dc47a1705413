//! Reads the stored records of a school with their values. A sync compares them with the records
//! that it fetched.

use crate::dataset::keys::{assessments_by_slot, marks_of_record, partitions_of};
use crate::dataset::output::record_line::values;
use crate::dataset::render;
use crate::error::Result;
use crate::record::kinds::learner;
use crate::record::kinds::mark::Mark;
use crate::record::presence::has_records;
use crate::record::stored::pre_render;
use crate::record::{Kind, Value};
use crate::store::{Collection, Key, Partition, Reader, Records, SchoolOwner, Write};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Receives the kind and the values of each stored record.
type EachRecord<'e> = dyn FnMut(Kind, &[Value<'_>]) -> Result<()> + 'e;

/// Returns whether all schools with records, except this one, are synced from the service. If they
/// are, the service owns the lists that are the same for all schools.
pub(crate) fn are_all_synced(write: &Write<'_>, school: u64) -> Result<bool> {
    for other in render::schools(write)? {
        let is_synced = other == school || write.owners().get(other) == SchoolOwner::Service;
        if !is_synced && has_records(write, other)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Passes the school, all its records and the lists that are the same for all schools to `each`. Of
/// the marks, it passes those of the grades and years `marks_of`, and those whose assessment is
/// missing. It calls `between` after each block, while no block is pinned.
pub(crate) fn each_stored(
    write: &mut Write<'_>,
    school: u64,
    marks_of: &BTreeSet<(u64, u64)>,
    each: &mut EachRecord<'_>,
    between: &mut dyn FnMut(&mut Write<'_>) -> Result<()>,
) -> Result<()> {
    school_itself(write, school, each)?;
    let lists = LISTS.map(Partition::global);
    for partition in partitions_of(write, school)?.into_iter().chain(lists) {
        let kind = Kind::stored_in(partition.collection).filter(|kind| *kind != Kind::Mark);
        let is_marks = match partition.collection {
            Collection::MarkRows => marks_of.contains(&(partition.first, partition.second)),
            Collection::WaitingMarks => true,
            _ => false,
        };
        if kind.is_none() && !is_marks {
            continue;
        }
        let mut position = 0;
        while each_of_block(write, partition, kind, position, each)? {
            between(write)?;
            position += 1;
        }
    }
    Ok(())
}

/// Returns the grades and years of these assessments.
pub(crate) fn places_of(
    write: &Write<'_>,
    school: u64,
    assessments: &BTreeSet<u64>,
) -> Result<BTreeSet<(u64, u64)>> {
    let mut places = BTreeSet::new();
    let partitions = partitions_of(write, school)?.into_iter();
    for partition in partitions.filter(|of| of.collection == Collection::Assessments) {
        let mut records = write.records(partition)?.all();
        while let Some(record) = records.next()? {
            if assessments.contains(&record.key()?.1) {
                places.insert((partition.first, partition.second));
                break;
            }
        }
    }
    Ok(places)
}

/// Returns the grades and years that have assessments or marks.
pub(crate) fn grades_and_years(write: &Write<'_>, school: u64) -> Result<BTreeSet<(u64, u64)>> {
    let partitions = partitions_of(write, school)?.into_iter();
    let of_marks = partitions.filter(|of| {
        matches!(
            of.collection,
            Collection::Assessments | Collection::MarkRows
        )
    });
    Ok(of_marks.map(|of| (of.first, of.second)).collect())
}

/// Returns the learners with a status.
pub(crate) fn learners(reader: &dyn Reader, school: u64, status: &str) -> Result<BTreeSet<u64>> {
    let status = learner::STATUSES.iter().position(|one| *one == status);
    let status = status.map(|position| position as u64);
    let mut learners = BTreeSet::new();
    let partition = Partition::new(school, Collection::Learners);
    let mut records = Records::open(reader, partition)?.all();
    while let Some(record) = records.next()? {
        if record.filter_column(learner::STATUS_COLUMN)? == status {
            learners.insert(record.key()?.0);
        }
    }
    Ok(learners)
}

/// Returns learners that together take every subject of every grade and term that anyone takes at
/// the school in a year. They are few, and remain the same as long as no record changes.
pub(crate) fn learners_taking_all(reader: &dyn Reader, school: u64, year: u64) -> Result<Vec<u64>> {
    let mut chosen: BTreeMap<u64, Vec<Taken>> = BTreeMap::new();
    let mut takers: HashMap<Taken, u32> = HashMap::new();
    let mut choose = |learner: u64, taken: Vec<Taken>| {
        if taken.iter().any(|one| !takers.contains_key(one)) {
            for one in &taken {
                *takers.entry(*one).or_default() += 1;
            }
            chosen.insert(learner, taken);
        }
    };
    let (mut last, mut taken) = (None, Vec::new());
    let partitions = partitions_of(reader, school)?.into_iter();
    for partition in partitions.filter(|of| of.collection == Collection::LearnerSubjects) {
        let mut records = Records::open(reader, partition)?.all();
        while let Some(record) = records.next()? {
            let kind = Kind::LearnerSubject;
            let values = values(kind, partition, record.key()?, &record.item()?)?;
            let [_, learner, of, subject, grade, terms] = values.as_slice() else {
                continue;
            };
            if of.integer() != Some(year) {
                continue;
            }
            let learner = learner.integer().unwrap_or_default();
            if let Some(before) = last.replace(learner).filter(|before| *before != learner) {
                choose(before, std::mem::take(&mut taken));
            }
            let Value::Terms(terms) = terms else { continue };
            let subject = subject.integer().unwrap_or_default();
            let grade = grade.integer().unwrap_or_default();
            taken.extend(terms.iter().map(|term| (grade, subject, term.term)));
        }
    }
    if let Some(learner) = last {
        choose(learner, taken);
    }
    // Some learners that were chosen early take nothing that the others do not take too.
    chosen.retain(|_, taken| {
        let is_needed = taken.iter().any(|one| takers.get(one) == Some(&1));
        for one in taken.iter().filter(|_| !is_needed) {
            takers.entry(*one).and_modify(|count| *count -= 1);
        }
        is_needed
    });
    Ok(chosen.into_keys().collect())
}

/// A subject of a grade in a term: the ids of the grade, the subject and the term.
type Taken = (u64, u64, u64);

/// Returns the ids of the grades that have a record.
pub(crate) fn grades(reader: &dyn Reader, school: u64) -> Result<BTreeSet<u64>> {
    let grades = Records::open(reader, Partition::new(school, Collection::Grades))?;
    let keys = grades.keys(Key::MIN, Key::MAX)?;
    Ok(keys.into_iter().map(|Key(grade, _)| grade).collect())
}

fn school_itself(write: &Write<'_>, school: u64, each: &mut EachRecord<'_>) -> Result<()> {
    let schools = write.records(Partition::global(Collection::Schools))?;
    if let Some(record) = schools.get(Key::one(school))? {
        let values = pre_render::values(Kind::School, &[school], &record.item()?)?;
        each(Kind::School, &values)?;
    }
    Ok(())
}

const LISTS: [Collection; 4] = [
    Collection::EthnicGroups,
    Collection::MaritalStatuses,
    Collection::Genders,
    Collection::Languages,
];

fn each_of_block(
    write: &Write<'_>,
    partition: Partition,
    kind: Option<Kind>,
    position: usize,
    each: &mut EachRecord<'_>,
) -> Result<bool> {
    let Some(pinned) = write.records(partition)?.pin(position)? else {
        return Ok(false);
    };
    let block = pinned.block()?;
    if let Some(kind) = kind {
        for (index, key) in block.keys().enumerate() {
            let item = block.item(index)?;
            let values = values(kind, partition, key, &item)?;
            each(kind, &values)?;
        }
        return Ok(true);
    }
    let slots = assessments_by_slot(write, partition)?;
    let mut push = |Key(assessment, learner), mark: &[u8]| match Mark::decode(mark)? {
        Some(mark) => {
            let key = [partition.school, assessment, learner].map(Value::Integer);
            let values: Vec<Value<'_>> = key.into_iter().chain(mark.values()).collect();
            each(Kind::Mark, &values)
        }
        None => Ok(()),
    };
    for (index, key) in block.keys().enumerate() {
        marks_of_record(partition, key, block.record(0, index)?, &slots, &mut push)?;
    }
    Ok(true)
}
