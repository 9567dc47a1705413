//! The integration API of a school administration system, as an embedded library.
//!
//! Apps that use this API depend on a remote service: they do not work offline, and cannot be
//! tested without a school that has authorised them. Rollbook implements the API itself as a
//! library. Load the data of a school as a [dataset] and send the same requests, and it answers
//! in-process, in microseconds, with the exact JSON of v1 or v2. It implements every rule:
//! filters, date windows, the release of marks, access, state updates and pages.
//!
//! The service is d6's integration API, *d6 Integrate*. Rollbook is an independent, unofficial
//! implementation of it. It is not a client of the service, not a server (the command `rollbook`
//! adds HTTP), and not a general database.
//!
//! ```
//! use rollbook::{Engine, Options, Request};
//!
//! # fn main() -> rollbook::Result<()> {
//! # let folder = std::env::temp_dir().join(format!("rollbook-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let path = folder.join("school.redb");
//! let engine = Engine::open(&path, Options::default())?;
//! engine.apply(r#"
//! {"type":"school","school_id":1000,"school_name":"d6+ Primary School","current_year":2026}
//! {"type":"api_type","api_type_id":8,"api_type":"Admin+ API","family":"administration"}
//! {"type":"integrator","username":"demo","password":"demo"}
//! {"type":"client_integration","username":"demo","school_id":1000,"api_type_id":8,"state":1}
//! {"type":"absentee","school_id":1000,"id":7,"learner_id":1,"absent_date":"2026-05-04"}
//! "#.as_bytes())?;
//! let answer = engine.request(&Request {
//!     target: "/api/v1/adminplus/learnerabsentees/1000",
//!     headers: &[("HTTP-X-USERNAME", "demo"), ("HTTP-X-PASSWORD", "demo")],
//!     now: Some(1_778_745_600), // 2026-05-14T08:00:00Z
//!     ..Request::default()
//! });
//! let expected = r#"[{"id":"7","learner_id":"1","absent_date":"2026-05-04","absent_reason":""}]"#;
//! assert_eq!((answer.status.code, answer.text()), (200, expected));
//! # drop(engine);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok(())
//! # }
//! ```
//!
//! # Overview
//!
//! **To open a store.** [`Engine`]: a store with its questions, changes and maintenance, opened
//! with [`Options`]. [`Clock`] and [`Entropy`]: the sources of time and randomness, which an app
//! can replace. [`Compaction`]: when free space is returned to the file system. [`backend`]:
//! storage other than a file.
//!
//! **To send requests as to the service.** [`Request`] with credentials, [`Answer`] and its
//! [`Status`]. [`Upgrade`]: the v2 request for a v1 request, or [`NoUpgrade`]. [`Service`]: the
//! same for `tower`.
//!
//! **To ask questions as a trusted app.** A [`Question`] is one of [`Learners`] (with a
//! [`LearnerStatus`]), [`AssessmentMarks`], [`SubjectsPerTerm`], [`SubjectMarks`],
//! [`LearnerSubjects`], [`Schools`], [`Clients`], [`Absentees`], [`FinanceLearners`],
//! [`AccountablePersons`], [`Parents`], [`StaffMembers`], [`SchoolInfo`], [`Discipline`],
//! [`Grades`] and [`Lookup`] (with a [`LookupList`]). A date in a question is a [`Date`]; parsing
//! one can fail with [`BadDate`]. [`Page`]: one page of a question, as in v2. [`SetState`]: the
//! only change that the API has.
//!
//! **To observe answers.** [`Observable`]: a question that can be observed. [`LiveQuery`]: its
//! answer now, and again whenever the answer changes. [`Answers`]: the same as a `Stream`.
//!
#![cfg_attr(
    feature = "records",
    doc = "**To read answers as values.** The types of [`v1`] and [`v2`], with [`Decimal`]; \
           [`Undecoded`]: an answer of another type.\n"
)]
//!
//! **To sync from the service.** [`Sync`]: the calls to make, with [`SyncOptions`]. Each [`Step`]
//! is the next thing to do, such as sending a [`Call`]. A call results in a [`Reply`], whose
//! outcome is [`ReplyOutcome`], or in [`CallFailure`]. [`SyncProgress`]: the progress of a sync.
//! [`SyncReport`]: its result, with each [`FailedRequest`], [`QuarantinedAnswer`], [`Finding`],
//! [`RefusedState`] and [`UnsentState`]. [`FindingEffect`]: what became of a value that cannot be
//! used. [`StopReason`]: the reason why a sync stopped.
//!
//! **To update devices.** [`Scope`]: the data that a device may have. [`Feed`]: the changes of
//! this data. [`LiveFeed`]: notification of such changes. [`Follow`]: a feed that is being
//! applied.
//!
//! **To load and export data.** [`Load`]: a dataset that is being loaded, with its [`Progress`].
//! [`Summary`]: the changes that a load made, in [`Counts`]. [`Fault`]: what is wrong with a line.
//! [`Export`]: all data as a dataset, with or without [`Credentials`]. [`KeyedChanges`]: changes
//! that can safely be repeated.
//!
//! **To maintain a store.** [`Stats`]: the size of a store. [`Verification`]: the result of
//! checking it. [`Coverage`]: which data of a synced school was fetched, by kind ([`Covered`]).
//! [`Error`] and [`Result`]: failures that are not answers, with a code.
//!
//! **To read more.** [`guide`]: the dataset format, the decisions where the documentation of the
//! service is silent, v2 and how to move to it, sync, the promises, and the design.
//!
//! # Features
//!
//! - `http` (on): `Engine::call` accepts the types of the `http` crate, and `Service` is a `tower`
//!   service.
//! - `records` (off): `Answer::decode` decodes an answer into the types of `v1` and `v2`.
//! - `openapi` (off): `openapi` describes the API as a document of OpenAPI 3.1.
//!
//! [dataset]: guide::dataset

// The WebAssembly module is compiled for size, except its hot paths, which are compiled for speed.
// See its build script.
#![cfg_attr(module, feature(optimize_attribute))]

mod api;
mod clock;
mod dataset;
mod date;
mod engine;
mod entropy;
mod error;
mod feed;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
#[cfg(feature = "http")]
mod http;
mod json;
#[cfg(feature = "openapi")]
pub mod openapi;
mod platform;
mod query;
mod record;
#[cfg(feature = "records")]
mod records;
mod store;
mod sync;
mod url;
mod varint;

/// The documentation beyond the API reference: the dataset format, the decisions on which the
/// answers of Rollbook are based, v2 and how to move to it, sync and following, the promises, the
/// design, and the format of a store.
///
/// The pages link to each other by labels that are also links on GitHub. Of several definitions of
/// a label, the first one is used, which here is the module.
pub mod guide {
    #[doc = "[decisions.md]: crate::guide::decisions\n"]
    #[doc = include_str!("../docs/dataset.md")]
    pub mod dataset {}

    #[doc = "[dataset.md]: crate::guide::dataset\n[following.md]: crate::guide::following\n"]
    #[doc = include_str!("../docs/decisions.md")]
    pub mod decisions {}

    #[doc = include_str!("../docs/v2.md")]
    pub mod v2 {}

    #[doc = "[v2.md]: crate::guide::v2\n"]
    #[doc = include_str!("../docs/upgrade.md")]
    pub mod upgrade {}

    #[doc = "[decisions.md]: crate::guide::decisions\n[following.md]: crate::guide::following\n[promises.md]: crate::guide::promises\n"]
    #[doc = include_str!("../docs/sync.md")]
    pub mod sync {}

    #[doc = "[promises.md]: crate::guide::promises\n[sync.md]: crate::guide::sync\n"]
    #[doc = include_str!("../docs/following.md")]
    pub mod following {}

    #[doc = "[design.md]: crate::guide::design\n[following.md]: crate::guide::following\n[format.md]: crate::guide::format\n"]
    #[doc = include_str!("../docs/promises.md")]
    pub mod promises {}

    #[doc = "[following.md]: crate::guide::following\n[format.md]: crate::guide::format\n[promises.md]: crate::guide::promises\n[sync.md]: crate::guide::sync\n"]
    #[doc = include_str!("../docs/design.md")]
    pub mod design {}

    #[doc = "[design.md]: crate::guide::design\n"]
    #[doc = include_str!("../docs/format.md")]
    pub mod format {}
}

/// Storage for a store that is not in a file, for [`Engine::open_with_backend`].
pub mod backend {
    pub use redb::backends::{FileBackend, InMemoryBackend};
    pub use redb::{BackendError, StorageBackend};
}

pub use api::{Answer, NoUpgrade, Page, Request, SetState, Status, Upgrade};
pub use clock::Clock;
pub use dataset::{Counts, Coverage, Covered, Export, Load, Progress, Summary};
pub use date::{BadDate, Date};
pub use engine::{
    Answers, Compaction, Credentials, Engine, KeyedChanges, LiveFeed, LiveQuery, Observable,
    Options, Stats, Verification,
};
pub use entropy::Entropy;
pub use error::public::Result;
pub use error::{Error, Fault};
#[cfg(feature = "http")]
pub use http::Service;
pub use query::endpoints::{
    Absentees, AccountablePersons, AssessmentMarks, Clients, Discipline, FinanceLearners, Grades,
    LearnerSubjects, Learners, Lookup, LookupList, Parents, SchoolInfo, Schools, StaffMembers,
    SubjectMarks, SubjectsPerTerm,
};
pub use query::{LearnerStatus, Question};

pub use crate::record::replication::scope::Scope;
pub use feed::{Feed, Follow};
pub use sync::{
    Call, CallFailure, FailedRequest, Finding, FindingEffect, QuarantinedAnswer, RefusedState,
    Reply, ReplyOutcome, Step, StopReason, Sync, SyncOptions, SyncProgress, SyncReport,
    UnsentState,
};

#[cfg(feature = "records")]
pub use records::{Undecoded, v1, v2};
/// The type of decimals in the records of v2.
#[cfg(feature = "records")]
pub use rust_decimal::Decimal;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
