//! The steps in the life of a store that the crash and fault tests interrupt.

use super::requests::{self, NOW};
use crate::login;
use crate::sample::{SampleSchool, USERNAME};
use rollbook::{Clock, Engine, Entropy, Error, Options, Request, Result, SetState};
use serde_json::{Value, json};

/// The school that most steps change.
pub const SCHOOL: u64 = 1000;
/// A second school, which is added and removed.
pub const OTHER: u64 = 1001;
/// The id of the learner that is erased.
pub const ERASED: u64 = 5;

/// Returns options with which a scenario always writes the same bytes.
pub fn options() -> Options {
    Options {
        clock: Clock::Fixed(NOW),
        entropy: Entropy::custom(|bytes| {
            bytes.fill(7);
            true
        }),
        ..Options::default()
    }
}

/// The names of the steps, which run in this order on the same store.
pub const STEPS: [&str; 10] = [
    "load",
    "rename, move and delete",
    "state update",
    "state update of v2",
    "unchanged load",
    "load of another school",
    "remove_school",
    "erase_learner",
    "compact",
    "replace_school",
];

/// The datasets that the steps load.
pub struct Scenario {
    first: String,
    second: String,
    other: String,
    whole: String,
}

impl Scenario {
    /// Creates the datasets for a school with this number of learners.
    pub fn new(learners: u32) -> Scenario {
        let first = school(SCHOOL, learners);
        Scenario {
            second: second(&first),
            first,
            other: school(OTHER, learners / 2),
            whole: school(SCHOOL, learners * 2 / 3),
        }
    }

    /// Runs the step with this index.
    pub fn run(&self, step: usize, engine: &Engine) -> Result<()> {
        let apply = |dataset: &str| engine.apply(dataset.as_bytes()).map(drop);
        match STEPS[step] {
            "load" => apply(&self.first),
            "rename, move and delete" | "unchanged load" => apply(&self.second),
            "state update" => update_state(
                engine,
                "PATCH",
                &format!("/api/v1/settings/clients/{SCHOOL}"),
                r#"{"state":0,"api_type_id":11}"#,
            ),
            "state update of v2" => update_state(
                engine,
                "POST",
                "/api/v2/settings/clientintegrations",
                &format!(r#"{{"school_id":{SCHOOL},"api_type_id":11,"state":true}}"#),
            ),
            "load of another school" => apply(&self.other),
            "remove_school" => engine.remove_school(OTHER).map(drop),
            "erase_learner" => engine.erase_learner(SCHOOL, ERASED).map(drop),
            "compact" => engine.compact(),
            "replace_school" => engine
                .replace_school(SCHOOL, self.whole.as_bytes())
                .map(drop),
            other => panic!("{other} is no step"),
        }
    }
}

/// Returns a small school, because it is opened thousands of times: every learner, and some of the
/// other records. A few marks lack their assessment, and the login is quick.
pub fn school(school_id: u64, learners: u32) -> String {
    let school = SampleSchool {
        school_id,
        learners,
        ..SampleSchool::default()
    };
    let mut seen = 0;
    let mut dataset = String::new();
    for line in school.lines() {
        let record: Value = serde_json::from_str(&line).unwrap();
        let assessment = record["assessment_id"].as_u64();
        let placed = assessment.is_some_and(|id| id % 8 == 0);
        seen += 1;
        let is_included = match record["type"].as_str().unwrap() {
            "assessment" => placed,
            "mark" => placed && seen % 3 > 0 || seen % 100 == 0,
            "learner_subject" | "learning_program" => seen % 3 == 0,
            "absentee" | "discipline" => seen % 5 == 0,
            _ => true,
        };
        if is_included {
            dataset.push_str(&line);
            dataset.push('\n');
        }
    }
    login::quick(&dataset)
}

/// Returns a dataset that renames records, moves learners, assessments and absences, and removes
/// some records.
fn second(first: &str) -> String {
    let mut dataset = String::new();
    let mut seen = 0;
    for line in first.lines() {
        let mut record: Value = serde_json::from_str(line).unwrap();
        let kind = record["type"].as_str().unwrap().to_owned();
        seen += 1;
        let changed = match kind.as_str() {
            "school" => {
                record["school_name"] = json!("Renamed School");
                true
            }
            "grade" | "subject" => {
                let name = format!("{kind} renamed");
                record[if kind == "grade" {
                    "grade"
                } else {
                    "subject_name"
                }] = json!(name);
                seen % 2 == 0
            }
            "learner" | "parent" => {
                record["last_name"] = json!(format!("Moved-{seen}"));
                record["family_code"] = json!(seen);
                seen % 5 == 0
            }
            "assessment" => {
                record["term"] = json!(1 + record["term"].as_u64().unwrap() % 4);
                record["mark_out_of"] = json!("17.5");
                seen % 11 == 0
            }
            "absentee" => {
                record["absent_date"] = json!("2026-05-13");
                seen % 7 == 0
            }
            "discipline" => {
                record["discipline_date"] = json!("2026-05-13");
                seen % 7 == 0
            }
            "mark" => {
                record["percentage"] = json!("a");
                seen % 13 == 0
            }
            _ => false,
        };
        let removed = !changed && seen % 17 == 0;
        if removed && let Some(key) = key_of(&kind) {
            let mut deletion = json!({"type": kind, "deleted": true});
            for field in key {
                deletion[field] = record[field].clone();
            }
            record = deletion;
        } else if !changed {
            continue;
        }
        dataset.push_str(&record.to_string());
        dataset.push('\n');
    }
    dataset
}

/// Returns the key fields of the kinds that the second dataset removes.
fn key_of(kind: &str) -> Option<&'static [&'static str]> {
    match kind {
        "learner" | "parent" | "absentee" | "staff_member" | "discipline" => {
            Some(&["school_id", "id"])
        }
        "mark" => Some(&["school_id", "assessment_id", "learner_id"]),
        "assessment" => Some(&["school_id", "assessment_id"]),
        _ => None,
    }
}

/// Sends a state update as a request. An answer with status 500 counts as an error.
fn update_state(engine: &Engine, method: &str, target: &str, body: &str) -> Result<()> {
    let answer = engine.request(&Request {
        method,
        target,
        headers: &requests::headers(),
        body: body.as_bytes(),
        now: None,
    });
    match answer.status.code {
        200 => Ok(()),
        500 => Err(Error::Io {
            detail: answer.text().to_owned(),
        }),
        code => panic!("{USERNAME} got {code}: {}", answer.text()),
    }
}

/// Sets whether the school is activated for an API type, and returns the status.
pub fn set_state(engine: &Engine, api_type_id: u64, state: u64) -> Result<u16> {
    let set = SetState {
        username: USERNAME,
        school: SCHOOL,
        api_type_id,
        state: state == 1,
    };
    engine.set_state(&set).map(|answer| answer.status.code)
}

/// The id of the first of the [`long_learners`].
pub const LONG_ID: u64 = 10_000;

/// A number of [`long_learners`] that exceeds what a load stores in memory.
pub const WAITING: u64 = 16;

/// Returns learners whose names fill most of the longest line that a dataset may have.
pub fn long_learners(ids: std::ops::Range<u64>) -> String {
    let mut dataset = String::new();
    for id in ids {
        let name = format!("Name {id} ").repeat(125_000);
        let learner = json!({
            "type": "learner",
            "school_id": SCHOOL,
            "id": LONG_ID + id,
            "first_name": name,
        });
        dataset.push_str(&learner.to_string());
        dataset.push('\n');
    }
    dataset
}
