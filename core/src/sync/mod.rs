//! Sync: fills the records of a school from answers of the service. This layer has no clock, no
//! network and no credentials: its caller sends the calls that it returns, and passes the replies
//! back to it.
//!
//! - `handle`, `sync_options`, `step`: the public interface. `transitions`: which call is next, and
//!   what its reply changes. `ownership`: which sync of a school is the newest.
//! - `plan`: decides which resource is requested next. `publish`: merges fetched records into the
//!   records of the school. `fetch`: manages calls in flight and evaluates their replies. `read`:
//!   decodes a reply into fetched records. `resources`: what the service offers, and what its
//!   answers contain.
//! - `fetched_records`: the decoded records, as bytes. `record_values`: the values of a record.
//! - `tests`: random splits of answers, and the fuzz target.

mod fetch;
mod fetched_records;
mod handle;
mod ownership;
mod plan;
mod publish;
mod read;
mod record_values;
mod resources;
mod step;
mod sync_options;
mod tests;
mod transitions;

pub(crate) use fetch::staging::check_not_followed;
pub use handle::Sync;
pub(crate) use ownership::OwnershipTokens;
pub use step::{
    Call, CallFailure, FailedRequest, Finding, FindingEffect, QuarantinedAnswer, RefusedState,
    Reply, ReplyOutcome, Step, StopReason, SyncProgress, SyncReport, UnsentState,
};
pub use sync_options::SyncOptions;
#[cfg(any(test, fuzzing))]
pub(crate) use tests::fuzz_target::fuzz;
