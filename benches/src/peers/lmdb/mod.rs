//! LMDB, in which rendered rows are kept in two ways.
//!
//! - `store`: ordered keys and values, bytes by bytes. `key`: such keys.
//! - `rows`: one rendered row a key.
//! - `runs`: many packed in a value. `run`: such a value. `packing`, `span`: how
//!   they are made and found. `families`: learners with their parents.
//! - `shared`: what both ways keep alike.

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
