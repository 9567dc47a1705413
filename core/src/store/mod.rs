//! The store: blocks of records in redb, one snapshot that all readers share, one writer at a time.
//!
//! - `lifecycle`, `open`, `store_options`: a store from opening to closing.
//! - `read_write`, `lease`, `leases`, `writer_lock`: which callers may use the store when.
//! - `watchers`: who is notified of a commit.
//! - `maintenance`: backups, erasing data that redb leaves behind, and recognising files.
//! - `journal`: which keys each commit changed, for feeds.
//! - `transaction`: snapshots for reading, and the transaction that writes.
//! - `changes`: what a commit changed.
//! - `rows`: the rows of redb's tables.
//! - `blocks`: how records are stored together and indexed.
//! - `file`: the file of a store, its lock, its creation, and the bytes that redb reads and writes.
//! - `sort`: sorting more records than fit in memory.
//! - `redb_guard`: protection from damage that redb does not detect.
//! - `checksum`: checksums of rows.

mod blocks;
mod changes;
mod checksum;
mod file;
mod journal;
mod lease;
mod leases;
mod lifecycle;
mod maintenance;
mod open;
mod read_write;
mod redb_guard;
mod rows;
mod sort;
mod store_options;
mod transaction;
mod watchers;
mod writer_lock;

pub(crate) use crate::store::maintenance::backup::{OmittedRows, write as backup};
pub(crate) use blocks::block::Block;
#[cfg(any(test, fuzzing))]
pub(crate) use blocks::block_index::BlockIndex;
pub(crate) use blocks::collection::{Collection, Layout};
pub(crate) use blocks::item::{Item, ItemBuffer};
pub(crate) use blocks::partition::{Key, Partition};
pub(crate) use blocks::records::{PinnedBlock, PinnedRecord, Reader, Records};
pub(crate) use changes::change_bits::Sources;
pub(crate) use changes::changed_key::{ChangedKey, LogPartition};
pub(crate) use changes::changed_keys::ChangedKeys;
pub(crate) use journal::read_since::{ChangePosition, ChangesSince};
pub(crate) use lease::Lease;
pub(crate) use lifecycle::{Location, Store};
pub(crate) use redb_guard::panic_guard::catch_panic;
pub(crate) use rows::table_definitions::CursorKey;
#[cfg(any(test, fuzzing))]
pub(crate) use rows::table_definitions::Totals;
pub(crate) use sort::external_sort::{Sorted, Sorter};
pub(crate) use store_options::StoreOptions;
pub(crate) use transaction::block_merge::{Decision, Edits};
pub(crate) use transaction::idempotency_records::IdempotencyRecord;
pub(crate) use transaction::school_owner::SchoolOwner;
pub(crate) use transaction::snapshot::Snapshot;
pub(crate) use transaction::write::Write;
pub(crate) use watchers::Wake;
pub(crate) use watchers::Watch;
