//! A pass over a school: one call after the other, as `plan` has them. What was answered is
//! kept at once, so that a pass goes on where it was left.
//!
//! Still to come: several calls in flight, passes that ask only for what may have changed.

use super::ask::Ask;
use super::options::SyncOptions;
use super::plan::Phase;
use super::read::{self, Unread};
use super::staging::{Resumed, Staging};
use super::step::{Call, GivenUp, NoReply, Reply, Step, SyncReport, Taken, Why};
use super::told::Told;
use crate::clock::Offset;
use crate::error::{Error, Result};
use crate::json::Object;
use crate::store::Store;
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use twox_hash::XxHash3_64;

/// The syncing of one school; not the marker of the standard library, which a glob
/// import of this crate would hide. It sends nothing itself and keeps no time: ask for
/// the [`next`](Self::next) step, send what it says, and [`take`](Self::take) the reply.
/// It can be used from several threads.
pub struct Sync {
    machine: Mutex<Machine>,
}

impl Sync {
    pub(crate) fn new(store: Arc<Store>, school: u64, options: SyncOptions) -> Result<Sync> {
        let machine = Mutex::new(Machine {
            staging: Staging::new(store, school, &options),
            school,
            offset: options.offset()?,
            options,
            phase: Phase::Start,
            queue: VecDeque::new(),
            waiting: None,
            not_before: i64::MIN,
            began: None,
            stopped: None,
            year: None,
            turns: 0,
            complete: Vec::new(),
            given_up: Vec::new(),
            unknown: BTreeSet::new(),
            confirmed: Vec::new(),
            report: SyncReport::default(),
        });
        Ok(Sync { machine })
    }

    /// What is to be done at this instant, in seconds since 1970-01-01T00:00:00Z. A call
    /// is said once; if nothing is handed in for two minutes it counts as failed.
    ///
    /// # Errors
    /// Of publishing: `busy` if another writer does not end in time, `io` if the store
    /// could not be written, `unsupported` if the school has records meanwhile. Nothing is
    /// lost: ask again, and it publishes again.
    pub fn next(&self, now: i64) -> Result<Step, Error> {
        Ok(self.machine().next(now)?)
    }

    /// Takes the reply to a call.
    ///
    /// # Errors
    /// `busy` or `io` if it could not be kept. The call is still out then: hand the reply
    /// in again.
    pub fn take(&self, call: u64, now: i64, reply: &Reply<'_>) -> Result<Taken, Error> {
        Ok(self.machine().take(call, now, reply)?)
    }

    /// There was no reply to a call.
    ///
    /// # Errors
    /// As of [`take`](Self::take).
    pub fn fail(&self, call: u64, now: i64, why: NoReply) -> Result<Taken, Error> {
        Ok(self.machine().fail(call, now, why)?)
    }

    /// Says that what was held back is right: the next step publishes it.
    ///
    /// # Errors
    /// `unsupported` if nothing of this target is held back.
    pub fn confirm(&self, target: &str) -> Result<(), Error> {
        Ok(self.machine().confirm(target)?)
    }

    fn machine(&self) -> MutexGuard<'_, Machine> {
        self.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) struct Machine {
    pub(super) staging: Staging,
    pub(super) school: u64,
    pub(super) options: SyncOptions,
    pub(super) offset: Offset,
    pub(super) phase: Phase,
    pub(super) queue: VecDeque<Ask>,
    /// The call that has no reply yet.
    waiting: Option<Waiting>,
    not_before: i64,
    /// When the pass began, once it did.
    began: Option<i64>,
    pub(super) stopped: Option<Why>,
    /// The school's current year, as answers tell it.
    pub(super) year: Option<u64>,
    /// How often it was another in a later answer.
    turns: u8,
    /// What was read whole, and what it told.
    pub(super) complete: Vec<(Ask, Told)>,
    pub(super) given_up: Vec<Ask>,
    pub(super) unknown: BTreeSet<(&'static str, String)>,
    /// What was held back and may take away much.
    pub(super) confirmed: Vec<Ask>,
    pub(super) report: SyncReport,
}

#[derive(Clone, Copy)]
struct Waiting {
    id: u64,
    ask: Ask,
    attempts: u32,
    /// When it was sent, if it is out.
    sent: Option<i64>,
}

/// So often a call is made.
const MOST_ATTEMPTS: u32 = 10;
/// The longest pause between two attempts, in seconds.
const LONGEST_PAUSE: i64 = 300;
/// So long a call is out, in seconds.
const LONGEST_CALL: i64 = 120;
/// So often the school's year may turn within a pass.
const MOST_TURNS: u8 = 2;

impl Machine {
    fn next(&mut self, now: i64) -> Result<Step> {
        if let Some(why) = self.stopped {
            return Ok(Step::Stop(why));
        }
        let began = match self.began {
            Some(began) => began,
            None => self.begin(now)?,
        };
        if let Some(waiting) = self.waiting
            && let Some(sent) = waiting.sent
        {
            let until = sent.saturating_add(LONGEST_CALL);
            if now < until {
                return Ok(Step::Wait { until });
            }
            self.retry(waiting, now, TIMEOUT)?;
        }
        if now < self.not_before {
            let until = self.not_before;
            return Ok(Step::Wait { until });
        }
        while self.waiting.is_none() && self.phase != Phase::Done {
            match self.queue.pop_front() {
                Some(ask) if self.is_answered(ask) => {}
                Some(ask) => self.waiting = Some(self.call(ask, began)),
                None => self.advance(began)?,
            }
            if let Some(why) = self.stopped {
                return Ok(Step::Stop(why));
            }
        }
        Ok(match &mut self.waiting {
            Some(waiting) => {
                waiting.sent = Some(now);
                let (id, target) = (waiting.id, waiting.ask.target(self.school));
                Step::Send(Call { id, target })
            }
            None => Step::Done(self.report.clone()),
        })
    }

    /// Goes on with the pass that was under way, or begins one.
    fn begin(&mut self, now: i64) -> Result<i64> {
        let resumed = match self.staging.resume()? {
            Some(resumed) => resumed,
            None => {
                self.staging.begin(now)?;
                Resumed {
                    began: now,
                    ..Resumed::default()
                }
            }
        };
        self.year = resumed.year;
        self.complete = resumed.complete;
        for ask in resumed.given_up {
            self.note_given_up(ask, "it was given up before");
        }
        self.began = Some(resumed.began);
        Ok(resumed.began)
    }

    /// Whether it was asked in this pass, with less if it may not be had whole.
    fn is_answered(&self, ask: Ask) -> bool {
        let is_it = |other: &Ask| *other == ask || Some(*other) == ask.with_less();
        let mut complete = self.complete.iter().map(|(ask, _)| ask);
        complete.any(is_it) || self.given_up.contains(&ask)
    }

    /// Its id is the same whoever goes on with the pass.
    fn call(&self, ask: Ask, began: i64) -> Waiting {
        let target = ask.target(self.school);
        // A number that JavaScript holds exactly.
        let id = XxHash3_64::oneshot(format!("{began} {target}").as_bytes()) >> 11;
        Waiting {
            id,
            ask,
            attempts: 0,
            sent: None,
        }
    }

    /// Nothing is changed if it fails.
    fn take(&mut self, call: u64, now: i64, reply: &Reply<'_>) -> Result<Taken> {
        let Some(waiting) = self.waits_for(call) else {
            return Ok(Taken::Stale);
        };
        let ask = waiting.ask;
        let taken = match reply.status {
            200 => match read::read(ask, self.school, reply.body) {
                Ok((told, evidence)) => {
                    let taken = self.keep(ask, told, evidence.year, now)?;
                    self.unknown.extend(evidence.unknown);
                    taken
                }
                Err(Unread::NoJson) => self.retry(waiting, now, &Unread::NoJson.to_string())?,
                Err(why) => self.give_up(ask, now, &why.to_string())?,
            },
            404 if says(reply.body, ask.nothing()) => self.keep(ask, Told::default(), None, now)?,
            401 => {
                self.stopped = Some(Why::Unauthorised);
                Taken::GivenUp
            }
            403 => {
                let taken = self.give_up(ask, now, "the service answered 403")?;
                if let Some(less) = ask.with_less() {
                    self.queue.push_front(less);
                }
                taken
            }
            408 | 429 | 500..=599 => self.retry(waiting, now, "the service was not well")?,
            status => self.give_up(ask, now, &format!("the service answered {status}"))?,
        };
        self.report.replies += 1;
        Ok(taken)
    }

    /// What a complete answer told. If it is of another year than those before, the
    /// school's year has turned: what was of the old one is asked again.
    fn keep(&mut self, ask: Ask, told: Told, year: Option<u64>, now: i64) -> Result<Taken> {
        let year = year.filter(|_| ask.is_of_current_year());
        let turns = year.is_some_and(|year| self.year.is_some_and(|before| before != year));
        if turns && self.turns == MOST_TURNS {
            return self.give_up(ask, now, "it is of another year than the others");
        }
        let of_year = |(ask, _): &(Ask, Told)| ask.is_of_year().then_some(*ask);
        let again: Vec<Ask> = match turns {
            true => self.complete.iter().filter_map(of_year).collect(),
            false => Vec::new(),
        };
        self.staging.keep(ask, Some(&told), year, now, &again)?;
        if turns {
            self.turns += 1;
            self.complete.retain(|(ask, _)| !again.contains(ask));
            self.queue.clear();
            self.phase = Phase::Lists;
        }
        self.year = year.or(self.year);
        self.complete.push((ask, told));
        self.waiting = None;
        Ok(Taken::Kept)
    }

    fn fail(&mut self, call: u64, now: i64, why: NoReply) -> Result<Taken> {
        let Some(mut waiting) = self.waits_for(call) else {
            return Ok(Taken::Stale);
        };
        if why == NoReply::Offline {
            waiting.attempts = waiting.attempts.saturating_sub(1);
        }
        self.retry(waiting, now, TIMEOUT)
    }

    /// The call, if its reply may still be handed in: late ones too, as long as it was
    /// not answered or given up.
    fn waits_for(&self, call: u64) -> Option<Waiting> {
        self.waiting.filter(|waiting| waiting.id == call)
    }

    fn retry(&mut self, mut waiting: Waiting, now: i64, why: &str) -> Result<Taken> {
        waiting.attempts += 1;
        waiting.sent = None;
        if waiting.attempts >= MOST_ATTEMPTS {
            return self.give_up(waiting.ask, now, why);
        }
        let pause = 1i64
            .checked_shl(waiting.attempts - 1)
            .unwrap_or(LONGEST_PAUSE);
        let at = now.saturating_add(pause.min(LONGEST_PAUSE));
        self.not_before = at;
        self.waiting = Some(waiting);
        Ok(Taken::Retry { at })
    }

    fn give_up(&mut self, ask: Ask, now: i64, why: &str) -> Result<Taken> {
        self.staging.keep(ask, None, None, now, &[])?;
        self.note_given_up(ask, why);
        self.waiting = None;
        Ok(Taken::GivenUp)
    }

    fn note_given_up(&mut self, ask: Ask, why: &str) {
        self.given_up.push(ask);
        self.report.given_up.push(GivenUp {
            target: ask.target(self.school),
            why: why.to_owned(),
        });
    }

    fn confirm(&mut self, target: &str) -> Result<()> {
        let mut held = self.complete.iter().map(|(ask, _)| *ask);
        let ask = held.find(|ask| self.phase == Phase::Done && ask.target(self.school) == target);
        let ask = ask.ok_or_else(|| Error::unsupported("confirming what is not held back"))?;
        self.confirmed.push(ask);
        self.phase = Phase::Rest;
        Ok(())
    }
}

const TIMEOUT: &str = "no reply";

/// Whether an error of v1 has this text.
fn says(body: &[u8], text: &str) -> bool {
    let object = std::str::from_utf8(body).ok();
    let object = object.and_then(|body| Object::parse(body).ok());
    let mut members = object.into_iter().flat_map(|object| object.members);
    let said = members.find(|(name, _)| name == "error_description");
    let said = said.and_then(|(_, value)| serde_json::from_str::<String>(value.get()).ok());
    said.is_some_and(|said| said == text)
}
