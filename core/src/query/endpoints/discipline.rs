//! Get Learner Discipline.

use crate::date::Date;
use crate::error::Result;
use crate::query::decoded::integrators::Family;
use crate::query::endpoint::{Endpoint, Last, Path};
use crate::query::lists::dated_question::{DatedParams, DatedQuestion, Filters};
use crate::query::parameters::params::Params;
use crate::query::{Outcome, Question, Then};
use crate::record::kind::DISCIPLINE;
use crate::record::kinds::discipline::LEARNER_COLUMN;
use crate::record::replication::coverage_key::CoverageKind;

/// Get Learner Discipline: the merits and demerits of learners of any status, ordered by date,
/// then id.
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
    /// Selects one record, regardless of its date.
    pub id: Option<u64>,
    /// Selects the records of one learner.
    pub learner_id: Option<u64>,
    /// The first day. The default is a month before `to_date`.
    pub from_date: Option<Date>,
    /// The last day, at most 31 days after the first. The default is today.
    pub to_date: Option<Date>,
}

pub(crate) static ENDPOINT: Endpoint = Endpoint {
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

impl DatedQuestion for Discipline {
    fn endpoint(&self) -> &'static Endpoint {
        &ENDPOINT
    }

    fn asked(&self) -> DatedParams {
        DatedParams {
            at: DISCIPLINE,
            part: CoverageKind::Discipline,
            one: "the discipline record",
            learner_column: LEARNER_COLUMN,
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
