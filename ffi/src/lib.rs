//! Rollbook for Kotlin, Swift and Python. Each function forwards to the crate `rollbook`.
//!
//! This crate contains the types that are passed between the languages, and no rules. Every public
//! item becomes public in each language, with its documentation. Therefore the documentation must
//! not link to the names of Rust.
// The macros of uniffi export functions under fixed names, which Rust considers unsafe. The only
// unsafe code that is written by hand is in `direct`.
#![allow(unsafe_code)]

mod call;
mod dataset;
mod direct;
mod engine;
mod error;
mod export;
mod feed;
mod live_query;
mod load;
mod options;
mod question;
mod report;
mod request;
mod sync;

pub use dataset::{Dataset, ListenerError, LoadListener};
pub use engine::Engine;
pub use error::RollbookError;
pub use export::Export;
pub use feed::{Feed, Follow, SchoolInScope, Scope};
pub use live_query::{ChangeListener, LiveQuery};
pub use load::Load;
pub use options::Options;
pub use question::{Page, Question};
pub use report::{Stats, Summary};
pub use request::{Answer, AnswerParts, Header, Request, Upgrade};
pub use sync::{
    Call, Coverage, Covered, FailedRequest, Reply, ReplyOutcome, Step, Sync, SyncOptions,
    SyncProgress, SyncReport,
};

uniffi::setup_scaffolding!("rollbook");
