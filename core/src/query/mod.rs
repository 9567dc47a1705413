//! The endpoints: one file each, what it is called and takes, and how it is
//! answered straight from the snapshot into the buffer.
//!
//! - `learners`, `absentees`, `learner_subjects`, `subjects_per_term`,
//!   `subject_marks`, `assessment_marks`, `schools`, `clients`,
//!   `finance_learners`, `accountable_persons`, `school_parents`, `staff_members`,
//!   `school_info`, `discipline`, `grades`, `lookup_lists`: the endpoints.
//! - `endpoint`: what is declared of one. `params`: what it reads. `faults`: what
//!   is wrong with that.
//! - `walk`: a collection page by page, for v2. `nested_marks`, `flat_marks`:
//!   assessment marks for v1 and for v2.
//! - `window`: ranges of dates. `release`: when marks may be seen. `learner_filter`: which
//!   learners. `learner_parents`: a learner's. `enrolled`: the subjects of one. `key_lookup`:
//!   many records of one partition. `listed`, `dated`: records as they are kept, by id and by date.
//!   `coverage`: whether what they read of a synced school was seen; `followed`: whether a
//!   follower holds it.
//!   `debtor_code`: how debtor codes are compared.
//! - `school_facts`, `tables` (with each `grade`), `sheet`, `roll`, `integrators`, `accounts`: what
//!   a snapshot holds decoded for them. `held`: as much of a small collection as memory may take.

mod absentees;
mod accountable_persons;
mod accounts;
mod assessment_marks;
mod clients;
mod coverage;
mod dated;
mod debtor_code;
mod discipline;
mod endpoint;
mod enrolled;
mod faults;
mod finance_learners;
mod flat_marks;
#[cfg(feature = "sync")]
mod followed;
mod grade;
mod grades;
mod held;
mod integrators;
mod key_lookup;
mod learner_filter;
mod learner_parents;
mod learner_subjects;
mod learners;
mod listed;
mod lookup_lists;
mod nested_marks;
mod params;
mod release;
mod roll;
mod school_facts;
mod school_info;
mod school_parents;
mod schools;
mod sheet;
mod staff_members;
mod subject_marks;
mod subjects_per_term;
mod tables;
mod walk;
mod window;

pub use absentees::Absentees;
pub use accountable_persons::AccountablePersons;
pub use assessment_marks::AssessmentMarks;
pub use clients::Clients;
pub use discipline::Discipline;
pub use finance_learners::FinanceLearners;
pub use grades::Grades;
pub use learner_subjects::LearnerSubjects;
pub use learners::{LearnerStatus, Learners};
pub use lookup_lists::{Lookup, LookupList};
pub use school_info::SchoolInfo;
pub use school_parents::Parents;
pub use schools::Schools;
pub use staff_members::StaffMembers;
pub use subject_marks::SubjectMarks;
pub use subjects_per_term::SubjectsPerTerm;

pub(crate) use clients::{NO_INTEGRATIONS, push_client};
pub(crate) use coverage::{Reads, ensure_seen};
pub(crate) use endpoint::{CLIENT_NOT_AUTHORISED, Endpoint, Last, SCHOOL_ID};
pub(crate) use faults::{Faults, Rule, Wrong};
pub(crate) use integrators::{Family, Integrators, User, api_types, integrators, user};
pub(crate) use params::{Param, Params};
pub(crate) use walk::{Identity, Position, Walk};

use crate::date::Date;
use crate::error::Result;
use crate::json::{Chunks, Wire};
use crate::store::{Snapshot, Sources};
use school_facts::SchoolFacts;
use std::ops::Range;
use std::sync::Arc;
use tables::Tables;

/// All endpoints, in the order of the documentation.
pub(crate) static ENDPOINTS: [&Endpoint; 19] = [
    &learners::ENDPOINT,
    &assessment_marks::ENDPOINT,
    &subjects_per_term::ENDPOINT,
    &subject_marks::ENDPOINT,
    &learner_subjects::ENDPOINT,
    &schools::ENDPOINT,
    &clients::ENDPOINT,
    &absentees::ENDPOINT,
    &finance_learners::ENDPOINT,
    &accountable_persons::ENDPOINT,
    &school_parents::ENDPOINT,
    &staff_members::ENDPOINT,
    &school_info::ENDPOINT,
    &discipline::ENDPOINT,
    &grades::ENDPOINT,
    &lookup_lists::ETHNIC_GROUPS,
    &lookup_lists::MARITAL_STATUSES,
    &lookup_lists::GENDERS,
    &lookup_lists::LANGUAGES,
];

/// What a question came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The buffer holds the answer.
    Found,
    /// There is nothing to answer.
    Nothing,
    /// The one record that is asked for is not there, or not to be seen.
    NoRecord,
    /// What it says is at fault.
    Refused(Faults),
    /// The integrator may not see this school.
    Unauthorised,
}

impl From<Rule> for Outcome {
    fn from(rule: Rule) -> Outcome {
        Outcome::Refused(Faults::from(rule))
    }
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

    /// What a school says of itself.
    fn facts(&self, school: u64) -> Result<Arc<SchoolFacts>> {
        school_facts::of(self.snapshot, school)
    }

    /// The small tables of a school, written for a version of the API.
    fn tables(&self, school: u64, wire: Wire) -> Result<Arc<Tables>> {
        tables::of(self.snapshot, school, wire)
    }

    /// The current administrative year of a school.
    fn current_year(&self, facts: &SchoolFacts) -> Option<u64> {
        self.year.or(facts.current_year)
    }

    /// The date at a school.
    fn today(&self, school: u64) -> Result<Date> {
        Ok(self.facts(school)?.today(self.now))
    }

    /// The instants at which a question has the answer that it has now, as far as it depends
    /// on the day.
    pub(crate) fn day(&self, question: &dyn Query) -> Result<Option<Range<i64>>> {
        match question.about() {
            Some(school) if question.has_day() => Ok(Some(self.facts(school)?.day(self.now))),
            _ => Ok(None),
        }
    }
}

/// A question that an app asks without credentials: one of the types below.
#[expect(private_bounds, reason = "no question can be made outside this crate")]
pub trait Question: Query {}

/// What can be asked of a view.
pub(crate) trait Query {
    fn endpoint(&self) -> &'static Endpoint;

    /// The learner whom alone it is about, if it names one.
    #[cfg_attr(
        not(feature = "sync"),
        expect(dead_code, reason = "a store that follows asks")
    )]
    fn learner(&self) -> Option<u64> {
        None
    }

    /// The school that it is about, if it is about one.
    fn about(&self) -> Option<u64>;

    /// The rule that joins parameters which it breaks.
    fn broken_rule(&self, _: View<'_>) -> Result<Option<Rule>> {
        Ok(None)
    }

    /// What its answers are made from: nothing else changes them but the day, and whether it
    /// was seen.
    fn sources(&self) -> Sources;

    /// Whether its answers depend on the day that it is at the school.
    fn has_day(&self) -> bool {
        false
    }

    /// Says what it reads of schools, as far as it is seen apart. It is asked only where
    /// a school is synced, and of a question that breaks no rule.
    fn reads(&self, reads: &Reads<'_>) -> Result<()>;

    /// Adds v1's answer to the buffer; leaves it as it was if there is none.
    fn answer(&self, view: View<'_>, out: &mut Chunks<'_>) -> Result<Outcome>;

    /// Adds v2's records of the walk's next page, each followed by a comma.
    fn walk(&self, view: View<'_>, walk: &mut Walk, out: &mut Chunks<'_>) -> Result<Outcome>;

    /// What tells it from all others that are asked of this endpoint in this view, the
    /// position in it aside. What is meant counts, however it is spelled.
    fn identify(&self, view: View<'_>, identity: &mut Identity) -> Result<()>;

    /// The administrative year in which a walk stays that begins in this view, if the
    /// answer depends on it.
    fn year(&self, _: View<'_>) -> Result<Option<u64>> {
        Ok(None)
    }
}

/// A question that was read from parameters.
pub(crate) struct Read<'a> {
    pub(crate) question: &'a dyn Query,
    /// What is wrong with the parameters, in the order in which they were read.
    pub(crate) faults: Faults,
    /// The path names a record, and a parameter another.
    pub(crate) is_for_another: bool,
}

/// What is to be done with a question.
pub(crate) type Then<'a> = &'a mut dyn FnMut(Read<'_>) -> Result<Outcome>;

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
