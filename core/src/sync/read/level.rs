//! What assessment marks are nested by (2.6).

use crate::record::field::position;
use crate::record::year;
use crate::record::{Kind, grade, learning_outcome, subject};

/// The levels, from the top: what holds the objects of the level below, what an object
/// repeats of its id, and its name.
pub(super) struct Level {
    pub(super) below: &'static str,
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    /// The kind that has the name, its key and the name.
    pub(super) named: Option<(Kind, usize, usize)>,
}

pub(super) const GRADE: usize = 0;
pub(super) const YEAR: usize = 1;
pub(super) const TERM: usize = 2;
pub(super) const LEARNER: usize = 3;
pub(super) const SUBJECT: usize = 4;

pub(super) const LEVELS: [Level; 6] = [
    Level {
        below: "years",
        id: "",
        name: "grade",
        named: Some((
            Kind::Grade,
            position(grade::FIELDS, "grade_id"),
            grade::SHORT_NAME,
        )),
    },
    Level {
        below: "terms",
        id: "year",
        name: "year_name",
        named: Some((Kind::Year, position(year::FIELDS, "year"), year::NAME)),
    },
    Level {
        below: "learners",
        id: "term",
        name: "",
        named: None,
    },
    Level {
        below: "subjects",
        id: "learner_id",
        name: "",
        named: None,
    },
    Level {
        below: "learning_outcomes",
        id: "subject_id",
        name: "subject_name",
        named: Some((
            Kind::Subject,
            position(subject::FIELDS, "subject_id"),
            subject::NAME,
        )),
    },
    Level {
        below: "assessments",
        id: "learning_outcome_id",
        name: "learning_outcome_name",
        named: Some((
            Kind::LearningOutcome,
            position(learning_outcome::FIELDS, "learning_outcome_id"),
            learning_outcome::NAME,
        )),
    },
];
