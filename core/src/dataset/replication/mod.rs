//! The data that a mirror and a follower store in addition to records: coverage, the fetch log with
//! the notes about answers, the outbox, and what is followed.

pub(crate) mod coverage_entries;
pub(crate) mod fetch_log_rows;
pub(crate) mod follower_state;
pub(crate) mod outbox;
pub(crate) mod stored_coverage;
pub(crate) mod stored_fetch_log;
pub(crate) mod stored_notes;
pub(crate) mod stored_records;
