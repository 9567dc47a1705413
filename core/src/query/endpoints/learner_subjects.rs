//! Get Learner Subjects (4.5).

use crate::error::{Error, Failure, Result};
use crate::json::{ApiVersion, OutputBuffer, Padded};
use crate::query::decoded::integrators::Family;
use crate::query::decoded::key_lookup::KeyLookup;
use crate::query::decoded::school_tables::{Subject, Tables};
use crate::query::endpoint::{Endpoint, Last, Path};
use crate::query::parameters::params::Params;
use crate::query::walk::Identity;
use crate::query::{ArrayWriter, CoverageCheck, Outcome, PageWriter, Query, Question, Then, View};
use crate::record::kinds::learner::{CURRENT, NAMES_END_COLUMN, RENDERING_START, STATUS_COLUMN};
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::record::stored::columns::{RENDERING, RESIDUAL_FIELDS};
use crate::record::stored::conversions::{Conversions, push_part};
use crate::store::{Block, Collection, Key, Partition, Reader, Snapshot, Sources};
use std::ops::Range;

/// Get Learner Subjects (4.5): one record for each learner and subject of the current year
/// (2.3), ordered by learner, then subject.
///
/// Without `learner_id`, the answer contains the subjects of all current learners; with it,
/// those of this learner, regardless of the learner's status.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Engine, LearnerSubjects, Options};
/// let engine = Engine::memory(Options::default())?;
/// let none = LearnerSubjects { school: 1, learner_id: Some(7) };
/// assert_eq!(engine.ask(&none)?.status.code, 404);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LearnerSubjects {
    /// The school's login id.
    pub school: u64,
    /// Selects one learner.
    pub learner_id: Option<u64>,
}

pub(crate) static ENDPOINT: Endpoint = Endpoint {
    name: "learnersubjects",
    v1: Path("currplus/learnersubjects", Last::SCHOOL),
    v2: Path("currplus/learnersubjects", Last::None),
    family: Some(Family::Curriculum),
    nothing: "No learner subject records found",
    ..Endpoint::new(read)
};

fn read(params: &mut Params<'_>, then: Then<'_>) -> Result<Outcome> {
    let subjects = LearnerSubjects {
        school: params.school(),
        learner_id: params.id("learner_id"),
    };
    params.ask(&subjects, then)
}

impl Question for LearnerSubjects {}

impl LearnerSubjects {
    /// Writes the subjects of these keys. `learners` is the block that would contain their
    /// learners.
    #[inline]
    fn push_all(
        &self,
        snapshot: &Snapshot,
        tables: &Tables,
        learners: Option<Block<'_>>,
        keys: impl Iterator<Item = Key>,
        out: &mut OutputBuffer<'_>,
    ) -> Result<()> {
        // The text that the records of the current learner share.
        let mut start = Padded::default();
        let mut of = None;
        let mut is_shown = false;
        let mut next = 0;
        for Key(learner, subject) in keys {
            if of != Some(learner) {
                of = Some(learner);
                let found = learners
                    .and_then(|block| Some((block, block.find_from(next, Key::one(learner))?)));
                next = found.map_or(next, |(_, index)| index + 1);
                let asked_for = self.learner_id.is_some();
                is_shown = set_start(learner, found, asked_for, ApiVersion::V1, &mut start)?;
            }
            if !is_shown {
                continue;
            }
            match tables.subject(subject) {
                Some(subject) => push(&start, subject, out),
                None => push(&start, &tables.other_subject(snapshot, subject)?, out),
            }
        }
        Ok(())
    }
}

impl Query for LearnerSubjects {
    fn endpoint(&self) -> &'static Endpoint {
        &ENDPOINT
    }

    fn learner(&self) -> Option<u64> {
        self.learner_id
    }

    fn about(&self) -> Option<u64> {
        Some(self.school)
    }

    fn sources(&self) -> Sources {
        Sources::new(&[
            Collection::Schools,
            Collection::Learners,
            Collection::Subjects,
            Collection::LearnerSubjects,
        ])
    }

    fn require_coverage(&self, reads: &CoverageCheck<'_>) -> Result<()> {
        let year = reads.current_year(self.school)?;
        let all = CoverageKey::of_year(CoverageKind::LearnerSubjects, year);
        let Some(learner) = self.learner_id else {
            return reads.require(self.school, all);
        };
        let own = CoverageKey::of_id(CoverageKind::LearnersOwnSubjects, year, learner);
        if reads.is_current(self.school, learner)? {
            reads.require_any(self.school, &[all, own])
        } else {
            reads.require(self.school, own)
        }
    }

    #[cfg_attr(module, optimize(speed))]
    fn answer(&self, view: View<'_>, out: &mut OutputBuffer<'_>) -> Result<Outcome> {
        let tables = view.tables(self.school, ApiVersion::V1)?;
        let Some(year) = tables.facts.current_year else {
            return Ok(Outcome::Nothing);
        };
        let subjects = Partition::of_year(self.school, Collection::LearnerSubjects, year);
        let subjects = view.snapshot.records(subjects)?;
        let learners = Partition::new(self.school, Collection::Learners);
        let learners = view.snapshot.records(learners)?;
        let (from, to) = Key::range_from(self.learner_id);
        let array = ArrayWriter::open(out);
        for pinned in subjects.between(from, to) {
            let (pinned, indices) = pinned?;
            let block = pinned.block()?;
            let Range { mut start, end } = indices;
            // Both partitions are ordered by learner, so one block of learners serves many
            // subjects.
            while start < end {
                let Key(learner, _) = block.key(start)?;
                let position = learners.locate(Key::one(learner));
                let until = match learners.first(position + 1) {
                    Some(next) => block.lower_bound(Key::one(next.0)).clamp(start + 1, end),
                    None => end,
                };
                let here = block.keys_of(start..until);
                start = until;
                let pinned = learners.pin(position)?;
                let learners = match &pinned {
                    Some(pinned) => Some(pinned.block()?),
                    None => None,
                };
                self.push_all(view.snapshot, &tables, learners, here, out)?;
            }
        }
        Ok(array.close(Outcome::Found, out))
    }

    fn identify(&self, _: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school", Some(self.school));
        identity.number("learner_id", self.learner_id);
        Ok(())
    }

    fn year(&self, view: View<'_>) -> Result<Option<u64>> {
        Ok(view.current_year(&*view.facts(self.school)?))
    }

    fn write(&self, page: PageWriter<'_, '_>) -> Result<Outcome> {
        let PageWriter { view, version, .. } = page;
        let tables = view.tables(self.school, version)?;
        let Some(year) = view.current_year(&tables.facts) else {
            return Ok(Outcome::Found);
        };
        let learners = Partition::new(self.school, Collection::Learners);
        let mut learners = KeyLookup::new(view.snapshot.records(learners)?);
        let mut start = Padded::default();
        let mut of = None;
        let mut is_shown = false;
        let subjects = Partition::of_year(self.school, Collection::LearnerSubjects, year);
        let keys = Key::range_from(self.learner_id);
        page.write(
            subjects,
            keys,
            &mut |Key(learner, subject), _block, _index, out| {
                if of.replace(learner) != Some(learner) {
                    let asked_for = self.learner_id.is_some();
                    let found = learners.find(Key::one(learner))?;
                    is_shown = set_start(learner, found, asked_for, version, &mut start)?;
                }
                if is_shown {
                    match tables.subject(subject) {
                        Some(subject) => push(&start, subject, out),
                        None => push(&start, &tables.other_subject(view.snapshot, subject)?, out),
                    }
                }
                Ok(())
            },
        )
    }
}

/// Writes one record and a comma.
#[inline]
#[cfg_attr(module, optimize(speed))]
fn push(start: &Padded, subject: &Subject, out: &mut OutputBuffer<'_>) {
    let listed = &subject.listed;
    out.push_starts([(start, start.len()), (listed, listed.len())]);
}

/// Sets the text that precedes the subject in a learner's records. Returns true if the answer
/// contains the learner.
#[cfg_attr(module, optimize(speed))]
fn set_start(
    learner: u64,
    found: Option<(Block<'_>, usize)>,
    asked_for: bool,
    version: ApiVersion,
    start: &mut Padded,
) -> Result<bool> {
    let Some((block, index)) = found else {
        if asked_for {
            let mut text = b"{\"learner_id\":".to_vec();
            version.push_number(&mut text, learner);
            for name in ["first_name", "last_name"] {
                text.extend_from_slice(format!(",\"{name}\":").as_bytes());
                version.push_text(&mut text, b"");
            }
            start.set(&[&text, b",\"subject_id\":"]);
        }
        return Ok(asked_for);
    };
    if !asked_for && block.filter_column(STATUS_COLUMN, index)? != CURRENT {
        return Ok(false);
    }
    match version {
        ApiVersion::V1 => {
            let names = block
                .record(RENDERING, index)?
                .get(names_of(&block, index)?);
            let names = names.ok_or_else(no_names)?;
            start.set(&[b"{\"learner_id\":", names, b",\"subject_id\":"]);
        }
        ApiVersion::V2 => {
            let mut names = Vec::new();
            push_typed_names(&block, index, &mut OutputBuffer::new(&mut names))?;
            start.set(&[b"{\"learner_id\":", &names, b",\"subject_id\":"]);
        }
    }
    Ok(true)
}

/// Returns the range of the id and the names in a learner's pre-rendered record, which other
/// answers repeat: `"7","first_name":"…","last_name":"…"`.
pub(crate) fn names_of(block: &Block<'_>, index: usize) -> Result<Range<usize>> {
    let end = block
        .filter_column(NAMES_END_COLUMN, index)?
        .and_then(|end| usize::try_from(end).ok());
    Ok(RENDERING_START.len()..end.ok_or_else(no_names)?)
}

/// Writes the id and the names as v2 answers them.
pub(crate) fn push_typed_names(
    block: &Block<'_>,
    index: usize,
    out: &mut OutputBuffer<'_>,
) -> Result<()> {
    let record = block.span(RENDERING, index, index + 1)?;
    let names = names_of(block, index)?;
    let conversions = Conversions::read(block.record(RESIDUAL_FIELDS, index)?)?;
    push_part(block.column(RENDERING), &record, names, conversions, out)
}

fn no_names() -> Failure {
    Error::corrupt("a learner has no names")
}
