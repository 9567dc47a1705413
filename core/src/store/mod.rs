//! The store: blocks of records in redb, one snapshot that all readers share, one writer at a time.
//!
//! - `blocks`: how records are stored together, indexed, cached and merged.
//! - `journal`: which keys each commit changed, for feeds.
//! - `sort`: sorting more records than fit in memory.
//! - `rows`: the rows of redb's tables, and their checksums.
//! - `file`: the file of a store, its lock, its creation and its copies.
//! - `redb_guard`: protection from damage that redb does not detect, and erasing data that redb
//!   leaves behind.
//! - `lifecycle`, `open`, `file_recognition`, `store_options`: a store from opening to closing.
//! - `transactions`, `lease`, `leases`, `writer_lock`: which callers may use the store when.
//! - `snapshot`: reading. `write`, `school_edits`: writing.
//! - `school_owner`: who may change the records of a school.
//! - `change_bits`, `watchers`: which data a commit invalidates, and who is notified.
//! - `idempotency_records`: the results of changes that were made under an id.

mod blocks;
mod change_bits;
mod file;
mod file_recognition;
mod idempotency_records;
mod journal;
mod lease;
mod leases;
mod lifecycle;
mod open;
mod redb_guard;
mod rows;
mod school_edits;
mod school_owner;
mod snapshot;
mod sort;
mod store_options;
mod transactions;
mod watchers;
mod write;
mod writer_lock;

pub(crate) use blocks::block::Block;
#[cfg(any(test, fuzzing))]
pub(crate) use blocks::block_index::BlockIndex;
pub(crate) use blocks::block_merge::{Decision, Edits};
pub(crate) use blocks::collection::{Collection, Layout};
pub(crate) use blocks::item::{Item, ItemBuffer};
pub(crate) use blocks::partition::{Key, Partition};
pub(crate) use blocks::records::{PinnedBlock, PinnedRecord, Reader, Records};
pub(crate) use change_bits::Sources;
pub(crate) use file::backup::{OmittedRows, write as backup};
pub(crate) use idempotency_records::IdempotencyRecord;
pub(crate) use journal::changed_key::{ChangedKey, LogPartition};
pub(crate) use journal::changed_keys::ChangedKeys;
pub(crate) use journal::read_since::{ChangePosition, ChangesSince};
pub(crate) use lease::Lease;
pub(crate) use lifecycle::{Location, Store};
#[cfg(not(target_family = "wasm"))]
pub(crate) use redb_guard::panic_guard::catch_panic;
pub(crate) use rows::table_definitions::CursorKey;
#[cfg(any(test, fuzzing))]
pub(crate) use rows::table_definitions::Totals;
pub(crate) use school_owner::SchoolOwner;
pub(crate) use snapshot::Snapshot;
pub(crate) use sort::external_sort::{Sorted, Sorter};
pub(crate) use store_options::StoreOptions;
#[cfg(not(target_family = "wasm"))]
pub(crate) use watchers::Wake;
pub(crate) use watchers::Watch;
pub(crate) use write::Write;
