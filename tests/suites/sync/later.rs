//! Time passes without a sync: a mirror answers as its source would if no marks had been released
//! since. It does not know future releases.

use super::{ACCESS, coverage_model, get};
use rollbook::{Credentials, Engine, Options};
use rollbook_tests::search::Counts;
use rollbook_tests::world::blanked;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// An additional instant for each request: this much after the sync.
const MUCH: i64 = 40 * 86_400;

/// Asks a source and a mirror that was synced at an instant each of the requests: at its own
/// instant, if that is later, and much later.
pub(super) fn compare(
    count: &Counts,
    (source, mirror): (&Engine, &Engine),
    synced: i64,
    gets: &[(&str, i64)],
) {
    let still = still(source, synced);
    let answer = |engine: &Engine, target: &str, at: i64| {
        let answer = get(engine, target, at);
        (answer.status.code, blanked(answer.text()))
    };
    for (target, own) in gets {
        let [now, then] = [&still, source].map(|of| answer(of, target, synced));
        assert_eq!(now, then, "{target}");
        for at in [*own, synced + MUCH] {
            let said = answer(mirror, target, at);
            if said.0 == 503 {
                continue;
            }
            count.add("asked later", 1);
            let expected = answer(&still, target, at);
            assert_eq!(said, expected, "{target} at {at}");
            let is_released = answer(source, target, at) != expected;
            count.add("released since", u64::from(is_released));
        }
    }
}

/// Returns the records of a source in which exactly the marks released at an instant are released,
/// at all times.
pub(super) fn still(source: &Engine, now: i64) -> Engine {
    let today = coverage_model::today(now);
    let lines = source.export(Credentials::LeaveOut).unwrap();
    let lines = lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap());
    let mut lines: Vec<Value> = lines.collect();
    let mut ends = BTreeMap::new();
    let mut programmes = BTreeSet::new();
    for line in &mut lines {
        match line["type"].as_str() {
            Some("term") => {
                ends.insert(
                    numbers(line, ["school_id", "year", "term"]),
                    text(line, "end_date"),
                );
                for date in ["start_date", "end_date"] {
                    line.as_object_mut().unwrap().remove(date);
                }
            }
            Some("learning_program") => {
                programmes.insert(numbers(line, PROGRAMME));
            }
            _ => {}
        }
    }
    let is_released = |programme: &Value| {
        let release = text(programme, "mark_release_date");
        match text(programme, "released").as_str() {
            "1" => return true,
            "0" => return false,
            _ => {}
        }
        let end = ends.get(&numbers(programme, ["school_id", "year", "term"]));
        let dates = [Some(&release), end].into_iter().flatten();
        let mut dates = dates.filter(|date| !date.is_empty());
        dates.next().is_some_and(|date| *date <= today)
    };
    let mut more = Vec::new();
    for line in &mut lines {
        match line["type"].as_str() {
            Some("learning_program") => {
                let released = u8::from(is_released(line));
                line["released"] = json!(released);
                line.as_object_mut().unwrap().remove("mark_release_date");
            }
            Some("assessment") if programmes.insert(numbers(line, PROGRAMME)) => {
                let mut programme = json!({"type": "learning_program"});
                for name in PROGRAMME {
                    programme[name] = line[name].clone();
                }
                programme["released"] = json!(u8::from(is_released(line)));
                more.push(programme);
            }
            _ => {}
        }
    }
    let lines = lines.into_iter().chain(more).map(|line| line.to_string());
    let lines: Vec<String> = lines.collect();
    let still = Engine::memory(Options::default()).unwrap();
    still.apply(lines.join("\n").as_bytes()).unwrap();
    still.apply(ACCESS.as_bytes()).unwrap();
    still
}

const PROGRAMME: [&str; 5] = ["school_id", "grade_id", "year", "term", "subject_id"];

fn numbers<const N: usize>(line: &Value, names: [&str; N]) -> Vec<u64> {
    let number = |name: &str| text(line, name).parse().unwrap_or_default();
    names.map(number).to_vec()
}

fn text(line: &Value, name: &str) -> String {
    match &line[name] {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
