//! LMDB, with pre-rendered rows in two layouts.
//!
//! - `store`: an ordered map of byte strings. `key`: its keys.
//! - `rows`: one pre-rendered row per key.
//! - `runs`: many rows per value. `run`: such a value. `packing`, `span`: writing and finding such
//!   values. `families`: learners with their parents.
//! - `shared`: what both layouts have in common.

mod families;
mod key;
mod packing;
mod rows;
mod run;
mod runs;
mod shared;
mod span;
mod store;

pub(super) use rows::Rows;
pub(super) use runs::Runs;
