//! Get Learner Subjects (4.5).

use super::endpoint::{Endpoint, Last, Path};
use super::integrators::Family;
use super::key_lookup::KeyLookup;
use super::params::Params;
use super::tables::{Subject, Tables};
use super::walk::{Identity, Walk};
use super::{Array, Outcome, Query, Question, Reads, Then, View};
use crate::error::{Error, Failure, Result};
use crate::json::{Chunks, Padded, Wire};
use crate::record::coverage::{Part, Unit};
use crate::record::lanes::{FACTS, RENDERING};
use crate::record::learner::{CURRENT, NAMES_END_TAG, RENDERING_START, STATUS_TAG};
use crate::record::typed::{Conversions, push_part};
use crate::store::{Collection, Key, Partition, Reader, Run, Snapshot, Sources};
use std::ops::Range;

/// Get Learner Subjects (4.5): one record per learner and subject of the
/// current year (2.3), by learner, then subject.
///
/// Without `learner_id` the current learners' subjects; with it those of the
/// learner, whatever its status.
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
    /// One learner.
    pub learner_id: Option<u64>,
}

pub(super) static ENDPOINT: Endpoint = Endpoint {
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
    /// Writes the subjects of these keys, whose learners lie in this run if anywhere.
    #[inline]
    fn push_all(
        &self,
        snapshot: &Snapshot,
        tables: &Tables,
        learners: Option<Run<'_>>,
        keys: impl Iterator<Item = Key>,
        out: &mut Chunks<'_>,
    ) -> Result<()> {
        // The part that a learner's records share, for the learner at hand.
        let mut start = Padded::default();
        let mut of = None;
        let mut is_shown = false;
        let mut next = 0;
        for Key(learner, subject) in keys {
            if of != Some(learner) {
                of = Some(learner);
                let found =
                    learners.and_then(|run| Some((run, run.find_from(next, Key::one(learner))?)));
                next = found.map_or(next, |(_, index)| index + 1);
                let asked_for = self.learner_id.is_some();
                is_shown = set_start(learner, found, asked_for, Wire::V1, &mut start)?;
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

    fn about(&self) -> Option<u64> {
        Some(self.school)
    }

    fn sources(&self) -> Sources {
        Sources::of(&[
            Collection::Schools,
            Collection::Learners,
            Collection::Subjects,
            Collection::LearnerSubjects,
        ])
    }

    fn reads(&self, reads: &Reads<'_>) -> Result<()> {
        let year = reads.current_year(self.school)?;
        let all = Unit::of_year(Part::LearnerSubjects, year);
        let Some(learner) = self.learner_id else {
            return reads.whole(self.school, all);
        };
        let own = Unit::of_id(Part::LearnersOwnSubjects, year, learner);
        if reads.is_current(self.school, learner)? {
            reads.any(self.school, &[all, own])
        } else {
            reads.whole(self.school, own)
        }
    }

    #[cfg_attr(module, optimize(speed))]
    fn answer(&self, view: View<'_>, out: &mut Chunks<'_>) -> Result<Outcome> {
        let tables = view.tables(self.school, Wire::V1)?;
        let Some(year) = tables.facts.current_year else {
            return Ok(Outcome::Nothing);
        };
        let subjects = Partition::of_year(self.school, Collection::LearnerSubjects, year);
        let subjects = view.snapshot.records(subjects)?;
        let learners = Partition::of(self.school, Collection::Learners);
        let learners = view.snapshot.records(learners)?;
        let (from, to) = match self.learner_id {
            Some(id) => (Key(id, 0), Key(id, u64::MAX)),
            None => (Key::MIN, Key::MAX),
        };
        let array = Array::open(out);
        for pinned in subjects.between(from, to) {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            let Range { mut start, end } = indices;
            // Both lie in order of the learners: the run of one has many of the other.
            while start < end {
                let Key(learner, _) = run.key(start)?;
                let position = learners.locate(Key::one(learner));
                let until = match learners.first(position + 1) {
                    Some(next) => run.lower_bound(Key::one(next.0)).clamp(start + 1, end),
                    None => end,
                };
                let here = run.keys_of(start..until);
                start = until;
                let pinned = learners.pin(position)?;
                let learners = match &pinned {
                    Some(pinned) => Some(pinned.run()?),
                    None => None,
                };
                self.push_all(view.snapshot, &tables, learners, here, out)?;
            }
        }
        Ok(array.close(out))
    }

    fn identify(&self, _: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school", Some(self.school));
        identity.number("learner_id", self.learner_id);
        Ok(())
    }

    fn year(&self, view: View<'_>) -> Result<Option<u64>> {
        Ok(view.current_year(&*view.facts(self.school)?))
    }

    fn walk(&self, view: View<'_>, walk: &mut Walk, out: &mut Chunks<'_>) -> Result<Outcome> {
        let tables = view.tables(self.school, Wire::V2)?;
        let Some(year) = view.current_year(&tables.facts) else {
            return Ok(Outcome::Found);
        };
        let subjects = Partition::of_year(self.school, Collection::LearnerSubjects, year);
        let subjects = view.snapshot.records(subjects)?;
        let learners = Partition::of(self.school, Collection::Learners);
        let mut learners = KeyLookup::new(view.snapshot.records(learners)?);
        let (from, to) = match self.learner_id {
            Some(id) => (Key(id, 0), Key(id, u64::MAX)),
            None => (Key::MIN, Key::MAX),
        };
        let Some(keys) = walk.rest(from, to, |[learner, subject, ..]| Key(*learner, *subject))
        else {
            return Ok(Outcome::Found);
        };
        let mut start = Padded::default();
        let mut of = None;
        let mut is_shown = false;
        for pinned in walk.runs(&subjects, keys) {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            for index in walk.in_order(indices) {
                let Key(learner, subject) = run.key(index)?;
                if of.replace(learner) != Some(learner) {
                    let asked_for = self.learner_id.is_some();
                    let found = learners.find(Key::one(learner))?;
                    is_shown = set_start(learner, found, asked_for, Wire::V2, &mut start)?;
                }
                if !is_shown {
                    continue;
                }
                if !walk.take([learner, subject, 0, 0, 0, 0, 0]) {
                    return Ok(Outcome::Found);
                }
                match tables.subject(subject) {
                    Some(subject) => push(&start, subject, out),
                    None => push(&start, &tables.other_subject(view.snapshot, subject)?, out),
                }
            }
        }
        Ok(Outcome::Found)
    }
}

/// One record and a comma.
#[inline]
#[cfg_attr(module, optimize(speed))]
fn push(start: &Padded, subject: &Subject, out: &mut Chunks<'_>) {
    let listed = &subject.listed;
    out.push_starts([(start, start.len()), (listed, listed.len())]);
}

/// Writes what precedes the subject in a learner's records; says whether the
/// learner is to be answered.
#[cfg_attr(module, optimize(speed))]
fn set_start(
    learner: u64,
    found: Option<(Run<'_>, usize)>,
    asked_for: bool,
    wire: Wire,
    start: &mut Padded,
) -> Result<bool> {
    let Some((run, index)) = found else {
        if asked_for {
            let mut text = b"{\"learner_id\":".to_vec();
            wire.push_number(&mut text, learner);
            for name in ["first_name", "last_name"] {
                text.extend_from_slice(format!(",\"{name}\":").as_bytes());
                wire.push_text(&mut text, b"");
            }
            start.set(&[&text, b",\"subject_id\":"]);
        }
        return Ok(asked_for);
    };
    if !asked_for && run.tag(STATUS_TAG, index)? != CURRENT {
        return Ok(false);
    }
    match wire {
        Wire::V1 => {
            let names = run.record(RENDERING, index)?.get(names_of(&run, index)?);
            let names = names.ok_or_else(no_names)?;
            start.set(&[b"{\"learner_id\":", names, b",\"subject_id\":"]);
        }
        Wire::V2 => {
            let mut names = Vec::new();
            push_typed_names(&run, index, &mut Chunks::new(&mut names))?;
            start.set(&[b"{\"learner_id\":", &names, b",\"subject_id\":"]);
        }
    }
    Ok(true)
}

/// Where in a learner's rendering the id and the names stand that other answers
/// repeat: `"7","first_name":"…","last_name":"…"`.
pub(super) fn names_of(run: &Run<'_>, index: usize) -> Result<Range<usize>> {
    let end = run
        .tag(NAMES_END_TAG, index)?
        .and_then(|end| usize::try_from(end).ok());
    Ok(RENDERING_START.len()..end.ok_or_else(no_names)?)
}

/// Writes them as v2 answers them.
pub(super) fn push_typed_names(run: &Run<'_>, index: usize, out: &mut Chunks<'_>) -> Result<()> {
    let record = run.span(RENDERING, index, index + 1)?;
    let names = names_of(run, index)?;
    let conversions = Conversions::of(run.record(FACTS, index)?)?;
    push_part(run.lane(RENDERING), &record, names, conversions, out)
}

fn no_names() -> Failure {
    Error::corrupt("a learner has no names")
}
