//! Rollbook for Kotlin, Swift and Python: the crate `rollbook`, forwarded.
//!
//! Everything here is data that crosses and calls that are passed on; each rule
//! is in `rollbook`. Whatever is public becomes public in each language, its
//! documentation with it, so that no text here links to Rust's names.
// What uniffi's macros write is exported under fixed names, which Rust counts
// as unsafe; written by hand, only `direct` is.
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
