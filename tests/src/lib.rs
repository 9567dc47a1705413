//! The tools of Rollbook's tests: the corpus, a second implementation, random worlds, sample
//! schools and faulty disks.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc
)]

pub mod corpus;
pub mod feeds;
pub mod fuzz;
pub mod login;
pub mod openapi;
pub mod random;
pub mod sample;
pub mod search;
pub mod shrink;
pub mod storage;
pub mod twin;
pub mod world;
