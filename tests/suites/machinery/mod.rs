//! What other tests stand on: what random sequences reach, what a sample school holds,
//! how cursors and records are named, what is drawn.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

mod corpus_cursors;
mod corpus_records;
mod random;
mod sample;
mod searching;
mod world;
