//! The kinds of records, one file for each, with its fields in the order of the specification.

pub(crate) mod absentee;
pub(crate) mod accountable_person;
pub(crate) mod api_type;
pub(crate) mod assessment;
pub(crate) mod client_integration;
pub(crate) mod discipline;
pub(crate) mod grade;
pub(crate) mod integrator;
pub(crate) mod learner;
pub(crate) mod learner_subject;
pub(crate) mod learning_outcome;
pub(crate) mod learning_program;
pub(crate) mod lookup;
pub(crate) mod mark;
pub(crate) mod parent;
pub(crate) mod school;
pub(crate) mod staff_member;
pub(crate) mod subject;
pub(crate) mod term;
pub(crate) mod year;
