//! Whether everything that is kept agrees: runs with directories, tags and
//! facts with renderings, indexes with records, templates with marks, counts.

use super::commit::marks::row_index;
use super::keys::{partitions_of, slots};
use super::render::{bake_again, schools};
use crate::error::{Error, Result};
use crate::record::assessment::{
    GRADE_TAG, OUTCOME_TAG, SLOT_TAG, SUBJECT_TAG, TERM_TAG, YEAR_TAG,
};
use crate::record::bake::RENDER_VERSION;
use crate::record::coverage::{AS_OF_TAG, Part};
use crate::record::learner_subject::LearnerSubject;
use crate::record::mark::Mark;
use crate::record::mark_row::{MarkRow, is_mark};
use crate::record::storage::{Dated, Storage};
use crate::record::{Kind, integrator};
use crate::store::{Collection, ItemBuffer, Key, Partition, Reader, Run, Snapshot};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// What a look through the store has found.
#[derive(Debug, Default)]
pub(crate) struct Inspection {
    /// How many records were looked at.
    pub(crate) records: u64,
    pub(crate) problems: Vec<String>,
    counts: BTreeMap<Kind, u64>,
}

/// More findings say nothing new.
const MOST_PROBLEMS: usize = 100;

impl Inspection {
    pub(crate) fn problem(&mut self, problem: String) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(problem);
        }
    }

    pub(crate) fn inspect(&mut self, snapshot: &Snapshot) -> Result<()> {
        snapshot.check_digests()?;
        self.integrators(snapshot)?;
        for kind in Kind::ALL {
            if let Storage::Global(of) = kind.storage() {
                self.partition(snapshot, Partition::global(of))?;
            }
        }
        for school in schools(snapshot)? {
            for partition in partitions_of(snapshot, school)? {
                if let Err(error) = self.partition(snapshot, partition) {
                    self.problem(format!("{}: {error}", name(partition)));
                }
            }
            if let Err(error) = self.enrolment(snapshot, school) {
                self.problem(format!("school {school}: {error}"));
            }
        }
        let totals = snapshot.totals()?;
        for kind in Kind::ALL {
            let kept = totals.of(kind as u8);
            let counted = self.counts.get(&kind).copied().unwrap_or(0);
            if counted != kept {
                self.problem(format!(
                    "{}: {counted} records, {kept} counted",
                    kind.name()
                ));
            }
        }
        Ok(())
    }

    fn count(&mut self, kind: Kind) {
        self.records += 1;
        *self.counts.entry(kind).or_default() += 1;
    }

    fn integrators(&mut self, snapshot: &Snapshot) -> Result<()> {
        let mut rows = Vec::new();
        snapshot.integrator_rows(&[], &mut |key, value| {
            rows.push((key.to_vec(), value.to_vec()));
            Ok(())
        })?;
        for (key, value) in rows {
            let hash =
                integrator::username_of(&key).filter(|_| std::str::from_utf8(&value).is_ok());
            let state = integrator::authorisation_of(&key)
                .filter(|_| integrator::is_active(&value).is_ok());
            match (hash, state) {
                (Some(_), None) => self.count(Kind::Integrator),
                (None, Some(_)) => self.count(Kind::ClientIntegration),
                _ => self.problem("a row of the integrators is damaged".to_owned()),
            }
        }
        Ok(())
    }

    /// A partition: its directory against its runs, and each record by itself.
    fn partition(&mut self, snapshot: &Snapshot, partition: Partition) -> Result<()> {
        let directory = snapshot.directory(partition)?;
        for (position, entry) in directory.entries.iter().enumerate() {
            let pinned = snapshot.pin(partition, entry.run)?;
            if let Err(error) = directory.check(partition, position, pinned.bytes()) {
                self.problem(format!("{}: {error}", name(partition)));
                continue;
            }
            let run = pinned.run()?;
            for (index, key) in run.keys().enumerate() {
                if let Err(error) = self.record(snapshot, partition, &run, index, key) {
                    self.problem(format!("{} {}/{}: {error}", name(partition), key.0, key.1));
                }
            }
        }
        Ok(())
    }

    fn record(
        &mut self,
        snapshot: &Snapshot,
        partition: Partition,
        run: &Run<'_>,
        index: usize,
        key: Key,
    ) -> Result<()> {
        let item = run.item(index)?;
        if let Some(kind) = Kind::kept_in(partition.collection) {
            self.count(kind);
            if kind.storage().is_baked() {
                let mut again = ItemBuffer::default();
                bake_again(kind, partition, key, &item, &mut again)?;
                let rendered = match kind {
                    Kind::School => snapshot.rendered_of(key.0)?,
                    _ if kind.is_of_school() => snapshot.rendered_of(partition.school)?,
                    _ => snapshot.rendered()?,
                };
                // Another version may render it otherwise, but not as another.
                let agrees = rendered != RENDER_VERSION || again.item() == item;
                expect(agrees, "its parts do not agree")?;
            }
        }
        let tag = |tag: usize| {
            item.tag(tag)
                .ok_or_else(|| Error::corrupt("a tag is missing"))
        };
        let school = partition.school;
        for Dated { records, dates } in Kind::ALL.into_iter().filter_map(Kind::dated) {
            if partition.collection == records {
                let dates = Partition::of(school, dates);
                let date = tag_at(snapshot, dates, Key::one(key.1), Dated::DATE_TAG)?;
                expect(date == Some(key.0), "its date is another")?;
            } else if partition.collection == dates {
                let records = snapshot.records(Partition::of(school, records))?;
                let there = records.get(Key(tag(Dated::DATE_TAG)?, key.0))?;
                expect(there.is_some(), "nothing is at this date")?;
            }
        }
        match partition.collection {
            Collection::Assessments => {
                let index = Partition::of(school, Collection::AssessmentIndex);
                for (number, expected) in [
                    (GRADE_TAG, partition.a),
                    (YEAR_TAG, partition.b),
                    (TERM_TAG, key.0),
                ] {
                    let found = tag_at(snapshot, index, Key::one(key.1), number)?;
                    expect(
                        found == Some(expected),
                        "its index has another grade, year or term",
                    )?;
                }
                let complete = [SLOT_TAG, SUBJECT_TAG, OUTCOME_TAG].map(|t| item.tag(t).is_some());
                expect(complete == [true; 3], "a tag is missing")
            }
            Collection::AssessmentIndex => {
                let (grade, year) = (tag(GRADE_TAG)?, tag(YEAR_TAG)?);
                let at = Partition::of_grade_year(school, Collection::Assessments, grade, year);
                let there = snapshot.records(at)?.get(Key(tag(TERM_TAG)?, key.0))?;
                expect(there.is_some(), "there is no such assessment")
            }
            Collection::Coverage => {
                let is_erased = Part::numbered(partition.a)? == Part::Erased;
                let is_known = is_erased || snapshot.is_synced(school);
                expect(is_known, "its school is not synced")?;
                tag(AS_OF_TAG).map(drop)
            }
            Collection::LearnerSubjects => LearnerSubject::open(item.lanes[0])?.values().map(drop),
            Collection::WaitingMarks => {
                expect(Mark::decode(item.lanes[0])?.is_some(), "it is no mark")?;
                let index = Partition::of(school, Collection::AssessmentIndex);
                let there = snapshot.records(index)?.get(Key::one(key.0))?;
                expect(there.is_none(), "it waits for an assessment that is there")
            }
            _ => Ok(()),
        }
    }

    /// Mark rows against learners' subjects, assessments and the index of rows.
    fn enrolment(&mut self, snapshot: &Snapshot, school: u64) -> Result<()> {
        let partitions = partitions_of(snapshot, school)?;
        let of = |collection| {
            let of = partitions
                .iter()
                .filter(move |p| p.collection == collection);
            of.copied()
        };
        let years: BTreeSet<u64> = of(Collection::MarkRows)
            .map(|partition| partition.b)
            .chain(of(Collection::LearnerSubjects).map(|partition| partition.a))
            .chain(of(Collection::MarkRowIndex).map(|partition| partition.a))
            .collect();
        for year in years {
            let enrolled = enrolled(snapshot, school, year)?;
            let indexed = indexed(snapshot, school, year)?;
            // Each key has one row at most.
            let (mut enrolments, mut rows_found) = (0, 0);
            for rows in of(Collection::MarkRows).filter(|partition| partition.b == year) {
                let slots = slots(snapshot, rows)?;
                for pinned in snapshot.records(rows)?.all() {
                    let (pinned, _) = pinned?;
                    let run = pinned.run()?;
                    for (index, Key(term, learner)) in run.keys().enumerate() {
                        let row = MarkRow::open(run.record(0, index)?)?;
                        let key = (learner, rows.a, term);
                        let subjects = at(&enrolled, |enrolled| enrolled.0.cmp(&key));
                        enrolments += subjects.len();
                        if !subjects
                            .iter()
                            .map(|(_, subject)| *subject)
                            .eq(row.subjects())
                        {
                            self.problem(format!(
                                "{}: learner {learner} takes other subjects",
                                name(rows)
                            ));
                        }
                        let found = at(&indexed, |indexed| indexed.cmp(&key));
                        rows_found += found.len();
                        if found.is_empty() {
                            self.problem(format!(
                                "{}: learner {learner} is not in the index of rows",
                                name(rows)
                            ));
                        }
                        for (slot, mark) in row.slots().enumerate() {
                            let mark = mark?;
                            if is_mark(mark) {
                                self.count(Kind::Mark);
                                Mark::decode(mark)?;
                                if !slots.contains_key(&(term, slot as u64)) {
                                    self.problem(format!(
                                        "{}: a mark has no assessment",
                                        name(rows)
                                    ));
                                }
                            }
                        }
                    }
                }
            }
            if enrolments < enrolled.len() || rows_found < indexed.len() {
                self.problem(format!(
                    "school {school}: rows of marks are missing in {year}"
                ));
            }
        }
        Ok(())
    }
}

/// Whose a mark row is: a learner, a grade and a term.
type RowKey = (u64, u64, u64);

/// Those of things in order that lie there.
fn at<T>(things: &[T], order: impl Fn(&T) -> Ordering) -> &[T] {
    let start = things.partition_point(|thing| order(thing) == Ordering::Less);
    let end = things.partition_point(|thing| order(thing) != Ordering::Greater);
    things.get(start..end).unwrap_or_default()
}

/// The subjects that learners take, as their own records say, ascending.
fn enrolled(snapshot: &Snapshot, school: u64, year: u64) -> Result<Vec<(RowKey, u64)>> {
    let partition = Partition::of_year(school, Collection::LearnerSubjects, year);
    let mut enrolled = Vec::new();
    for pinned in snapshot.records(partition)?.all() {
        let (pinned, _) = pinned?;
        let run = pinned.run()?;
        for (index, Key(learner, subject)) in run.keys().enumerate() {
            let kept = LearnerSubject::open(run.record(0, index)?)?;
            for term in kept.terms() {
                enrolled.push(((learner, kept.grade, term?.term), subject));
            }
        }
    }
    enrolled.sort_unstable();
    enrolled.dedup();
    Ok(enrolled)
}

/// Where learners have rows, as the index says, ascending.
fn indexed(snapshot: &Snapshot, school: u64, year: u64) -> Result<Vec<RowKey>> {
    let partition = Partition::of_year(school, Collection::MarkRowIndex, year);
    let mut indexed = Vec::new();
    for pinned in snapshot.records(partition)?.all() {
        let (pinned, _) = pinned?;
        let run = pinned.run()?;
        for (index, Key(learner, grade)) in run.keys().enumerate() {
            for term in row_index::terms(run.record(0, index)?)? {
                indexed.push((learner, grade, term));
            }
        }
    }
    indexed.sort_unstable();
    Ok(indexed)
}

fn tag_at(snapshot: &Snapshot, of: Partition, key: Key, tag: usize) -> Result<Option<u64>> {
    match snapshot.records(of)?.get(key)? {
        Some((pinned, index)) => pinned.run()?.tag(tag, index),
        None => Ok(None),
    }
}

fn expect(holds: bool, otherwise: &str) -> Result<()> {
    if holds {
        Ok(())
    } else {
        Err(Error::corrupt(otherwise))
    }
}

fn name(partition: Partition) -> String {
    let Partition {
        school,
        collection,
        a,
        b,
    } = partition;
    format!("school {school}, {} {a} {b}", collection.name())
}
