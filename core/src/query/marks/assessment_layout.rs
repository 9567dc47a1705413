//! The assessments of a grade and year, in the order in which they are answered (2.6), with all
//! text that is the same for all learners. If the text would take too much memory, it is
//! rendered for each question.

use crate::error::{Failure, Result};
use crate::json::{self, ApiVersion, OutputBuffer, Padded};
use crate::query::decoded::key_lookup::KeyLookup;
use crate::query::decoded::school_tables::{self, Tables};
use crate::query::marks::release::{Release, Releases};
use crate::record::address::misplaced;
use crate::record::kinds::assessment::{
    self, OUTCOME_COLUMN, SLOT_COLUMN, SUBJECT_COLUMN, StoredAssessment,
};
use crate::record::stored::columns;
use crate::record::stored::conversions::{Conversions, push_part};
use crate::record::stored::template::Template;
use crate::store::{Collection, Item, Key, Partition, Reader, Snapshot, Sources};
use std::ops::Range;
use std::sync::Arc;

/// The assessments of a grade and year, ordered by term, subject, outcome and id.
pub(crate) struct AssessmentLayout {
    version: ApiVersion,
    /// Whether `text` is rendered. If it is not, the layout contains only the terms:
    /// [`outline`] returns the content of one term, and [`one`] renders one assessment.
    pub(crate) is_written: bool,
    pub(crate) terms: Vec<LayoutTerm>,
    pub(crate) text: Padded,
}

/// The approximate limit in bytes for the text of a cached assessment layout.
const MAX_TEXT: usize = 2 << 20;

/// The assessments that a question selects. A level that is `None` is not restricted.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wanted {
    pub(crate) term: Option<u64>,
    pub(crate) subject: Option<u64>,
    pub(crate) outcome: Option<u64>,
    pub(crate) assessment: Option<u64>,
}

impl Wanted {
    fn matches(&self, (term, subject, outcome, assessment): LayoutKey) -> bool {
        let wanted = [self.term, self.subject, self.outcome, self.assessment];
        let mut levels = wanted.iter().zip([term, subject, outcome, assessment]);
        levels.all(|(wanted, number)| wanted.is_none_or(|wanted| wanted == number))
    }
}

pub(crate) struct LayoutTerm {
    pub(crate) term: u64,
    pub(crate) subjects: Vec<LayoutSubject>,
}

/// A learning program: a subject in a term.
pub(crate) struct LayoutSubject {
    pub(crate) subject: u64,
    pub(crate) release: Release,
    /// `"101":{"subject_id":"101","subject_name":"…","learning_outcomes":{`, for v2
    /// `"subject_id":101,"subject_name":"…"`
    pub(crate) start: Range<usize>,
    pub(crate) outcomes: Vec<LayoutOutcome>,
}

pub(crate) struct LayoutOutcome {
    pub(crate) outcome: u64,
    /// `"5":{"learning_outcome_id":"5","learning_outcome_name":"…","assessments":{`,
    /// for v2 `,"learning_outcome_id":5,"learning_outcome_name":"…"`
    pub(crate) start: Range<usize>,
    pub(crate) assessments: Vec<LayoutAssessment>,
}

pub(crate) struct LayoutAssessment {
    pub(crate) assessment: u64,
    pub(crate) slot: usize,
    pub(crate) template: Template,
}

impl AssessmentLayout {
    fn new(version: ApiVersion) -> AssessmentLayout {
        AssessmentLayout {
            version,
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
            + self.terms.capacity() * size_of::<LayoutTerm>()
            + 2 * subjects().count() * size_of::<LayoutSubject>()
            + 2 * outcomes().count() * size_of::<LayoutOutcome>()
            + assessments.sum::<usize>() * size_of::<LayoutAssessment>()
    }

    /// Returns the only assessment of the layout, with the levels above it.
    pub(crate) fn only(&self) -> Result<(&LayoutSubject, &LayoutOutcome, &LayoutAssessment)> {
        let term = self.terms.first().ok_or_else(misplaced)?;
        let subject = term.subjects.first().ok_or_else(misplaced)?;
        let outcome = subject.outcomes.first().ok_or_else(misplaced)?;
        let assessment = outcome.assessments.first().ok_or_else(misplaced)?;
        Ok((subject, outcome, assessment))
    }
}

const SOURCES: Sources = Sources::new(&[
    Collection::Schools,
    Collection::Subjects,
    Collection::LearningOutcomes,
    Collection::LearningPrograms,
    Collection::Assessments,
]);

/// Returns the assessment layout of a grade and year. Its text is rendered for a version of the
/// API, unless that would take too much memory.
pub(crate) fn read(
    snapshot: &Snapshot,
    school: u64,
    grade: u64,
    year: u64,
    version: ApiVersion,
) -> Result<Arc<AssessmentLayout>> {
    let name = Partition::of_grade_year(school, Collection::Assessments, grade, year);
    snapshot.decoded(version as u64, name, SOURCES, || {
        let mut layout = decode(snapshot, name, version, Wanted::default(), MAX_TEXT)?;
        if !layout.is_written {
            for term in &mut layout.terms {
                term.subjects = Vec::new();
            }
        }
        let bytes = layout.bytes();
        Ok((layout, bytes))
    })
}

/// The assessment layout of one term, without text.
pub(crate) struct Outline(pub(crate) AssessmentLayout);

/// Returns the content of one term of an assessment layout without text. All terms of a layout
/// together may take too much memory.
pub(crate) fn outline(
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
        let layout = decode(snapshot, name, ApiVersion::V2, wanted, 0)?;
        let bytes = layout.bytes();
        Ok((Outline(layout), bytes))
    })
}

/// Returns an assessment layout like [`read`], but always with text, at least for the assessments
/// in `wanted`.
pub(crate) fn written(
    snapshot: &Snapshot,
    school: u64,
    grade: u64,
    year: u64,
    version: ApiVersion,
    wanted: Wanted,
) -> Result<Arc<AssessmentLayout>> {
    let layout = read(snapshot, school, grade, year, version)?;
    if layout.is_written {
        return Ok(layout);
    }
    let name = Partition::of_grade_year(school, Collection::Assessments, grade, year);
    decode(snapshot, name, version, wanted, usize::MAX).map(Arc::new)
}

/// Renders one assessment of a layout without text.
pub(crate) fn one(
    snapshot: &Snapshot,
    tables: &Tables,
    partition: Partition,
    key: LayoutKey,
    version: ApiVersion,
) -> Result<AssessmentLayout> {
    let releases = Releases::default();
    let context = LayoutContext {
        snapshot,
        tables,
        releases: &releases,
    };
    let found = snapshot.records(partition)?.get(Key(key.0, key.3))?;
    let mut layout = AssessmentLayout::new(version);
    let template = layout.template(partition, key, &found.ok_or_else(misplaced)?.item()?)?;
    layout.push(&context, key, 0, template)?;
    Ok(layout)
}

/// The key by which assessments are ordered in the answer: term, subject, outcome, id.
type LayoutKey = (u64, u64, u64, u64);

/// The data besides the assessments from which texts are rendered.
struct LayoutContext<'a> {
    snapshot: &'a Snapshot,
    tables: &'a Tables,
    releases: &'a Releases,
}

fn decode(
    snapshot: &Snapshot,
    partition: Partition,
    version: ApiVersion,
    wanted: Wanted,
    most_text: usize,
) -> Result<AssessmentLayout> {
    let tables = school_tables::read(snapshot, partition.school, version)?;
    let releases = Releases::read(snapshot, partition)?;
    let context = LayoutContext {
        snapshot,
        tables: &tables,
        releases: &releases,
    };
    let mut items = KeyLookup::new(snapshot.records(partition)?);
    let mut layout = AssessmentLayout::new(version);
    for (key, slot) in keys(snapshot, partition, wanted)? {
        let template = if layout.is_written {
            let (block, index) = items.find(Key(key.0, key.3))?.ok_or_else(misplaced)?;
            layout.template(partition, key, &block.item(index)?)?
        } else {
            Template::default()
        };
        layout.push(&context, key, slot, template)?;
        if layout.text.len() > most_text {
            layout.is_written = false;
            layout.text = Padded::default();
        }
    }
    Ok(layout)
}

/// Returns the keys of the selected assessments in order, with their slots.
fn keys(
    snapshot: &Snapshot,
    partition: Partition,
    wanted: Wanted,
) -> Result<Vec<(LayoutKey, usize)>> {
    let mut keys = Vec::new();
    let mut slots = Vec::new();
    let (from, to) = match wanted.term {
        Some(term) => (Key(term, 0), Key(term, u64::MAX)),
        None => (Key::MIN, Key::MAX),
    };
    let mut records = snapshot.records(partition)?.cursor(from, to);
    while let Some(record) = records.next()? {
        let Key(term, id) = record.key()?;
        let filter_column = |column| record.filter_column(column)?.ok_or_else(misplaced);
        let key = (
            term,
            filter_column(SUBJECT_COLUMN)?,
            filter_column(OUTCOME_COLUMN)?,
            id,
        );
        let slot = assessment::slot(record.filter_column(SLOT_COLUMN)?)?;
        slots.push((term, slot));
        if wanted.matches(key) {
            keys.push((key, usize::try_from(slot).unwrap_or(usize::MAX)));
        }
    }
    slots.sort_unstable();
    if slots.windows(2).any(|pair| pair.first() == pair.last()) {
        return Err(assessment::shared_slot());
    }
    keys.sort_unstable();
    Ok(keys)
}

impl AssessmentLayout {
    /// Renders the text of an assessment.
    fn template(
        &mut self,
        partition: Partition,
        (term, subject, outcome, id): LayoutKey,
        item: &Item<'_>,
    ) -> Result<Template> {
        let stored = StoredAssessment::open(item)?;
        let belongs = assessment::AssessmentPlace {
            grade: partition.first,
            year: partition.second,
            term,
            subject,
            outcome,
        };
        if stored.belongs != Some(belongs) {
            return Err(misplaced());
        }
        let StoredAssessment {
            out_of,
            before,
            after,
            ..
        } = stored;
        let rendering = item.columns[columns::RENDERING];
        match self.version {
            ApiVersion::V1 => {
                let before = |text: &mut Vec<u8>| {
                    json::push_quoted_integer(text, id);
                    text.push(b':');
                    text.extend_from_slice(before);
                };
                Template::new(before, after, out_of, &mut self.text)
            }
            ApiVersion::V2 => {
                let conversions = Conversions::read(item.columns[columns::RESIDUAL_FIELDS])?;
                let typed = |part| {
                    let mut text = Vec::new();
                    let record = 0..rendering.len();
                    push_part(
                        rendering,
                        &record,
                        part,
                        conversions,
                        &mut OutputBuffer::new(&mut text),
                    )?;
                    Ok::<_, Failure>(text)
                };
                let middle = before.len();
                let (before, after) = (typed(1..middle)?, typed(middle..middle + after.len())?);
                Template::typed(&before, &after, out_of, &mut self.text)
            }
        }
    }

    /// Appends an assessment after all others, and opens the levels above it.
    fn push(
        &mut self,
        context: &LayoutContext<'_>,
        (term, subject, outcome, assessment): LayoutKey,
        slot: usize,
        template: Template,
    ) -> Result<()> {
        if self.terms.last().is_none_or(|last| last.term != term) {
            self.terms.push(LayoutTerm {
                term,
                subjects: Vec::new(),
            });
        }
        if self
            .last_subject()
            .is_none_or(|last| last.subject != subject)
        {
            let start = self.add(|text, version| context.push_subject(text, version, subject))?;
            if let Some(last) = self.terms.last_mut() {
                last.subjects.push(LayoutSubject {
                    subject,
                    release: context.releases.get(term, subject),
                    start,
                    outcomes: Vec::new(),
                });
            }
        }
        let last = self.last_subject().and_then(|last| last.outcomes.last());
        if last.is_none_or(|last| last.outcome != outcome) {
            let start = self.add(|text, version| context.push_outcome(text, version, outcome))?;
            if let Some(last) = self.last_subject() {
                last.outcomes.push(LayoutOutcome {
                    outcome,
                    start,
                    assessments: Vec::new(),
                });
            }
        }
        let last = self.last_subject();
        if let Some(last) = last.and_then(|last| last.outcomes.last_mut()) {
            last.assessments.push(LayoutAssessment {
                assessment,
                slot,
                template,
            });
        }
        Ok(())
    }

    fn last_subject(&mut self) -> Option<&mut LayoutSubject> {
        self.terms.last_mut()?.subjects.last_mut()
    }

    /// Appends text to a layout whose text is rendered, and returns its range.
    fn add(
        &mut self,
        push: impl FnOnce(&mut Vec<u8>, ApiVersion) -> Result<()>,
    ) -> Result<Range<usize>> {
        if !self.is_written {
            return Ok(0..0);
        }
        let mut text = Vec::new();
        push(&mut text, self.version)?;
        Ok(self.text.add(|all| all.extend_from_slice(&text)))
    }
}

impl LayoutContext<'_> {
    fn push_subject(&self, text: &mut Vec<u8>, version: ApiVersion, subject: u64) -> Result<()> {
        if version == ApiVersion::V1 {
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
        if version == ApiVersion::V1 {
            text.extend_from_slice(b",\"learning_outcomes\":{");
        }
        Ok(())
    }

    fn push_outcome(&self, text: &mut Vec<u8>, version: ApiVersion, outcome: u64) -> Result<()> {
        match version {
            ApiVersion::V1 => {
                json::push_quoted_integer(text, outcome);
                text.extend_from_slice(b":{\"learning_outcome_id\":");
            }
            ApiVersion::V2 => text.extend_from_slice(b",\"learning_outcome_id\":"),
        }
        version.push_number(text, outcome);
        text.extend_from_slice(b",\"learning_outcome_name\":");
        version.push_text(text, &self.tables.outcome(self.snapshot, outcome)?);
        if version == ApiVersion::V1 {
            text.extend_from_slice(b",\"assessments\":{");
        }
        Ok(())
    }
}
