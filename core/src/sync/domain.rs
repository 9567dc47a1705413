//! Which records an answer is whole over: those that it would have told, were they there.
//! One of them that it does not tell is gone, as far as this answer goes.

use super::ask::{Ask, Listing};
use crate::date::Date;
use crate::record::field::position;
use crate::record::{Kind, Value, absentee, assessment, discipline, learner, learning_program};

/// Whether the answer is whole over a record that is kept. Of a mark `at` says where its
/// assessment lies; other records tell that themselves.
pub(super) fn is_whole_over(
    ask: Ask,
    year: u64,
    kind: Kind,
    values: &[Value<'_>],
    at: Option<assessment::Belongs>,
) -> bool {
    let number = |field: usize| values.get(field).and_then(Value::integer);
    let text = |field: usize| values.get(field).map_or("", Value::text);
    match (ask, kind) {
        (Ask::Grades, Kind::Grade)
        // Every learner has an account.
        | (Ask::Accounts { .. }, Kind::Learner)
        | (Ask::Debtors { .. }, Kind::AccountablePerson)
        | (Ask::Staff, Kind::StaffMember) => true,
        (Ask::Learners { of, .. }, Kind::Learner) => text(STATUS) == of.kept_as(),
        (Ask::SubjectsPerTerm(learner) | Ask::SubjectMarks(learner), Kind::LearnerSubject) => {
            (number(1), number(2)) == (Some(learner), Some(year))
        }
        (
            Ask::Marks {
                grade, year: asked, ..
            },
            kind,
        ) => {
            let is_at = |at: (u64, u64)| at == (grade, asked.unwrap_or(year));
            let at = match kind {
                Kind::LearningProgram => number(PROGRAM_GRADE).zip(number(PROGRAM_YEAR)),
                Kind::Assessment => {
                    assessment::Belongs::of(values).map(|at| (at.grade, at.year))
                }
                Kind::Mark => at.map(|at| (at.grade, at.year)),
                _ => None,
            };
            at.is_some_and(is_at)
        }
        (Ask::Absences(from, to), Kind::Absentee) => {
            lies(values.get(absentee::ABSENT_DATE), from, to)
        }
        (Ask::Discipline(from, to), Kind::Discipline) => {
            lies(values.get(discipline::DISCIPLINE_DATE), from, to)
        }
        // Where there is no other school whose it may be.
        (Ask::Lookup(of), kind) => of == kind,
        _ => false,
    }
}

fn lies(date: Option<&Value<'_>>, from: Date, to: Date) -> bool {
    let date = date.and_then(Value::date);
    date.is_some_and(|date| (from..=to).contains(&date))
}

impl Listing {
    /// The status as it is kept: the usual one is left out.
    fn kept_as(self) -> &'static str {
        match self {
            Listing::Current => "",
            Listing::Waitlist => self.status(),
        }
    }
}

const STATUS: usize = position(learner::FIELDS, "status");
const PROGRAM_GRADE: usize = position(learning_program::FIELDS, "grade_id");
const PROGRAM_YEAR: usize = position(learning_program::FIELDS, "year");
