//! What must hold whatever bytes come in: for a coverage-guided fuzzer
//! (`tests/fuzz`) and for seeded mutations of the corpus (`suites/fuzz.rs`).

mod dataset;
mod mutate;
mod request;
pub mod seeds;

pub use dataset::dataset;
pub use mutate::Mutator;
pub use request::{Asked, request};
