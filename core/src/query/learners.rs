//! Get Learner(s) (4.1).

use super::endpoint::{Endpoint, Last, Path};
use super::integrators::Family;
use super::key_lookup::KeyLookup;
use super::learner_filter::Filter;
use super::params::Params;
use super::roll;
use super::walk::{Identity, Walk};
use super::window::{self, Window};
use super::{Array, Outcome, Query, Question, Reads, Rule, Then, View, learner_parents};
use crate::date::Date;
use crate::error::{Error, Failure, Result};
use crate::json::{Chunks, Wire};
use crate::record::coverage::{Part, Unit};
use crate::record::fold::fold;
use crate::record::lanes::RENDERING;
use crate::record::learner::STATUSES;
use crate::record::typed;
use crate::store::{Collection, Key, Partition, Reader, Run, Sources};
use memchr::memmem::Finder;
use std::ops::Range;

/// The state of a learner (section 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum LearnerStatus {
    /// At the school now.
    #[default]
    Current,
    /// Transferred away.
    Left,
    /// Waiting for a place.
    Waitlist,
}

/// Get Learner(s) (4.1): an array of learner records (2.1) in the order of
/// their ids. All filters must hold.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Engine, LearnerStatus, Learners, Options};
/// let engine = Engine::memory(Options::default())?;
/// engine.apply(&br#"{"type":"learner","school_id":1,"id":7,"first_name":"Zo\u00eb"}"#[..])?;
/// let answer = engine.ask(&Learners { school: 1, name: Some("zoe"), ..Learners::default() })?;
/// assert_eq!(answer.status.code, 200);
/// let left = Learners { school: 1, status: LearnerStatus::Left, ..Learners::default() };
/// assert_eq!(engine.ask(&left)?.status.code, 404);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Learners<'a> {
    /// The school's login id.
    pub school: u64,
    /// Which learners; the current ones unless told otherwise.
    pub status: LearnerStatus,
    /// Left learners: the first transfer date; a month before `until` unless
    /// given.
    pub since: Option<Date>,
    /// Left learners: the last transfer date; today unless given.
    pub until: Option<Date>,
    /// One learner.
    pub learner_id: Option<u64>,
    /// Learners of these grades; all if there are none.
    pub grade_ids: &'a [u64],
    /// Gives each learner an array of its parents (2.2).
    pub include_parents: bool,
    /// A part of the first name, the last name, or both with a blank between;
    /// case and accents do not matter.
    pub name: Option<&'a str>,
    /// Learners with this family code.
    pub family_code: Option<u64>,
}

/// The id of one record: a parameter, and the last segment of v2's path.
const ID: &str = "learner_id";

pub(super) static ENDPOINT: Endpoint = Endpoint {
    name: "learners",
    v1: Path("adminplus/learners", Last::SCHOOL),
    v2: Path("adminplus/learners", Last::Optional(ID)),
    family: Some(Family::Administration),
    has_parents: true,
    nothing: "No learner records found",
    ..Endpoint::new(read)
};

fn read(params: &mut Params<'_>, then: Then<'_>) -> Result<Outcome> {
    let status = match params.choice("status", &STATUSES) {
        0 => LearnerStatus::Current,
        1 => LearnerStatus::Left,
        _ => LearnerStatus::Waitlist,
    };
    let since = params.date("since");
    let until = params.date("until");
    // By the path it is found whenever it left.
    let is_recent = status == LearnerStatus::Left && since.is_none() && until.is_none();
    let learner_id = params.one(ID, !is_recent);
    let grade_ids = params.ids("grade_id");
    let include_parents = params.switch("include_parents");
    let name = params.text("name");
    let learners = Learners {
        school: params.school(),
        status,
        since,
        until,
        learner_id,
        grade_ids: &grade_ids,
        include_parents,
        name: name.as_deref(),
        family_code: params.number("family_code"),
    };
    params.ask(&learners, then)
}

impl Question for Learners<'_> {}

impl Learners<'_> {
    /// The transfer dates between which learners must have left; or the rule that is
    /// broken.
    fn window(&self, view: View<'_>) -> Result<std::result::Result<Option<Window>, Rule>> {
        if self.status != LearnerStatus::Left {
            return Ok(Ok(None));
        }
        let today = view.today(self.school)?;
        Ok(window::of_transfers(self.since, self.until, today).map(Some))
    }

    /// Whether the one learner that is asked for is found whenever it left.
    fn is_timeless(&self, for_one: bool) -> bool {
        let has_window = self.since.is_some() || self.until.is_some();
        let has_left = self.status == LearnerStatus::Left;
        has_left && for_one && self.learner_id.is_some() && !has_window
    }

    /// What a learner must be to be answered.
    fn filter<'a>(&'a self, window: Option<Window>, needle: &'a mut Vec<u8>) -> Filter<'a> {
        fold(self.name.unwrap_or_default(), needle);
        Filter {
            status: self.status as u64,
            window: window.map(|Window { from, to }| from.number()..=to.number()),
            grades: self.grade_ids,
            family: self.family_code,
            name: (!needle.is_empty()).then(|| Finder::new(needle)),
        }
    }

    /// The keys that the learners asked for have.
    fn keys(&self) -> (Key, Key) {
        match self.learner_id {
            Some(id) => (Key::one(id), Key::one(id)),
            None => (Key::MIN, Key::MAX),
        }
    }
}

impl Query for Learners<'_> {
    fn endpoint(&self) -> &'static Endpoint {
        &ENDPOINT
    }

    fn about(&self) -> Option<u64> {
        Some(self.school)
    }

    fn broken_rule(&self, view: View<'_>) -> Result<Option<Rule>> {
        Ok(self.window(view)?.err())
    }

    fn sources(&self) -> Sources {
        Sources::of(&[Collection::Learners])
            .and_if(self.include_parents, Sources::of(&[Collection::Parents]))
            .and_if(self.has_day(), Sources::of(&[Collection::Schools]))
    }

    fn has_day(&self) -> bool {
        self.status == LearnerStatus::Left && self.until.is_none()
    }

    fn reads(&self, reads: &Reads<'_>) -> Result<()> {
        let part = match self.status {
            LearnerStatus::Current => Part::CurrentLearners,
            LearnerStatus::Waitlist => Part::WaitlistLearners,
            LearnerStatus::Left => Part::LeftLearners,
        };
        match (self.window(reads.view())?, self.learner_id) {
            (_, Some(id)) if self.is_timeless(reads.for_one) => {
                reads.left_learner(self.school, id)?;
            }
            (Ok(Some(window)), _) => reads.days(self.school, part, window)?,
            (Ok(None), _) => reads.whole(self.school, Unit::of(part))?,
            (Err(_), _) => return Ok(()),
        }
        if self.include_parents {
            reads.whole(self.school, Unit::of(Part::LearnersParents))?;
        }
        Ok(())
    }

    #[cfg_attr(module, optimize(speed))]
    fn answer(&self, view: View<'_>, out: &mut Chunks<'_>) -> Result<Outcome> {
        let window = match self.window(view)? {
            Ok(window) => window,
            Err(rule) => return Ok(rule.into()),
        };
        let mut needle = Vec::new();
        let filter = self.filter(window, &mut needle);
        let mut parents = learner_parents::of(view, self.school, self.include_parents)?;
        let learners = Partition::of(self.school, Collection::Learners);
        let learners = view.snapshot.records(learners)?;
        let array = Array::open(out);
        let mut push = |run: &Run<'_>, stretch: Range<usize>| {
            match &mut parents {
                Some(parents) => {
                    for index in stretch {
                        push_with_parents(run, index, parents, out)?;
                        out.push(b",");
                    }
                }
                None => {
                    out.push(run.stretch(RENDERING, stretch.start, stretch.end)?);
                    out.push(b",");
                }
            }
            Ok(())
        };
        let is_searched = self.learner_id.is_none() && filter.is_of_few();
        let roll = is_searched.then(|| roll::of(view.snapshot, self.school));
        let roll = roll.transpose()?;
        match roll.as_deref().and_then(Option::as_ref) {
            Some(roll) => filter.each_found(roll, &learners, &mut push)?,
            None => {
                let (from, to) = self.keys();
                for pinned in learners.between(from, to) {
                    let (pinned, indices) = pinned?;
                    let run = pinned.run()?;
                    filter.each_stretch(&run, indices, &mut |stretch| push(&run, stretch))?;
                }
            }
        }
        Ok(array.close(out))
    }

    fn identify(&self, view: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school", Some(self.school));
        identity.number("status", Some(self.status as u64));
        identity.window(self.window(view)?.ok().flatten());
        identity.number(ID, self.learner_id);
        let mut grades = self.grade_ids.to_vec();
        grades.sort_unstable();
        grades.dedup();
        for grade in grades {
            identity.number("grade_id", Some(grade));
        }
        identity.flag("include_parents", self.include_parents);
        let mut name = Vec::new();
        fold(self.name.unwrap_or_default(), &mut name);
        if !name.is_empty() {
            identity.bytes_of("name", &name);
        }
        identity.number("family_code", self.family_code);
        Ok(())
    }

    fn walk(&self, view: View<'_>, walk: &mut Walk, out: &mut Chunks<'_>) -> Result<Outcome> {
        let window = match self.window(view)? {
            _ if self.is_timeless(walk.is_for_one()) => None,
            Ok(window) => window,
            Err(rule) => return Ok(rule.into()),
        };
        let mut needle = Vec::new();
        let filter = self.filter(window, &mut needle);
        let mut parents = learner_parents::of(view, self.school, self.include_parents)?;
        let learners = Partition::of(self.school, Collection::Learners);
        let learners = view.snapshot.records(learners)?;
        let (from, to) = self.keys();
        let Some(keys) = walk.rest(from, to, |[id, ..]| Key::one(*id)) else {
            return Ok(Outcome::Found);
        };
        let mut passing: Vec<Range<usize>> = Vec::new();
        for pinned in walk.runs(&learners, keys) {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            passing.clear();
            filter.each_stretch(&run, indices, &mut |stretch| {
                passing.push(stretch);
                Ok(())
            })?;
            for stretch in walk.along(&passing) {
                for index in walk.in_order(stretch.clone()) {
                    let Key(id, _) = run.key(index)?;
                    if !walk.take([id, 0, 0, 0, 0, 0, 0]) {
                        return Ok(Outcome::Found);
                    }
                    typed::push_record(&run, index, out)?;
                    if let Some(parents) = &mut parents {
                        if !run.record(RENDERING, index)?.ends_with(b"}") {
                            return Err(no_object());
                        }
                        out.truncate(out.len() - b"},".len());
                        out.push(b",\"parents\":");
                        learner_parents::push(&run, index, parents, Wire::V2, out)?;
                        out.push(b"},");
                    }
                }
            }
        }
        Ok(Outcome::Found)
    }
}

/// A learner with the array of its parents.
#[cfg_attr(module, optimize(speed))]
fn push_with_parents(
    run: &Run<'_>,
    index: usize,
    parents: &mut KeyLookup<'_>,
    out: &mut Chunks<'_>,
) -> Result<()> {
    let learner = run.record(RENDERING, index)?.strip_suffix(b"}");
    out.push(learner.ok_or_else(no_object)?);
    out.push(b",\"parents\":[");
    let before = out.len();
    learner_parents::each(run, index, parents, |parents, index| {
        if out.len() > before {
            out.push(b",");
        }
        out.push(parents.record(RENDERING, index)?);
        Ok(())
    })?;
    out.push(b"]}");
    Ok(())
}

fn no_object() -> Failure {
    Error::corrupt("a learner is no object")
}
