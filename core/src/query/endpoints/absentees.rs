//! Get Learner Absentees (4.9).

use crate::date::Date;
use crate::error::Result;
use crate::query::decoded::integrators::Family;
use crate::query::endpoint::{Endpoint, Last, Path};
use crate::query::lists::dated_question::{DatedParams, DatedQuestion, Filters};
use crate::query::parameters::params::Params;
use crate::query::{Outcome, Question, Then};
use crate::record::kind::ABSENTEES;
use crate::record::kinds::absentee::LEARNER_COLUMN;
use crate::record::replication::coverage_key::CoverageKind;

/// Get Learner Absentees (4.9): an array of absentee records (2.7) of learners of any status,
/// ordered by date, then id.
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

impl DatedQuestion for Absentees {
    fn endpoint(&self) -> &'static Endpoint {
        &ENDPOINT
    }

    fn asked(&self) -> DatedParams {
        DatedParams {
            at: ABSENTEES,
            part: CoverageKind::Absences,
            one: "the absence",
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
