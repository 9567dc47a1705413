//! The plan of a pass: which resource is requested next, and why.
//!
//! - `cycle`: the phases of a pass. `requests`: requests for each learner and each grade.
//!   `current_year`, `year_requests`: which year is current, and the requests that show it.
//! - `priority`: requests of the app, and its decisions about quarantined answers.

pub(crate) mod current_year;
pub(crate) mod cycle;
pub(crate) mod priority;
pub(crate) mod requests;
pub(crate) mod year_requests;
