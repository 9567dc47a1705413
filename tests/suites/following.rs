//! Tests stores that follow another store: a follower has the records of its scope and no others,
//! and answers with the same bytes, whatever happens to the two stores and to the feeds.
//!
//! `ROLLBOOK_SEQUENCES` sets the number of random lives, `ROLLBOOK_SEED` the seed of the first.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    missing_docs
)]

mod bad;
mod cuts;
mod disk;
mod diverged;
mod erased;
mod lists;
mod lives;
mod observed;
mod open_feeds;
mod questions;
mod quiet;
mod rare_cases;
pub(crate) mod scope;
mod scope_model;
mod small;
mod source;
mod synced;
pub(crate) mod transfer;
mod unknown_schools;

use rollbook::{Credentials, Engine, Options};
use rollbook_tests::storage::disk::Disk;

/// Returns all records except the client integrations, which each store has for itself.
pub(crate) fn records(engine: &Engine) -> Vec<String> {
    let lines = engine.export(Credentials::LeaveOut).unwrap();
    let lines = lines.map(Result::unwrap);
    let is_own = |line: &String| line.starts_with(r#"{"type":"client_integration""#);
    lines.filter(|line| !is_own(line)).collect()
}

fn open(disk: &Disk) -> Engine {
    Engine::open_with_backend(disk.clone(), Options::default()).unwrap()
}
