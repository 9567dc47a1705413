//! What a request asks, once its parameters are read, and the rows that answer it.

use super::kinds::Kind;
use super::params::{Fault, Params};
use super::records::Store;
use super::render::Json;
use super::route::Endpoint;
use super::{
    absentees, accountable_persons, assessment_marks, clients, finance_learners, get_schools,
    learner_subjects, learners, subject_marks, subjects_per_term,
};
use jiff::civil::Date;

/// What a query sees.
pub(crate) struct View<'a> {
    pub(crate) store: &'a Store,
    pub(crate) username: &'a str,
    /// The school asked; 4.6 and 4.7, which ask for more than one, do not read it.
    pub(crate) school: u64,
    /// The school's local date.
    pub(crate) today: Date,
    /// The current administrative year.
    pub(crate) year: Option<u64>,
}

impl View<'_> {
    /// A name looked up through a reference of this school.
    pub(crate) fn name(&self, kind: Kind, id: u64, field: &str) -> String {
        self.store.look_up(kind, &[self.school, id], field)
    }
}

/// A record as v1 answers it, and its place: the numbers that the order of its collection compares.
pub(crate) type Row = (Vec<u64>, Json);

/// Rows in ascending order of their places, or the fault of parameters that do not go together.
pub(crate) type Rows = Result<Vec<Row>, Fault>;

/// What is asked of an endpoint. Two requests ask the same if their questions are equal.
#[derive(Clone, Debug)]
pub(crate) enum Question {
    Learners(learners::Question),
    Absentees(absentees::Question),
    AssessmentMarks(assessment_marks::Question),
    SubjectsPerTerm(Option<u64>),
    SubjectMarks(Option<u64>),
    LearnerSubjects(Option<u64>),
    Schools,
    Clients(clients::Question),
    FinanceLearners(finance_learners::Question),
    AccountablePersons(accountable_persons::Question),
}

impl Question {
    /// Reads the parameters of an endpoint in the order of its table.
    pub(crate) fn read(endpoint: Endpoint, params: &mut Params) -> Self {
        match endpoint {
            Endpoint::Learners => Self::Learners(learners::question(params)),
            Endpoint::Absentees => Self::Absentees(absentees::question(params)),
            Endpoint::AssessmentMarks => Self::AssessmentMarks(assessment_marks::question(params)),
            Endpoint::SubjectsPerTerm => Self::SubjectsPerTerm(required_learner(params)),
            Endpoint::SubjectMarks => Self::SubjectMarks(required_learner(params)),
            Endpoint::LearnerSubjects => Self::LearnerSubjects(params.integer("learner_id")),
            Endpoint::Schools => Self::Schools,
            Endpoint::Clients | Endpoint::StateUpdate => Self::Clients(clients::question(params)),
            Endpoint::FinanceLearners => Self::FinanceLearners(finance_learners::question(params)),
            Endpoint::AccountablePersons => {
                Self::AccountablePersons(accountable_persons::question(params))
            }
        }
    }

    /// What is meant by it: questions that mean the same are equal, however they are spelled.
    pub(crate) fn meant(&self, view: &View<'_>) -> Self {
        match self.clone() {
            Self::Learners(question) => Self::Learners(question.meant(view)),
            Self::Absentees(question) => Self::Absentees(question.meant(view)),
            Self::AssessmentMarks(question) => Self::AssessmentMarks(question.meant(view)),
            Self::FinanceLearners(question) => Self::FinanceLearners(question.meant()),
            Self::AccountablePersons(question) => Self::AccountablePersons(question.meant()),
            other => other,
        }
    }

    /// The same for one record, which may be of any date if no dates are given.
    pub(crate) fn at_any_date(self) -> Self {
        match self {
            Self::Learners(question) => Self::Learners(question.at_any_date()),
            other => other,
        }
    }

    /// What answers it.
    pub(crate) fn rows(&self, view: &View<'_>) -> Rows {
        match self {
            Self::Learners(question) => learners::rows(view, question),
            Self::Absentees(question) => absentees::rows(view, question),
            Self::AssessmentMarks(question) => assessment_marks::rows(view, question),
            Self::SubjectsPerTerm(learner) => Ok(subjects_per_term::rows(view, *learner)),
            Self::SubjectMarks(learner) => Ok(subject_marks::rows(view, *learner)),
            Self::LearnerSubjects(learner) => Ok(learner_subjects::rows(view, *learner)),
            Self::Schools => Ok(get_schools::rows(view)),
            Self::Clients(question) => Ok(clients::rows(view, question)),
            Self::FinanceLearners(question) => Ok(finance_learners::rows(view, question)),
            Self::AccountablePersons(question) => Ok(accountable_persons::rows(view, question)),
        }
    }
}

/// The `learner_id` of 4.3 and 4.4.
fn required_learner(params: &mut Params) -> Option<u64> {
    if params.text("learner_id").is_none() {
        params.refuse("learner_id", "Please provide a learner_id");
    }
    params.integer("learner_id")
}
