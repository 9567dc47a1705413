//! The store: runs of records in redb, one snapshot held for all readers, one
//! writer at a time.
//!
//! - `collection`, `partition`: which records lie together; `run`, `item`, `run_builder`,
//!   `directory`: how.
//! - `read`, `records`, `snapshot`, `memo`, `held_run`: reading. `write`, `merge`: writing.
//!   `sorter`, `spill`, `spilled_run`: sorting more than memory holds.
//! - `receipts`: what came of changes that may be repeated. `watchers`: who is told of a change.
//! - `lifecycle`, `open`: a store from opening to closing, and who may use it when.
//!   `access`, `writer_lock`, `lease`: using it. `panics`, `page_lists`: recovery from faults.
//! - `backend`, `overlay`, `file`: where the bytes lie; `opened_path`, `owner`, `half_made`:
//!   whether they are still there, whose they are, and what is no store yet.
//! - `checksum`, `digests`: what is kept is all there, and as it was written.
//! - `options`: what it is opened with. `migrate`: stores of older formats.
//! - `backup`: a copy of a snapshot. `scrub`: nothing removed is left behind.

mod access;
mod backend;
mod backup;
mod checksum;
mod collection;
mod digests;
mod directory;
mod file;
mod half_made;
mod held_run;
mod item;
mod lease;
mod lifecycle;
mod memo;
mod merge;
mod migrate;
mod open;
mod opened_path;
mod options;
mod overlay;
mod owner;
mod page_lists;
mod panics;
mod partition;
mod read;
mod receipts;
mod records;
mod run;
mod run_builder;
mod scrub;
mod snapshot;
mod sorter;
mod spill;
mod spilled_run;
mod tables;
mod watchers;
mod write;
mod writer_lock;

pub(crate) use backup::{LeftOut, write as backup};
pub(crate) use collection::{Collection, Layout};
#[cfg(fuzzing)]
pub(crate) use directory::Directory;
pub(crate) use item::{Item, ItemBuffer};
pub(crate) use lease::Lease;
pub(crate) use lifecycle::{Location, Store};
pub(crate) use memo::Sources;
pub(crate) use merge::{Decision, Edits};
pub(crate) use options::StoreOptions;
#[cfg(not(target_family = "wasm"))]
pub(crate) use panics::catch_panic;
pub(crate) use partition::{Key, Partition};
pub(crate) use receipts::Receipt;
pub(crate) use records::{PinnedRun, Reader, Records};
pub(crate) use run::Run;
pub(crate) use snapshot::Snapshot;
pub(crate) use sorter::{Sorted, Sorter};
pub(crate) use tables::CursorKey;
#[cfg(fuzzing)]
pub(crate) use tables::Totals;
#[cfg(not(target_family = "wasm"))]
pub(crate) use watchers::Wake;
pub(crate) use watchers::Watch;
pub(crate) use write::Write;
