//! What a target asks for.

use super::ask::{Ask, LOOKUPS, Listing};
use crate::date::Date;
use std::collections::BTreeMap;

/// The question that a path and query of v1 about the school is, in whatever order its
/// parameters stand; nothing if sync does not ask it.
pub(super) fn parse(target: &str, school: u64) -> Option<Ask> {
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
