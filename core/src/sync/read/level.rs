//! The levels of nesting of assessment marks (2.6).

use crate::record::Kind;
use crate::record::field::position;
use crate::record::kinds::{grade, learning_outcome, subject, year};

/// A level of nesting. Contains the member that has the objects of the level below, the member that
/// repeats the id of the object, and the member that has its name.
pub(super) struct Level {
    pub(super) below: &'static str,
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    /// The kind of record that the object belongs to.
    pub(super) kind: Kind,
    /// The kind of record that has the name, and the positions of its key and its name.
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
        kind: Kind::Grade,
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
        kind: Kind::Year,
        named: Some((Kind::Year, position(year::FIELDS, "year"), year::NAME)),
    },
    Level {
        below: "learners",
        id: "term",
        name: "",
        kind: Kind::Term,
        named: None,
    },
    Level {
        below: "subjects",
        id: "learner_id",
        name: "",
        kind: Kind::Learner,
        named: None,
    },
    Level {
        below: "learning_outcomes",
        id: "subject_id",
        name: "subject_name",
        kind: Kind::Subject,
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
        kind: Kind::LearningOutcome,
        named: Some((
            Kind::LearningOutcome,
            position(learning_outcome::FIELDS, "learning_outcome_id"),
            learning_outcome::NAME,
        )),
    },
];
