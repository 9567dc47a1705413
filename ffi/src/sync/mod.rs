//! Schools that are synced from the service. The calls of a sync are forwarded to the crate
//! `rollbook`, and the package of each language sends them with its own HTTP client.

mod options;
mod report;
mod step;

pub use options::SyncOptions;
pub use report::{Coverage, Covered, FailedRequest, SyncProgress, SyncReport};
pub use step::{Call, Reply, ReplyOutcome, Step};

use crate::error::{Result, RollbookError};
use report::QuarantinedAnswer;
use rollbook::CallFailure;
use std::sync::Arc;

/// The sync of one school. It sends nothing itself and has no clock: request the next step, send
/// the call that it contains, and pass the reply to `handle_reply`. It can be used from several
/// threads.
///
/// The outcome of each reply is stored before `handle_reply` returns. If a sync is released or its
/// process ends, the next sync of the school resumes the pass, provided that its `days_from` and
/// `utc_offset` are the same. If two syncs of a school exist at a time, only the one that was
/// started last continues.
#[derive(uniffi::Object)]
pub struct Sync {
    sync: rollbook::Sync,
}

impl Sync {
    pub(crate) fn new(sync: rollbook::Sync) -> Arc<Sync> {
        Arc::new(Sync { sync })
    }
}

#[uniffi::export]
impl Sync {
    /// Returns what to do at the instant `now`, in seconds since 1970-01-01T00:00:00Z. A call is
    /// returned once. If no reply to it is passed within two minutes, it counts as failed.
    ///
    /// Fails with `busy` if another writer does not finish in time, with `io` if the store cannot
    /// be written, and with `unsupported` if the school has records that no sync made. Nothing is
    /// lost: call it again to retry.
    pub fn next(&self, now: i64) -> Result<Step> {
        Ok(match self.sync.next(now)? {
            rollbook::Step::Send(call) => Step::Send {
                call: Call {
                    id: call.id,
                    method: call.method.to_owned(),
                    target: call.target,
                    body: call.body,
                },
            },
            rollbook::Step::Wait { until } => Step::Wait { until },
            rollbook::Step::Done(report) => Step::Done {
                report: report.into(),
            },
            rollbook::Step::Stop { reason, report } => Step::Stop {
                reason,
                report: report.into(),
            },
            _ => return Err(unknown_step()),
        })
    }

    /// Evaluates the reply to a call and stores the outcome.
    ///
    /// Fails with `busy` or `io` if the outcome cannot be stored. The call is then still in flight:
    /// pass the reply again.
    pub fn handle_reply(&self, call: u64, now: i64, reply: &Reply) -> Result<ReplyOutcome> {
        let reply = rollbook::Reply {
            status: reply.status,
            retry_after: reply.retry_after.as_deref(),
            body: &reply.body,
        };
        Ok(self.sync.handle_reply(call, now, &reply)?.into())
    }

    /// Reports that there was no reply to a call.
    ///
    /// Fails as `handle_reply` does.
    pub fn handle_failure(
        &self,
        call: u64,
        now: i64,
        failure: CallFailure,
    ) -> Result<ReplyOutcome> {
        Ok(self.sync.handle_failure(call, now, failure)?.into())
    }

    /// Requests a target next, even if it was requested in this pass before. The target is a path
    /// and query of v1 about the school. If the school is already synced, the answer is published
    /// as soon as it has arrived.
    ///
    /// Fails with `unsupported` if a sync does not request such a target.
    pub fn prioritise(&self, target: &str) -> Result<()> {
        Ok(self.sync.prioritise(target)?)
    }

    /// Returns the quarantined answers: those that are stored but not published because they would
    /// remove much, and those that are published only together with them. They are read from the
    /// store: a sync that was just started returns those of the last pass, and needs no new pass.
    ///
    /// Fails with `suspended` or `closed`, and with `io` or `corrupt` if the store fails.
    pub fn quarantined(&self) -> Result<Vec<QuarantinedAnswer>> {
        let quarantined = self.sync.quarantined()?.into_iter();
        Ok(quarantined.map(QuarantinedAnswer::from).collect())
    }

    /// Approves a quarantined answer. The next step publishes it together with everything that
    /// belongs to it, as soon as none of that is quarantined. The order in which answers are
    /// approved makes no difference. Approving a target that is not quarantined (any more) has no
    /// effect. The approval is stored, so that a sync that is started later publishes the answer.
    ///
    /// Fails with `unsupported` if a sync does not request such a target, or if another sync of the
    /// school was started since, and with `busy` or `io` if the approval cannot be stored.
    pub fn approve(&self, target: &str) -> Result<()> {
        Ok(self.sync.approve(target)?)
    }

    /// Discards a quarantined answer, together with those that would be published with it. The
    /// records remain unchanged, and the next pass requests the answers again. Rejecting a target
    /// that is not quarantined (any more) has no effect.
    ///
    /// Fails as `approve` does.
    pub fn reject(&self, target: &str) -> Result<()> {
        Ok(self.sync.reject(target)?)
    }

    /// Returns the results of the sync so far. It returns the same as `Done` and `Stop` contain, and
    /// is also available while the sync is running.
    ///
    /// Fails with `suspended` or `closed`, and with `io` or `corrupt` if the store fails.
    pub fn report(&self) -> Result<SyncReport> {
        Ok(self.sync.report()?.into())
    }

    /// Returns the progress of the pass.
    pub fn progress(&self) -> Result<SyncProgress> {
        let progress = self.sync.progress();
        Ok(SyncProgress {
            answered: progress.answered,
            left: progress.left,
            in_flight: progress.in_flight,
        })
    }
}

fn unknown_step() -> RollbookError {
    RollbookError::Unsupported(
        "this step is unknown to this version: update the package".to_owned(),
    )
}

#[cfg(test)]
#[allow(clippy::panic, clippy::expect_used)]
mod tests {
    use super::*;
    use crate::dataset::Dataset;
    use crate::engine::Engine;
    use crate::request::{Header, Request};

    const NOW: i64 = 1_778_745_600;

    const SOURCE: &str = r#"
{"type":"school","school_id":1000,"school_name":"Little","current_year":2026}
{"type":"grade","school_id":1000,"grade_id":9,"grade":"7"}
{"type":"learner","school_id":1000,"id":1,"first_name":"Anna","grade_id":9}
{"type":"api_type","api_type_id":4,"family":["administration","curriculum","finance","parents"]}
{"type":"integrator","username":"sync","password":"sync"}
{"type":"client_integration","username":"sync","school_id":1000,"api_type_id":4,"state":1}
"#;

    fn engine(lines: &str) -> Result<Arc<Engine>> {
        let engine = Engine::memory(None)?;
        let bytes = lines.as_bytes().to_vec();
        engine.apply(Dataset::Bytes { bytes }, None)?;
        Ok(engine)
    }

    fn request(target: &str) -> Request {
        let header = |name: &str| Header {
            name: name.to_owned(),
            value: "sync".to_owned(),
        };
        Request {
            target: target.to_owned(),
            method: "GET".to_owned(),
            headers: ["HTTP-X-USERNAME", "HTTP-X-PASSWORD"].map(header).to_vec(),
            body: String::new(),
            now: Some(NOW),
        }
    }

    fn reply(source: &Engine, call: &Call) -> Reply {
        let answer = source.inner().request(&rollbook::Request {
            target: &call.target,
            headers: &[("HTTP-X-USERNAME", "sync"), ("HTTP-X-PASSWORD", "sync")],
            now: Some(NOW),
            ..rollbook::Request::default()
        });
        Reply {
            status: answer.status.code,
            body: answer.body,
            retry_after: None,
        }
    }

    #[test]
    fn a_school_is_synced_as_a_driver_does() -> Result<()> {
        let source = engine(SOURCE)?;
        let mirror = Engine::memory(None)?;
        assert_eq!(mirror.synced(1000)?, None);
        let sync = mirror.sync(1000, None)?;
        let Step::Send { call } = sync.next(NOW)? else {
            panic!("nothing is sent");
        };
        assert_eq!((call.method.as_str(), call.body.as_str()), ("GET", ""));
        let outcome = sync.handle_failure(call.id, NOW, CallFailure::Cut)?;
        assert!(matches!(outcome, ReplyOutcome::Retry { at } if at > NOW));
        let mut now = NOW;
        let report = loop {
            match sync.next(now)? {
                Step::Send { call } => {
                    let outcome = sync.handle_reply(call.id, now, &reply(&source, &call))?;
                    assert!(
                        matches!(outcome, ReplyOutcome::Stored | ReplyOutcome::Unchanged),
                        "{outcome:?}"
                    );
                }
                Step::Wait { until } => now = until,
                Step::Done { report } => break report,
                Step::Stop { reason, report } => panic!("{reason:?} {report:?}"),
            }
        };
        assert_eq!(report.failed, []);
        assert_eq!(report.findings, []);
        assert!(report.replies > report.unchanged && report.unchanged > 0);
        let progress = sync.progress()?;
        assert_eq!((progress.left, progress.in_flight), (0, 0));
        let coverage = mirror.synced(1000)?.expect("it is synced");
        assert!(coverage.as_of.is_some_and(|as_of| as_of >= NOW));
        let days = coverage
            .seen
            .iter()
            .find(|seen| seen.what == "the absences");
        assert!(days.is_some_and(|days| days.from.is_some() && days.to > days.from));
        let bytes = SOURCE.lines().skip(4).collect::<Vec<_>>().join("\n");
        let bytes = bytes.into_bytes();
        mirror.apply(Dataset::Bytes { bytes }, None)?;
        let learners = request("/api/v1/adminplus/learners/1000");
        assert_eq!(mirror.request(&learners)?, source.request(&learners)?);

        // A prioritised target is requested next.
        let prioritised = "/api/v1/adminplus/learners/1000?status=current&include_parents=1";
        sync.prioritise(prioritised)?;
        let Step::Send { call } = sync.next(now)? else {
            panic!("nothing is sent");
        };
        assert_eq!(call.target, prioritised);
        assert_eq!(sync.prioritise("/api/v1/none").map_err(|_| ()), Err(()));
        assert_eq!(sync.approve("/api/v1/none").map_err(|_| ()), Err(()));
        assert_eq!(sync.reject("/api/v1/none").map_err(|_| ()), Err(()));
        sync.approve(prioritised)?;
        sync.reject(prioritised)?;
        assert_eq!(sync.quarantined()?, []);
        let days_from = Some("yesterday".to_owned());
        let options = SyncOptions {
            days_from,
            ..SyncOptions::default()
        };
        let refused = mirror.sync(1000, Some(options)).map(|_| ());
        assert!(matches!(refused, Err(RollbookError::BadArgument(_))));
        mirror.forget_sync(1000)?;
        assert_eq!(mirror.synced(1000)?, None);
        Ok(())
    }
}
