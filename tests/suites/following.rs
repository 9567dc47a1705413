//! A store that follows another one: it holds the records of its scope and no others, and
//! answers with the same bytes, whatever becomes of the two and of what goes between them.
//!
//! `ROLLBOOK_SEQUENCES` sets how many random lives are led, `ROLLBOOK_SEED` the seed of the
//! first.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    missing_docs
)]

mod asked;
mod bad;
mod cuts;
mod disk;
mod diverged;
mod erased;
mod foreseen;
mod lists;
mod lives;
mod observed;
mod open_feeds;
mod quiet;
pub(crate) mod scope;
mod seldom;
pub(crate) mod sent;
mod small;
mod source;
mod synced;
mod unheld;

use rollbook::{Credentials, Engine, Options};
use rollbook_tests::storage::disk::Disk;

/// All records but who may ask, which each store has for itself.
pub(crate) fn records(engine: &Engine) -> Vec<String> {
    let lines = engine.export(Credentials::LeaveOut).unwrap();
    let lines = lines.map(Result::unwrap);
    let is_own = |line: &String| line.starts_with(r#"{"type":"client_integration""#);
    lines.filter(|line| !is_own(line)).collect()
}

fn open(disk: &Disk) -> Engine {
    Engine::open_with_backend(disk.clone(), Options::default()).unwrap()
}
