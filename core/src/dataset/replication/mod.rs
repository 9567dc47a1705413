//! The data that a mirror and a follower store in addition to records: coverage, the fetch log, the
//! outbox, and what is followed.

pub(crate) mod coverage;
pub(crate) mod coverage_update;
pub(crate) mod fetch_log;
pub(crate) mod followed;
pub(crate) mod outbox;
pub(crate) mod stored_records;
