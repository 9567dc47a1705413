//! Calls and their replies: the calls in flight, the rate at which calls are sent, and the
//! evaluation of replies.

pub(crate) mod access_check;
pub(crate) mod calls;
pub(crate) mod fetched_answer;
pub(crate) mod in_flight;
pub(crate) mod machine;
pub(crate) mod outbox_sender;
pub(crate) mod ownership;
pub(crate) mod pass;
pub(crate) mod rate_control;
pub(crate) mod reply;
pub(crate) mod report;
pub(crate) mod staging;
pub(crate) mod status;
