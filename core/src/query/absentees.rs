//! Get Learner Absentees (4.9).

use super::endpoint::{CLIENT_NOT_AUTHORISED, Endpoint, Last, Path};
use super::integrators::Family;
use super::params::Params;
use super::walk::{Identity, Walk};
use super::window::{self, Window};
use super::{Array, Outcome, Query, Question, Rule, Then, View};
use crate::date::Date;
use crate::error::{Error, Result};
use crate::json::Chunks;
use crate::record::absentee::LEARNER_TAG;
use crate::record::lanes::RENDERING;
use crate::record::storage::Dated;
use crate::record::typed;
use crate::store::{Collection, Key, Partition, Reader};

/// Get Learner Absentees (4.9): an array of absentee records (2.7) by date,
/// then id, whatever the learners' status.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Absentees, Engine, Options};
/// let engine = Engine::memory(Options::default())?;
/// let line = r#"{"type":"absentee","school_id":1,"id":5,"learner_id":7,"absent_date":"2026-05-04"}"#;
/// engine.apply(line.as_bytes())?;
/// let may = Absentees { school: 1, to_date: "2026-05-31".parse().ok(), ..Absentees::default() };
/// let answer = engine.ask(&may)?;
/// let expected = r#"[{"id":"5","learner_id":"7","absent_date":"2026-05-04","absent_reason":""}]"#;
/// assert_eq!(answer.text(), expected);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Absentees {
    /// The school's login id.
    pub school: u64,
    /// One record, whatever its date.
    pub id: Option<u64>,
    /// One learner.
    pub learner_id: Option<u64>,
    /// The first day; a month before `to_date` unless given.
    pub from_date: Option<Date>,
    /// The last day, at most 31 days later; today unless given.
    pub to_date: Option<Date>,
}

pub(super) static ENDPOINT: Endpoint = Endpoint {
    name: "learnerabsentees",
    v1: Path("adminplus/learnerabsentees", Last::SCHOOL),
    v2: Path("adminplus/learnerabsentees", Last::Optional("id")),
    family: Some(Family::Administration),
    has_parents: false,
    is_settable: false,
    refused: CLIENT_NOT_AUTHORISED,
    nothing: "No learner absentee records found",
    read,
};

fn read(params: &mut Params<'_>, then: Then<'_>) -> Result<Outcome> {
    let mut absentees = Absentees {
        school: params.school(),
        id: params.id,
        ..Absentees::default()
    };
    // One record by its id takes no parameters.
    if absentees.id.is_none() {
        absentees.learner_id = params.id("learner_id");
        absentees.from_date = params.date("from_date");
        absentees.to_date = params.date("to_date");
    }
    params.ask(&absentees, then)
}

impl Question for Absentees {}

impl Absentees {
    /// The keys between which the records lie that are asked for, or the rule
    /// that is broken.
    fn keys(&self, view: View<'_>) -> Result<std::result::Result<(Key, Key), Rule>> {
        if let Some(id) = self.id {
            let places = Partition::of(self.school, Collection::AbsenteePlaces);
            let date = match view.snapshot.records(places)?.get(Key::one(id))? {
                Some((page, index)) => {
                    let date = page.run()?.tag(Dated::DATE_TAG, index)?;
                    date.ok_or_else(|| Error::corrupt("an absentee has no date"))?
                }
                // What has no place lies on no day.
                None => 0,
            };
            let key = Key(date, id);
            return Ok(Ok((key, key)));
        }
        Ok(self.window(view)?.map(|window| {
            let from = Key(window.from.number(), 0);
            (from, Key(window.to.number(), u64::MAX))
        }))
    }

    fn window(&self, view: View<'_>) -> Result<std::result::Result<Window, Rule>> {
        let today = view.today(self.school)?;
        Ok(window::of_absences(self.from_date, self.to_date, today))
    }
}

impl Query for Absentees {
    fn endpoint(&self) -> &'static Endpoint {
        &ENDPOINT
    }

    fn about(&self) -> Option<u64> {
        Some(self.school)
    }

    fn broken_rule(&self, view: View<'_>) -> Result<Option<Rule>> {
        Ok(match self.id {
            Some(_) => None,
            None => self.window(view)?.err(),
        })
    }

    fn answer(&self, view: View<'_>, out: &mut Chunks<'_>) -> Result<Outcome> {
        let (from, to) = match self.keys(view)? {
            Ok(keys) => keys,
            Err(rule) => return Ok(rule.into()),
        };
        let absentees = Partition::of(self.school, Collection::Absentees);
        let absentees = view.snapshot.records(absentees)?;
        let array = Array::open(out);
        for page in absentees.between(from, to) {
            let (page, indices) = page?;
            let run = page.run()?;
            let Some(learner) = self.learner_id else {
                if !indices.is_empty() {
                    out.push(run.stretch(RENDERING, indices.start, indices.end)?);
                    out.push(b",");
                }
                continue;
            };
            let wanted = learner.to_le_bytes();
            let learners = run.tag_column(LEARNER_TAG)?;
            for index in indices {
                if learners.get(index) == Some(&wanted) {
                    out.push(run.record(RENDERING, index)?);
                    out.push(b",");
                }
            }
        }
        Ok(array.close(out))
    }

    fn identify(&self, view: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school", Some(self.school));
        identity.number("id", self.id);
        identity.number("learner_id", self.learner_id);
        if self.id.is_none() {
            identity.window(self.window(view)?.ok());
        }
        Ok(())
    }

    fn walk(&self, view: View<'_>, walk: &mut Walk, out: &mut Chunks<'_>) -> Result<Outcome> {
        let (from, to) = match self.keys(view)? {
            Ok(keys) => keys,
            Err(rule) => return Ok(rule.into()),
        };
        let Some(keys) = walk.rest(from, to, |[date, id, ..]| Key(*date, *id)) else {
            return Ok(Outcome::Found);
        };
        let absentees = Partition::of(self.school, Collection::Absentees);
        let absentees = view.snapshot.records(absentees)?;
        for page in walk.runs(&absentees, keys) {
            let (page, indices) = page?;
            let run = page.run()?;
            for index in walk.places(indices) {
                if self.learner_id.is_some() && run.tag(LEARNER_TAG, index)? != self.learner_id {
                    continue;
                }
                let Key(date, id) = run.key(index)?;
                if !walk.take([date, id, 0, 0, 0, 0, 0]) {
                    return Ok(Outcome::Found);
                }
                typed::push_record(&run, index, out)?;
            }
        }
        Ok(Outcome::Found)
    }
}
