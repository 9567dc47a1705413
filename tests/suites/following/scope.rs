//! Scopes, and a filter of the lines of a dataset by a scope: a second implementation, written from
//! the documentation of scopes.

use rollbook::Scope;
use rollbook_tests::random::Random;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Learners by school.
pub(crate) type Learners = BTreeMap<u64, BTreeSet<u64>>;

/// A scope whose content can be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reach {
    /// The learners of each school, or `None` for the whole school.
    pub(crate) schools: BTreeMap<u64, Option<BTreeSet<u64>>>,
    /// The kinds, or `None` for all kinds.
    pub(crate) kinds: Option<BTreeSet<&'static str>>,
}

pub(crate) const SCHOOLS: [u64; 3] = [1000, u64::MAX, 0];
pub(crate) const LEARNERS: [u64; 6] = [2, 10, 1, 40, 7, u64::MAX];

const OF_SCHOOL: [&str; 5] = ["school", "year", "term", "grade", "subject"];
const OF_MARKS: [&str; 3] = ["learning_outcome", "learning_program", "assessment"];
const OF_LEARNER: [&str; 5] = [
    "learner",
    "learner_subject",
    "mark",
    "absentee",
    "discipline",
];
const NAMED: [&str; 2] = ["parent", "accountable_person"];
const OF_NO_SCHOOL: [&str; 5] = [
    "api_type",
    "ethnic_group",
    "marital_status",
    "gender",
    "language",
];

impl Reach {
    pub(crate) fn of_all() -> Reach {
        Reach {
            schools: SCHOOLS.map(|school| (school, None)).into(),
            kinds: None,
        }
    }

    pub(crate) fn random(dice: &mut Random) -> Reach {
        let mut schools = BTreeMap::new();
        for (school, often) in SCHOOLS.into_iter().zip([90, 40, 40]) {
            if dice.chance(often) {
                let learners = LEARNERS.into_iter().filter(|_| dice.chance(40));
                let learners: BTreeSet<u64> = learners.collect();
                schools.insert(school, Some(learners).filter(|_| dice.chance(60)));
            }
        }
        let some = dice.chance(20);
        let kinds = OF_LEARNER.into_iter().chain(NAMED).chain(["staff_member"]);
        let kinds = kinds.filter(|_| dice.chance(60));
        let kinds: BTreeSet<&str> = kinds.collect();
        Reach {
            schools,
            kinds: Some(kinds).filter(|_| some),
        }
    }

    /// Returns the next scope, which usually differs only a little.
    pub(crate) fn changed(&self, dice: &mut Random) -> Reach {
        if dice.chance(20) {
            return Reach::random(dice);
        }
        let mut next = self.clone();
        let school = dice.pick(&SCHOOLS);
        if dice.chance(15) {
            next.schools.remove(&school);
            return next;
        }
        let learners = next
            .schools
            .entry(school)
            .or_insert_with(|| Some([].into()));
        if dice.chance(10) {
            *learners = None;
        }
        for _ in 0..dice.between(1, 3) {
            let learner = dice.pick(&LEARNERS);
            let learners = learners.get_or_insert_default();
            if !learners.remove(&learner) {
                learners.insert(learner);
            }
        }
        next
    }

    pub(crate) fn scope(&self) -> Scope {
        let mut scope = Scope::default();
        for (school, learners) in &self.schools {
            scope = match learners {
                None => scope.school(*school),
                Some(learners) => scope.learners(*school, learners.iter().copied()),
            };
        }
        match &self.kinds {
            Some(kinds) => scope.only(kinds.iter().copied()).unwrap(),
            None => scope,
        }
    }

    fn has_kind(&self, kind: &str) -> bool {
        self.kinds.as_ref().is_none_or(|kinds| kinds.contains(kind))
    }

    /// Returns the lines that are in the scope, without the records of erased learners.
    pub(crate) fn filter(&self, lines: &[String], erased: &Learners) -> Vec<String> {
        let mut named = BTreeSet::new();
        let records: Vec<Value> = lines
            .iter()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let erased = |school, learner| {
            let of_school: Option<&BTreeSet<u64>> = erased.get(&school);
            of_school.is_some_and(|erased| erased.contains(&learner))
        };
        for record in &records {
            let (Some(school), Some(id)) = (number(record, "school_id"), number(record, "id"))
            else {
                continue;
            };
            let Some(Some(Some(learners))) = (record["type"] == "learner")
                .then(|| self.schools.get(&school).map(Option::as_ref))
            else {
                continue;
            };
            if learners.contains(&id) && self.has_kind("learner") && !erased(school, id) {
                for field in ["parent1_id", "parent2_id"] {
                    named.extend(number(record, field).map(|id| (school, "parent", id)));
                }
                let person = number(record, "accountable_person_id");
                named.extend(person.map(|id| (school, "accountable_person", id)));
            }
        }
        let is_in = |record: &Value| {
            let kind = record["type"].as_str().unwrap();
            if OF_NO_SCHOOL.contains(&kind) {
                return true;
            }
            let school = number(record, "school_id");
            let Some((school, learners)) =
                school.and_then(|school| Some((school, self.schools.get(&school)?)))
            else {
                return false;
            };
            if OF_SCHOOL.contains(&kind) {
                return true;
            }
            if OF_MARKS.contains(&kind) {
                return self.has_kind("mark");
            }
            if !self.has_kind(kind) {
                return false;
            }
            let id = if kind == "accountable_person" {
                "accountable_person_id"
            } else if OF_LEARNER[1..].contains(&kind) {
                "learner_id"
            } else {
                "id"
            };
            let id = number(record, id);
            match kind {
                "integrator" | "client_integration" => false,
                "staff_member" => learners.is_none(),
                _ if OF_LEARNER.contains(&kind) => {
                    let learner = id.unwrap();
                    let is_in_scope = learners.as_ref().is_none_or(|some| some.contains(&learner));
                    is_in_scope && !erased(school, learner)
                }
                _ => {
                    assert!(NAMED.contains(&kind), "{kind}");
                    let id = id.unwrap();
                    learners.is_none()
                        || NAMED.iter().any(|named_kind| {
                            *named_kind == kind && named.contains(&(school, named_kind, id))
                        })
                }
            }
        };
        let pairs = lines.iter().zip(&records);
        let pairs = pairs.filter(|(_, record)| is_in(record));
        pairs.map(|(line, _)| line.clone()).collect()
    }
}

/// Returns a number, also if it is given as a text of digits.
fn number(record: &Value, name: &str) -> Option<u64> {
    match &record[name] {
        Value::Number(number) => number.as_u64(),
        Value::String(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok(),
        _ => None,
    }
}
