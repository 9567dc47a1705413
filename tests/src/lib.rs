//! The tools of Rollbook's tests: the corpus, a second implementation, random worlds and
//! faulty disks. The sample schools are those of `rollbook-sample`.
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
pub mod search;
pub mod shrink;
pub mod storage;
pub mod twin;
pub mod world;

pub use rollbook_sample::{self as sample, random};
