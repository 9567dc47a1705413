//! The results and the progress of a sync pass, and the coverage of a school.

use rollbook::FindingEffect;

/// A call that failed permanently.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct FailedRequest {
    /// The path and the query string.
    pub target: String,
    /// The HTTP status of the last reply. It is missing if the last attempt had no reply.
    pub status: Option<u16>,
    /// The reason, as text. It names the record and the field, if one of them is the cause.
    pub reason: String,
}

impl From<rollbook::FailedRequest> for FailedRequest {
    fn from(failed: rollbook::FailedRequest) -> FailedRequest {
        FailedRequest {
            target: failed.target,
            status: failed.status,
            reason: failed.reason,
        }
    }
}

/// The values of one field that could not be used, in records of one kind. It contains no value of
/// the field.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
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

impl From<rollbook::Finding> for Finding {
    fn from(finding: rollbook::Finding) -> Finding {
        Finding {
            kind: finding.kind,
            field: finding.field,
            effect: finding.effect,
            count: finding.count,
            keys: finding.keys,
            target: finding.target,
        }
    }
}

/// What a sync does with a record that has a value that cannot be used.
#[uniffi::remote(Enum)]
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

/// The results of a pass. It contains targets, names of members and keys of records, but no other
/// value of an answer.
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

impl From<rollbook::SyncReport> for SyncReport {
    fn from(report: rollbook::SyncReport) -> SyncReport {
        let quarantined = report.quarantined.into_iter();
        SyncReport {
            replies: report.replies,
            unchanged: report.unchanged,
            failed: report.failed.into_iter().map(FailedRequest::from).collect(),
            quarantined: quarantined.map(QuarantinedAnswer::from).collect(),
            findings: report.findings.into_iter().map(Finding::from).collect(),
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
