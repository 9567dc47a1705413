//! The results and the progress of a sync pass, and the coverage of a school.

/// A call that failed permanently.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct FailedRequest {
    /// The path and the query string.
    pub target: String,
    /// The reason, as text.
    pub reason: String,
}

impl From<rollbook::FailedRequest> for FailedRequest {
    fn from(failed: rollbook::FailedRequest) -> FailedRequest {
        FailedRequest {
            target: failed.target,
            reason: failed.reason,
        }
    }
}

/// An answer that is stored but not published.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct QuarantinedAnswer {
    /// The path and the query string.
    pub target: String,
    /// How many stored values the answer would remove: records, or values of the field that would
    /// lose most. It is 0 if the answer is quarantined only because it is published together with
    /// another one.
    pub lost: u64,
    /// How many such values are stored.
    pub stored: u64,
}

impl From<rollbook::QuarantinedAnswer> for QuarantinedAnswer {
    fn from(quarantined: rollbook::QuarantinedAnswer) -> QuarantinedAnswer {
        QuarantinedAnswer {
            target: quarantined.target,
            lost: quarantined.lost,
            stored: quarantined.stored,
        }
    }
}

/// A state update that the service refused.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct RefusedState {
    /// The API type.
    pub api_type_id: u64,
    /// The requested state.
    pub state: bool,
    /// The HTTP status.
    pub status: u16,
}

/// A state update that the service has not accepted yet.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct UnsentState {
    /// The API type.
    pub api_type_id: u64,
    /// The requested state.
    pub state: bool,
}

impl From<rollbook::RefusedState> for RefusedState {
    fn from(refused: rollbook::RefusedState) -> RefusedState {
        RefusedState {
            api_type_id: refused.api_type_id,
            state: refused.state,
            status: refused.status,
        }
    }
}

/// The results of a pass. It contains targets and names of members, but never a value of an answer.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct SyncReport {
    /// How many replies were evaluated.
    pub replies: u64,
    /// How many of these replies were unchanged.
    pub unchanged: u64,
    /// The calls that failed permanently, so that their data is not synced.
    pub failed: Vec<FailedRequest>,
    /// The answers that are stored but not published because they would remove much, and those that
    /// are published only together with them. Until such an answer is published, the records that
    /// it would change are answered unchanged. `approve` and `reject` decide about it.
    /// `quarantined` returns the same list at any time.
    pub quarantined: Vec<QuarantinedAnswer>,
    /// Unknown members of answers, as `record: member`.
    pub unknown: Vec<String>,
    /// State updates that the service refused. The states were reset to their earlier values.
    pub refused: Vec<RefusedState>,
    /// State updates that the service has not accepted yet. The store already answers with them,
    /// and the next sync sends them.
    pub unsent: Vec<UnsentState>,
    /// Targets whose answers changed each time they were requested again, so that one answer may be
    /// older than another. The next pass requests them.
    pub unstable: Vec<String>,
}

impl From<rollbook::SyncReport> for SyncReport {
    fn from(report: rollbook::SyncReport) -> SyncReport {
        let quarantined = report.quarantined.into_iter();
        SyncReport {
            replies: report.replies,
            unchanged: report.unchanged,
            failed: report.failed.into_iter().map(FailedRequest::from).collect(),
            quarantined: quarantined.map(QuarantinedAnswer::from).collect(),
            unknown: report.unknown,
            refused: report.refused.into_iter().map(RefusedState::from).collect(),
            unsent: report
                .unsent
                .into_iter()
                .map(|unsent| UnsentState {
                    api_type_id: unsent.api_type_id,
                    state: unsent.state,
                })
                .collect(),
            unstable: report.unstable,
        }
    }
}

/// The progress of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, uniffi::Record)]
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

/// The coverage of a synced school: which data was fetched from the service.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Coverage {
    /// The instant at which the oldest data was fetched, in seconds since 1970-01-01T00:00:00Z. It
    /// is missing if no data was fetched.
    pub as_of: Option<i64>,
    /// The fetched data, kind by kind.
    pub seen: Vec<Covered>,
    /// The number of erased learners, which a sync does not add again.
    pub erased: u64,
}

/// One kind of data of a school that was fetched.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Covered {
    /// The name of the kind, as in the message of `not_synced`: `the current learners`.
    pub what: String,
    /// The administrative year, if the data is of one year.
    pub year: Option<u64>,
    /// The first day, as YYYY-MM-DD, if the data is of a range of days.
    pub from: Option<String>,
    /// The last day, as YYYY-MM-DD, if the data is of a range of days.
    pub to: Option<String>,
    /// The number of learners or grades whose data was fetched; 1 for other kinds.
    pub count: u64,
    /// The instant at which the oldest of this data was fetched, in seconds since
    /// 1970-01-01T00:00:00Z.
    pub as_of: i64,
}

impl From<rollbook::Coverage> for Coverage {
    fn from(coverage: rollbook::Coverage) -> Coverage {
        let seen = coverage.seen.into_iter();
        Coverage {
            as_of: coverage.as_of,
            seen: seen
                .map(|covered| Covered {
                    what: covered.what.to_owned(),
                    year: covered.year,
                    from: covered.days.map(|(from, _)| from.to_string()),
                    to: covered.days.map(|(_, to)| to.to_string()),
                    count: covered.count,
                    as_of: covered.as_of,
                })
                .collect(),
            erased: coverage.erased,
        }
    }
}
