//! The plan of a pass: which resource is requested next, and why.
//!
//! - `cycle`: the phases of a pass. `requests`: requests for each learner and each grade.
//!   `year_requests`: requests whose answers show which year is current.
//! - `priority`: requests of the app, and its decisions about quarantined answers.

pub(crate) mod cycle;
pub(crate) mod priority;
pub(crate) mod requests;
pub(crate) mod year_requests;
