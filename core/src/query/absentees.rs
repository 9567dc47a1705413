//! Get Learner Absentees (4.9).

use super::dated::{Asked, Filters, OfDays};
use super::endpoint::{Endpoint, Last, Path};
use super::integrators::Family;
use super::params::Params;
use super::{Outcome, Question, Then};
use crate::date::Date;
use crate::error::Result;
use crate::record::absentee::LEARNER_TAG;
use crate::record::coverage::Part;
use crate::record::kind::ABSENTEES;

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
    nothing: "No learner absentee records found",
    ..Endpoint::new(read)
};

fn read(params: &mut Params<'_>, then: Then<'_>) -> Result<Outcome> {
    let (school, id) = (params.school(), params.id);
    let Filters {
        learner_id,
        from_date,
        to_date,
    } = Filters::read(params);
    let absentees = Absentees {
        school,
        id,
        learner_id,
        from_date,
        to_date,
    };
    params.ask(&absentees, then)
}

impl Question for Absentees {}

impl OfDays for Absentees {
    fn endpoint(&self) -> &'static Endpoint {
        &ENDPOINT
    }

    fn asked(&self) -> Asked {
        Asked {
            at: ABSENTEES,
            part: Part::Absences,
            one: "the absence",
            learner_tag: LEARNER_TAG,
            school: self.school,
            id: self.id,
            filters: Filters {
                learner_id: self.learner_id,
                from_date: self.from_date,
                to_date: self.to_date,
            },
        }
    }
}
