//! The machine: a pass over a school, call by call, as `plan` has them. What was answered is
//! kept at once, so that a pass goes on where it was left.

use super::ask::{Ask, Group};
use super::flight::{Flight, Flights};
use super::options::SyncOptions;
use super::pace::{Pace, asked_to_wait};
use super::plan::Phase;
use super::staging::{Left, Staging};
use super::step::{Call, GivenUp, NoReply, Reply, Step, SyncProgress, SyncReport, Taken, Why};
use super::take::Answer;
use super::turn::Turn;
use crate::clock::Offset;
use crate::dataset::ledger::Rows;
use crate::dataset::outbox::Wish;
use crate::error::Result;
use crate::record::coverage::Unit;
use crate::record::ledger::{Head, State};
use std::collections::{BTreeSet, HashSet, VecDeque};

pub(super) struct Machine {
    pub(super) staging: Staging,
    turn: Turn,
    /// Differs from store to store: pauses do not end on all devices at once.
    pub(super) secret: u64,
    pub(super) school: u64,
    pub(super) options: SyncOptions,
    pub(super) offset: Offset,
    pub(super) pace: Pace,
    pub(super) phase: Phase,
    /// The pass, once it began.
    pub(super) head: Option<Head>,
    /// What came of each answer, in this pass or one before: as the store has it.
    pub(super) rows: Rows,
    pub(super) queue: VecDeque<Ask>,
    /// What is asked before all else,
    pub(super) wanted: VecDeque<Ask>,
    /// is out,
    pub(super) wanted_out: Vec<Ask>,
    /// and was answered and not published yet.
    pub(super) alone: Vec<Ask>,
    pub(super) flights: Flights<Ask>,
    /// State updates that are sent,
    pub(super) wishes: Flights<Wish>,
    /// and those that came to nothing, for another sync to send.
    pub(super) put_off: Vec<Wish>,
    pub(super) stopped: Option<Why>,
    /// The school's current year, as answers of this pass tell it.
    pub(super) year: Option<u64>,
    /// How often it was another in a later answer.
    pub(super) turned: u8,
    /// What is asked for again though it seldom changes.
    pub(super) rotated: BTreeSet<Unit>,
    /// Paths that the service does not allow in this pass.
    pub(super) forbidden: HashSet<&'static str>,
    /// Where something was told that is not published.
    pub(super) groups: HashSet<Group>,
    /// What was another when it was asked once more.
    pub(super) changed: Vec<Ask>,
    pub(super) unknown: BTreeSet<(&'static str, String)>,
    /// What was held back and may take away much.
    pub(super) confirmed: Vec<Ask>,
    pub(super) report: SyncReport,
}

impl Machine {
    pub(super) fn new(
        staging: Staging,
        turn: Turn,
        secret: u64,
        school: u64,
        options: SyncOptions,
    ) -> Result<Machine> {
        Ok(Machine {
            staging,
            turn,
            secret,
            school,
            offset: options.offset()?,
            pace: Pace::new(options.most_in_flight()),
            options,
            phase: Phase::Start,
            head: None,
            rows: Rows::new(),
            queue: VecDeque::new(),
            wanted: VecDeque::new(),
            wanted_out: Vec::new(),
            alone: Vec::new(),
            flights: Flights::default(),
            wishes: Flights::default(),
            put_off: Vec::new(),
            stopped: None,
            year: None,
            turned: 0,
            rotated: BTreeSet::new(),
            forbidden: HashSet::new(),
            groups: HashSet::new(),
            changed: Vec::new(),
            unknown: BTreeSet::new(),
            confirmed: Vec::new(),
            report: SyncReport::default(),
        })
    }

    pub(super) fn next(&mut self, now: i64) -> Result<Step> {
        if !self.turn.is_newest() {
            self.stopped = Some(Why::Superseded);
        }
        if self.head.is_none() && self.stopped.is_none() {
            self.begin(now)?;
        }
        while self.stopped.is_none()
            && let Some(flight) = self.flights.overdue(now)
        {
            self.retry(flight, now, 0)?;
        }
        while let Some(flight) = self.wishes.overdue(now) {
            self.retry_wish(flight, now, 0);
        }
        loop {
            if let Some(why) = self.stopped {
                return Ok(Step::Stop(why));
            }
            self.publish_alone()?;
            if let Some(call) = self.send(now)? {
                return Ok(Step::Send(call));
            }
            if self.flights.len() + self.wishes.len() > 0 || now < self.pace.not_before {
                let until = self.until(now);
                return Ok(Step::Wait { until });
            }
            if self.phase == Phase::Done {
                return Ok(Step::Done(self.report.clone()));
            }
            self.advance()?;
        }
    }

    /// The call to be sent now, if there is one.
    fn send(&mut self, now: i64) -> Result<Option<Call>> {
        if now < self.pace.not_before || self.out() >= self.pace.allowed() {
            return Ok(None);
        }
        if let Some(call) = self.send_wish(now)? {
            return Ok(Some(call));
        }
        if let Some(flight) = self.flights.send_again(now) {
            return Ok(Some(self.call(flight.id, flight.of)));
        }
        // One that is paused has its place: if all come to nothing, no more are tried.
        let allowed = usize::try_from(self.pace.allowed()).unwrap_or(usize::MAX);
        while self.flights.len() < allowed {
            let wanted = self.wanted.pop_front();
            self.wanted_out.extend(wanted);
            let Some(ask) = wanted.or_else(|| self.queue.pop_front()) else {
                break;
            };
            if self.flights.has(ask) {
                continue;
            }
            let target = ask.target(self.school);
            // In one pass a call has the same id whoever makes it, and another one if it was
            // answered before: a late reply to that one is not taken for the next.
            let name = format!("{} {} {target}", self.pass(), self.times(ask));
            let id = self.flights.send(ask, &name, now);
            return Ok(Some(self.call(id, ask)));
        }
        Ok(None)
    }

    /// How many calls are out.
    fn out(&self) -> u32 {
        self.flights.out() + self.wishes.out()
    }

    fn call(&self, id: u64, ask: Ask) -> Call {
        Call {
            id,
            method: "GET",
            target: ask.target(self.school),
            body: String::new(),
        }
    }

    /// When there is something to do.
    fn until(&self, now: i64) -> i64 {
        let may_send = self.out() < self.pace.allowed();
        let not_before = self.pace.not_before;
        let waits = (may_send && now < not_before).then_some(not_before);
        let calls = [self.flights.next(may_send), self.wishes.next(may_send)];
        let calls = calls.into_iter().flatten();
        let until = calls.chain(waits).map(|until| match waits {
            Some(waits) => until.max(waits),
            None => until,
        });
        until.min().unwrap_or(now).max(now.saturating_add(1))
    }

    /// Nothing is changed if it fails.
    pub(super) fn take(&mut self, call: u64, now: i64, reply: &Reply<'_>) -> Result<Taken> {
        if !self.goes_on() {
            return Ok(Taken::Stale);
        }
        let taken = if let Some(flight) = self.flights.get(call) {
            self.take_of(flight, now, reply)?
        } else if let Some(flight) = self.wishes.get(call) {
            self.take_wish(flight, now, reply)?
        } else {
            return Ok(Taken::Stale);
        };
        self.pace.is_online();
        self.report.replies += 1;
        Ok(taken)
    }

    pub(super) fn fail(&mut self, call: u64, now: i64, why: NoReply) -> Result<Taken> {
        if !self.goes_on() {
            return Ok(Taken::Stale);
        }
        let (flight, wish) = (self.flights.get(call), self.wishes.get(call));
        if why == NoReply::Offline && (flight.is_some() || wish.is_some()) {
            return Ok(self.is_offline(flight, wish, now));
        }
        match (flight, wish) {
            (Some(flight), _) => self.retry(flight, now, 0),
            (None, Some(flight)) => Ok(self.retry_wish(flight, now, 0)),
            (None, None) => Ok(Taken::Stale),
        }
    }

    fn goes_on(&self) -> bool {
        self.turn.is_newest() && self.stopped.is_none()
    }

    /// It is no attempt, and nothing else need be tried.
    fn is_offline(
        &mut self,
        flight: Option<Flight<Ask>>,
        wish: Option<Flight<Wish>>,
        now: i64,
    ) -> Taken {
        let times = self.pace.is_offline(now);
        let mut at = now;
        if let Some(flight) = flight {
            at = self.flights.pause(flight, times, now, self.secret, 0);
        }
        if let Some(flight) = wish {
            at = self.wishes.pause(flight, times, now, self.secret, 0);
        }
        self.pace.wait_until(at);
        Taken::Retry { at }
    }

    /// The service was not well.
    pub(super) fn unwell(
        &mut self,
        reply: &Reply<'_>,
        now: i64,
        retry: impl FnOnce(&mut Machine, i64) -> Result<Taken>,
    ) -> Result<Taken> {
        let asked = asked_to_wait(reply, now);
        let is_much = reply.status == 429;
        if is_much {
            self.pace.slow_down();
        }
        let taken = retry(self, asked.unwrap_or(0))?;
        if let Taken::Retry { at } = taken
            && (is_much || asked.is_some())
        {
            self.pace.wait_until(at);
        }
        Ok(taken)
    }

    /// Once more, or not at all.
    pub(super) fn retry(&mut self, flight: Flight<Ask>, now: i64, least: i64) -> Result<Taken> {
        if let Some(at) = flight.paused() {
            return Ok(Taken::Retry { at });
        }
        let flight = flight.once_more();
        if flight.attempts >= MOST_ATTEMPTS {
            return self.give_up(
                flight,
                now,
                0,
                "there was no good reply to it in ten attempts",
            );
        }
        let (tries, secret) = (flight.attempts, self.secret);
        let at = self.flights.pause(flight, tries, now, secret, least);
        Ok(Taken::Retry { at })
    }

    pub(super) fn give_up(
        &mut self,
        flight: Flight<Ask>,
        now: i64,
        status: u16,
        why: &str,
    ) -> Result<Taken> {
        let answer = Answer {
            state: State::GivenUp,
            status,
            ..Answer::default()
        };
        if !self.keep_row(flight, now, &answer, &Left::Nothing, &[])? {
            return Ok(Taken::Stale);
        }
        self.note_given_up(flight.of, why);
        Ok(Taken::GivenUp)
    }

    pub(super) fn note_given_up(&mut self, ask: Ask, why: &str) {
        let target = ask.target(self.school);
        let row = self.rows.get(&ask.unit(0));
        let is_now = row.is_some_and(|row| row.pass == self.pass());
        let given_up = &mut self.report.given_up;
        if is_now && given_up.iter().all(|other| other.target != target) {
            let why = why.to_owned();
            given_up.push(GivenUp { target, why });
        }
    }

    /// What is not allowed of one learner or grade is not of the others either: it is not
    /// asked for any more in this pass.
    pub(super) fn forbid(&mut self, ask: Ask) {
        if ask.with_less().is_none() {
            let path = ask.endpoint().v1.0;
            self.forbidden.insert(path);
            self.queue.retain(|other| other.endpoint().v1.0 != path);
        }
    }

    pub(super) fn progress(&self) -> SyncProgress {
        let pass = self.pass();
        let answered = self.rows.values().filter(|row| row.pass == pass);
        let left = self.queue.len() + self.wanted.len() + self.flights.len();
        SyncProgress {
            answered: answered.count() as u64,
            left: left as u64,
            in_flight: self.out(),
        }
    }
}

/// The status of what may not be had.
pub(super) const FORBIDDEN: u64 = 403;
/// So often a call is made.
pub(super) const MOST_ATTEMPTS: u64 = 10;
