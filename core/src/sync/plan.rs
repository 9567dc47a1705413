//! What a pass asks for, in its order: each phase needs what the one before told.

use super::ask::{Ask, LOOKUPS, Listing};
use super::claims::learners;
use super::pass::Machine;
use super::publish::Pass;
use super::step::Why;
use super::told::Told;
use crate::date::Date;
use crate::error::Result;
use crate::record::field::position;
use crate::record::{Kind, Value};
use std::collections::BTreeSet;

/// What is asked together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Start,
    Lists,
    /// Learners' subjects and the structure of marks, which tell the year.
    Year,
    Marks,
    Rest,
    Done,
}

/// The days of absences that are asked for at once, beside the first.
const DAYS: u64 = 31;

impl Machine {
    /// Plans the next phase, or publishes.
    pub(super) fn advance(&mut self, began: i64) -> Result<()> {
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
                self.publish(began, today)?;
                Phase::Done
            }
        };
        Ok(())
    }

    fn publish(&mut self, began: i64, today: Date) -> Result<()> {
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
        let Some(held) = pass.publish(&self.staging, &self.confirmed)? else {
            self.stopped = Some(Why::Forgotten);
            return Ok(());
        };
        let targets = held.iter().map(|ask| ask.target(self.school));
        self.report.held = targets.collect();
        self.complete.retain(|(ask, _)| held.contains(ask));
        self.confirmed.clear();
        Ok(())
    }

    /// Without the school and its current learners nothing else means anything.
    fn has_basis(&self) -> bool {
        let of = Listing::Current;
        let school = |(ask, told): &(Ask, Told)| *ask == Ask::School && !told.is_empty();
        let listed =
            |(ask, _): &(Ask, Told)| matches!(ask, Ask::Learners { of: other, .. } if *other == of);
        self.complete.iter().any(school) && self.complete.iter().any(listed)
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
