//! A first pass over a school: its calls in order, and publishing what they told.
//!
//! Still to come: passes over a school that was published before (domains, the guard
//! against shrinking), the ledger that a kill resumes from, several calls in flight.

use super::ask::{Ask, LOOKUPS, Listing};
use super::claims::learners;
use super::options::SyncOptions;
use super::publish::Pass;
use super::read::{self, Unread};
use super::step::{Call, GivenUp, NoReply, Reply, Step, SyncReport, Taken, Why};
use super::told::Told;
use crate::clock::Offset;
use crate::date::Date;
use crate::error::{Error, Result};
use crate::json::{self, Object};
use crate::record::field::position;
use crate::record::{Kind, Value};
use crate::store::Store;
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
            store,
            school,
            offset: options.offset()?,
            options,
            phase: Phase::Start,
            queue: VecDeque::new(),
            waiting: None,
            calls: 0,
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
        Ok(self.machine().take(call, now, reply))
    }

    /// There was no reply to a call.
    ///
    /// # Errors
    /// As of [`take`](Self::take).
    pub fn fail(&self, call: u64, now: i64, why: NoReply) -> Result<Taken, Error> {
        Ok(self.machine().fail(call, now, why))
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

struct Machine {
    store: Arc<Store>,
    school: u64,
    options: SyncOptions,
    offset: Offset,
    phase: Phase,
    queue: VecDeque<Ask>,
    /// The call that has no reply yet.
    waiting: Option<Waiting>,
    calls: u64,
    not_before: i64,
    /// When the first call was made.
    began: Option<i64>,
    stopped: Option<Why>,
    /// The school's current year, as answers tell it.
    year: Option<u64>,
    /// How often it was another in a later answer.
    turns: u8,
    /// What was read whole, and what it told.
    complete: Vec<(Ask, Told)>,
    given_up: Vec<Ask>,
    unknown: BTreeSet<(&'static str, String)>,
    /// What was held back and may take away much.
    confirmed: Vec<Ask>,
    report: SyncReport,
}

#[derive(Clone, Copy)]
struct Waiting {
    id: u64,
    ask: Ask,
    attempts: u32,
    /// When it was sent, if it is out.
    sent: Option<i64>,
}

/// What is asked together: each phase names what the next one asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Start,
    Lists,
    /// Learners' subjects and the structure of marks, which tell the year.
    Year,
    Marks,
    Rest,
    Done,
}

/// So often a call is made.
const MOST_ATTEMPTS: u32 = 10;
/// The longest pause between two attempts, in seconds.
const LONGEST_PAUSE: i64 = 300;
/// So long a call is out, in seconds.
const LONGEST_CALL: i64 = 120;
/// The days of absences that are asked for at once, beside the first.
const DAYS: u64 = 31;
/// So often the school's year may turn within a pass.
const MOST_TURNS: u8 = 2;

impl Machine {
    fn next(&mut self, now: i64) -> Result<Step> {
        let began = *self.began.get_or_insert(now);
        if let Some(why) = self.stopped {
            return Ok(Step::Stop(why));
        }
        if let Some(waiting) = self.waiting
            && let Some(sent) = waiting.sent
        {
            let until = sent.saturating_add(LONGEST_CALL);
            if now < until {
                return Ok(Step::Wait { until });
            }
            self.retry(waiting, now, TIMEOUT);
        }
        if now < self.not_before {
            let until = self.not_before;
            return Ok(Step::Wait { until });
        }
        while self.waiting.is_none() && self.queue.is_empty() && self.phase != Phase::Done {
            self.advance(began)?;
            if let Some(why) = self.stopped {
                return Ok(Step::Stop(why));
            }
        }
        if self.waiting.is_none()
            && let Some(ask) = self.queue.pop_front()
        {
            self.calls += 1;
            self.waiting = Some(Waiting {
                id: self.calls,
                ask,
                attempts: 0,
                sent: None,
            });
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

    fn take(&mut self, call: u64, now: i64, reply: &Reply<'_>) -> Taken {
        let Some(waiting) = self.waits_for(call) else {
            return Taken::Stale;
        };
        let ask = waiting.ask;
        self.report.replies += 1;
        match reply.status {
            200 => match read::read(ask, self.school, reply.body) {
                Ok((told, evidence)) => {
                    self.unknown.extend(evidence.unknown);
                    self.keep(ask, told, evidence.year)
                }
                Err(Unread::NoJson) => self.retry(waiting, now, &Unread::NoJson.to_string()),
                Err(why) => self.give_up(ask, &why.to_string()),
            },
            404 if says(reply.body, ask.nothing()) => self.keep(ask, Told::default(), None),
            401 => {
                self.stopped = Some(Why::Unauthorised);
                self.give_up(ask, "the service answered 401")
            }
            403 => {
                if let Some(less) = ask.with_less() {
                    self.queue.push_front(less);
                }
                self.give_up(ask, "the service answered 403")
            }
            408 | 429 | 500..=599 => self.retry(waiting, now, "the service was not well"),
            status => self.give_up(ask, &format!("the service answered {status}")),
        }
    }

    /// What a complete answer told. If it is of another year than those before, the
    /// school's year has turned: what was of the old one is asked again.
    fn keep(&mut self, ask: Ask, told: Told, year: Option<u64>) -> Taken {
        self.waiting = None;
        if let Some(year) = year.filter(|_| ask.is_of_current_year()) {
            if self.year.is_some_and(|before| before != year) {
                self.turns += 1;
                if self.turns > MOST_TURNS {
                    return self.give_up(ask, "it is of another year than the others");
                }
                self.complete.retain(|(ask, _)| !ask.is_of_year());
                self.queue.clear();
                self.phase = Phase::Lists;
            }
            self.year = Some(year);
        }
        self.complete.push((ask, told));
        Taken::Kept
    }

    fn fail(&mut self, call: u64, now: i64, why: NoReply) -> Taken {
        let Some(mut waiting) = self.waits_for(call) else {
            return Taken::Stale;
        };
        if why == NoReply::Offline {
            waiting.attempts = waiting.attempts.saturating_sub(1);
        }
        self.retry(waiting, now, TIMEOUT)
    }

    /// The call, if its reply may still be handed in: late ones too, as long as it was
    /// not sent again or given up.
    fn waits_for(&self, call: u64) -> Option<Waiting> {
        self.waiting.filter(|waiting| waiting.id == call)
    }

    fn retry(&mut self, mut waiting: Waiting, now: i64, why: &str) -> Taken {
        waiting.attempts += 1;
        waiting.sent = None;
        if waiting.attempts >= MOST_ATTEMPTS {
            return self.give_up(waiting.ask, why);
        }
        let pause = 1i64
            .checked_shl(waiting.attempts - 1)
            .unwrap_or(LONGEST_PAUSE);
        let at = now.saturating_add(pause.min(LONGEST_PAUSE));
        self.not_before = at;
        self.waiting = Some(waiting);
        Taken::Retry { at }
    }

    fn give_up(&mut self, ask: Ask, why: &str) -> Taken {
        self.given_up.push(ask);
        self.report.given_up.push(GivenUp {
            target: ask.target(self.school),
            why: why.to_owned(),
        });
        self.waiting = None;
        Taken::GivenUp
    }

    /// Plans the next phase, or publishes.
    fn advance(&mut self, began: i64) -> Result<()> {
        let today = self.offset.today(began);
        self.phase = match self.phase {
            Phase::Start => {
                self.queue
                    .extend([Ask::School, Ask::SchoolInfo, Ask::Grades]);
                self.queue.extend(LOOKUPS.map(Ask::Lookup));
                let learners = |of| Ask::Learners { of, parents: true };
                self.queue.extend(Listing::ALL.map(learners));
                Phase::Lists
            }
            Phase::Lists if !self.has_basis() => {
                self.stopped = Some(Why::Incomplete);
                Phase::Lists
            }
            Phase::Lists => {
                self.plan_year()?;
                Phase::Year
            }
            Phase::Year => {
                self.plan_marks(today)?;
                Phase::Marks
            }
            Phase::Marks => {
                self.plan_rest(today);
                Phase::Rest
            }
            Phase::Rest | Phase::Done => {
                let unknown = self.unknown.iter();
                self.report.unknown = unknown.map(|(of, name)| format!("{of}: {name}")).collect();
                let pass = Pass {
                    school: self.school,
                    complete: &self.complete,
                    year: self.year.unwrap_or(u64::from(today.year())),
                    is_year_told: self.year.is_some(),
                    as_of: began,
                    given_up: &self.given_up,
                    is_whole: self.confirmed.is_empty(),
                };
                let held = pass.publish(&self.store, &self.confirmed)?;
                let targets = held.iter().map(|ask| ask.target(self.school));
                self.report.held = targets.collect();
                self.complete.retain(|(ask, _)| held.contains(ask));
                self.confirmed.clear();
                Phase::Done
            }
        };
        Ok(())
    }

    fn confirm(&mut self, target: &str) -> Result<()> {
        let mut held = self.complete.iter().map(|(ask, _)| *ask);
        let ask = held.find(|ask| self.phase == Phase::Done && ask.target(self.school) == target);
        let ask = ask.ok_or_else(|| Error::unsupported("confirming what is not held back"))?;
        self.confirmed.push(ask);
        self.phase = Phase::Rest;
        Ok(())
    }

    /// Without the school and its current learners nothing else means anything.
    fn has_basis(&self) -> bool {
        let of = Listing::Current;
        let has = |is_it: &dyn Fn(Ask) -> bool| self.complete.iter().any(|(ask, _)| is_it(*ask));
        let school = |(ask, told): &(Ask, Told)| *ask == Ask::School && !told.is_empty();
        self.complete.iter().any(school)
            && has(&|ask| matches!(ask, Ask::Learners { of: other, .. } if other == of))
    }

    fn plan_year(&mut self) -> Result<()> {
        for grade in self.grades()? {
            self.ask_marks(grade, None, true);
        }
        for id in learners(self.school, &self.complete, None)? {
            self.queue.push_back(Ask::SubjectsPerTerm(id));
            self.queue.push_back(Ask::SubjectMarks(id));
        }
        Ok(())
    }

    /// Marks are asked of a year that is named, so that it cannot turn meanwhile. If no
    /// answer told it, the structure of the calendar's is asked too: if that has none
    /// either, it makes no difference which year is the current one.
    fn plan_marks(&mut self, today: Date) -> Result<()> {
        let year = self.year.unwrap_or(u64::from(today.year()));
        for grade in self.grades()? {
            let current = Ask::Marks {
                grade,
                year: None,
                structure: true,
            };
            let is_seen = self.complete.iter().any(|(ask, _)| *ask == current);
            if self.year.is_none() || !is_seen {
                self.ask_marks(grade, Some(year), true);
            }
            self.ask_marks(grade, Some(year), false);
        }
        Ok(())
    }

    fn ask_marks(&mut self, grade: u64, year: Option<u64>, structure: bool) {
        self.queue.push_back(Ask::Marks {
            grade,
            year,
            structure,
        });
    }

    /// The grades that were told of so far, and those in which learners take subjects.
    fn grades(&self) -> Result<BTreeSet<u64>> {
        let mut grades = BTreeSet::new();
        for (_, told) in &self.complete {
            for record in told.records(self.school) {
                let record = record?;
                let field = match record.kind {
                    Kind::Grade => GRADE_ID,
                    Kind::LearnerSubject => GRADE_TAKEN,
                    _ => continue,
                };
                grades.extend(record.values.get(field).and_then(Value::integer));
            }
        }
        Ok(grades)
    }

    fn plan_rest(&mut self, today: Date) {
        let mut from = self.options.first_day(today);
        while from <= today {
            let to = from.days_after(DAYS).min(today);
            self.queue.push_back(Ask::Absences(from, to));
            self.queue.push_back(Ask::Discipline(from, to));
            if to == Date::MAX {
                break;
            }
            from = to.days_after(1);
        }
        self.queue.extend([Ask::Staff, Ask::Parents]);
        for all in [false, true] {
            let parents = true;
            self.queue
                .extend([Ask::Accounts { all, parents }, Ask::Debtors { all }]);
        }
    }
}

const GRADE_ID: usize = position(Kind::Grade.fields(), "grade_id");
const GRADE_TAKEN: usize = position(Kind::LearnerSubject.fields(), "grade_id");

const TIMEOUT: &str = "no reply";

/// Whether an error of v1 has this text.
fn says(body: &[u8], text: &str) -> bool {
    let object = std::str::from_utf8(body).ok();
    let object = object.and_then(|body| Object::parse(body).ok());
    let mut members = object.into_iter().flat_map(|object| object.members);
    let said = members.find(|(name, _)| name == "error_description");
    let said = said.and_then(|(_, value)| json::string(value));
    said.is_some_and(|said| said == text)
}
