//! Datasets: newline-delimited JSON in, one transaction; and back out.
//!
//! - `lines`, `line`: bytes → lines → values; `plain_line`: the same, fast, of most.
//!   `staged`: values → sorted entries.
//! - `load`: the push parser. `commit`: staged entries → the store.
//! - `followed`: what the store follows. `coverage`: what was seen of a school that is synced. `ledger`: its passes. `outbox`: state
//!   updates that are sent. `kept`: its records with their values.
//! - `keys`: the keys of all records of a school. `export`: the way back, in it
//!   `marks_by_assessment`, and `pseudonyms`: records under other names. `ordered`: numbers as
//!   bytes that sort like them. `summary`: what was changed.
//! - `scoped`: which records a follower may hold; `one_record`, `own_records`: some of them, found
//!   one by one.
//! - `idempotency_key`: what tells a change under an id from every other.
//! - `render`: renderings of an older version. `inspect`: whether all agrees.

mod commit;
#[cfg_attr(
    not(any(test, feature = "sync")),
    expect(dead_code, reason = "only sync sees")
)]
pub(crate) mod coverage;
mod export;
#[cfg(feature = "sync")]
pub(crate) mod followed;
mod idempotency_key;
mod inspect;
#[cfg(feature = "sync")]
mod kept;
mod keys;
#[cfg_attr(
    not(any(test, feature = "sync")),
    expect(dead_code, reason = "only a sync keeps one")
)]
pub(crate) mod ledger;
mod line;
mod lines;
mod load;
mod marks_by_assessment;
#[cfg(feature = "sync")]
mod one_record;
mod ordered;
#[cfg(feature = "sync")]
pub(crate) mod outbox;
#[cfg(feature = "sync")]
mod own_records;
mod plain_line;
mod pseudonyms;
mod render;
#[cfg(feature = "sync")]
mod scoped;
mod staged;
mod summary;

pub use coverage::{Coverage, Covered};
pub use export::Export;
pub use load::{Load, Progress};
pub use summary::{Counts, Summary};

pub(crate) use commit::removal::{erase_learner, remove_school};
#[cfg(feature = "sync")]
pub(crate) use export::{LineWriter, removal as removal_line};
pub(crate) use idempotency_key::IdempotencyKey;
pub(crate) use inspect::Inspection;
#[cfg(feature = "sync")]
pub(crate) use kept::{Kept, each_kept, grades, is_alone, learners, places_of};
#[cfg(feature = "sync")]
pub(crate) use keys::{RecordKey, each_key};
#[cfg(feature = "sync")]
pub(crate) use line::{Line, parse as parse_line};
#[cfg(feature = "sync")]
pub(crate) use lines::{Cut, LINE_BYTES, Lines};
pub(crate) use load::Mode;
#[cfg(feature = "sync")]
pub(crate) use one_record::find as find_record;
#[cfg(feature = "sync")]
pub(crate) use own_records::OwnRecords;
pub(crate) use render::Freshness;
#[cfg(feature = "sync")]
pub(crate) use scoped::{InScope, Named};
#[cfg(feature = "sync")]
pub(crate) use staged::{Stage, removal as staged_removal};
pub(crate) use summary::once;

/// Carries out what is staged.
#[cfg(feature = "sync")]
pub(crate) fn commit(
    write: &mut crate::store::Write<'_>,
    stage: Stage,
) -> crate::error::Result<Summary> {
    commit::Commit::new(write, stage.sorter)?.run()
}

/// Carries out what another store tells, which has seen to what needs a school.
#[cfg(feature = "sync")]
pub(crate) fn commit_told(
    write: &mut crate::store::Write<'_>,
    sorter: crate::store::Sorter,
) -> crate::error::Result<Summary> {
    commit::Commit::new(write, sorter)?.run_unchecked()
}

/// Whether any record lies by a school.
#[cfg(feature = "sync")]
pub(crate) fn has_records(
    write: &mut crate::store::Write<'_>,
    school: u64,
) -> crate::error::Result<bool> {
    use crate::store::{Collection, Key, Partition, Reader};
    let schools = write.records(Partition::global(Collection::Schools))?;
    let is_record = |partition: &Partition| {
        !matches!(
            partition.collection,
            Collection::Coverage | Collection::Ledger | Collection::Told | Collection::Wishes
        )
    };
    Ok(schools.get(Key::one(school))?.is_some()
        || keys::partitions_of(write, school)?.iter().any(is_record))
}
