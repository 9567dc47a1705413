//! Checks that all stored data is consistent: blocks with block indexes, filter columns and
//! residual fields with pre-rendered JSON, indexes with records, assessments with marks, and
//! counts.

use super::commit::marks::row_index;
use super::keys::{assessments_by_slot, partitions_of};
use super::render::{pre_render_again, schools};
use crate::error::{Error, Result};
use crate::record::Kind;
use crate::record::address::{GradeTerm, date_of, grade_term_of};
use crate::record::kinds::assessment::{OUTCOME_COLUMN, SLOT_COLUMN, SUBJECT_COLUMN};
use crate::record::kinds::integrator;
use crate::record::kinds::learner_subject::LearnerSubject;
use crate::record::kinds::mark::Mark;
use crate::record::replication::coverage_key::{AS_OF_COLUMN, CoverageKind};
use crate::record::storage::{Dated, Storage};
use crate::record::stored::mark_row::MarkRow;
use crate::record::stored::pre_render::RENDER_VERSION;
use crate::store::{Block, Collection, ItemBuffer, Key, Partition, Reader, Snapshot};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// The result of an inspection.
#[derive(Debug, Default)]
pub(crate) struct Inspection {
    /// The number of records that were inspected.
    pub(crate) records: u64,
    pub(crate) problems: Vec<String>,
    counts: BTreeMap<Kind, u64>,
}

/// The maximum number of problems that are reported.
const MAX_PROBLEMS: usize = 100;

impl Inspection {
    pub(crate) fn problem(&mut self, problem: String) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        }
    }

    pub(crate) fn inspect(&mut self, snapshot: &Snapshot) -> Result<()> {
        snapshot.check_digests()?;
        snapshot.check_whole_journal()?;
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
            let total = totals.get(kind as u8);
            let counted = self.counts.get(&kind).copied().unwrap_or(0);
            if counted != total {
                self.problem(format!(
                    "{}: {counted} records, {total} counted",
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

    /// Checks a partition: its block index against its blocks, and each record.
    fn partition(&mut self, snapshot: &Snapshot, partition: Partition) -> Result<()> {
        let block_index = snapshot.block_index(partition)?;
        for (position, entry) in block_index.entries.iter().enumerate() {
            let pinned = snapshot.pin(partition, entry.block)?;
            if let Err(error) = block_index.check(partition, position, pinned.bytes()) {
                self.problem(format!("{}: {error}", name(partition)));
                continue;
            }
            let block = pinned.block()?;
            for (index, key) in block.keys().enumerate() {
                if let Err(error) = self.record(snapshot, partition, &block, index, key) {
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
        block: &Block<'_>,
        index: usize,
        key: Key,
    ) -> Result<()> {
        let item = block.item(index)?;
        if let Some(kind) = Kind::stored_in(partition.collection) {
            self.count(kind);
            if kind.storage().is_pre_rendered() {
                let mut again = ItemBuffer::default();
                pre_render_again(kind, partition, key, &item, &mut again)?;
                let rendered = match kind {
                    Kind::School => snapshot.rendered_of(key.0)?,
                    _ if kind.is_of_school() => snapshot.rendered_of(partition.school)?,
                    _ => snapshot.rendered()?,
                };
                // If another version rendered the record, its JSON may differ from that of this
                // version.
                let agrees = rendered != RENDER_VERSION || again.item() == item;
                expect(agrees, "its parts are inconsistent")?;
            }
        }
        let filter_column = |column: usize| {
            item.filter_column(column)
                .ok_or_else(|| Error::corrupt("a filter column is missing"))
        };
        let school = partition.school;
        for at in Kind::ALL.into_iter().filter_map(Kind::dated) {
            if partition.collection == at.records {
                let date = date_of(snapshot, at, school, key.1)?;
                expect(date == Some(key.0), "its index has another date")?;
            } else if partition.collection == at.dates {
                let records = snapshot.records(Partition::new(school, at.records))?;
                let found = records.get(Key(filter_column(Dated::DATE_COLUMN)?, key.0))?;
                expect(found.is_some(), "there is no record with this date")?;
            }
        }
        match partition.collection {
            Collection::Assessments => {
                let at = GradeTerm {
                    grade: partition.first,
                    year: partition.second,
                    term: key.0,
                };
                let agrees = grade_term_of(snapshot, school, key.1)? == Some(at);
                expect(agrees, "its index has another grade, year or term")?;
                let complete = [SLOT_COLUMN, SUBJECT_COLUMN, OUTCOME_COLUMN]
                    .map(|t| item.filter_column(t).is_some());
                expect(complete == [true; 3], "a filter column is missing")
            }
            Collection::AssessmentIndex => {
                let (partition, key) = GradeTerm::from_item(&item)?.address(school, key.0);
                let found = snapshot.records(partition)?.get(key)?;
                expect(found.is_some(), "there is no such assessment")
            }
            Collection::Coverage => {
                CoverageKind::numbered(partition.first)?;
                expect(
                    !snapshot.owners().get(school).is_app(),
                    "its school is not synced",
                )?;
                filter_column(AS_OF_COLUMN).map(drop)
            }
            Collection::LearnerSubjects => {
                LearnerSubject::open(item.columns[0])?.values().map(drop)
            }
            Collection::WaitingMarks => {
                expect(Mark::decode(item.columns[0])?.is_some(), "it is no mark")?;
                let found = grade_term_of(snapshot, school, key.0)?;
                expect(found.is_none(), "it waits for an assessment that exists")
            }
            _ => Ok(()),
        }
    }

    /// Checks mark rows against the subjects of learners, the assessments and the index of rows.
    fn enrolment(&mut self, snapshot: &Snapshot, school: u64) -> Result<()> {
        let partitions = partitions_of(snapshot, school)?;
        let of = |collection| {
            let of = partitions
                .iter()
                .filter(move |p| p.collection == collection);
            of.copied()
        };
        let years: BTreeSet<u64> = of(Collection::MarkRows)
            .map(|partition| partition.second)
            .chain(of(Collection::LearnerSubjects).map(|partition| partition.first))
            .chain(of(Collection::MarkRowIndex).map(|partition| partition.first))
            .collect();
        for year in years {
            let enrolled = enrolled(snapshot, school, year)?;
            let indexed = indexed(snapshot, school, year)?;
            // Each key has at most one row, so that counts are sufficient to find missing rows.
            let (mut enrolments, mut rows_found) = (0, 0);
            for rows in of(Collection::MarkRows).filter(|partition| partition.second == year) {
                let slots = assessments_by_slot(snapshot, rows)?;
                let mut records = snapshot.records(rows)?.all();
                while let Some(record) = records.next()? {
                    let Key(term, learner) = record.key()?;
                    let row = MarkRow::open(record.column(0)?)?;
                    let key = (learner, rows.first, term);
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
                    for mark in row.marks() {
                        let (slot, mark) = mark?;
                        self.count(Kind::Mark);
                        Mark::decode(mark)?;
                        if !slots.contains_key(&(term, slot)) {
                            self.problem(format!("{}: a mark has no assessment", name(rows)));
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

/// The key of a mark row: a learner, a grade and a term.
type MarkRowKey = (u64, u64, u64);

/// Returns the elements of an ordered list for which `order` returns `Equal`.
fn at<T>(list: &[T], order: impl Fn(&T) -> Ordering) -> &[T] {
    let start = list.partition_point(|element| order(element) == Ordering::Less);
    let end = list.partition_point(|element| order(element) != Ordering::Greater);
    list.get(start..end).unwrap_or_default()
}

/// Returns the subjects that learners take according to their own records, in ascending order.
fn enrolled(snapshot: &Snapshot, school: u64, year: u64) -> Result<Vec<(MarkRowKey, u64)>> {
    let partition = Partition::of_year(school, Collection::LearnerSubjects, year);
    let mut enrolled = Vec::new();
    let mut records = snapshot.records(partition)?.all();
    while let Some(record) = records.next()? {
        let Key(learner, subject) = record.key()?;
        let taken = LearnerSubject::open(record.column(0)?)?;
        for term in taken.terms() {
            enrolled.push(((learner, taken.grade, term?.term), subject));
        }
    }
    enrolled.sort_unstable();
    enrolled.dedup();
    Ok(enrolled)
}

/// Returns the rows of learners according to the index, in ascending order.
fn indexed(snapshot: &Snapshot, school: u64, year: u64) -> Result<Vec<MarkRowKey>> {
    let partition = Partition::of_year(school, Collection::MarkRowIndex, year);
    let mut indexed = Vec::new();
    let mut records = snapshot.records(partition)?.all();
    while let Some(record) = records.next()? {
        let Key(learner, grade) = record.key()?;
        for term in row_index::terms(record.column(0)?)? {
            indexed.push((learner, grade, term));
        }
    }
    indexed.sort_unstable();
    Ok(indexed)
}

fn expect(condition: bool, otherwise: &str) -> Result<()> {
    if condition {
        Ok(())
    } else {
        Err(Error::corrupt(otherwise))
    }
}

fn name(partition: Partition) -> String {
    let Partition {
        school,
        collection,
        first: a,
        second: b,
    } = partition;
    format!("school {school}, {} {a} {b}", collection.name())
}
