//! What an app asks of a sync beside the pass: an answer that it wants first, and that what was
//! held back is right.

use super::ask::{Ask, LOOKUPS, Listing};
use super::machine::Machine;
use super::plan::Phase;
use crate::date::Date;
use crate::error::{Error, Result};
use crate::record::ledger::{Row, State};
use std::collections::BTreeMap;

impl Machine {
    pub(super) fn want(&mut self, target: &str) -> Result<()> {
        let ask = parse(target, self.school)
            .ok_or_else(|| Error::unsupported("syncing a target of this form"))?
            .with_more();
        self.wanted.retain(|other| *other != ask);
        self.wanted.push_back(ask);
        Ok(())
    }

    pub(super) fn confirm(&mut self, target: &str) -> Result<()> {
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

    /// An answer that was wanted need not wait for the pass, but for those that are read
    /// beside it.
    pub(super) fn was_answered(&mut self, ask: Ask, state: State) {
        let before = self.wanted_out.len();
        self.wanted_out.retain(|wanted| *wanted != ask);
        if self.wanted_out.len() < before && state == State::Told {
            self.alone.push(ask);
            self.wanted.extend(self.beside(ask.group()));
        }
    }

    /// Publishes what was wanted, if there is something beside which it means anything.
    pub(super) fn publish_alone(&mut self) -> Result<()> {
        let is_next = self.wanted.is_empty() && self.wanted_out.is_empty();
        if !self.alone.is_empty() && is_next && self.staging.is_synced()? {
            let alone = self.alone.clone();
            self.publish(Some(&alone))?;
            self.alone.clear();
        }
        Ok(())
    }
}

/// The question that a path and query of v1 about the school is, in whatever order its
/// parameters stand; nothing if sync does not ask it.
fn parse(target: &str, school: u64) -> Option<Ask> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut params = BTreeMap::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=')?;
        if params.insert(name, value).is_some() {
            return None;
        }
    }
    let asks = candidates(&params);
    let is_it = |ask: &Ask| {
        let target = ask.target(school);
        let (own, query) = target.split_once('?').unwrap_or((&target, ""));
        let mut pairs = query.split('&').filter(|pair| !pair.is_empty());
        let count = pairs.clone().count();
        let is_told = |pair: &str| {
            let own = pair.split_once('=');
            own.is_some_and(|(name, value)| params.get(name) == Some(&value))
        };
        own == path && count == params.len() && pairs.all(is_told)
    };
    asks.into_iter().find(is_it)
}

/// All that has such parameters, and may be at another path.
fn candidates(params: &BTreeMap<&str, &str>) -> Vec<Ask> {
    let number = |name| {
        params
            .get(name)
            .and_then(|value: &&str| value.parse::<u64>().ok())
    };
    let date = |name| {
        params
            .get(name)
            .and_then(|value: &&str| value.parse::<Date>().ok())
    };
    let mut asks = vec![
        Ask::School,
        Ask::SchoolInfo,
        Ask::Grades,
        Ask::LearnerSubjects,
        Ask::Staff,
        Ask::Parents,
    ];
    asks.extend(LOOKUPS.map(Ask::Lookup));
    for with in [false, true] {
        asks.extend(Listing::ALL.map(|of| Ask::Learners { of, parents: with }));
        let parents = [false, true];
        asks.extend(parents.map(|parents| Ask::Accounts { all: with, parents }));
        asks.push(Ask::Debtors { all: with });
    }
    if let Some(learner) = number("learner_id") {
        asks.extend([Ask::SubjectsPerTerm(learner), Ask::SubjectMarks(learner)]);
    }
    if let Some(grade) = number("grade_id") {
        let year = number("year");
        asks.extend([false, true].map(|structure| Ask::Marks {
            grade,
            year,
            structure,
        }));
    }
    if let (Some(from), Some(to)) = (date("from_date"), date("to_date")) {
        asks.extend([Ask::Absences(from, to), Ask::Discipline(from, to)]);
    }
    asks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_is_found_by_its_target() {
        let date = |text: &str| text.parse().unwrap_or(Date::MIN);
        let (from, to) = (date("2026-01-01"), date("2026-01-30"));
        let mut asks = candidates(&BTreeMap::new());
        asks.extend([
            Ask::SubjectsPerTerm(7),
            Ask::SubjectMarks(7),
            Ask::Absences(from, to),
            Ask::Discipline(from, to),
        ]);
        for year in [None, Some(2025)] {
            asks.extend([false, true].map(|structure| Ask::Marks {
                grade: 9,
                year,
                structure,
            }));
        }
        for ask in asks {
            assert_eq!(parse(&ask.target(1000), 1000), Some(ask));
            assert_eq!(
                parse(&ask.target(1000), 2000),
                match ask {
                    Ask::Lookup(_) => Some(ask),
                    _ => None,
                }
            );
        }
        let absences = "/api/v1/adminplus/learnerabsentees/1000";
        let asked = |query: &str| parse(&format!("{absences}{query}"), 1000);
        let found = Some(Ask::Absences(from, to));
        assert_eq!(asked("?to_date=2026-01-30&from_date=2026-01-01"), found);
        for query in [
            "",
            "?from_date=2026-01-01",
            "?from_date=2026-01-01&to_date=2026-01-30&learner_id=7",
            "?from_date=2026-01-01&from_date=2026-01-01&to_date=2026-01-30",
        ] {
            assert_eq!(asked(query), None, "{query}");
        }
    }
}
