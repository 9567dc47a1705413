//! Conditions that parameters express: the filters of learners, and debtor codes.

pub(crate) mod debtor_code;
pub(crate) mod learner_filter;
