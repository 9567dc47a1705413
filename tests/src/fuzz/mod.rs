//! Properties that must be true for every input, for a coverage-guided fuzzer (`tests/fuzz`) and
//! for seeded mutations of the corpus (`suites/fuzz.rs`), which also replays the inputs that a fuzzer
//! has found (`found`).

mod cursors;
mod dataset;
mod feed;
pub mod found;
mod mutate;
mod request;
mod rows;
pub mod seeds;

pub use cursors::cursor;
pub use dataset::{dataset, lines};
pub use feed::{feed, seeds as feed_seeds};
pub use mutate::Mutator;
pub use request::{Asked, request, target};
pub use rows::rows;
