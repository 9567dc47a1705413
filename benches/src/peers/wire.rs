//! The records of the API as serde types, which answers are written from and a client reads.

use super::members::Members;
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A record of texts.
pub(super) trait Record<'a>: Sized {
    /// The names of its texts, in order.
    const TEXTS: &'static [&'static str];

    /// Returns the record with these texts. Its other fields are zero or empty.
    fn read(next: impl FnMut() -> Result<Cow<'a, str>>) -> Result<Self>;
}

/// Declares a record of texts, which are borrowed from their source where possible. A field in
/// brackets is a number that precedes them, and the fields after `and` follow them.
macro_rules! record {
    (
        $(#[$doc:meta])*
        $name:ident<$a:lifetime> $([$number:ident])? { $($field:ident),* $(,)? }
        $(and { $($(#[$serde:meta])* $more:ident: $type:ty),* $(,)? })?
    ) => {
        $(#[$doc])*
        #[derive(Serialize, Deserialize)]
        pub(super) struct $name<$a> {
            $(pub(super) $number: u64,)?
            $(#[serde(borrow)] pub(super) $field: Cow<$a, str>,)*
            $($(#[serde(borrow)] $(#[$serde])* pub(super) $more: $type,)*)?
        }

        impl<$a> Record<$a> for $name<$a> {
            const TEXTS: &'static [&'static str] = &[$(stringify!($field)),*];

            fn read(mut next: impl FnMut() -> Result<Cow<$a, str>>) -> Result<Self> {
                Ok($name {
                    $($number: 0,)?
                    $($field: next()?,)*
                    $($($more: <$type>::default(),)*)?
                })
            }
        }
    };
}

// Learners, parents and absences (2.1, 2.2, 2.7), which `build.rs` generates.
include!(concat!(env!("OUT_DIR"), "/records.rs"));

/// A subject that a learner takes (2.3).
#[derive(Serialize, Deserialize)]
pub(super) struct LearnerSubject<'a> {
    #[serde(borrow)]
    pub(super) learner_id: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) first_name: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) last_name: Cow<'a, str>,
    pub(super) subject_id: u64,
    #[serde(borrow)]
    pub(super) subject_name: Cow<'a, str>,
}

record! {
    /// A subject of a learner with its terms (2.4).
    SubjectPerTerm<'a> {
        year, subject_id, subject_name, super_subject_id, super_subject_name, grade_id, grade,
    }
    and { terms: Vec<SubjectTerm<'a>> }
}

record! {
    /// A term of a learner's subject (2.4).
    SubjectTerm<'a> [term_id] {
        term, subject_group_id, subject_group_name, classroom_id, classroom_name,
        subject_group_teacher_id,
    }
}

record! {
    /// A subject of a learner with its term marks (2.5).
    SubjectMarks<'a> { year, subject_id, subject_name, grade_id, grade }
    and { terms: Vec<TermMark<'a>> }
}

record! {
    /// A term mark (2.5).
    TermMark<'a> { term, mark }
}

/// Assessment marks by grade (2.6).
pub(super) type Marks<'a> = Members<'a, Grade<'a>>;

record! {
    /// A grade with its years.
    Grade<'a> { grade }
    and { years: Members<'a, Year<'a>> }
}

record! {
    /// A year with its terms.
    Year<'a> { year, year_name }
    and { terms: Members<'a, Term<'a>> }
}

record! {
    /// A term with its learners.
    Term<'a> { term }
    and { learners: Members<'a, LearnerMarks<'a>> }
}

record! {
    /// A learner with its subjects.
    LearnerMarks<'a> { learner_id }
    and { subjects: Members<'a, Subject<'a>> }
}

record! {
    /// A subject with its learning outcomes.
    Subject<'a> { subject_id, subject_name }
    and { learning_outcomes: Members<'a, LearningOutcome<'a>> }
}

record! {
    /// A learning outcome with its assessments.
    LearningOutcome<'a> { learning_outcome_id, learning_outcome_name }
    and { assessments: Members<'a, Assessment<'a>> }
}

record! {
    /// An assessment with a learner's mark.
    Assessment<'a> {
        assessment_id, assessment_name, assessment_date, weight, dtime, percentage, mark,
        mark_out_of, captured,
    }
}
