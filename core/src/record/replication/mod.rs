//! The data that a mirror and a follower store about their source: coverage, erased learners, the
//! fetch log, scopes and positions.

pub(crate) mod answer_notes;
pub(crate) mod coverage_key;
pub(crate) mod enrolment_digest;
pub(crate) mod erased_learners;
pub(crate) mod fetch_log_entry;
pub(crate) mod position;
pub(crate) mod resume_token;
pub(crate) mod scope;
