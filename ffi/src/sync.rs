//! Schools that are filled from the service: the machine, forwarded. A package's own HTTP
//! client drives it.

use crate::error::{Result, RollbookError};
use rollbook::{NoReply, Why};
use std::sync::Arc;

/// What is to be synced of a school; each may be left out.
#[derive(Debug, Clone, Default, uniffi::Record)]
pub struct SyncOptions {
    /// The first day of absences and discipline, as YYYY-MM-DD; a month before today
    /// unless given, and at most ten years before.
    #[uniffi(default)]
    pub days_from: Option<String>,
    /// The school's distance from UTC as `±HH:MM`, which the service does not tell;
    /// `+02:00` unless given. It says which day is today at the school.
    #[uniffi(default)]
    pub utc_offset: Option<String>,
    /// How many calls may be out at once; 4 unless given. The service may make it fewer.
    #[uniffi(default)]
    pub most_in_flight: Option<u32>,
    /// How many of the answers that seldom change are asked for again in a pass, the oldest
    /// first; 25 unless given.
    #[uniffi(default)]
    pub rotate: Option<u32>,
    /// The integrator with whose credentials the calls are sent, by user name, if its state
    /// updates are to be taken and sent. What was asked for shows at once, and is taken back
    /// if the service refuses it. Without it state updates of a school that is synced are
    /// refused.
    #[uniffi(default)]
    pub outbox: Option<String>,
}

impl SyncOptions {
    pub(crate) fn as_given(&self) -> Result<rollbook::SyncOptions> {
        let date = |text: &String| {
            let date = text.parse();
            date.map_err(|bad: rollbook::BadDate| {
                RollbookError::BadArgument(format!("days_from is {bad}"))
            })
        };
        let mut options = rollbook::SyncOptions::default();
        options.days_from = self.days_from.as_ref().map(date).transpose()?;
        options.utc_offset.clone_from(&self.utc_offset);
        options.most_in_flight = self.most_in_flight;
        options.rotate = self.rotate;
        options.outbox.clone_from(&self.outbox);
        Ok(options)
    }
}

/// What is to be sent with the credentials of the integrator. Redirects to another
/// origin must not be followed: they would take the credentials along.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Call {
    /// Tells its reply from others: a number below 2^53.
    pub id: u64,
    /// The HTTP method, in upper case.
    pub method: String,
    /// The path and the query string, to be put behind the service's address.
    pub target: String,
    /// The body, JSON; empty for `GET`.
    pub body: String,
}

/// What is to be done next.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Enum)]
pub enum Step {
    /// Send this, and hand in the reply. It is not said again while it is out.
    Send {
        /// What to send.
        call: Call,
    },
    /// Nothing can be sent now. Ask for the next step at this instant, in seconds since
    /// 1970-01-01T00:00:00Z, or as soon as a reply was handed in.
    Wait {
        /// The instant.
        until: i64,
    },
    /// All is published.
    Done {
        /// What it came to.
        report: SyncReport,
    },
    /// It cannot go on, and says so from now on. What was published is answered.
    Stop {
        /// The reason.
        why: Why,
    },
}

/// Why a sync stopped.
#[uniffi::remote(Enum)]
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

/// Why there is no reply to a call.
#[uniffi::remote(Enum)]
#[non_exhaustive]
pub enum NoReply {
    /// There is no network. It does not count as an attempt.
    Offline,
    /// None came in time.
    Timeout,
    /// The connection was cut.
    Cut,
}

/// What the service answered to a call.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Reply {
    /// The status, as 200.
    pub status: u16,
    /// The whole body.
    pub body: Vec<u8>,
    /// The value of the header `Retry-After`, if there is one.
    #[uniffi(default)]
    pub retry_after: Option<String>,
}

/// What was made of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, uniffi::Enum)]
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

impl From<rollbook::Taken> for Taken {
    fn from(taken: rollbook::Taken) -> Taken {
        match taken {
            rollbook::Taken::Kept => Taken::Kept,
            rollbook::Taken::Same => Taken::Same,
            rollbook::Taken::Retry { at } => Taken::Retry { at },
            rollbook::Taken::GivenUp => Taken::GivenUp,
            // All that are left; a new case of the enum gets its own arm.
            _ => Taken::Stale,
        }
    }
}

/// A call that came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct GivenUp {
    /// The path and the query string.
    pub target: String,
    /// Why, in words.
    pub why: String,
}

/// A state update that the service refused.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct RefusedState {
    /// The API type.
    pub api_type_id: u64,
    /// The state that was asked for.
    pub state: bool,
    /// The HTTP status.
    pub status: u16,
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

/// What a pass came to. It names targets and members, and never a value of an answer.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct SyncReport {
    /// How many replies were taken.
    pub replies: u64,
    /// How many of them were as before.
    pub same: u64,
    /// What was given up, so that it is not synced.
    pub given_up: Vec<GivenUp>,
    /// What was held back, since it would have taken away much of what is kept: its old
    /// records are still answered. `confirm` says that it is right.
    pub held: Vec<String>,
    /// Members of answers that are unknown, as `record: member`.
    pub unknown: Vec<String>,
    /// State updates that the service refused: the states are what they were before.
    pub refused: Vec<RefusedState>,
    /// What the service changed again and again while it was asked, so that one answer may
    /// be older than another. The next pass asks for it.
    pub unsettled: Vec<String>,
}

impl From<rollbook::SyncReport> for SyncReport {
    fn from(report: rollbook::SyncReport) -> SyncReport {
        let given_up = report.given_up.into_iter();
        SyncReport {
            replies: report.replies,
            same: report.same,
            given_up: given_up
                .map(|given_up| GivenUp {
                    target: given_up.target,
                    why: given_up.why,
                })
                .collect(),
            held: report.held,
            unknown: report.unknown,
            refused: report.refused.into_iter().map(RefusedState::from).collect(),
            unsettled: report.unsettled,
        }
    }
}

/// How far a pass has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, uniffi::Record)]
pub struct SyncProgress {
    /// How many answers there are.
    pub answered: u64,
    /// How many are known to be still asked for. Answers tell what else there is to ask, so
    /// that it grows at first.
    pub left: u64,
    /// How many calls are out.
    pub in_flight: u32,
}

/// What was seen of a school that is synced.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Coverage {
    /// When the oldest of it was seen, in seconds since 1970-01-01T00:00:00Z; nothing if
    /// nothing was.
    pub as_of: Option<i64>,
    /// What was seen, kind by kind.
    pub seen: Vec<Covered>,
    /// How many learners were erased, whom sync does not bring back.
    pub erased: u64,
}

/// A kind of what was seen of a school.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Covered {
    /// What it is, as `not_synced` calls it: `the current learners`.
    pub what: String,
    /// The administrative year, of what is of one year.
    pub year: Option<u64>,
    /// The first day, of what is of days, as YYYY-MM-DD;
    pub from: Option<String>,
    /// and the last.
    pub to: Option<String>,
    /// Of how many learners, grades, or terms of a grade it was seen; 1 of all else.
    pub count: u64,
    /// When the oldest of it was seen, in seconds since 1970-01-01T00:00:00Z.
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

/// The syncing of one school. It sends nothing itself and keeps no time: ask for the next
/// step, send what it says, and hand in the reply. It may be used from several threads.
///
/// What was handed in is in the store at once. A sync that is let go, or killed, is gone on
/// with by the next one of the school, if its options ask for the same. Of two at a time the
/// one that was started last goes on.
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
    /// What is to be done at this instant, in seconds since 1970-01-01T00:00:00Z. A call
    /// is said once; if nothing is handed in for two minutes it counts as failed.
    ///
    /// Fails as `busy` if another writer does not end in time, as `io` if the store could
    /// not be written, as `unsupported` if the school has records meanwhile. Nothing is lost:
    /// ask again, and it tries again.
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
            rollbook::Step::Stop(why) => Step::Stop { why },
            _ => return Err(unknown_step()),
        })
    }

    /// Takes the reply to a call.
    ///
    /// Fails as `busy` or `io` if it could not be kept. The call is still out then: hand the
    /// reply in again.
    pub fn take(&self, call: u64, now: i64, reply: &Reply) -> Result<Taken> {
        let reply = rollbook::Reply {
            status: reply.status,
            retry_after: reply.retry_after.as_deref(),
            body: &reply.body,
        };
        Ok(self.sync.take(call, now, &reply)?.into())
    }

    /// There was no reply to a call. Fails as `take`.
    pub fn fail(&self, call: u64, now: i64, why: NoReply) -> Result<Taken> {
        Ok(self.sync.fail(call, now, why)?.into())
    }

    /// Asks for this next, whether it was asked in this pass or not: a path and query of v1
    /// about the school. If the school is synced already, the answer is published as soon as
    /// it is there.
    ///
    /// Fails as `unsupported` if sync does not ask for such a target.
    pub fn want(&self, target: &str) -> Result<()> {
        Ok(self.sync.want(target)?)
    }

    /// Says that what the report calls held is right: the next step publishes it.
    ///
    /// Fails as `unsupported` if nothing of this target is held back.
    pub fn confirm(&self, target: &str) -> Result<()> {
        Ok(self.sync.confirm(target)?)
    }

    /// How far the pass has come.
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
    RollbookError::Unsupported("this step is not known here: update the package".to_owned())
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
        let taken = sync.fail(call.id, NOW, NoReply::Cut)?;
        assert!(matches!(taken, Taken::Retry { at } if at > NOW));
        let mut now = NOW;
        let report = loop {
            match sync.next(now)? {
                Step::Send { call } => {
                    let taken = sync.take(call.id, now, &reply(&source, &call))?;
                    assert!(matches!(taken, Taken::Kept | Taken::Same), "{taken:?}");
                }
                Step::Wait { until } => now = until,
                Step::Done { report } => break report,
                Step::Stop { why } => panic!("{why:?}"),
            }
        };
        assert_eq!(report.given_up, []);
        assert!(report.replies > report.same && report.same > 0);
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

        // What is wanted is asked next.
        let wanted = "/api/v1/adminplus/learners/1000?status=current&include_parents=1";
        sync.want(wanted)?;
        let Step::Send { call } = sync.next(now)? else {
            panic!("nothing is sent");
        };
        assert_eq!(call.target, wanted);
        assert_eq!(sync.want("/api/v1/none").map_err(|_| ()), Err(()));
        assert_eq!(sync.confirm("/api/v1/none").map_err(|_| ()), Err(()));
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
