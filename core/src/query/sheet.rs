//! The assessments of a grade and year, laid out in the order in which they
//! are answered (2.6), with everything written that is the same for all
//! learners.

use super::tables::{self, Tables};
use crate::Date;
use crate::error::Result;
use crate::json::{self, Chunks, Padded, Wire};
use crate::record::assessment::{self, OUTCOME_TAG, SLOT_TAG, SUBJECT_TAG};
use crate::record::decimal::Decimal;
use crate::record::gap::Gap;
use crate::record::learning_program::RELEASE_TAG;
use crate::record::typed::{Edits, push_part};
use crate::record::{Kind, bake};
use crate::store::{Collection, Item, Key, Partition, Reader, Snapshot, Sources, What};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The assessments of a grade and year by term, subject, outcome and id.
pub(super) struct Sheet {
    wire: Wire,
    pub(super) terms: Vec<Term>,
    pub(super) text: Padded,
}

pub(super) struct Term {
    pub(super) term: u64,
    pub(super) subjects: Vec<Subject>,
}

/// A learning program: a subject in a term.
pub(super) struct Subject {
    pub(super) subject: u64,
    /// The date from which its marks may be seen, if one is set.
    pub(super) release: Option<Date>,
    /// `"101":{"subject_id":"101","subject_name":"…","learning_outcomes":{`, for v2
    /// `"subject_id":101,"subject_name":"…"`
    pub(super) start: Range<usize>,
    pub(super) outcomes: Vec<Outcome>,
}

pub(super) struct Outcome {
    pub(super) outcome: u64,
    /// `"5":{"learning_outcome_id":"5","learning_outcome_name":"…","assessments":{`,
    /// for v2 `,"learning_outcome_id":5,"learning_outcome_name":"…"`
    pub(super) start: Range<usize>,
    pub(super) assessments: Vec<Assessment>,
}

pub(super) struct Assessment {
    pub(super) assessment: u64,
    pub(super) slot: usize,
    pub(super) gap: Gap,
}

impl Sheet {
    fn bytes(&self) -> usize {
        let subjects = self.terms.iter().flat_map(|term| &term.subjects);
        let outcomes = subjects.flat_map(|subject| &subject.outcomes);
        let parts: usize = outcomes
            .map(|outcome| {
                size_of::<Subject>()
                    + size_of::<Outcome>()
                    + outcome.assessments.len() * size_of::<Assessment>()
            })
            .sum();
        self.text.len() + parts
    }
}

const SOURCES: Sources = Sources::of(&[
    Collection::Schools,
    Collection::Subjects,
    Collection::LearningOutcomes,
    Collection::LearningPrograms,
    Collection::Assessments,
]);

/// The sheet of a school's grade and year, written for a version of the API.
pub(super) fn of(
    snapshot: &Snapshot,
    school: u64,
    grade: u64,
    year: u64,
    wire: Wire,
) -> Result<Arc<Sheet>> {
    let name = Partition::of_grade_year(school, Collection::Assessments, grade, year);
    snapshot.decoded(What::Sheet(wire), name, SOURCES, || {
        let sheet = decode(snapshot, name, wire)?;
        let bytes = sheet.bytes();
        Ok((sheet, bytes))
    })
}

/// Where an assessment stands in the answer: term, subject, outcome, id.
type Place = (u64, u64, u64, u64);

fn decode(snapshot: &Snapshot, partition: Partition, wire: Wire) -> Result<Sheet> {
    let tables = tables::of(snapshot, partition.school, wire)?;
    let releases = releases(snapshot, partition)?;
    let mut found: BTreeMap<Place, (usize, usize)> = BTreeMap::new();
    let pages: Vec<_> = snapshot.records(partition)?.all().collect::<Result<_>>()?;
    for (number, (page, _)) in pages.iter().enumerate() {
        let run = page.run()?;
        for (index, Key(term, id)) in run.keys().enumerate() {
            let tag = |tag| run.tag(tag, index).map(|number| number.unwrap_or(0));
            found.insert(
                (term, tag(SUBJECT_TAG)?, tag(OUTCOME_TAG)?, id),
                (number, index),
            );
        }
    }
    let mut sheet = Sheet {
        wire,
        terms: Vec::new(),
        text: Padded::default(),
    };
    for ((term, subject, outcome, id), (number, index)) in found {
        let Some((page, _)) = pages.get(number) else {
            continue;
        };
        let run = page.run()?;
        let item = run.item(index)?;
        let values = bake::values(Kind::Assessment, &[partition.school, id], &item)?;
        let out_of = assessment::mark_out_of(&values).unwrap_or(Decimal::from_millionths(0));
        let assessment = Assessment {
            assessment: id,
            slot: item
                .tag(SLOT_TAG)
                .and_then(|slot| usize::try_from(slot).ok())
                .unwrap_or(usize::MAX),
            gap: sheet.gap(id, &item, out_of)?,
        };
        sheet.place(&tables, &releases, (term, subject, outcome), assessment);
    }
    Ok(sheet)
}

impl Sheet {
    /// Adds an assessment's texts.
    fn gap(&mut self, id: u64, item: &Item<'_>, out_of: Decimal) -> Result<Gap> {
        let rendering = item.lanes[bake::RENDERING];
        let (before, after) = assessment::split(rendering)?;
        match self.wire {
            Wire::V1 => {
                let before = |text: &mut Vec<u8>| {
                    json::push_quoted_integer(text, id);
                    text.push(b':');
                    text.extend_from_slice(before);
                };
                Gap::between(before, after, out_of, &mut self.text)
            }
            Wire::V2 => {
                let edits = Edits::of(item.lanes[bake::FACTS])?;
                let typed = |part| {
                    let mut text = Vec::new();
                    let record = 0..rendering.len();
                    push_part(rendering, &record, part, edits, &mut Chunks::new(&mut text))?;
                    Ok::<_, Box<crate::Error>>(text)
                };
                let middle = before.len();
                let (before, after) = (typed(1..middle)?, typed(middle..middle + after.len())?);
                Gap::between_typed(&before, &after, out_of, &mut self.text)
            }
        }
    }

    /// Adds an assessment behind all others, opening the levels above it.
    fn place(
        &mut self,
        tables: &Tables,
        releases: &BTreeMap<(u64, u64), Date>,
        (term, subject, outcome): (u64, u64, u64),
        assessment: Assessment,
    ) {
        if self.terms.last().is_none_or(|last| last.term != term) {
            self.terms.push(Term {
                term,
                subjects: Vec::new(),
            });
        }
        let subjects = self.terms.last().map(|last| &last.subjects);
        if subjects
            .and_then(|all| all.last())
            .is_none_or(|last| last.subject != subject)
        {
            let wire = self.wire;
            let start = self
                .text
                .add(|text| push_subject(text, wire, tables, subject));
            if let Some(last) = self.terms.last_mut() {
                last.subjects.push(Subject {
                    subject,
                    release: releases.get(&(term, subject)).copied(),
                    start,
                    outcomes: Vec::new(),
                });
            }
        }
        let outcomes = |sheet: &Sheet| {
            let last = sheet.terms.last()?.subjects.last()?.outcomes.last()?;
            Some(last.outcome)
        };
        if outcomes(self) != Some(outcome) {
            let wire = self.wire;
            let start = self
                .text
                .add(|text| push_outcome(text, wire, tables, outcome));
            if let Some(last) = self
                .terms
                .last_mut()
                .and_then(|last| last.subjects.last_mut())
            {
                last.outcomes.push(Outcome {
                    outcome,
                    start,
                    assessments: Vec::new(),
                });
            }
        }
        let last = self
            .terms
            .last_mut()
            .and_then(|last| last.subjects.last_mut());
        if let Some(last) = last.and_then(|last| last.outcomes.last_mut()) {
            last.assessments.push(assessment);
        }
    }
}

fn push_subject(text: &mut Vec<u8>, wire: Wire, tables: &Tables, subject: u64) {
    if wire == Wire::V1 {
        json::push_quoted_integer(text, subject);
        text.extend_from_slice(b":{");
    }
    match tables.subject(subject) {
        Some(subject) => text.extend_from_slice(subject.named.text()),
        None => text.extend_from_slice(tables.unknown_subject(subject).named.text()),
    }
    if wire == Wire::V1 {
        text.extend_from_slice(b",\"learning_outcomes\":{");
    }
}

fn push_outcome(text: &mut Vec<u8>, wire: Wire, tables: &Tables, outcome: u64) {
    match wire {
        Wire::V1 => {
            json::push_quoted_integer(text, outcome);
            text.extend_from_slice(b":{\"learning_outcome_id\":");
        }
        Wire::V2 => text.extend_from_slice(b",\"learning_outcome_id\":"),
    }
    wire.push_number(text, outcome);
    text.extend_from_slice(b",\"learning_outcome_name\":");
    wire.push_text(text, tables.outcome(outcome));
    if wire == Wire::V1 {
        text.extend_from_slice(b",\"assessments\":{");
    }
}

/// The release dates that are set, by term and subject.
fn releases(snapshot: &Snapshot, sheet: Partition) -> Result<BTreeMap<(u64, u64), Date>> {
    let partition = Partition {
        collection: Collection::LearningPrograms,
        ..sheet
    };
    let mut releases = BTreeMap::new();
    for page in snapshot.records(partition)?.all() {
        let (page, indices) = page?;
        let run = page.run()?;
        for index in indices {
            let Key(term, subject) = run.key(index)?;
            let release = run.tag(RELEASE_TAG, index)?.and_then(Date::from_number);
            releases.extend(release.map(|release| ((term, subject), release)));
        }
    }
    Ok(releases)
}
