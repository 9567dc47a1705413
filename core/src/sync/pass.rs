//! A first pass over a school: its calls in order, and publishing what they told.
//!
//! Still to come: passes over a school that was published before (domains, the guard
//! against shrinking), the ledger that a kill resumes from, several calls in flight.

use super::asked::{Asked, LOOKUPS};
use super::gather::Gathered;
use super::publish;
use super::read::{self, Out, Unread};
use crate::clock::Offset;
use crate::date::Date;
use crate::error::{Error, Result};
use crate::record::Kind;
use crate::store::Store;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// What is to be synced of a school.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyncOptions {
    /// The first day of absences and discipline; a month before today unless given.
    pub days_from: Option<Date>,
}

/// What is to be done next.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Send this, and hand in the reply.
    Send(Call),
    /// Ask for the next step at this instant, in seconds since 1970-01-01T00:00:00Z.
    Wait {
        /// The instant.
        until: i64,
    },
    /// All is published.
    Done(SyncReport),
}

/// A `GET` to be sent with the credentials of the integrator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Tells its reply from others.
    pub id: u64,
    /// The path and the query string.
    pub target: String,
}

/// What was made of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Taken {
    /// It was read whole.
    Kept,
    /// It is to be asked for again.
    Retry,
    /// It says that this may not be had, or cannot be read: the rest goes on without.
    GivenUp,
    /// Nobody waits for it any more.
    Stale,
}

/// What a pass came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyncReport {
    /// How many replies were taken.
    pub replies: u64,
    /// The targets of what was given up, so that it is not synced.
    pub given_up: Vec<String>,
    /// Members of answers that are unknown, as `record: member`.
    pub unknown: Vec<String>,
}

/// The syncing of one school. It sends nothing itself and keeps no time: ask for the
/// [`next`](Self::next) step, send what it says, and [`take`](Self::take) the reply.
pub struct Sync {
    store: Arc<Store>,
    school: u64,
    options: SyncOptions,
    phase: Phase,
    queue: VecDeque<Asked>,
    /// The call that waits for its reply.
    sent: Option<(u64, Asked)>,
    calls: u64,
    attempts: u32,
    not_before: i64,
    /// When the first call was made.
    began: Option<i64>,
    gathered: Gathered,
    complete: Vec<Asked>,
    report: SyncReport,
}

/// What is asked together: each phase names what the next one asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Start,
    Lists,
    Learners,
    Rest,
    Done,
}

/// So often a call is made.
const MOST_ATTEMPTS: u32 = 10;
/// The longest pause between two attempts, in seconds.
const LONGEST_PAUSE: i64 = 300;
/// The days of absences that are asked for at once, beside the first.
const DAYS: u64 = 31;

impl Sync {
    pub(crate) fn new(store: Arc<Store>, school: u64, options: SyncOptions) -> Sync {
        Sync {
            store,
            school,
            options,
            phase: Phase::Start,
            queue: VecDeque::new(),
            sent: None,
            calls: 0,
            attempts: 0,
            not_before: i64::MIN,
            began: None,
            gathered: Gathered::default(),
            complete: Vec::new(),
            report: SyncReport::default(),
        }
    }

    /// What is to be done at this instant, in seconds since 1970-01-01T00:00:00Z. As
    /// long as a call waits for its reply it is that call.
    ///
    /// # Errors
    /// Of publishing: `busy` if another writer does not end in time, `io` if the store
    /// could not be written, `unsupported` if the school has records meanwhile.
    pub fn next(&mut self, now: i64) -> Result<Step, Error> {
        let began = *self.began.get_or_insert(now);
        if now < self.not_before {
            let until = self.not_before;
            return Ok(Step::Wait { until });
        }
        while self.sent.is_none() && self.queue.is_empty() && self.phase != Phase::Done {
            self.advance(began)?;
        }
        if self.sent.is_none()
            && let Some(asked) = self.queue.pop_front()
        {
            self.calls += 1;
            self.sent = Some((self.calls, asked));
        }
        Ok(match self.sent {
            Some((id, asked)) => {
                let target = asked.target(self.school);
                Step::Send(Call { id, target })
            }
            None => Step::Done(self.report.clone()),
        })
    }

    /// Takes the status and the body of the reply to a call.
    pub fn take(&mut self, call: u64, now: i64, status: u16, body: &[u8]) -> Taken {
        let Some((_, asked)) = self.sent.filter(|(id, _)| *id == call) else {
            return Taken::Stale;
        };
        self.report.replies += 1;
        let read = match status {
            200 => self.read(asked, body),
            404 if says(body, asked.nothing()) => Ok(()),
            408 | 429 | 500..=599 => Err(Unread::NoJson),
            _ => Err(Unread::Other),
        };
        match read {
            Ok(()) => {
                self.complete.push(asked);
                self.settle(Taken::Kept)
            }
            Err(Unread::NoJson) => self.retry(now),
            Err(Unread::Other) => self.give_up(),
        }
    }

    /// There was no reply to a call: no network, a timeout, a connection cut.
    pub fn fail(&mut self, call: u64, now: i64) -> Taken {
        match self.sent {
            Some((id, _)) if id == call => self.retry(now),
            _ => Taken::Stale,
        }
    }

    /// Reads an answer as a whole or not at all.
    fn read(&mut self, asked: Asked, body: &[u8]) -> Result<(), Unread> {
        let mut told = Gathered::default();
        read::read(asked, self.school, body, &mut told)?;
        for (of, name) in std::mem::take(&mut told.unknown) {
            self.gathered.unknown(&of, &name);
        }
        self.gathered.absorb(told);
        Ok(())
    }

    fn retry(&mut self, now: i64) -> Taken {
        self.attempts += 1;
        if self.attempts >= MOST_ATTEMPTS {
            return self.give_up();
        }
        let pause = 1i64.checked_shl(self.attempts - 1).unwrap_or(LONGEST_PAUSE);
        self.not_before = now.saturating_add(pause.min(LONGEST_PAUSE));
        Taken::Retry
    }

    fn give_up(&mut self) -> Taken {
        if let Some((_, asked)) = self.sent {
            self.report.given_up.push(asked.target(self.school));
        }
        self.settle(Taken::GivenUp)
    }

    fn settle(&mut self, taken: Taken) -> Taken {
        self.sent = None;
        self.attempts = 0;
        taken
    }

    /// Plans the next phase, or publishes.
    fn advance(&mut self, began: i64) -> Result<()> {
        self.phase = match self.phase {
            Phase::Start => {
                let lists = [Asked::School, Asked::SchoolInfo, Asked::Grades];
                self.queue.extend(lists);
                self.queue.extend(LOOKUPS.map(Asked::Lookup));
                self.queue
                    .extend(["current", "waitlist"].map(Asked::Learners));
                Phase::Lists
            }
            Phase::Lists => {
                for id in self.gathered.ids(Kind::Learner) {
                    self.queue.push_back(Asked::SubjectsPerTerm(id));
                    self.queue.push_back(Asked::SubjectMarks(id));
                }
                Phase::Learners
            }
            Phase::Learners => {
                self.plan_rest(began);
                Phase::Rest
            }
            Phase::Rest | Phase::Done => {
                let gathered = std::mem::take(&mut self.gathered);
                let unknown = gathered.unknown.iter();
                self.report.unknown = unknown.map(|(of, name)| format!("{of}: {name}")).collect();
                publish::publish(&self.store, self.school, gathered, &self.complete, began)?;
                Phase::Done
            }
        };
        Ok(())
    }

    fn plan_rest(&mut self, began: i64) {
        let listed = self.gathered.ids(Kind::Grade);
        let grades: BTreeSet<u64> = listed
            .union(&self.gathered.grades_taken())
            .copied()
            .collect();
        for grade in grades {
            self.queue
                .extend([Asked::Marks(grade), Asked::Structure(grade)]);
        }
        let today = Offset::DEFAULT.today(began);
        let mut from = self
            .options
            .days_from
            .unwrap_or_else(|| today.month_before());
        while from <= today {
            let to = from.days_after(DAYS).min(today);
            self.queue.push_back(Asked::Absences(from, to));
            self.queue.push_back(Asked::Discipline(from, to));
            if to == Date::MAX {
                break;
            }
            from = to.days_after(1);
        }
        self.queue.extend([Asked::Staff, Asked::Parents]);
        for all in [false, true] {
            self.queue
                .extend([Asked::Accounts { all }, Asked::Debtors { all }]);
        }
    }
}

/// Whether an error of v1 has this text.
fn says(body: &[u8], text: &str) -> bool {
    let expected = format!("\"error_description\":\"{text}\"");
    memchr::memmem::find(body, expected.as_bytes()).is_some()
}
