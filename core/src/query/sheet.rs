//! The assessments of a grade and year, laid out in the order in which they
//! are answered (2.6), with everything written that is the same for all
//! learners. Where that would be too much to hold, texts are written when they
//! are asked for.

use super::key_lookup::KeyLookup;
use super::release::{Release, Releases};
use super::tables::{self, Tables};
use crate::error::{Error, Failure, Result};
use crate::json::{self, Chunks, Padded, Wire};
use crate::record::assessment::{self, KeptAssessment, OUTCOME_TAG, SLOT_TAG, SUBJECT_TAG};
use crate::record::lanes;
use crate::record::template::Template;
use crate::record::typed::{Conversions, push_part};
use crate::store::{Collection, Item, Key, Partition, Reader, Snapshot, Sources};
use std::ops::Range;
use std::sync::Arc;

/// The assessments of a grade and year by term, subject, outcome and id.
pub(super) struct Sheet {
    wire: Wire,
    /// Whether there are texts. Without them the sheet tells which terms there are:
    /// what is in one says its [`outline`], and an assessment is written by [`one`].
    pub(super) is_written: bool,
    pub(super) terms: Vec<SheetTerm>,
    pub(super) text: Padded,
}

/// The texts of a sheet that is held take about so many bytes at most.
const MOST_TEXT: usize = 2 << 20;

/// The assessments that a question is about: those of all that is not named.
#[derive(Clone, Copy, Default)]
pub(super) struct Wanted {
    pub(super) term: Option<u64>,
    pub(super) subject: Option<u64>,
    pub(super) outcome: Option<u64>,
    pub(super) assessment: Option<u64>,
}

impl Wanted {
    fn takes(&self, (term, subject, outcome, assessment): SheetKey) -> bool {
        let takes = |wanted: Option<u64>, number| wanted.is_none_or(|wanted| wanted == number);
        takes(self.term, term)
            && takes(self.subject, subject)
            && takes(self.outcome, outcome)
            && takes(self.assessment, assessment)
    }
}

pub(super) struct SheetTerm {
    pub(super) term: u64,
    pub(super) subjects: Vec<SheetSubject>,
}

/// A learning program: a subject in a term.
pub(super) struct SheetSubject {
    pub(super) subject: u64,
    /// When its marks may be seen.
    pub(super) release: Release,
    /// `"101":{"subject_id":"101","subject_name":"…","learning_outcomes":{`, for v2
    /// `"subject_id":101,"subject_name":"…"`
    pub(super) start: Range<usize>,
    pub(super) outcomes: Vec<SheetOutcome>,
}

pub(super) struct SheetOutcome {
    pub(super) outcome: u64,
    /// `"5":{"learning_outcome_id":"5","learning_outcome_name":"…","assessments":{`,
    /// for v2 `,"learning_outcome_id":5,"learning_outcome_name":"…"`
    pub(super) start: Range<usize>,
    pub(super) assessments: Vec<SheetAssessment>,
}

pub(super) struct SheetAssessment {
    pub(super) assessment: u64,
    pub(super) slot: usize,
    pub(super) template: Template,
}

impl Sheet {
    fn new(wire: Wire) -> Sheet {
        Sheet {
            wire,
            is_written: true,
            terms: Vec::new(),
            text: Padded::default(),
        }
    }

    fn bytes(&self) -> usize {
        let subjects = || self.terms.iter().flat_map(|term| &term.subjects);
        let outcomes = || subjects().flat_map(|subject| &subject.outcomes);
        let assessments = outcomes().map(|outcome| outcome.assessments.capacity());
        self.text.bytes()
            + self.terms.capacity() * size_of::<SheetTerm>()
            + 2 * subjects().count() * size_of::<SheetSubject>()
            + 2 * outcomes().count() * size_of::<SheetOutcome>()
            + assessments.sum::<usize>() * size_of::<SheetAssessment>()
    }

    /// The only assessment that there is, with the levels above it.
    pub(super) fn only(&self) -> Result<(&SheetSubject, &SheetOutcome, &SheetAssessment)> {
        let only = || {
            let subject = self.terms.first()?.subjects.first()?;
            let outcome = subject.outcomes.first()?;
            Some((subject, outcome, outcome.assessments.first()?))
        };
        only().ok_or_else(gone)
    }
}

const SOURCES: Sources = Sources::of(&[
    Collection::Schools,
    Collection::Subjects,
    Collection::LearningOutcomes,
    Collection::LearningPrograms,
    Collection::Assessments,
]);

/// The sheet of a school's grade and year, written for a version of the API
/// unless that is too much to hold.
pub(super) fn of(
    snapshot: &Snapshot,
    school: u64,
    grade: u64,
    year: u64,
    wire: Wire,
) -> Result<Arc<Sheet>> {
    let name = Partition::of_grade_year(school, Collection::Assessments, grade, year);
    snapshot.decoded(wire as u64, name, SOURCES, || {
        let mut sheet = decode(snapshot, name, wire, Wanted::default(), MOST_TEXT)?;
        if !sheet.is_written {
            for term in &mut sheet.terms {
                term.subjects = Vec::new();
            }
        }
        let bytes = sheet.bytes();
        Ok((sheet, bytes))
    })
}

/// A sheet of one term, not written.
pub(super) struct Outline(pub(super) Sheet);

/// What there is in a term of a sheet that is not written. All terms of a sheet may be
/// too much to hold.
pub(super) fn outline(
    snapshot: &Snapshot,
    school: u64,
    grade: u64,
    year: u64,
    term: u64,
) -> Result<Arc<Outline>> {
    let name = Partition::of_grade_year(school, Collection::Assessments, grade, year);
    snapshot.decoded(term, name, SOURCES, || {
        let wanted = Wanted {
            term: Some(term),
            ..Wanted::default()
        };
        let sheet = decode(snapshot, name, Wire::V2, wanted, 0)?;
        let bytes = sheet.bytes();
        Ok((Outline(sheet), bytes))
    })
}

/// As [`of`], written in any case, of what is wanted at least.
pub(super) fn written(
    snapshot: &Snapshot,
    school: u64,
    grade: u64,
    year: u64,
    wire: Wire,
    wanted: Wanted,
) -> Result<Arc<Sheet>> {
    let sheet = of(snapshot, school, grade, year, wire)?;
    if sheet.is_written {
        return Ok(sheet);
    }
    let name = Partition::of_grade_year(school, Collection::Assessments, grade, year);
    decode(snapshot, name, wire, wanted, usize::MAX).map(Arc::new)
}

/// One assessment of a sheet that is not written.
pub(super) fn one(
    snapshot: &Snapshot,
    tables: &Tables,
    partition: Partition,
    key: SheetKey,
    wire: Wire,
) -> Result<Sheet> {
    let releases = Releases::default();
    let context = SheetContext {
        snapshot,
        tables,
        releases: &releases,
    };
    let (pinned, index) = snapshot
        .records(partition)?
        .get(Key(key.0, key.3))?
        .ok_or_else(gone)?;
    let mut sheet = Sheet::new(wire);
    let template = sheet.template(partition, key, &pinned.run()?.item(index)?)?;
    sheet.push(&context, key, 0, template)?;
    Ok(sheet)
}

fn gone() -> Failure {
    Error::corrupt("an assessment is not where its index says")
}

/// By which assessments stand in order in the answer: term, subject, outcome, id.
type SheetKey = (u64, u64, u64, u64);

/// What texts are made from beside the assessments.
struct SheetContext<'a> {
    snapshot: &'a Snapshot,
    tables: &'a Tables,
    releases: &'a Releases,
}

fn decode(
    snapshot: &Snapshot,
    partition: Partition,
    wire: Wire,
    wanted: Wanted,
    most_text: usize,
) -> Result<Sheet> {
    let tables = tables::of(snapshot, partition.school, wire)?;
    let releases = Releases::read(snapshot, partition)?;
    let context = SheetContext {
        snapshot,
        tables: &tables,
        releases: &releases,
    };
    let mut items = KeyLookup::new(snapshot.records(partition)?);
    let mut sheet = Sheet::new(wire);
    for (key, slot) in keys(snapshot, partition, wanted)? {
        let template = if sheet.is_written {
            let (run, index) = items.find(Key(key.0, key.3))?.ok_or_else(gone)?;
            sheet.template(partition, key, &run.item(index)?)?
        } else {
            Template::default()
        };
        sheet.push(&context, key, slot, template)?;
        if sheet.text.len() > most_text {
            sheet.is_written = false;
            sheet.text = Padded::default();
        }
    }
    Ok(sheet)
}

/// The keys of the assessments that are wanted, in order, with their slots.
fn keys(
    snapshot: &Snapshot,
    partition: Partition,
    wanted: Wanted,
) -> Result<Vec<(SheetKey, usize)>> {
    let mut keys = Vec::new();
    let mut slots = Vec::new();
    let (from, to) = match wanted.term {
        Some(term) => (Key(term, 0), Key(term, u64::MAX)),
        None => (Key::MIN, Key::MAX),
    };
    for pinned in snapshot.records(partition)?.between(from, to) {
        let (pinned, indices) = pinned?;
        let run = pinned.run()?;
        for index in indices {
            let Key(term, id) = run.key(index)?;
            let tag = |tag| run.tag(tag, index)?.ok_or_else(gone);
            let key = (term, tag(SUBJECT_TAG)?, tag(OUTCOME_TAG)?, id);
            let slot = assessment::slot(run.tag(SLOT_TAG, index)?)?;
            slots.push((term, slot));
            if wanted.takes(key) {
                keys.push((key, usize::try_from(slot).unwrap_or(usize::MAX)));
            }
        }
    }
    slots.sort_unstable();
    if slots.windows(2).any(|pair| pair.first() == pair.last()) {
        return Err(assessment::shared_slot());
    }
    keys.sort_unstable();
    Ok(keys)
}

impl Sheet {
    /// Adds an assessment's texts.
    fn template(
        &mut self,
        partition: Partition,
        (term, subject, outcome, id): SheetKey,
        item: &Item<'_>,
    ) -> Result<Template> {
        let kept = KeptAssessment::open(item)?;
        let belongs = assessment::Belongs {
            grade: partition.a,
            year: partition.b,
            term,
            subject,
            outcome,
        };
        if kept.belongs != Some(belongs) {
            return Err(gone());
        }
        let KeptAssessment {
            out_of,
            before,
            after,
            ..
        } = kept;
        let rendering = item.lanes[lanes::RENDERING];
        match self.wire {
            Wire::V1 => {
                let before = |text: &mut Vec<u8>| {
                    json::push_quoted_integer(text, id);
                    text.push(b':');
                    text.extend_from_slice(before);
                };
                Template::new(before, after, out_of, &mut self.text)
            }
            Wire::V2 => {
                let conversions = Conversions::of(item.lanes[lanes::FACTS])?;
                let typed = |part| {
                    let mut text = Vec::new();
                    let record = 0..rendering.len();
                    push_part(
                        rendering,
                        &record,
                        part,
                        conversions,
                        &mut Chunks::new(&mut text),
                    )?;
                    Ok::<_, Failure>(text)
                };
                let middle = before.len();
                let (before, after) = (typed(1..middle)?, typed(middle..middle + after.len())?);
                Template::typed(&before, &after, out_of, &mut self.text)
            }
        }
    }

    /// Adds an assessment behind all others, opening the levels above it.
    fn push(
        &mut self,
        context: &SheetContext<'_>,
        (term, subject, outcome, assessment): SheetKey,
        slot: usize,
        template: Template,
    ) -> Result<()> {
        if self.terms.last().is_none_or(|last| last.term != term) {
            self.terms.push(SheetTerm {
                term,
                subjects: Vec::new(),
            });
        }
        if self
            .last_subject()
            .is_none_or(|last| last.subject != subject)
        {
            let start = self.add(|text, wire| context.push_subject(text, wire, subject))?;
            if let Some(last) = self.terms.last_mut() {
                last.subjects.push(SheetSubject {
                    subject,
                    release: context.releases.of(term, subject),
                    start,
                    outcomes: Vec::new(),
                });
            }
        }
        let last = self.last_subject().and_then(|last| last.outcomes.last());
        if last.is_none_or(|last| last.outcome != outcome) {
            let start = self.add(|text, wire| context.push_outcome(text, wire, outcome))?;
            if let Some(last) = self.last_subject() {
                last.outcomes.push(SheetOutcome {
                    outcome,
                    start,
                    assessments: Vec::new(),
                });
            }
        }
        let last = self.last_subject();
        if let Some(last) = last.and_then(|last| last.outcomes.last_mut()) {
            last.assessments.push(SheetAssessment {
                assessment,
                slot,
                template,
            });
        }
        Ok(())
    }

    fn last_subject(&mut self) -> Option<&mut SheetSubject> {
        self.terms.last_mut()?.subjects.last_mut()
    }

    /// Adds a text, if the sheet has texts.
    fn add(&mut self, push: impl FnOnce(&mut Vec<u8>, Wire) -> Result<()>) -> Result<Range<usize>> {
        if !self.is_written {
            return Ok(0..0);
        }
        let mut text = Vec::new();
        push(&mut text, self.wire)?;
        Ok(self.text.add(|all| all.extend_from_slice(&text)))
    }
}

impl SheetContext<'_> {
    fn push_subject(&self, text: &mut Vec<u8>, wire: Wire, subject: u64) -> Result<()> {
        if wire == Wire::V1 {
            json::push_quoted_integer(text, subject);
            text.extend_from_slice(b":{");
        }
        match self.tables.subject(subject) {
            Some(subject) => text.extend_from_slice(subject.named()),
            None => {
                let subject = self.tables.other_subject(self.snapshot, subject)?;
                text.extend_from_slice(subject.named());
            }
        }
        if wire == Wire::V1 {
            text.extend_from_slice(b",\"learning_outcomes\":{");
        }
        Ok(())
    }

    fn push_outcome(&self, text: &mut Vec<u8>, wire: Wire, outcome: u64) -> Result<()> {
        match wire {
            Wire::V1 => {
                json::push_quoted_integer(text, outcome);
                text.extend_from_slice(b":{\"learning_outcome_id\":");
            }
            Wire::V2 => text.extend_from_slice(b",\"learning_outcome_id\":"),
        }
        wire.push_number(text, outcome);
        text.extend_from_slice(b",\"learning_outcome_name\":");
        wire.push_text(text, &self.tables.outcome(self.snapshot, outcome)?);
        if wire == Wire::V1 {
            text.extend_from_slice(b",\"assessments\":{");
        }
        Ok(())
    }
}
