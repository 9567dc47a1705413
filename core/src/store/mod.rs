//! The store: runs of records in redb, one snapshot held for all readers, one
//! writer at a time.
//!
//! - `collection`, `partition`: which records lie together; `run`, `item`, `run_builder`,
//!   `directory`: how.
//! - `read`, `records`, `snapshot`, `memo`, `held_run`: reading. `write`, `merge`: writing.
//!   `sorter`, `spill`, `spilled_run`: sorting more than memory holds.
//! - `journal`, `journal_row`, `journal_write`, `touches`, `history`, `since`: what was
//!   changed since a moment, for who follows the store.
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
mod history;
mod item;
mod journal;
mod journal_row;
mod journal_write;
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
#[cfg_attr(
    not(any(test, feature = "sync")),
    expect(dead_code, reason = "who follows the store asks")
)]
mod since;
mod snapshot;
mod sorter;
mod spill;
mod spilled_run;
mod tables;
mod touches;
mod watchers;
mod write;
mod writer_lock;

pub(crate) use backup::{LeftOut, write as backup};
pub(crate) use collection::{Collection, Layout};
#[cfg(fuzzing)]
pub(crate) use directory::Directory;
pub(crate) use item::{Item, ItemBuffer};
pub(crate) use journal::{Area, Touched};
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
#[cfg_attr(
    not(any(test, feature = "sync")),
    expect(unused_imports, reason = "who follows the store asks")
)]
pub(crate) use since::{Moment, Since};
pub(crate) use snapshot::Snapshot;
pub(crate) use sorter::{Sorted, Sorter};
pub(crate) use tables::CursorKey;
#[cfg(fuzzing)]
pub(crate) use tables::Totals;
pub(crate) use touches::Touches;
#[cfg(not(target_family = "wasm"))]
pub(crate) use watchers::Wake;
pub(crate) use watchers::Watch;
pub(crate) use write::Write;
