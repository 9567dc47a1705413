//! The machine: a pass over a school, call by call, as `plan` has them. What was answered is
//! kept at once, so that a pass goes on where it was left.

use super::ask::{Ask, Group};
use super::flight::{Flight, Flights};
use super::options::SyncOptions;
use super::pace::{Pace, asked_to_wait};
use super::plan::Phase;
use super::staging::{Keeping, Left, Staging};
use super::step::{Call, GivenUp, NoReply, Reply, Step, SyncProgress, SyncReport, Taken, Why};
use super::take::Answer;
use super::turn::{Turn, Turns};
use super::want;
use crate::clock::Offset;
use crate::dataset::ledger::Rows;
use crate::error::{Error, Result};
use crate::record::coverage::Unit;
use crate::record::ledger::{Head, Row, State};
use crate::store::Store;
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The syncing of one school; not the marker of the standard library, which a glob
/// import of this crate would hide. It sends nothing itself and keeps no time: ask for
/// the [`next`](Self::next) step, send what it says, and [`take`](Self::take) the reply.
/// It can be used from several threads.
///
/// What is taken is in the store at once. A sync that is let go, or killed, is gone on with
/// by the next one of the school, if its options ask for the same. Of two at a time the one
/// that was started last goes on.
pub struct Sync {
    machine: Mutex<Machine>,
}

impl Sync {
    pub(crate) fn new(
        store: Arc<Store>,
        turns: &Turns,
        secret: u64,
        school: u64,
        options: SyncOptions,
    ) -> Result<Sync> {
        let machine = Mutex::new(Machine {
            staging: Staging::new(store, school, &options),
            turn: turns.next(school),
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
            stopped: None,
            year: None,
            turned: 0,
            rotated: BTreeSet::new(),
            groups: HashSet::new(),
            changed: Vec::new(),
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
    /// Of keeping and publishing: `busy` if another writer does not end in time, `io` if the
    /// store could not be written, `unsupported` if the school has records meanwhile. Nothing
    /// is lost: ask again, and it tries again.
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

    /// Asks for this next, whether it was asked in this pass or not: a path and query of v1
    /// about the school. If the school is synced already, the answer is published as soon
    /// as it is there.
    ///
    /// # Errors
    /// `unsupported` if sync does not ask for such a target.
    pub fn want(&self, target: &str) -> Result<(), Error> {
        Ok(self.machine().want(target)?)
    }

    /// Says that what the report calls held is right: the next step publishes it.
    ///
    /// # Errors
    /// `unsupported` if nothing of this target is held back.
    pub fn confirm(&self, target: &str) -> Result<(), Error> {
        Ok(self.machine().confirm(target)?)
    }

    /// How far the pass has come.
    #[must_use]
    pub fn progress(&self) -> SyncProgress {
        self.machine().progress()
    }

    fn machine(&self) -> MutexGuard<'_, Machine> {
        self.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

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
    wanted: VecDeque<Ask>,
    /// is out,
    wanted_out: Vec<Ask>,
    /// and was answered and not published yet.
    pub(super) alone: Vec<Ask>,
    pub(super) flights: Flights,
    pub(super) stopped: Option<Why>,
    /// The school's current year, as answers of this pass tell it.
    pub(super) year: Option<u64>,
    /// How often it was another in a later answer.
    pub(super) turned: u8,
    /// What is asked for again though it seldom changes.
    pub(super) rotated: BTreeSet<Unit>,
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
    fn next(&mut self, now: i64) -> Result<Step> {
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
        loop {
            if let Some(why) = self.stopped {
                return Ok(Step::Stop(why));
            }
            self.publish_alone()?;
            if let Some(call) = self.send(now) {
                return Ok(Step::Send(call));
            }
            if self.flights.len() > 0 || now < self.pace.not_before {
                let until = self.until(now);
                return Ok(Step::Wait { until });
            }
            if self.phase == Phase::Done {
                return Ok(Step::Done(self.report.clone()));
            }
            self.advance()?;
        }
    }

    /// Goes on with the pass that was under way, or begins one.
    fn begin(&mut self, now: i64) -> Result<()> {
        let (head, rows) = self.staging.begin(now)?;
        self.go_on(head, rows);
        Ok(())
    }

    /// Looks anew at what is left of the pass.
    pub(super) fn look(&mut self) -> Result<()> {
        match self.staging.now()? {
            Some((head, rows)) => self.go_on(head, rows),
            None => self.stopped = Some(Why::Forgotten),
        }
        Ok(())
    }

    fn go_on(&mut self, head: Head, rows: Rows) {
        self.queue.clear();
        self.flights.clear();
        self.wanted.extend(self.wanted_out.drain(..));
        self.alone.clear();
        self.phase = if head.is_over {
            Phase::Done
        } else {
            Phase::Start
        };
        self.rows = rows;
        self.head = Some(head);
        let told = self.units_in(State::Told);
        self.groups = told.into_iter().filter_map(Ask::group).collect();
        self.year = self.year_of(|row| row.pass == head.pass);
        self.rotated = self.oldest();
    }

    /// The pass is over.
    pub(super) fn end(&mut self) -> Result<()> {
        let unknown = self.unknown.iter();
        self.report.unknown = unknown.map(|(of, name)| format!("{of}: {name}")).collect();
        let Some(head) = self.head.filter(|head| !head.is_over) else {
            return Ok(());
        };
        match self.staging.end(&head)? {
            Keeping::Kept => {
                let is_over = true;
                self.head = Some(Head { is_over, ..head });
                Ok(())
            }
            _ => self.look(),
        }
    }

    /// Publishes what was wanted, if there is something beside which it means anything.
    fn publish_alone(&mut self) -> Result<()> {
        let is_next = self.wanted.is_empty() && self.wanted_out.is_empty();
        if !self.alone.is_empty() && is_next && self.staging.is_synced()? {
            let alone = self.alone.clone();
            self.publish(Some(&alone))?;
            self.alone.clear();
        }
        Ok(())
    }

    /// The call to be sent now, if there is one.
    fn send(&mut self, now: i64) -> Option<Call> {
        if now < self.pace.not_before || self.flights.out() >= self.pace.allowed() {
            return None;
        }
        if let Some(flight) = self.flights.send_again(now) {
            return Some(self.call(flight.id, flight.ask));
        }
        // One that is paused has its place: if all come to nothing, no more are tried.
        let allowed = usize::try_from(self.pace.allowed()).unwrap_or(usize::MAX);
        if self.flights.len() >= allowed {
            return None;
        }
        let wanted = self.wanted.pop_front();
        self.wanted_out.extend(wanted);
        let ask = wanted.or_else(|| self.queue.pop_front())?;
        if self.flights.has(ask) {
            return self.send(now);
        }
        let (target, times) = (ask.target(self.school), self.times(ask));
        let id = self.flights.send(ask, &target, self.pass(), times, now);
        Some(self.call(id, ask))
    }

    fn call(&self, id: u64, ask: Ask) -> Call {
        Call {
            id,
            method: "GET",
            target: ask.target(self.school),
            body: String::new(),
        }
    }

    /// How often this pass had it.
    fn times(&self, ask: Ask) -> u64 {
        let row = self.rows.get(&ask.unit(0));
        let row = row.filter(|row| row.pass == self.pass());
        row.map_or(0, |row| row.times)
    }

    /// When there is something to do.
    fn until(&self, now: i64) -> i64 {
        let may_send = self.flights.out() < self.pace.allowed();
        let is_waiting = may_send && now < self.pace.not_before;
        let flights = self.flights.next(may_send);
        let flights = flights.map(|until| {
            if is_waiting {
                until.max(self.pace.not_before)
            } else {
                until
            }
        });
        let sends = is_waiting.then_some(self.pace.not_before);
        let until = flights.into_iter().chain(sends).min();
        until.unwrap_or(now).max(now.saturating_add(1))
    }

    /// The number of the pass.
    pub(super) fn pass(&self) -> u64 {
        self.head.map_or(0, |head| head.pass)
    }

    /// Nothing is changed if it fails.
    fn take(&mut self, call: u64, now: i64, reply: &Reply<'_>) -> Result<Taken> {
        let flight = self.flights.get(call).filter(|_| self.turn.is_newest());
        let Some(flight) = flight.filter(|_| self.stopped.is_none()) else {
            return Ok(Taken::Stale);
        };
        let taken = self.take_of(flight, now, reply)?;
        self.report.replies += 1;
        Ok(taken)
    }

    fn fail(&mut self, call: u64, now: i64, why: NoReply) -> Result<Taken> {
        let flight = self.flights.get(call).filter(|_| self.turn.is_newest());
        let Some(flight) = flight.filter(|_| self.stopped.is_none()) else {
            return Ok(Taken::Stale);
        };
        if why == NoReply::Offline {
            let at = self.flights.pause(flight, now, self.secret, 0);
            self.pace.wait_until(at);
            return Ok(Taken::Retry { at });
        }
        self.retry(flight, now, 0)
    }

    /// The service was not well.
    pub(super) fn unwell(&mut self, flight: Flight, now: i64, reply: &Reply<'_>) -> Result<Taken> {
        let asked = asked_to_wait(reply, now);
        let is_much = reply.status == 429;
        if is_much {
            self.pace.slow_down();
        }
        let taken = self.retry(flight, now, asked.unwrap_or(0))?;
        if let Taken::Retry { at } = taken
            && (is_much || asked.is_some())
        {
            self.pace.wait_until(at);
        }
        Ok(taken)
    }

    /// Once more, or not at all.
    pub(super) fn retry(&mut self, flight: Flight, now: i64, least: i64) -> Result<Taken> {
        let flight = flight.once_more();
        if flight.attempts >= MOST_ATTEMPTS {
            return self.give_up(
                flight,
                now,
                0,
                "there was no good reply to it in ten attempts",
            );
        }
        let at = self.flights.pause(flight, now, self.secret, least);
        Ok(Taken::Retry { at })
    }

    pub(super) fn give_up(
        &mut self,
        flight: Flight,
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
        self.report.given_up.push(GivenUp {
            target: flight.ask.target(self.school),
            why: why.to_owned(),
        });
        Ok(Taken::GivenUp)
    }

    /// Keeps what came of an answer, in the store and then here; says whether it did: not if
    /// the pass is another meanwhile.
    pub(super) fn keep_row(
        &mut self,
        flight: Flight,
        now: i64,
        answer: &Answer,
        left: &Left<'_>,
        again: &[Unit],
    ) -> Result<bool> {
        let (ask, Some(head)) = (flight.ask, self.head) else {
            return Ok(false);
        };
        let row = Row {
            state: answer.state,
            pass: head.pass,
            times: self.times(ask) + 1,
            asked_at: now,
            year: answer.year,
            to: ask.to(),
            less: ask.is_less(),
            status: u64::from(answer.status),
            attempts: flight.attempts,
            records: answer.records,
            digest: answer.digest,
        };
        match self.staging.keep(&head, ask, &row, left, again)? {
            Keeping::Kept => {}
            Keeping::Moved | Keeping::Gone => {
                self.look()?;
                return Ok(false);
            }
        }
        for unit in again {
            self.rows.remove(unit);
        }
        self.rows.insert(ask.unit(0), row);
        self.flights.end(flight.id);
        if row.state == State::Told {
            self.groups.extend(ask.group());
        }
        self.was_answered(ask, row.state);
        Ok(true)
    }

    /// An answer that was wanted need not wait for the pass, but for those that are read
    /// beside it.
    fn was_answered(&mut self, ask: Ask, state: State) {
        let before = self.wanted_out.len();
        self.wanted_out.retain(|wanted| *wanted != ask);
        if self.wanted_out.len() < before && state == State::Told {
            self.alone.push(ask);
            self.wanted.extend(self.beside(ask.group()));
        }
    }

    /// The answers in a state.
    pub(super) fn units_in(&self, state: State) -> Vec<Ask> {
        let rows = self.rows.iter().filter(|(_, row)| row.state == state);
        let asks = rows.filter_map(|(unit, row)| Ask::of(*unit, row.to, row.less));
        asks.collect()
    }

    pub(super) fn is_beside_changes(&self, ask: Ask) -> bool {
        ask.group()
            .is_some_and(|group| self.groups.contains(&group))
    }

    /// What is published and is read beside a group that has changed.
    pub(super) fn beside(&self, group: Option<Group>) -> Vec<Ask> {
        let mut kept = self.units_in(State::Kept);
        let (year, _) = self.year();
        kept.retain(|ask| {
            let is_now = ask.year().is_none_or(|asked| asked == year);
            group.is_some() && ask.group() == group && is_now
        });
        kept
    }

    fn want(&mut self, target: &str) -> Result<()> {
        let ask = want::parse(target, self.school)
            .ok_or_else(|| Error::unsupported("syncing a target of this form"))?;
        self.wanted.retain(|other| *other != ask);
        self.wanted.push_back(ask);
        Ok(())
    }

    fn confirm(&mut self, target: &str) -> Result<()> {
        let is_held = |row: &Row| row.state == State::Held && row.pass == self.pass();
        let held = self.rows.iter().filter(|(_, row)| is_held(row));
        let mut held = held.filter_map(|(unit, row)| Ask::of(*unit, row.to, row.less));
        let ask = held.find(|ask| self.phase == Phase::Done && ask.target(self.school) == target);
        let ask = ask.ok_or_else(|| Error::unsupported("confirming what is not held back"))?;
        self.confirmed.push(ask);
        // The others are looked at once more beside it.
        let pass = self.pass();
        for row in self.rows.values_mut() {
            if row.state == State::Held && row.pass == pass {
                row.state = State::Told;
            }
        }
        self.phase = Phase::Confirmed;
        Ok(())
    }

    fn progress(&self) -> SyncProgress {
        let pass = self.pass();
        let answered = self.rows.values().filter(|row| row.pass == pass);
        let left = self.queue.len() + self.wanted.len() + self.flights.len();
        SyncProgress {
            answered: answered.count() as u64,
            left: left as u64,
            in_flight: self.flights.out(),
        }
    }
}

/// So often a call is made.
const MOST_ATTEMPTS: u64 = 10;
