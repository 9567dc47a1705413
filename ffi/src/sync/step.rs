//! The types that a sync exchanges with its driver: steps and calls, and the replies to them.

use super::report::SyncReport;
use rollbook::{CallFailure, StopReason};

/// A request to send with the credentials of the integrator. Do not follow redirects to another
/// origin: they would disclose the credentials.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Call {
    /// Identifies the call when its reply is passed to the sync: a number below 2^53.
    pub id: u64,
    /// The HTTP method, in upper case.
    pub method: String,
    /// The path and the query string, to append to the address of the service.
    pub target: String,
    /// The JSON body; empty for `GET`.
    pub body: String,
}

/// What the driver of a sync must do next.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Enum)]
pub enum Step {
    /// Send this call, and pass the reply to the sync. While the call is in flight, it is not
    /// returned again.
    Send {
        /// The call to send.
        call: Call,
    },
    /// Nothing can be sent now. Request the next step at this instant, or as soon as a reply was
    /// passed to the sync.
    Wait {
        /// The instant, in seconds since 1970-01-01T00:00:00Z.
        until: i64,
    },
    /// Everything is published.
    Done {
        /// The results of the pass.
        report: SyncReport,
    },
    /// The sync cannot continue, and every further step is the same. It publishes nothing more;
    /// records that were published before are still answered. Start another sync when the reason no
    /// longer applies.
    Stop {
        /// Why the sync stopped.
        reason: StopReason,
        /// The results so far. Its failed requests say what the service answered.
        report: SyncReport,
    },
}

/// Why a sync stopped.
#[uniffi::remote(Enum)]
#[non_exhaustive]
pub enum StopReason {
    /// The service answered 401, without saying whether the credentials are wrong or the school has
    /// not authorised the integrator. Check both.
    Unauthorised,
    /// The service answered 401 because of the credentials.
    WrongCredentials,
    /// The service answered 401 because of the school: the school has not authorised the
    /// integrator, or its id is wrong.
    SchoolNotAuthorised,
    /// Three attempts to reach the service failed, and no earlier call had a reply. Check that the
    /// address of the service is correct and that the service is running.
    Unreachable,
    /// The school was removed, or is no longer synced.
    Forgotten,
    /// No answer of the pass could be fetched. The failed requests of the report say why.
    Incomplete,
    /// Another sync of the school was started since.
    Superseded,
}

/// Why there is no reply to a call.
#[uniffi::remote(Enum)]
#[non_exhaustive]
pub enum CallFailure {
    /// There is no network. It does not count as an attempt.
    Offline,
    /// No reply arrived in time.
    Timeout,
    /// The connection was interrupted.
    Cut,
}

/// The reply of the service to a call.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Reply {
    /// The HTTP status, for example 200.
    pub status: u16,
    /// The complete body.
    pub body: Vec<u8>,
    /// The value of the header `Retry-After`, if there is one.
    #[uniffi(default)]
    pub retry_after: Option<String>,
}

/// The outcome of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, uniffi::Enum)]
pub enum ReplyOutcome {
    /// The answer was read completely, and is published with the pass.
    Stored,
    /// The answer was read completely, and is unchanged.
    Unchanged,
    /// The call must be repeated. A later step returns it again.
    Retry {
        /// The earliest instant of the next attempt, in seconds since 1970-01-01T00:00:00Z.
        at: i64,
    },
    /// The service refuses the answer, or the answer cannot be read. The pass continues without it.
    Failed,
    /// The reply is no longer expected, and is ignored.
    Stale,
}

impl From<rollbook::ReplyOutcome> for ReplyOutcome {
    fn from(outcome: rollbook::ReplyOutcome) -> ReplyOutcome {
        match outcome {
            rollbook::ReplyOutcome::Stored => ReplyOutcome::Stored,
            rollbook::ReplyOutcome::Unchanged => ReplyOutcome::Unchanged,
            rollbook::ReplyOutcome::Retry { at } => ReplyOutcome::Retry { at },
            rollbook::ReplyOutcome::Failed => ReplyOutcome::Failed,
            // Only `Stale` is left. A new case of the enum must get its own arm.
            _ => ReplyOutcome::Stale,
        }
    }
}
