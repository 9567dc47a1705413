//! The questions that endpoints ask, their names and the texts of their errors
//! (section 7).

use crate::error::Result;
use crate::query::{
    Absentees, AccountablePersons, AssessmentMarks, Clients, FinanceLearners, Identity,
    LearnerSubjects, Learners, Paged, Question, Schools, SubjectMarks, SubjectsPerTerm, View,
};

/// The texts of an endpoint's errors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Errors {
    /// v1's 401, if the credentials are wrong; `Client access not authorised`
    /// unless it is another.
    pub(super) refused: Option<&'static str>,
    /// 404, if there are no records.
    pub(super) nothing: &'static str,
}

const REQUEST_NOT_AUTHORISED: &str = "Request not authorised";
const NO_INTEGRATIONS: &str = "No client-authorised integrations found";
const NO_LEARNERS: &str = "No learner records found";
const NO_MARKS: &str = "No subject mark records found";
const NO_SUBJECTS: &str = "No learner subject records found";

/// A question that an endpoint asks, with the texts of its errors.
pub(crate) trait Asked: Question + Paged {
    /// The name of the collection.
    fn name(&self) -> &'static str;

    fn errors(&self) -> Errors;

    fn identity(&self, view: View<'_>) -> Result<Identity> {
        let mut identity = Identity::of(self.name());
        self.identify(view, &mut identity)?;
        Ok(identity)
    }
}

macro_rules! asked {
    ($($question:ty: $name:literal, $errors:expr;)*) => {$(
        impl Asked for $question {
            fn name(&self) -> &'static str {
                $name
            }

            fn errors(&self) -> Errors {
                $errors
            }
        }
    )*};
}

asked! {
    Learners<'_>: "learners", LEARNERS;
    AssessmentMarks: "learnerassessmentmarks", ASSESSMENT_MARKS;
    SubjectMarks: "learnersubjectmarks", SUBJECT_MARKS;
    SubjectsPerTerm: "learnersubjectsperterm", SUBJECTS;
    LearnerSubjects: "learnersubjects", SUBJECTS;
    Absentees: "learnerabsentees", ABSENTEES;
    Schools<'_>: "schools", SCHOOLS;
    Clients<'_>: "clientintegrations", CLIENTS;
    FinanceLearners<'_>: "finance learners", LEARNERS;
    AccountablePersons<'_>: "accountablepersons", ACCOUNTABLE_PERSONS;
}

const fn errors(nothing: &'static str) -> Errors {
    Errors {
        refused: None,
        nothing,
    }
}

pub(super) const LEARNERS: Errors = errors(NO_LEARNERS);
pub(super) const ASSESSMENT_MARKS: Errors = errors(NO_MARKS);
pub(super) const SUBJECT_MARKS: Errors = errors(NO_MARKS);
pub(super) const SUBJECTS: Errors = errors(NO_SUBJECTS);
pub(super) const ABSENTEES: Errors = errors("No learner absentee records found");
pub(super) const ACCOUNTABLE_PERSONS: Errors = errors("No debtor records found");
pub(super) const SCHOOLS: Errors = Errors {
    refused: Some(REQUEST_NOT_AUTHORISED),
    nothing: "No school records found",
};
pub(super) const CLIENTS: Errors = Errors {
    refused: Some(REQUEST_NOT_AUTHORISED),
    nothing: NO_INTEGRATIONS,
};
pub(super) const SET_STATE: Errors = Errors {
    refused: Some("Client access not authorised for this API type"),
    nothing: NO_INTEGRATIONS,
};
