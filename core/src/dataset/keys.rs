//! The keys of all records of a school.

use super::commit::Commit;
use super::staged;
use super::summary::Summary;
use crate::error::{Error, Result};
use crate::record::assessment::{SLOT_TAG, shared_slot, slot};
use crate::record::mark_row::{MarkRow, is_mark};
use crate::record::{Kind, absentee, integrator};
use crate::store::{Collection, Key, Partition, Reader, Records, Run, Sorter, Write};
use std::cell::RefCell;
use std::collections::HashMap;

/// A record that was found.
pub(crate) struct Found<'a> {
    pub(crate) kind: Kind,
    /// The user name, if it is part of the key.
    pub(crate) name: Option<&'a str>,
    /// The numbers of the key, in the order of its fields.
    pub(crate) key: &'a [u64],
    /// Whose absence it is.
    pub(crate) learner: Option<u64>,
}

/// The kind whose records a collection holds, one each.
pub(crate) fn kind_of(collection: Collection) -> Option<Kind> {
    Some(match collection {
        Collection::Schools => Kind::School,
        Collection::ApiTypes => Kind::ApiType,
        Collection::Years => Kind::Year,
        Collection::Terms => Kind::Term,
        Collection::Grades => Kind::Grade,
        Collection::Parents => Kind::Parent,
        Collection::Learners => Kind::Learner,
        Collection::Subjects => Kind::Subject,
        Collection::LearnerSubjects => Kind::LearnerSubject,
        Collection::LearningOutcomes => Kind::LearningOutcome,
        Collection::LearningPrograms => Kind::LearningProgram,
        Collection::Assessments => Kind::Assessment,
        Collection::Absentees => Kind::Absentee,
        Collection::AccountablePersons => Kind::AccountablePerson,
        Collection::WaitingMarks => Kind::Mark,
        Collection::AssessmentPlaces
        | Collection::MarkRows
        | Collection::MarkSeats
        | Collection::AbsenteePlaces => return None,
    })
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
    each: &mut dyn FnMut(Found<'_>) -> Result<()>,
    between: &mut dyn FnMut(&mut Write<'_>) -> Result<()>,
) -> Result<()> {
    let schools = write.records(Partition::global(Collection::Schools))?;
    if schools.get(Key::one(school))?.is_some() {
        each(found(Kind::School, &[school]))?;
    }
    write.integrator_rows(integrator::AUTHORISATION_ROWS, &mut |key, _| {
        match integrator::authorisation_of(key) {
            Some((name, of, api_type)) if of == school => each(Found {
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
        let mut place = 0;
        loop {
            let Some(page) = write.records(partition)?.page(place)? else {
                break;
            };
            let run = page.run()?;
            if of_marks {
                each_mark(partition, &run, &slots, each)?;
            } else if let Some(kind) = kind_of(partition.collection) {
                each_record(kind, partition, &run, each)?;
            }
            drop(page);
            between(write)?;
            place += 1;
        }
    }
    Ok(())
}

fn found(kind: Kind, key: &[u64]) -> Found<'_> {
    Found {
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
    each: &mut dyn FnMut(Found<'_>) -> Result<()>,
) -> Result<()> {
    for (index, key) in run.keys().enumerate() {
        let words = match kind {
            Kind::Mark => vec![partition.school, key.0, key.1],
            kind => kind.key_of(partition, key),
        };
        let learner = match kind {
            Kind::Absentee => run.tag(absentee::LEARNER_TAG, index)?,
            _ => None,
        };
        each(Found {
            learner,
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
    each: &mut dyn FnMut(Found<'_>) -> Result<()>,
) -> Result<()> {
    for (index, Key(term, learner)) in run.keys().enumerate() {
        for (slot, mark) in MarkRow::open(run.record(0, index)?)?.slots().enumerate() {
            if is_mark(mark?) {
                let assessment = slots.get(&(term, slot as u64));
                let assessment =
                    assessment.ok_or_else(|| Error::corrupt("a mark has no assessment"))?;
                each(found(Kind::Mark, &[partition.school, *assessment, learner]))?;
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
    for page in Records::open(reader, assessments)?.all() {
        let (page, indices) = page?;
        let run = page.run()?;
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

/// How many bytes of removals stay in memory; the rest goes to the store.
const REMOVALS_BYTES: usize = 16 << 20;

/// Stages the removal of every record of a school that the dataset itself does
/// not name.
pub(crate) fn stage_removal(write: &mut Write<'_>, sorter: &mut Sorter, school: u64) -> Result<()> {
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
    let mut sorter = Sorter::default();
    stage_removal(write, &mut sorter, school)?;
    Commit::new(write, sorter)?.run()
}
