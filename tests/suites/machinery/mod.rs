//! Tests of the test library itself: random sequences, sample schools, placeholders for cursors and
//! records, searches, and the random numbers.
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
