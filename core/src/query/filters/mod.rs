//! Conditions that parameters express: ranges of dates, learners and debtor codes.

pub(crate) mod debtor_code;
pub(crate) mod learner_filter;
pub(crate) mod learner_status;
pub(crate) mod window;
