//! The questions: one file each, straight from the snapshot into the buffer.
//!
//! - `learners`, `absentees`, `learner_subjects`, `subjects_per_term`,
//!   `subject_marks`, `assessment_marks`, `schools`, `clients`,
//!   `finance_learners`, `accountable_persons`: the questions.
//! - `walk`: a collection page by page, for v2. `flat_marks`: assessment marks
//!   walked so.
//! - `window`: ranges of dates. `release`: when marks may be seen. `parents`: a
//!   learner's. `taken`: the subjects of one. `lookup`: many records of one partition.
//!   `debtor_code`: how debtor codes are compared.
//! - `tables`, `sheet`, `integrators`, `accounts`: what a snapshot holds decoded
//!   for them. `held`: as much of a small collection as memory may take.

mod absentees;
mod accountable_persons;
mod accounts;
mod assessment_marks;
mod clients;
mod debtor_code;
mod finance_learners;
mod flat_marks;
mod held;
mod integrators;
mod learner_subjects;
mod learners;
mod lookup;
mod parents;
mod release;
mod schools;
mod sheet;
mod subject_marks;
mod subjects_per_term;
mod tables;
mod taken;
mod walk;
mod window;

pub use absentees::Absentees;
pub use accountable_persons::AccountablePersons;
pub use assessment_marks::AssessmentMarks;
pub use clients::Clients;
pub use finance_learners::FinanceLearners;
pub use learner_subjects::LearnerSubjects;
pub use learners::{LearnerStatus, Learners};
pub use schools::Schools;
pub use subject_marks::SubjectMarks;
pub use subjects_per_term::SubjectsPerTerm;

pub(crate) use clients::push_client;
pub(crate) use integrators::{Family, Integrators, User, api_types, integrators, user};
pub(crate) use walk::{Identity, Paged, Position, Walk};

use crate::Date;
use crate::error::Result;
use crate::json::{Chunks, Wire};
use crate::store::Snapshot;
use std::sync::Arc;
use tables::Tables;

/// What a question came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The buffer holds the answer.
    Found,
    /// There is nothing to answer.
    Nothing,
    /// The question breaks this rule.
    Refused(Rule),
    /// The integrator may not see this school.
    Unauthorised,
}

/// A rule that joins parameters, broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rule {
    /// The parameters that it joins.
    pub(crate) fields: [&'static str; 2],
    pub(crate) text: &'static str,
}

/// One moment of the store.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) snapshot: &'a Snapshot,
    /// Seconds since 1970-01-01T00:00:00Z.
    pub(crate) now: i64,
    /// The current administrative year, if it is not to be the school's.
    pub(crate) year: Option<u64>,
}

impl<'a> View<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, now: i64) -> View<'a> {
        let year = None;
        View {
            snapshot,
            now,
            year,
        }
    }

    /// The small tables of a school, written for a version of the API.
    fn tables(&self, school: u64, wire: Wire) -> Result<Arc<Tables>> {
        tables::of(self.snapshot, school, wire)
    }

    /// The current administrative year of a school.
    fn current_year(&self, tables: &Tables) -> Option<u64> {
        self.year.or(tables.current_year)
    }

    /// The date at a school.
    fn today(&self, school: u64) -> Result<Date> {
        Ok(self.tables(school, Wire::V1)?.today(self.now))
    }
}

/// A question that is answered from a view.
pub(crate) trait Question {
    /// The rule that joins parameters which the question breaks.
    fn broken_rule(&self, _: View<'_>) -> Result<Option<Rule>> {
        Ok(None)
    }

    /// Adds the answer to the buffer; leaves it as it was if there is none.
    fn answer(&self, view: View<'_>, out: &mut Chunks<'_>) -> Result<Outcome>;
}

/// An array being written. Nothing is left of it if it stays empty.
struct Array {
    start: usize,
}

impl Array {
    fn open(out: &mut Chunks<'_>) -> Array {
        let start = out.len();
        out.push(b"[");
        Array { start }
    }

    /// Ends an array whose every element is followed by a comma.
    fn close(self, out: &mut Chunks<'_>) -> Outcome {
        if out.len() == self.start + 1 {
            out.truncate(self.start);
            return Outcome::Nothing;
        }
        out.pop();
        out.push(b"]");
        Outcome::Found
    }
}
