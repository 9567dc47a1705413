//! Calls and their replies.
//!
//! - `machine`: the state of a sync. `pass`: the pass as it is stored. `outstanding`,
//!   `pass_outbox`: what it still requests and sends. `current_year`: the year of its answers.
//!   `report`: its results.
//! - `calls`, `in_flight`, `rate_control`: the calls that are queued and in flight, and when they
//!   are sent. `outbox_sender`: calls that send state updates.
//! - `reply`, `status`, `error_body`, `access_check`: the evaluation of replies.
//! - `staging`, `fetched_answer`: how an answer is stored.

pub(crate) mod access_check;
pub(crate) mod calls;
pub(crate) mod current_year;
pub(crate) mod error_body;
pub(crate) mod fetched_answer;
pub(crate) mod in_flight;
pub(crate) mod machine;
pub(crate) mod outbox_sender;
pub(crate) mod outstanding;
pub(crate) mod pass;
pub(crate) mod pass_outbox;
pub(crate) mod rate_control;
pub(crate) mod reply;
pub(crate) mod report;
pub(crate) mod staging;
pub(crate) mod status;
