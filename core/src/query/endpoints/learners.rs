//! Get Learner(s) (4.1).

use crate::date::Date;
use crate::error::{Error, Failure, Result};
use crate::json::OutputBuffer;
use crate::query::coverage_check::not_synced;
use crate::query::decoded::integrators::Family;
use crate::query::decoded::key_lookup::KeyLookup;
use crate::query::decoded::name_index;
use crate::query::endpoint::{Endpoint, Last, Path};
use crate::query::filters::learner_filter::LearnerFilter;
use crate::query::lists::learner_parents;
use crate::query::parameters::date_window::{self, DateWindow};
use crate::query::parameters::learner_status::LearnerStatus;
use crate::query::parameters::params::Params;
use crate::query::walk::Identity;
use crate::query::{
    ArrayWriter, CoverageCheck, Outcome, PageWriter, Query, Question, Rule, Then, View,
};
use crate::record::kinds::learner::STATUSES;
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::record::stored::columns::RENDERING;
use crate::record::stored::conversions;
use crate::record::values::fold::fold;
use crate::store::{Block, Collection, Key, Partition, Reader, Sources};
use memchr::memmem::Finder;
use std::ops::Range;

/// Get Learner(s) (4.1): an array of learner records (2.1), ordered by id. A record must match
/// all filters.
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
    /// Selects learners of this status. The default is current.
    pub status: LearnerStatus,
    /// The first transfer date, for learners who left. The default is a month before `until`.
    pub since: Option<Date>,
    /// The last transfer date, for learners who left. The default is today.
    pub until: Option<Date>,
    /// Selects one learner.
    pub learner_id: Option<u64>,
    /// Selects learners of these grades, or of all grades if the slice is empty.
    pub grade_ids: &'a [u64],
    /// Adds an array of the parents (2.2) to each learner.
    pub include_parents: bool,
    /// Selects learners whose first name, last name, or both separated by a space, contain this
    /// text. The comparison ignores case and accents.
    pub name: Option<&'a str>,
    /// Selects learners with this family code.
    pub family_code: Option<u64>,
}

/// The id of one record: a parameter, and the last segment of v2's path.
const ID: &str = "learner_id";

pub(crate) static ENDPOINT: Endpoint = Endpoint {
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
    // A learner named by the path is found regardless of the transfer date.
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
    /// Returns the range of transfer dates for learners who left, or the broken rule.
    fn window(&self, view: View<'_>) -> Result<std::result::Result<Option<DateWindow>, Rule>> {
        if self.status != LearnerStatus::Left {
            return Ok(Ok(None));
        }
        let today = view.today(self.school)?;
        Ok(date_window::of_transfers(self.since, self.until, today).map(Some))
    }

    /// Returns true if the one requested learner is found regardless of the transfer date.
    fn is_timeless(&self, for_one: bool) -> bool {
        let has_window = self.since.is_some() || self.until.is_some();
        let has_left = self.status == LearnerStatus::Left;
        has_left && for_one && self.learner_id.is_some() && !has_window
    }

    /// Returns the conditions that a learner must satisfy.
    fn filter<'a>(
        &'a self,
        window: Option<DateWindow>,
        needle: &'a mut Vec<u8>,
    ) -> LearnerFilter<'a> {
        fold(self.name.unwrap_or_default(), needle);
        LearnerFilter {
            status: self.status as u64,
            window: window.map(|DateWindow { from, to }| from.number()..=to.number()),
            grades: self.grade_ids,
            family: self.family_code,
            name: (!needle.is_empty()).then(|| Finder::new(needle)),
        }
    }

    /// Returns the range of keys of the selected learners.
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

    fn learner(&self) -> Option<u64> {
        self.learner_id
    }

    fn about(&self) -> Option<u64> {
        Some(self.school)
    }

    fn broken_rule(&self, view: View<'_>) -> Result<Option<Rule>> {
        Ok(self.window(view)?.err())
    }

    fn sources(&self) -> Sources {
        Sources::new(&[Collection::Learners])
            .and_if(self.include_parents, Sources::new(&[Collection::Parents]))
            .and_if(self.has_day(), Sources::new(&[Collection::Schools]))
    }

    fn has_day(&self) -> bool {
        self.status == LearnerStatus::Left && self.until.is_none()
    }

    fn require_coverage(&self, reads: &CoverageCheck<'_>) -> Result<()> {
        let require = |list| reads.require(self.school, CoverageKey::new(list));
        match (self.status, self.learner_id) {
            (LearnerStatus::Current, _) => require(CoverageKind::CurrentLearners)?,
            (LearnerStatus::Waitlist, _) => require(CoverageKind::WaitlistLearners)?,
            (LearnerStatus::Left, Some(id)) if self.is_timeless(reads.for_one) => {
                reads.require_left_learner(self.school, id)?;
            }
            (LearnerStatus::Left, _) => {
                if let Ok(Some(DateWindow { from, to })) = self.window(reads.view())? {
                    let what = format!("the learners who left from {from} to {to}");
                    return Err(not_synced(Some(self.school), what));
                }
            }
        }
        if self.include_parents {
            require(CoverageKind::LearnersParents)?;
        }
        Ok(())
    }

    #[cfg_attr(module, optimize(speed))]
    fn answer(&self, view: View<'_>, out: &mut OutputBuffer<'_>) -> Result<Outcome> {
        let window = match self.window(view)? {
            Ok(window) => window,
            Err(rule) => return Ok(rule.into()),
        };
        let mut needle = Vec::new();
        let filter = self.filter(window, &mut needle);
        let mut parents = learner_parents::open(view, self.school, self.include_parents)?;
        let learners = Partition::new(self.school, Collection::Learners);
        let learners = view.snapshot.records(learners)?;
        let array = ArrayWriter::open(out);
        let mut push = |block: &Block<'_>, stretch: Range<usize>| {
            match &mut parents {
                Some(parents) => {
                    for index in stretch {
                        push_with_parents(block, index, parents, out)?;
                        out.push(b",");
                    }
                }
                None => {
                    out.push(block.stretch(RENDERING, stretch.start, stretch.end)?);
                    out.push(b",");
                }
            }
            Ok(())
        };
        let is_searched = self.learner_id.is_none() && filter.is_of_few();
        let name_index = is_searched.then(|| name_index::read(view.snapshot, self.school));
        let name_index = name_index.transpose()?;
        match name_index.as_deref().and_then(Option::as_ref) {
            Some(name_index) => filter.each_found(name_index, &learners, &mut push)?,
            None => {
                let (from, to) = self.keys();
                for pinned in learners.between(from, to) {
                    let (pinned, indices) = pinned?;
                    let block = pinned.block()?;
                    filter.each_stretch(&block, indices, &mut |stretch| push(&block, stretch))?;
                }
            }
        }
        Ok(array.close(Outcome::Found, out))
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

    fn write(&self, page: PageWriter<'_, '_>) -> Result<Outcome> {
        let PageWriter {
            view,
            version,
            walk,
            out,
        } = page;
        let window = match self.window(view)? {
            _ if self.is_timeless(walk.is_for_one()) => None,
            Ok(window) => window,
            Err(rule) => return Ok(rule.into()),
        };
        let mut needle = Vec::new();
        let filter = self.filter(window, &mut needle);
        let mut parents = learner_parents::open(view, self.school, self.include_parents)?;
        let learners = Partition::new(self.school, Collection::Learners);
        let learners = view.snapshot.records(learners)?;
        let (from, to) = self.keys();
        let Some(keys) = walk.slice_after_cursor(from, to, |[id, ..]| Key::one(*id)) else {
            return Ok(Outcome::Found);
        };
        let mut passing: Vec<Range<usize>> = Vec::new();
        for pinned in walk.blocks(&learners, keys) {
            let (pinned, indices) = pinned?;
            let block = pinned.block()?;
            passing.clear();
            filter.each_stretch(&block, indices, &mut |stretch| {
                passing.push(stretch);
                Ok(())
            })?;
            for stretch in walk.along(&passing) {
                for index in walk.in_order(stretch.clone()) {
                    let Key(id, _) = block.key(index)?;
                    if !walk.take([id, 0, 0, 0, 0, 0, 0]) {
                        return Ok(Outcome::Found);
                    }
                    conversions::push_record(&block, index, version, out)?;
                    if let Some(parents) = &mut parents {
                        if !block.record(RENDERING, index)?.ends_with(b"}") {
                            return Err(no_object());
                        }
                        out.truncate(out.len() - b"},".len());
                        out.push(b",\"parents\":");
                        learner_parents::push(&block, index, parents, version, out)?;
                        out.push(b"},");
                    }
                }
            }
        }
        Ok(Outcome::Found)
    }
}

/// Writes a learner with the array of the learner's parents.
#[cfg_attr(module, optimize(speed))]
fn push_with_parents(
    block: &Block<'_>,
    index: usize,
    parents: &mut KeyLookup<'_>,
    out: &mut OutputBuffer<'_>,
) -> Result<()> {
    let learner = block.record(RENDERING, index)?.strip_suffix(b"}");
    out.push(learner.ok_or_else(no_object)?);
    out.push(b",\"parents\":[");
    let before = out.len();
    learner_parents::each(block, index, parents, |parents, index| {
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
    Error::corrupt("the JSON of a learner is not an object")
}
