//! Get Learner Discipline.

use super::dated::{Asked, Filters, OfDays};
use super::endpoint::{Endpoint, Last, Path};
use super::integrators::Family;
use super::params::Params;
use super::{Outcome, Question, Then};
use crate::date::Date;
use crate::error::Result;
use crate::record::coverage::Part;
use crate::record::discipline::LEARNER_TAG;
use crate::record::kind::DISCIPLINE;

/// Get Learner Discipline: what learners were praised or reprimanded for, by date,
/// then id, whatever the learners' status.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Discipline, Engine, Options};
/// let engine = Engine::memory(Options::default())?;
/// let line = r#"{"type":"discipline","school_id":1,"id":5,"learner_id":7,"discipline_date":"2026-05-04","discipline_points":-2}"#;
/// engine.apply(line.as_bytes())?;
/// let may = Discipline { school: 1, to_date: "2026-05-31".parse().ok(), ..Discipline::default() };
/// let answer = engine.ask(&may)?;
/// assert!(answer.text().contains(r#""discipline_points":"-2""#));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Discipline {
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
    name: "learnerdiscipline",
    v1: Path("adminplus/learnerdiscipline", Last::SCHOOL),
    v2: Path("adminplus/learnerdiscipline", Last::Optional("id")),
    family: Some(Family::Administration),
    nothing: "No learner discipline records found",
    ..Endpoint::new(read)
};

fn read(params: &mut Params<'_>, then: Then<'_>) -> Result<Outcome> {
    let (school, id) = (params.school(), params.id);
    let Filters {
        learner_id,
        from_date,
        to_date,
    } = Filters::read(params);
    let discipline = Discipline {
        school,
        id,
        learner_id,
        from_date,
        to_date,
    };
    params.ask(&discipline, then)
}

impl Question for Discipline {}

impl OfDays for Discipline {
    fn endpoint(&self) -> &'static Endpoint {
        &ENDPOINT
    }

    fn asked(&self) -> Asked {
        Asked {
            at: DISCIPLINE,
            part: Part::Discipline,
            one: "the discipline record",
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
