//! Compares a school with its pseudonymised export: equivalent requests are answered with the same
//! status and the same number of records, and the export contains nothing about real people.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use rollbook::{Credentials, Engine, Export, Options, Request};
use rollbook_tests::login::quick;
use rollbook_tests::sample::SampleSchool;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

const KEY: &[u8; 32] = b"thirty-two bytes, none of chance";
/// 2026-05-14T08:00:00Z, and 28 years later.
const NOW: [i64; 2] = [1_778_745_600, 2_662_358_400];

/// A school, and its pseudonymised copy.
struct Pair {
    engines: [Engine; 2],
    /// The lines of both without client integrations, in the same order.
    lines: [Vec<Map<String, Value>>; 2],
    ids: BTreeMap<u64, u64>,
}

fn engine(dataset: &str) -> Engine {
    let engine = Engine::memory(Options::default()).unwrap();
    engine.apply(dataset.as_bytes()).unwrap();
    engine
}

fn text(export: Export) -> String {
    export.map(|line| line.unwrap() + "\n").collect()
}

fn parsed(text: &str) -> Vec<Map<String, Value>> {
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let is_record = |line: &Map<String, Value>| line["type"] != "client_integration";
    lines.filter(is_record).collect()
}

fn integer(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

impl Pair {
    fn new() -> Pair {
        let school = SampleSchool {
            learners: 120,
            years: 2,
            ..SampleSchool::default()
        };
        let dataset: String = school.lines().map(|line| line + "\n").collect();
        let one = engine(&quick(&dataset));
        let renamed = text(one.export_pseudonymised(KEY).unwrap());
        let other = engine(&renamed);
        assert!(text(other.export(Credentials::LeaveOut).unwrap()) == renamed);
        let lines = [text(one.export(Credentials::LeaveOut).unwrap()), renamed];
        let lines = lines.map(|text| parsed(&text));
        assert_eq!(lines[0].len(), lines[1].len());
        let mut ids = BTreeMap::new();
        for (line, other) in lines[0].iter().zip(&lines[1]) {
            // The values of a mark are those of another mark of the same assessment.
            let is_mark = line["type"] == "mark";
            assert!(
                is_mark || line.keys().eq(other.keys()),
                "{line:?} {other:?}"
            );
            assert_eq!(line["type"], other["type"]);
            for (name, value) in line {
                let is_id = name.ends_with("id") && line["type"] != "api_type";
                if let Some(id) = integer(value).filter(|_| is_id) {
                    let found = integer(&other[name]).unwrap();
                    assert_eq!(*ids.entry(id).or_insert(found), found, "{name} {id}");
                }
            }
        }
        assert!(ids.values().is_sorted() && ids.iter().any(|(id, other)| id != other));
        let integrator = r#"{"type":"integrator","username":"demo","password":"demo"}"#;
        let clients = dataset
            .lines()
            .filter(|line| line.contains(r#""client_integration""#))
            .map(|line| line.replace(":1000", &format!(":{}", ids[&1000])));
        let clients: Vec<String> = clients.collect();
        let more = format!("{integrator}\n{}", clients.join("\n"));
        other.apply(quick(&more).as_bytes()).unwrap();
        Pair {
            engines: [one, other],
            lines,
            ids,
        }
    }

    /// Returns the records of a kind, each with its pseudonymised copy.
    fn records(
        &self,
        kind: &str,
    ) -> impl Iterator<Item = (&Map<String, Value>, &Map<String, Value>)> {
        let [lines, others] = &self.lines;
        let both = lines.iter().zip(others);
        both.filter(move |(line, _)| line["type"] == kind)
    }

    /// Sends a request to both, and compares the answers.
    fn ask(&self, targets: [&str; 2], tally: &mut BTreeMap<u16, u32>) {
        let answers = [0, 1].map(|place| {
            let school = [1000, self.ids[&1000]][place].to_string();
            let headers = [
                ("HTTP-X-USERNAME", "demo"),
                ("HTTP-X-PASSWORD", "demo"),
                ("HTTP-X-SCHOOLID", &*school),
            ];
            self.engines[place].request(&Request {
                target: targets[place],
                headers: &headers,
                now: Some(NOW[place]),
                ..Request::default()
            })
        });
        let [code, other] = answers.each_ref().map(|answer| answer.status.code);
        assert_eq!(code, other, "{targets:?}");
        assert!(
            !answers[0].text().contains("Route not found"),
            "{targets:?}"
        );
        *tally.entry(code).or_default() += 1;
        let [one, other] = answers.map(|answer| {
            let json = serde_json::from_str(answer.text()).unwrap();
            shape(&json)
        });
        assert!(code != 200 || one == other, "{targets:?}");
    }
}

/// Returns the structure of a value without its content.
fn shape(value: &Value) -> String {
    match value {
        Value::Array(elements) => {
            let shapes: Vec<String> = elements.iter().map(shape).collect();
            format!("[{}]", shapes.join(","))
        }
        Value::Object(members) => {
            let is_id = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
            let mut shapes: Vec<String> = members
                .iter()
                .map(|(name, value)| {
                    let name = if is_id(name) { "" } else { name };
                    format!("{name}:{}", shape(value))
                })
                .collect();
            shapes.sort();
            format!("{{{}}}", shapes.join(","))
        }
        _ => String::new(),
    }
}

/// Returns the path of v2 for a path of v1. Only those of finance differ.
fn v2_path(path: &str) -> String {
    path.replace("learnerparentinfo", "learners")
        .replace("schooldebtors", "accountablepersons")
}

#[test]
fn requests_to_the_copy_find_as_many_records() {
    let pair = Pair::new();
    let mut tally = BTreeMap::new();
    let school = pair.ids[&1000];
    let mut ask = |v1: &str, v2: &str, others: [&str; 2]| {
        pair.ask([v1, others[0]], &mut tally);
        pair.ask([v2, others[1]], &mut tally);
    };
    let mut both = |path: &str, query: &str, other: &str| {
        ask(
            &format!("/api/v1/{path}/1000?{query}"),
            &format!("/api/v2/{}?{query}&limit=3", v2_path(path)),
            [
                &format!("/api/v1/{path}/{school}?{other}"),
                &format!("/api/v2/{}?{other}&limit=3", v2_path(path)),
            ],
        );
    };
    for path in [
        "parents",
        "staffmembers",
        "learners",
        "school",
        "lookup/grade",
    ] {
        both(&format!("adminplus/{path}"), "", "");
        both(
            &format!("adminplus/{path}"),
            "include_parents=1",
            "include_parents=1",
        );
    }
    for path in ["learnerparentinfo", "schooldebtors"] {
        both(&format!("finplus/debtmanagement/{path}"), "", "");
        both(
            &format!("finplus/debtmanagement/{path}"),
            "all_accounts=1",
            "all_accounts=1",
        );
    }
    for month in 1..=5 {
        for path in ["learnerabsentees", "learnerdiscipline"] {
            let window =
                |year| format!("from_date={year}-{month:02}-02&to_date={year}-{month:02}-28");
            both(&format!("adminplus/{path}"), &window(2026), &window(2054));
        }
        let left = |year| format!("status=left&since={year}-01-01&until={year}-{month:02}-20");
        both("adminplus/learners", &left(2026), &left(2054));
    }
    for (line, other) in pair.records("learner") {
        let [id, found] = [line, other].map(|line| integer(&line["id"]).unwrap());
        let of = |id: u64| format!("learner_id={id}");
        for path in [
            "adminplus/learners",
            "currplus/learnersubjects",
            "currplus/learnersubjectsperterm",
            "currplus/learnersubjectmarks",
            "currplus/learnerassessmentmarks",
        ] {
            both(path, &of(id), &of(found));
        }
        let names = [line, other].map(|line| {
            let name = |name: &str| line.get(name).and_then(Value::as_str).unwrap_or_default();
            format!("{} {}", name("first_name"), name("last_name"))
        });
        let length = names[0].chars().count();
        assert_eq!(length, names[1].chars().count());
        for (from, to) in [(0, 2), (1, 4), (length / 2, length / 2 + 3), (0, length)] {
            let [part, other] = names.each_ref().map(|name| {
                let part: String = name.chars().take(to).skip(from).collect();
                let escaped = part.bytes().map(|byte| format!("%{byte:02X}"));
                format!("name={}", escaped.collect::<String>())
            });
            both("adminplus/learners", &part, &other);
        }
    }
    for (line, other) in pair.records("grade") {
        let [id, found] = [line, other].map(|line| integer(&line["grade_id"]).unwrap());
        for term in 1..=4 {
            for year in [2025, 2026] {
                let of = |id: u64, year| format!("grade_id={id}&term={term}&year={year}");
                both(
                    "currplus/learnerassessmentmarks",
                    &of(id, year),
                    &of(found, year + 28),
                );
            }
        }
        let structure = |id: u64| format!("grade_id={id}&structure=1");
        both(
            "currplus/learnerassessmentmarks",
            &structure(id),
            &structure(found),
        );
        both(
            "adminplus/learners",
            &format!("grade_id={id}"),
            &format!("grade_id={found}"),
        );
    }
    assert!(tally[&200] > 1000 && tally[&404] > 50, "{tally:?}");
}

/// The export contains no name, number, address or date of birth.
#[test]
fn the_export_contains_nothing_about_its_people() {
    let pair = Pair::new();
    let renamed = text(pair.engines[0].export_pseudonymised(KEY).unwrap());
    let mut words = BTreeSet::new();
    for kind in [
        "learner",
        "parent",
        "staff_member",
        "accountable_person",
        "school",
        "discipline",
    ] {
        for (line, other) in pair.records(kind) {
            for (name, value) in line {
                let text = value.as_str().unwrap_or_default();
                let known = ["status", "account", "utc_offset"].contains(&&**name)
                    || ["Yes", "No"].contains(&text);
                if known || name.ends_with("points") || text.chars().count() < 2 {
                    continue;
                }
                let parts = text.split(|char: char| !char.is_alphanumeric());
                words.extend(parts.filter(|part| part.chars().count() > 6));
                let is_money = name == "gross_annual_income";
                assert!(
                    is_money || name == "type" || other[name] != *value,
                    "{name} {text}"
                );
            }
        }
    }
    words.remove("accountable");
    words.retain(|word| !["learner", "staff_member", "discipline"].contains(word));
    assert!(words.len() > 300, "{}", words.len());
    let remaining: Vec<_> = words
        .iter()
        .filter(|word| renamed.contains(**word))
        .collect();
    assert!(remaining.len() * 100 < words.len(), "{remaining:?}");
    let again = text(pair.engines[0].export_pseudonymised(KEY).unwrap());
    assert!(again == renamed);
    let other_key = text(pair.engines[0].export_pseudonymised(&[1; 32]).unwrap());
    let same = renamed
        .lines()
        .zip(other_key.lines())
        .filter(|(one, other)| one == other);
    assert!(same.count() * 50 < renamed.lines().count());
}
