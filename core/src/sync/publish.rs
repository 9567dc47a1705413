//! What answers told becomes the school's records, in one transaction with what was seen
//! of it.

use super::ask::{Ask, Listing};
use super::claims;
use super::joined::{Joined, Listed, Outcome};
use super::machine::Machine;
use super::staging::{Keeping, Staging};
use crate::dataset;
use crate::dataset::ledger::{self, Rows};
use crate::error::{Error, Result};
use crate::record::ledger::{Head, Row, State};
use crate::store::Write;
use std::collections::{BTreeSet, HashSet};

/// What is published of a pass.
pub(super) struct Pass<'a> {
    pub(super) school: u64,
    pub(super) head: Head,
    /// What came of each answer.
    pub(super) rows: &'a Rows,
    /// What is published, in the order in which it was asked.
    pub(super) told: Vec<Ask>,
    /// Whether that is all of the pass.
    pub(super) is_whole: bool,
    /// When it was so.
    pub(super) as_of: i64,
    /// The school's current year, and whether an answer told it. Else it is the
    /// calendar's.
    pub(super) year: u64,
    pub(super) is_year_told: bool,
    /// What was held back and may take away much.
    pub(super) confirmed: &'a [Ask],
}

impl Machine {
    /// Publishes what was told and is not yet published: all of it, or only this. If that
    /// fails it can be tried again.
    pub(super) fn publish(&mut self, only: Option<&[Ask]>) -> Result<()> {
        let Some(head) = self.head else {
            return Ok(());
        };
        let told = self.rows.iter().filter(|(_, row)| row.state == State::Told);
        let told = told.filter_map(|(unit, row)| {
            let ask = Ask::of(*unit, row.to, row.less)?;
            let is_one = only.is_none_or(|only| only.contains(&ask));
            is_one.then_some((row.asked_at, ask))
        });
        let mut told: Vec<(i64, Ask)> = told.collect();
        told.sort_by_key(|(asked_at, ask)| (*asked_at, ask.unit(0)));
        let Some((first, _)) = told.first() else {
            return Ok(());
        };
        let (year, is_year_told) = self.year();
        let pass = Pass {
            school: self.school,
            head,
            rows: &self.rows,
            is_whole: only.is_none(),
            as_of: if only.is_none() { head.began } else { *first },
            told: told.into_iter().map(|(_, ask)| ask).collect(),
            year,
            is_year_told,
            confirmed: &self.confirmed,
        };
        let Some((held, rows)) = pass.publish(&self.staging)? else {
            return self.look();
        };
        self.rows = rows;
        let told = self.units_in(State::Told);
        self.groups = told.into_iter().filter_map(Ask::group).collect();
        let is_published = head.is_published || only.is_none();
        self.head = Some(Head {
            is_published,
            ..head
        });
        let targets = held.iter().map(|ask| ask.target(self.school));
        if only.is_none() {
            self.report.held = targets.collect();
            self.confirmed.clear();
        } else {
            self.report.held.extend(targets);
        }
        Ok(())
    }
}

impl Pass<'_> {
    /// Gives what would lose too much of what it is whole over, and was held back, and what
    /// there is of all answers now; nothing if the pass is not the one that is kept any more.
    fn publish(&self, staging: &Staging) -> Result<Option<(Vec<Ask>, Rows)>> {
        let mut held: Vec<Ask> = Vec::new();
        staging.write(|write| {
            if staging.is_there(write, &self.head)? != Keeping::Kept {
                return Ok(None);
            }
            if dataset::has_records(write, self.school)? && !write.is_synced(self.school)? {
                return Err(Error::unsupported(
                    "syncing a school that has records: remove it first",
                ));
            }
            let outcome = loop {
                let outcome = Joined::join(self, write, &held)?;
                let too_much = outcome.losses.too_much(self.confirmed);
                if too_much.is_empty() {
                    break outcome;
                }
                held.extend(too_much);
            };
            let Outcome {
                stage,
                listed,
                marked,
                has_unlisted_grade,
                ..
            } = outcome;
            dataset::commit(write, stage)?;
            claims::claim(self, write, &held, &listed)?;
            self.settle(write, &held, &marked, &listed)?;
            if has_unlisted_grade {
                self.ask_grades_anew(write, &held)?;
            }
            let is_published = self.head.is_published || self.is_whole;
            let head = Head {
                is_published,
                ..self.head
            };
            ledger::set_head(write, self.school, &head)?;
            let rows = ledger::rows(write, self.school)?;
            Ok(Some((std::mem::take(&mut held), rows)))
        })
    }

    /// What was told need not be kept any more, but for what was held back. Whose marks have
    /// changed is asked for them by subject again; who is in no list is asked anew should they
    /// come back.
    fn settle(
        &self,
        write: &mut Write<'_>,
        held: &[Ask],
        marked: &BTreeSet<u64>,
        listed: &Listed,
    ) -> Result<()> {
        for ask in &self.told {
            let unit = ask.unit(0);
            let Some(row) = self.rows.get(&unit) else {
                continue;
            };
            if !self.counts(*ask) {
                ledger::remove(write, self.school, unit)?;
            } else if held.contains(ask) {
                let state = State::Held;
                ledger::set(write, self.school, unit, &Row { state, ..*row })?;
            } else {
                let state = State::Kept;
                ledger::put(write, self.school, unit, &Row { state, ..*row }, &[])?;
            }
        }
        for (ask, _) in self.answers() {
            if let Ask::SubjectsPerTerm(learner) | Ask::SubjectMarks(learner) = ask
                && listed.lacks(learner)
            {
                ledger::remove(write, self.school, ask.unit(0))?;
            }
        }
        for learner in marked {
            let unit = Ask::SubjectMarks(*learner).unit(0);
            let row = self.rows.get(&unit);
            if row.is_some_and(|row| row.pass < self.head.pass) {
                ledger::remove(write, self.school, unit)?;
            }
        }
        Ok(())
    }

    /// The list of grades is read in the next pass though it be as it was: a grade that it
    /// does not name goes with the last that shows it.
    fn ask_grades_anew(&self, write: &mut Write<'_>, held: &[Ask]) -> Result<()> {
        let unit = Ask::Grades.unit(0);
        let is_kept = self.rows.get(&unit).is_some_and(|row| match row.state {
            State::Told => self.asks(held).contains(&Ask::Grades),
            State::Kept => true,
            State::Held | State::GivenUp => false,
        });
        if is_kept {
            ledger::remove(write, self.school, unit)?;
        }
        Ok(())
    }

    /// What there is of each answer.
    fn answers(&self) -> impl Iterator<Item = (Ask, &Row)> {
        let rows = self.rows.iter();
        rows.filter_map(|(unit, row)| Some((Ask::of(*unit, row.to, row.less)?, row)))
    }

    /// The answers of this pass that were read whole: those that are published, and those
    /// that were as before.
    pub(super) fn complete(&self, held: &[Ask]) -> Vec<Ask> {
        let told: HashSet<Ask> = self.told.iter().copied().collect();
        let answers = self.answers().filter(|(ask, row)| match row.state {
            State::Told => told.contains(ask) && !held.contains(ask),
            State::Kept => self.is_whole && row.pass == self.head.pass,
            State::Held | State::GivenUp => false,
        });
        let asks = answers.map(|(ask, _)| ask);
        asks.filter(|ask| self.counts(*ask)).collect()
    }

    /// What is published, but for what is held back.
    pub(super) fn asks(&self, held: &[Ask]) -> Vec<Ask> {
        let asks = self.told.iter().copied();
        asks.filter(|ask| self.counts(*ask) && !held.contains(ask))
            .collect()
    }

    /// The answer of this pass, if it was read whole.
    pub(super) fn answer(&self, ask: Ask) -> Option<&Row> {
        let row = self.rows.get(&ask.unit(0));
        row.filter(|row| row.pass == self.head.pass && row.state != State::GivenUp)
    }

    /// Whether what was read tells anything. Who is in no list of learners is told of by
    /// its account alone, and has left: that is known only beside all lists.
    fn counts(&self, ask: Ask) -> bool {
        let is_account = matches!(ask, Ask::Accounts { .. });
        let parents = true;
        !is_account
            || Listing::ALL
                .into_iter()
                .all(|of| self.answer(Ask::Learners { of, parents }).is_some())
    }
}
