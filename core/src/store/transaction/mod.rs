//! Transactions: a `snapshot` reads one state of the store, and `write` makes the next one.
//!
//! - `decoded_cache`: decoded values that consecutive snapshots share.
//! - `block_merge`: merges edits into blocks. `row_set_checksums`: the checksums of sets of rows.
//! - `school_owner`: who may change the records of a school. `school_edits`: edits of the record of
//!   a school. `idempotency_records`: the results of changes that were made under an id.

pub(crate) mod block_merge;
pub(crate) mod decoded_cache;
pub(crate) mod idempotency_records;
pub(crate) mod row_set_checksums;
pub(crate) mod school_edits;
pub(crate) mod school_owner;
pub(crate) mod snapshot;
pub(crate) mod write;
