//! A school administration system's integration API as an embedded library.
//!
//! Apps built on that API ask a service far away, fall silent offline and
//! cannot be tested without a school that has authorised them. Rollbook is the
//! API itself, to be linked: give it a school's data as a [dataset], ask it the
//! same requests, and it answers in-process, in microseconds, with the exact JSON
//! of v1 or v2 and every rule: filters, date windows, the release of marks,
//! access, state updates, pages.
//!
//! The service is d6's integration API, *d6 Integrate*. Rollbook is an independent,
//! unofficial implementation of it. It is not a client of the service, not a server
//! (an [example] puts it behind HTTP), and no general database.
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
//! # Where things are
//!
//! **To open.** [`Engine`]: a store with its questions, changes and care, opened with
//! [`Options`]. [`Clock`] and [`Entropy`]: time and chance, the app's own where it
//! wants. [`Compaction`]: when free space is given back. [`backend`]: where the bytes
//! may lie instead of a file.
//!
//! **To ask as the service is asked.** [`Request`], [`Answer`] and its [`Status`],
//! credentials and all. [`Upgrade`]: the v2 request for a v1 one, or [`NoUpgrade`].
//! [`Service`]: the same for `tower`.
//!
//! **To ask as an app that is trusted.** A [`Question`] is one of [`Learners`] (with a
//! [`LearnerStatus`]), [`AssessmentMarks`], [`SubjectsPerTerm`], [`SubjectMarks`],
//! [`LearnerSubjects`], [`Schools`], [`Clients`], [`Absentees`], [`FinanceLearners`],
//! [`AccountablePersons`], [`Parents`], [`StaffMembers`], [`SchoolInfo`], [`Discipline`],
//! [`Grades`] and [`Lookup`] (in a [`LookupList`]). Dates in them are a [`Date`], or [`BadDate`]. [`Page`]: which
//! page of a question, as v2 answers. [`SetState`]: the one change of the API.
//!
//! **To follow what changes.** An [`Observation`] of a question: its answer now, and again when it
//! is another. What is [`Observed`] is kept as long.
#![cfg_attr(
    all(feature = "stream", not(target_family = "wasm")),
    doc = "[`Answers`]: the same as a `Stream`."
)]
//!
#![cfg_attr(
    feature = "records",
    doc = "**To read answers as values.** The types of [`v1`] and [`v2`]; [`Undecoded`]: an answer of \
           another type.\n"
)]
//!
#![cfg_attr(
    feature = "sync",
    doc = "**To fill it from the service.** [`Sync`]: the calls to make, with [`SyncOptions`]: each [`Step`] \
           sends a [`Call`], and its [`Reply`] is [`Taken`], or there is [`NoReply`]; [`SyncProgress`] on the way, a [`SyncReport`] at the \
           end, with what was [`GivenUp`] and a [`RefusedState`], or [`Why`] it stopped.\n"
)]
//!
#![cfg_attr(
    feature = "sync",
    doc = "**To keep devices in step.** [`Scope`]: what a device may hold. [`Feed`]: what changed of it, and [`FeedObservation`] when. \
           [`Follow`]: a feed on its way in.\n"
)]
//!
//! **To load and to export.** [`Load`]: a dataset on its way in, and its [`Progress`].
//! [`Summary`]: what it changed, in [`Counts`]. [`Fault`]: what is wrong with a line.
//! [`Export`]: everything as a dataset again, with [`Credentials`] or without. [`Once`]:
//! changes that may be asked for again.
//!
//! **To look after it.** [`Stats`]: how much there is. [`Verification`]: whether it is
//! sound. [`Coverage`]: what was seen of a school that is synced, kind by kind ([`Covered`]). [`Error`] and [`Result`]: what goes wrong beside an answer, with a code.
//!
//! **To read.** [`guide`]: the dataset format, what holds where the service's
//! documentation is silent, v2 and how to move to it, sync, what is promised, the design.
//!
//! # Features
//!
//! - `http` (on): `Engine::call` takes the types of the
//!   `http` crate, and `Service` is a `tower` service.
//! - `stream` (on): `Observation::stream` is a `Stream` of the crate `futures-core`.
//! - `sync` (off): `Engine::sync` fills a school from the service.
//! - `records` (off): `Answer::decode` reads an answer into the types of `v1` and `v2`.
//!
//! [dataset]: guide::dataset
//! [example]: https://docs.rs/crate/rollbook/latest/source/examples/serve.rs

// What the module runs most is compiled for speed and the rest for size: see its build.
#![cfg_attr(module, feature(optimize_attribute))]

mod api;
mod clock;
mod dataset;
mod date;
mod engine;
mod entropy;
mod error;
#[cfg(feature = "sync")]
mod feed;
#[cfg(fuzzing)]
pub mod fuzzing;
#[cfg(feature = "http")]
mod http;
mod json;
mod query;
mod record;
#[cfg(feature = "records")]
mod records;
mod store;
#[cfg(feature = "sync")]
mod sync;
mod url;
mod varint;

/// What one must know beside the names: the dataset format, the decisions that
/// Rollbook's answers follow, v2 and how to move to it, how a store is filled from
/// the service, what is promised, how it is built, and the format of a store.
pub mod guide {
    #[doc = include_str!("../docs/dataset.md")]
    pub mod dataset {}

    #[doc = include_str!("../docs/decisions.md")]
    pub mod decisions {}

    #[doc = include_str!("../docs/v2.md")]
    pub mod v2 {}

    #[doc = include_str!("../docs/upgrade.md")]
    pub mod upgrade {}

    #[doc = include_str!("../docs/sync.md")]
    pub mod sync {}

    #[cfg(feature = "sync")]
    #[doc = include_str!("../docs/following.md")]
    pub mod following {}

    #[doc = include_str!("../docs/promises.md")]
    pub mod promises {}

    #[doc = include_str!("../docs/design.md")]
    pub mod design {}

    #[doc = include_str!("../docs/format.md")]
    pub mod format {}
}

/// Where the bytes of a store may lie: what
/// [`Engine::open_with_backend`] takes.
pub mod backend {
    pub use redb::backends::{FileBackend, InMemoryBackend};
    pub use redb::{BackendError, StorageBackend};
}

pub use api::{Answer, NoUpgrade, Page, Request, SetState, Status, Upgrade};
pub use clock::Clock;
pub use dataset::{Counts, Coverage, Covered, Export, Load, Progress, Summary};
pub use date::{BadDate, Date};
#[cfg(all(feature = "stream", not(target_family = "wasm")))]
pub use engine::Answers;
#[cfg(all(feature = "sync", not(target_family = "wasm")))]
pub use engine::FeedObservation;
pub use engine::{
    Compaction, Credentials, Engine, Observation, Observed, Once, Options, Stats, Verification,
};
pub use entropy::Entropy;
pub use error::public::Result;
pub use error::{Error, Fault};
#[cfg(feature = "http")]
pub use http::Service;
pub use query::{
    Absentees, AccountablePersons, AssessmentMarks, Clients, Discipline, FinanceLearners, Grades,
    LearnerStatus, LearnerSubjects, Learners, Lookup, LookupList, Parents, Question, SchoolInfo,
    Schools, StaffMembers, SubjectMarks, SubjectsPerTerm,
};

#[cfg(feature = "sync")]
pub use feed::{Feed, Follow};
#[cfg(feature = "sync")]
pub use record::scope::Scope;
#[cfg(feature = "sync")]
pub use sync::{
    Call, GivenUp, NoReply, RefusedState, Reply, Step, Sync, SyncOptions, SyncProgress, SyncReport,
    Taken, Why,
};

#[cfg(feature = "records")]
pub use records::{Undecoded, v1, v2};

/// The README's own examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
