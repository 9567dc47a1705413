//! The endpoints, one file for each, with its paths, its parameters and its answer.

pub(crate) mod absentees;
pub(crate) mod accountable_persons;
pub(crate) mod assessment_marks;
pub(crate) mod clients;
pub(crate) mod discipline;
pub(crate) mod finance_learners;
pub(crate) mod grades;
pub(crate) mod learner_subjects;
pub(crate) mod learners;
pub(crate) mod lookup_lists;
pub(crate) mod school_info;
pub(crate) mod school_parents;
pub(crate) mod schools;
pub(crate) mod staff_members;
pub(crate) mod subject_marks;
pub(crate) mod subjects_per_term;

pub use absentees::Absentees;
pub use accountable_persons::AccountablePersons;
pub use assessment_marks::AssessmentMarks;
pub use clients::Clients;
pub use discipline::Discipline;
pub use finance_learners::FinanceLearners;
pub use grades::Grades;
pub use learner_subjects::LearnerSubjects;
pub use learners::Learners;
pub use lookup_lists::{Lookup, LookupList};
pub use school_info::SchoolInfo;
pub use school_parents::Parents;
pub use schools::Schools;
pub use staff_members::StaffMembers;
pub use subject_marks::SubjectMarks;
pub use subjects_per_term::SubjectsPerTerm;

use super::endpoint::Endpoint;

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
