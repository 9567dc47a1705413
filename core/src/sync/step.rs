//! What crosses between a sync and whoever drives it: steps out, replies in.

/// What is to be done next.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Send this, and hand in the reply. It is not said again while it is out.
    Send(Call),
    /// Nothing can be sent now. Ask for the next step at this instant, in seconds since
    /// 1970-01-01T00:00:00Z, or as soon as a reply was handed in.
    Wait {
        /// The instant.
        until: i64,
    },
    /// All is published.
    Done(SyncReport),
    /// It cannot go on, and says so from now on. Nothing of this pass was published; what
    /// was there before is still answered. Start another sync when the reason is gone.
    Stop(Why),
}

/// Why a sync stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// The service says 401: the credentials are wrong, or the school has not authorised
    /// the integrator.
    Unauthorised,
    /// The school was removed, or is no longer to be synced.
    Forgotten,
    /// The school's record or its current learners could not be had: without them nothing
    /// is published.
    Incomplete,
    /// Another sync of the school was started since.
    Superseded,
}

/// What is to be sent with the credentials of the integrator. Redirects to another
/// origin must not be followed: they would take the credentials along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Tells its reply from others.
    pub id: u64,
    /// The HTTP method, in upper case.
    pub method: &'static str,
    /// The path and the query string.
    pub target: String,
    /// The body, JSON; empty for `GET`.
    pub body: String,
}

/// What the service answered to a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reply<'a> {
    /// The status, as 200.
    pub status: u16,
    /// The value of the header `Retry-After`, if there is one.
    pub retry_after: Option<&'a str>,
    /// The whole body.
    pub body: &'a [u8],
}

/// Why there is no reply to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoReply {
    /// There is no network. It does not count as an attempt.
    Offline,
    /// None came in time.
    Timeout,
    /// The connection was cut.
    Cut,
}

/// What was made of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Taken {
    /// It was read whole, and is published with the pass.
    Kept,
    /// It was read whole, and is as it was.
    Same,
    /// It is to be asked for again; the next step says when.
    Retry {
        /// Not before this instant, in seconds since 1970-01-01T00:00:00Z.
        at: i64,
    },
    /// It says that this may not be had, or cannot be read: the rest goes on without.
    GivenUp,
    /// Nobody waits for it any more.
    Stale,
}

/// What a pass came to. It names targets and members, and never a value of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyncReport {
    /// How many replies were taken.
    pub replies: u64,
    /// How many of them were as before.
    pub same: u64,
    /// What was given up, so that it is not synced.
    pub given_up: Vec<GivenUp>,
    /// What was held back, since it would have taken away much of what is kept: its old
    /// records are still answered. `Sync::confirm` says that it is right.
    pub held: Vec<String>,
    /// Members of answers that are unknown, as `record: member`.
    pub unknown: Vec<String>,
    /// State updates that the service refused: the states are what they were before.
    pub refused: Vec<RefusedState>,
    /// What the service changed again and again while it was asked, so that one answer may
    /// be older than another. The next pass asks for it.
    pub unsettled: Vec<String>,
}

/// A state update that the service refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedState {
    /// The API type.
    pub api_type_id: u64,
    /// The state that was asked for.
    pub state: bool,
    /// The HTTP status.
    pub status: u16,
}

/// How far a pass has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyncProgress {
    /// How many answers there are.
    pub answered: u64,
    /// How many are known to be still asked for. Answers tell what else there is to ask, so
    /// that it grows at first.
    pub left: u64,
    /// How many calls are out.
    pub in_flight: u32,
}

/// A call that came to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GivenUp {
    /// The path and the query string.
    pub target: String,
    /// Why, in words.
    pub why: String,
}
