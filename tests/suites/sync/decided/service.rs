//! A service with random records, which change, and which it may answer only in part.

use crate::sync::get;
use crate::sync::guard::{change, school};
use rollbook::{Credentials, Engine};
use rollbook_tests::random::Random;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The kinds of records that change, with their keys.
pub(super) const KINDS: [(&str, &[&str]); 8] = [
    ("learner", &["id"]),
    ("parent", &["id"]),
    ("accountable_person", &["accountable_person_id"]),
    ("assessment", &["assessment_id"]),
    ("mark", &["assessment_id", "learner_id"]),
    ("learner_subject", &["learner_id", "year", "subject_id"]),
    ("staff_member", &["id"]),
    ("absentee", &["id"]),
];

/// The difference between the id of a learner and that of the parent of the learner.
pub(super) const PARENT: u64 = 10_000;

pub(super) fn hash(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// The records of a store by kind and key, without learners that have left.
pub(super) type Records = BTreeMap<(String, Vec<u64>), Value>;

fn parsed(engine: &Engine) -> Vec<Value> {
    let lines = engine.export(Credentials::LeaveOut).unwrap();
    lines
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect()
}

fn key_of(line: &Value) -> Option<(String, Vec<u64>)> {
    let (kind, names) = KINDS.iter().find(|(kind, _)| line["type"] == *kind)?;
    let key = names.iter().map(|name| line[*name].as_u64().unwrap());
    Some(((*kind).to_owned(), key.collect()))
}

pub(super) fn records(engine: &Engine) -> Records {
    let lines = parsed(engine)
        .into_iter()
        .filter(|line| line["status"] != "left");
    lines
        .filter_map(|line| Some((key_of(&line)?, line)))
        .collect()
}

/// Returns the group of a target: answers with the same group are published together.
pub(super) fn group(target: &str) -> String {
    let path = target
        .split('?')
        .next()
        .unwrap()
        .trim_start_matches("/api/v1/");
    let parameter = |name: &str| {
        let (_, rest) = target.split_once(name)?;
        rest.split('&').next()
    };
    if let Some(grade) = parameter("grade_id=") {
        format!("grade {grade}")
    } else if let Some(learner) = parameter("learner_id=") {
        format!("learner {learner}")
    } else if path.starts_with("adminplus/learners/")
        || path.contains("parent")
        || path.contains("debt")
    {
        "people".to_owned()
    } else {
        target.to_owned()
    }
}

/// Returns whether a target is not about a single learner that is in no list.
pub(super) fn is_listed(stored: &Records, target: &str) -> bool {
    let group = group(target);
    let learner = group.strip_prefix("learner ");
    let learner = learner.and_then(|id| id.parse().ok());
    learner.is_none_or(|id| stored.contains_key(&("learner".to_owned(), vec![id])))
}

pub(super) struct Service {
    pub(super) engine: Engine,
    /// All records that the service has had.
    all: Vec<Value>,
    /// The seed of the endpoints that answer wrongly, during an outage.
    pub(super) outage: Option<u64>,
}

impl Service {
    pub(super) fn new(random: &mut Random) -> Service {
        let (mut grades, mut first) = (Vec::new(), 1);
        for grade in 9..9 + random.between(1, 3) as u64 {
            let next = first + random.between(6, 20) as u64;
            grades.push((grade, first..next));
            first = next;
        }
        let service = school(&grades, random.between(2, 25) as u64);
        let mut more = String::new();
        for id in 1..first {
            let grade = grades.iter().find(|(_, of)| of.contains(&id)).unwrap().0;
            writeln!(more, r#"{{"type":"learner","school_id":1000,"id":{id},"first_name":"L{id}","grade_id":{grade},"debtor_code":"D{id}","accountable_person_id":{id},"account":"open","parent1_id":{}}}
{{"type":"parent","school_id":1000,"id":{},"first_name":"P{id}"}}
{{"type":"staff_member","school_id":1000,"id":{id},"first_name":"T{id}"}}
{{"type":"absentee","school_id":1000,"id":{id},"learner_id":{id},"absent_date":"2026-05-{}"}}"#, id + PARENT, id + PARENT, 10 + id % 4).unwrap();
        }
        change(&service, &more);
        let lines = parsed(&service).into_iter();
        Service {
            all: lines.filter(|line| key_of(line).is_some()).collect(),
            engine: service,
            outage: None,
        }
    }

    /// Deletes, restores, changes or empties a share of the records of a kind.
    pub(super) fn change(&self, how: usize, kind: &str, share: usize, random: &mut Random) {
        let lines = self.all.iter().filter(|line| line["type"] == kind);
        let lines: Vec<&Value> = lines.filter(|_| random.chance(share)).collect();
        let mut text = String::new();
        for line in lines {
            let mut line = line.clone();
            match (how, kind) {
                (0, _) => {
                    let (_, names) = KINDS.iter().find(|(of, _)| *of == kind).unwrap();
                    let object = line.as_object_mut().unwrap();
                    object.retain(|name, _| {
                        names.contains(&name.as_str())
                            || ["type", "school_id"].contains(&name.as_str())
                    });
                    line["deleted"] = json!(true);
                }
                (1, _) => {}
                (2, "mark") => line["mark"] = json!("7.5"),
                // An assessment that moved to another grade would take along marks of a grade whose
                // answers are quarantined.
                (2, "assessment") => line["weight"] = json!(11),
                (2, "learner_subject") => line["terms"] = json!([{"term": 1, "mark": 60}]),
                (2, "absentee") => line["absent_date"] = json!("2026-05-13"),
                (2, _) => line["first_name"] = json!("New"),
                (_, "mark") => {
                    line.as_object_mut().unwrap().remove("mark");
                    line["captured"] = json!(1);
                }
                (_, "learner_subject") => line["terms"] = json!([{"term": 1}]),
                (_, "learner" | "accountable_person") => line["account"] = json!("closed"),
                (_, "assessment") => {}
                _ => drop(line.as_object_mut().unwrap().remove("first_name")),
            }
            writeln!(text, "{line}").unwrap();
        }
        change(&self.engine, &text);
    }

    /// Returns the answer of the service, which may be down.
    pub(super) fn answer(&self, target: &str, now: i64) -> (u16, String) {
        let answer = get(&self.engine, target, now);
        let whole = (answer.status.code, answer.text().to_owned());
        let Some(outage) = self.outage else {
            return whole;
        };
        let is_structure = target.contains("structure=1");
        let path = target.split('?').next().unwrap();
        let mut random = Random::new(hash((outage, path, is_structure)));
        let error = |status| {
            (
                status,
                r#"{"error":"e","error_description":"d"}"#.to_owned(),
            )
        };
        match random.below(14) {
            0..3 if path.contains("assessmentmarks") => (
                404,
                r#"{"error":"Not found","error_description":"No subject mark records found"}"#
                    .to_owned(),
            ),
            0..3 if !path.ends_with("schools") => (200, "[]".to_owned()),
            3 => error(403),
            4 => error(410),
            5 if !target.contains("_id=") => error(500),
            6..9 => match serde_json::from_str(&whole.1) {
                Ok(Value::Array(items)) if whole.0 == 200 => {
                    let items = items.into_iter().enumerate();
                    let half = items.filter(|(number, _)| hash((outage, path, number)) % 2 == 0);
                    let half: Vec<Value> = half.map(|(_, item)| item).collect();
                    (200, Value::Array(half).to_string())
                }
                _ => whole,
            },
            _ => whole,
        }
    }
}
