//! Get Learner Assessment Marks (4.2): what is asked. `nested_marks` answers it.

use super::endpoint::{Endpoint, Last, Path};
use super::integrators::Family;
use super::params::Params;
use super::sheet::SheetSubject;
use super::{Outcome, Question, Rule, Then};
use crate::date::Date;
use crate::error::Result;

/// Get Learner Assessment Marks (4.2): nested objects by grade, year, term,
/// learner, subject, learning outcome and assessment (2.6).
///
/// One of `learner_id` and `grade_id` is needed. A learning program's marks are
/// answered once they are released: on its release date, or without one at the
/// end of the term.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{AssessmentMarks, Engine, Options};
/// let engine = Engine::memory(Options::default())?;
/// let neither = AssessmentMarks { school: 1, ..AssessmentMarks::default() };
/// let answer = engine.ask(&neither)?;
/// assert_eq!(answer.status.code, 400);
/// assert!(answer.text().contains("Please provide a learner_id or grade_id"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AssessmentMarks {
    /// The school's login id.
    pub school: u64,
    /// One learner.
    pub learner_id: Option<u64>,
    /// One grade.
    pub grade_id: Option<u64>,
    /// One subject.
    pub subject_id: Option<u64>,
    /// The year; the school's current one unless given.
    pub year: Option<u64>,
    /// One term.
    pub term: Option<u64>,
    /// One learning outcome.
    pub learning_outcome_id: Option<u64>,
    /// One assessment.
    pub assessment_id: Option<u64>,
    /// The structure alone, without marks: released or not.
    pub structure: bool,
}

pub(super) static ENDPOINT: Endpoint = Endpoint {
    name: "learnerassessmentmarks",
    v1: Path("currplus/learnerassessmentmarks", Last::SCHOOL),
    v2: Path("currplus/learnerassessmentmarks", Last::None),
    family: Some(Family::Curriculum),
    nothing: "No subject mark records found",
    ..Endpoint::new(read)
};

fn read(params: &mut Params<'_>, then: Then<'_>) -> Result<Outcome> {
    let marks = AssessmentMarks {
        school: params.school(),
        learner_id: params.id("learner_id"),
        grade_id: params.id("grade_id"),
        subject_id: params.id("subject_id"),
        year: params.number("year"),
        term: params.number("term"),
        learning_outcome_id: params.id("learning_outcome_id"),
        assessment_id: params.id("assessment_id"),
        structure: params.boolean("structure"),
    };
    params.ask(&marks, then)
}

impl Question for AssessmentMarks {}

pub(super) const NOBODY: Rule = Rule {
    fields: ["learner_id", "grade_id"],
    text: "Please provide a learner_id or grade_id",
};

impl AssessmentMarks {
    /// Whether anything of a learning program may be answered.
    pub(super) fn shows(
        &self,
        subject: &SheetSubject,
        term_end: Option<Date>,
        today: Date,
    ) -> bool {
        self.subject_id
            .is_none_or(|wanted| wanted == subject.subject)
            && self.learning_outcome_id.is_none_or(|wanted| {
                let mut outcomes = subject.outcomes.iter();
                outcomes.any(|outcome| outcome.outcome == wanted)
            })
            && (self.structure || subject.release.is_out(term_end, today))
    }
}
