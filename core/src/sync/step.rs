//! The types that a sync exchanges with its driver: steps and calls, and the replies to them.

/// What the driver of a sync must do next.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Send this call, and pass the reply to the sync. While the call is in flight, it is not
    /// returned again.
    Send(Call),
    /// Nothing can be sent now. Request the next step at this instant, or as soon as a reply was
    /// passed to the sync.
    Wait {
        /// The instant, in seconds since 1970-01-01T00:00:00Z.
        until: i64,
    },
    /// Everything is published.
    Done(SyncReport),
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// A request to send with the credentials of the integrator. Do not follow redirects to another
/// origin: they would disclose the credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Identifies the call when its reply is passed to the sync.
    pub id: u64,
    /// The HTTP method, in upper case.
    pub method: &'static str,
    /// The path and the query string.
    pub target: String,
    /// The JSON body; empty for `GET`.
    pub body: String,
}

/// The reply of the service to a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reply<'a> {
    /// The HTTP status, for example 200.
    pub status: u16,
    /// The value of the header `Retry-After`, if there is one.
    pub retry_after: Option<&'a str>,
    /// The complete body.
    pub body: &'a [u8],
}

/// Why there is no reply to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallFailure {
    /// There is no network. It does not count as an attempt.
    Offline,
    /// No reply arrived in time.
    Timeout,
    /// The connection was interrupted.
    Cut,
}

/// The outcome of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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

/// The results of a pass. It contains targets, names of members and keys of records, but no other
/// value of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyncReport {
    /// How many replies were evaluated.
    pub replies: u64,
    /// How many of these replies were unchanged.
    pub unchanged: u64,
    /// The calls that failed permanently, so that their data is not synced.
    pub failed: Vec<FailedRequest>,
    /// The answers that are stored but not published because they would remove much, and those that
    /// are published only together with them. Until such an answer is published, the records that
    /// it would change are answered unchanged. `Sync::approve` and `Sync::reject` decide about it.
    /// `Sync::quarantined` returns the same list at any time.
    pub quarantined: Vec<QuarantinedAnswer>,
    /// The values of the stored answers that could not be used, by kind and field of the record. A
    /// later pass reports them again as long as the service has them.
    pub findings: Vec<Finding>,
    /// Unknown members of answers, as `record: member`.
    pub unknown: Vec<String>,
    /// State updates that the service refused during this pass, or after the pass before it. The
    /// states were reset to their earlier values.
    pub refused: Vec<RefusedState>,
    /// State updates of all integrators that the service has not accepted yet. The store already
    /// answers with them, and the next sync whose `outbox` names the integrator sends them.
    pub unsent: Vec<UnsentState>,
    /// Targets whose answers changed each time they were requested again, so that one answer may be
    /// older than another. The next pass requests them.
    pub unstable: Vec<String>,
}

/// An answer that is stored but not published.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QuarantinedAnswer {
    /// The path and the query string.
    pub target: String,
    /// How many stored values the answer would remove: records, or values of the field that would
    /// lose most. It is 0 if the answer is unpublished only because it is published together with
    /// another one.
    pub lost: u64,
    /// How many such values are stored.
    pub stored: u64,
}

/// A state update that the service refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedState {
    /// The API type.
    pub api_type_id: u64,
    /// The requested state.
    pub state: bool,
    /// The HTTP status.
    pub status: u16,
}

/// A state update that the service has not accepted yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnsentState {
    /// The API type.
    pub api_type_id: u64,
    /// The requested state.
    pub state: bool,
}

/// The progress of a pass.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyncProgress {
    /// How many requests of the pass are finished: their answers have arrived, or they have failed
    /// permanently.
    pub answered: u64,
    /// How many requests are known to be unfinished. Answers show what else must be requested, so
    /// this number grows at first.
    pub left: u64,
    /// How many calls are in flight.
    pub in_flight: u32,
}

/// A call that failed permanently.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FailedRequest {
    /// The path and the query string.
    pub target: String,
    /// The HTTP status of the last reply, or `None` if the last attempt had no reply.
    pub status: Option<u16>,
    /// The reason, as text. It names the record and the field, if one of them is the cause.
    pub reason: String,
}

/// The values of one field that could not be used, in records of one kind. It contains no value of
/// the field.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The kind of the records, as datasets name it, for example `learner`.
    pub kind: String,
    /// The field, for example `date_of_birth`. It is empty if the service has something else in
    /// place of the record.
    pub field: String,
    /// What the sync does with such a record.
    pub effect: FindingEffect,
    /// How many such values the answers contain.
    pub count: u64,
    /// The keys of the first twenty of these records, without their school. The numbers of a key
    /// are separated by `/`, in the order of the fields of a dataset: the key of a mark is
    /// `assessment_id/learner_id`. A record whose key cannot be read has none.
    pub keys: Vec<String>,
    /// The path and the query string of the first answer that contains such a value.
    pub target: String,
}

/// What a sync does with a record that has a value that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FindingEffect {
    /// The field is empty, as if the service had given no value, unless another answer has the
    /// value. Many answers repeat the fields of a subject, a grade, a year and a learning outcome:
    /// such a field retains its value if it had one.
    FieldEmpty,
    /// The record is left out, because the field is part of its key or a rule reads it. If the
    /// record is stored, it remains unchanged.
    RecordLeftOut,
}
