//! What there is of a pass: as the store has it, so that it goes on where it was left, and
//! here.

use super::ask::{Ask, Group};
use super::flight::Flight;
use super::machine::{FORBIDDEN, Machine};
use super::plan::Phase;
use super::staging::{Keeping, Left};
use super::step::Why;
use super::take::Answer;
use crate::dataset::ledger::Rows;
use crate::error::Result;
use crate::record::coverage::Unit;
use crate::record::ledger::{Head, Row, State};

impl Machine {
    /// Goes on with the pass that was under way, or begins one.
    pub(super) fn begin(&mut self, now: i64) -> Result<()> {
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
        for ask in self.units_in(State::GivenUp) {
            self.note_given_up(ask, "it was given up before this sync went on");
            let row = self.rows.get(&ask.unit(0));
            if row.is_some_and(|row| (row.pass, row.status) == (head.pass, FORBIDDEN)) {
                self.forbid(ask);
            }
        }
        self.year = self.year_of(|row| row.pass == head.pass);
        self.rotated = self.oldest();
    }

    /// The number of the pass.
    pub(super) fn pass(&self) -> u64 {
        self.head.map_or(0, |head| head.pass)
    }

    /// How often this pass had it.
    pub(super) fn times(&self, ask: Ask) -> u64 {
        let row = self.rows.get(&ask.unit(0));
        let row = row.filter(|row| row.pass == self.pass());
        row.map_or(0, |row| row.times)
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

    /// Keeps what came of an answer, in the store and then here; says whether it did: not if
    /// the pass is another meanwhile.
    pub(super) fn keep_row(
        &mut self,
        flight: Flight<Ask>,
        now: i64,
        answer: &Answer,
        left: &Left<'_>,
        again: &[Unit],
    ) -> Result<bool> {
        let (ask, Some(head)) = (flight.of, self.head) else {
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
}
