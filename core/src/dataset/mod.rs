//! Datasets: newline-delimited JSON becomes records in one transaction, and records become
//! newline-delimited JSON.
//!
//! - `input`: bytes become lines, and lines become values. `staging`: sorts the values. `commit`:
//!   writes staged values to the store. `removal`: removes schools and learners.
//! - `output`: records become lines, in steps of bounded size.
//! - `replication`: the data that a mirror and a follower store in addition to records.
//! - `keys`: the keys of all records of a school. `summary`: counts of changes. `idempotency_key`:
//!   identifies a change that is made once.
//! - `render`: renders records again that an older version rendered. `inspect`: checks that
//!   everything in a store is consistent.

mod commit;
mod idempotency_key;
mod input;
mod inspect;
mod keys;
mod output;
mod removal;
mod render;
pub(crate) mod replication;
mod staging;
mod summary;

pub use input::load::{Load, Progress};
pub use output::export::Export;
pub use replication::stored_coverage::{Coverage, Covered};
pub use summary::{Counts, Summary};

pub(crate) use idempotency_key::IdempotencyKey;
pub(crate) use input::line::parse as parse_line;
pub(crate) use input::line_splitter::{LINE_BYTES, Lines, SplitLine};
pub(crate) use input::load::Mode;
pub(crate) use inspect::Inspection;
pub(crate) use keys::{RecordKey, each_authorisation, each_key};
pub(crate) use output::line_buffer::{LineBuffer, LineSource};
pub(crate) use output::line_writer::LineWriter;
pub(crate) use output::one_record::find as find_record;
pub(crate) use output::own_records::OwnRecords;
pub(crate) use output::record_line::removal as removal_line;
pub(crate) use output::scope_filter::NamedPeople;
pub(crate) use removal::{erase_learner, remove_followed, remove_school};
pub(crate) use render::Freshness;
pub(crate) use replication::stored_records::{
    are_all_synced, each_stored, grades, grades_and_years, learners, learners_taking_all, places_of,
};
pub(crate) use staging::line_values::Line;
pub(crate) use staging::spilling_stage::{STAGE_BYTES, SpillingStage};
pub(crate) use staging::staging_buffer::{Stage, removal as staged_removal};
pub(crate) use summary::once;

/// Commits staged records.
pub(crate) fn commit(
    write: &mut crate::store::Write<'_>,
    stage: Stage,
) -> crate::error::Result<Summary> {
    commit::Commit::new(write, stage.sorter)?.run()
}

/// Commits records of a feed, without a check for missing schools. The source has made this check.
pub(crate) fn commit_unchecked(
    write: &mut crate::store::Write<'_>,
    sorter: crate::store::Sorter,
) -> crate::error::Result<Summary> {
    commit::Commit::new(write, sorter)?.run_unchecked()
}

pub(crate) use crate::record::presence::has_records;
