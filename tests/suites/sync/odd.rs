//! A service that is nearly right: some of its values cannot be used. The mirror has everything else,
//! and the report names exactly what it lacks.

use super::service_records::{Record, walk};
use super::steps::lines;
use super::{NOW, SCHOOL, source, synced};
use rollbook::{
    Answer, Engine, Finding, FindingEffect, Options, Reply, ReplyOutcome, Step, SyncOptions,
    SyncReport,
};
use rollbook_tests::random::Random;
use rollbook_tests::search::{Counts, extent, search, seeds};
use rollbook_tests::world::{Action, World};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A field whose value can be damaged, values that it cannot have, and what follows from them.
struct Damage {
    kind: &'static str,
    field: &'static str,
    values: fn() -> Vec<Value>,
    effect: FindingEffect,
}

fn bad_dates() -> Vec<Value> {
    vec![
        json!("0000-00-00"),
        json!("0000-00-00 00:00:00"),
        json!("2026-02-30"),
        json!("14/05/2026"),
        json!("2026-05-14 08:00:00"),
        json!(20_260_514),
        json!(true),
        json!(["2026-05-14"]),
    ]
}

fn bad_decimals() -> Vec<Value> {
    vec![
        json!("120,000.00"),
        json!("R 12"),
        json!("1e3"),
        json!("1234567890123.00"),
        json!(false),
        json!({"amount": 1}),
    ]
}

fn bad_times() -> Vec<Value> {
    vec![
        json!("0000-00-00 00:00:00"),
        json!("2026-05-14 25:00:00"),
        json!(0),
    ]
}

fn bad_texts() -> Vec<Value> {
    vec![json!(["a"]), json!({"a": "b"}), json!([])]
}

fn bad_numbers() -> Vec<Value> {
    vec![
        json!("-1"),
        json!("x"),
        json!(1.5),
        json!("18446744073709551616"),
        json!(true),
    ]
}

fn bad_flags() -> Vec<Value> {
    vec![json!("2"), json!("perhaps"), json!([])]
}

const DAMAGES: [Damage; 17] = {
    use FindingEffect::{FieldEmpty, RecordLeftOut};
    const fn of(
        kind: &'static str,
        field: &'static str,
        values: fn() -> Vec<Value>,
        effect: FindingEffect,
    ) -> Damage {
        Damage {
            kind,
            field,
            values,
            effect,
        }
    }
    [
        of("learner", "date_of_birth", bad_dates, FieldEmpty),
        of("learner", "first_name", bad_texts, FieldEmpty),
        of("learner", "family_code", bad_texts, FieldEmpty),
        of("parent", "date_of_birth", bad_dates, FieldEmpty),
        of("parent", "gross_annual_income", bad_decimals, FieldEmpty),
        of("parent", "email_address", bad_texts, FieldEmpty),
        of("staff_member", "date_of_birth", bad_dates, FieldEmpty),
        of("staff_member", "is_educator", bad_flags, FieldEmpty),
        of("accountable_person", "last_name", bad_texts, FieldEmpty),
        of("absentee", "absent_date", bad_dates, RecordLeftOut),
        of("absentee", "learner_id", bad_numbers, RecordLeftOut),
        of("discipline", "discipline_date", bad_dates, RecordLeftOut),
        of("discipline", "discipline_remarks", bad_texts, FieldEmpty),
        of("mark", "percentage", bad_decimals, RecordLeftOut),
        of("mark", "captured", bad_flags, RecordLeftOut),
        of("mark", "dtime", bad_times, FieldEmpty),
        of("learner_subject", "mark", bad_decimals, RecordLeftOut),
    ]
};

/// The damaged values of the service, by record and field.
type Damaged = BTreeMap<(Record, &'static str), Value>;

/// Replaces the damaged values in an answer.
fn damage(target: &str, text: &str, damaged: &Damaged) -> String {
    let mut answer: Value = serde_json::from_str(text).unwrap();
    let mut is_changed = false;
    walk(target, &mut answer, &mut |record, object| {
        for ((of, field), value) in damaged {
            if *of == record
                && let Some(slot) = object.get_mut(*field)
            {
                *slot = value.clone();
                is_changed = true;
            }
        }
    });
    if is_changed {
        answer.to_string()
    } else {
        text.to_owned()
    }
}

/// Runs a pass in which every answer is changed before it arrives.
pub(super) fn pass(
    mirror: &Engine,
    source: &Engine,
    change: &mut dyn FnMut(&str, Answer) -> Vec<u8>,
) -> SyncReport {
    let mut options = SyncOptions::default();
    options.rotate = Some(u32::MAX);
    let sync = mirror.sync(SCHOOL, options).unwrap();
    loop {
        match sync.next(NOW).unwrap() {
            Step::Send(call) => {
                let answer = super::get(source, &call.target, NOW);
                let status = answer.status.code;
                let body = change(&call.target, answer);
                let reply = Reply {
                    status,
                    body: &body,
                    ..Reply::default()
                };
                let taken = sync.handle_reply(call.id, NOW, &reply).unwrap();
                let is_read = matches!(taken, ReplyOutcome::Stored | ReplyOutcome::Unchanged);
                let text = String::from_utf8_lossy(&body);
                assert!(
                    is_read,
                    "{taken:?} {}: {text} {:?}",
                    call.target,
                    sync.report()
                );
            }
            Step::Done(report) => return report,
            other => panic!("{other:?}"),
        }
    }
}

/// Returns the values that can be damaged: the record, the index of the damage, and the position of
/// the record among them.
fn candidates(source: &Engine, targets: &[String]) -> Vec<(Record, usize)> {
    let mut found = BTreeSet::new();
    for target in targets {
        let answer = super::get(source, target, NOW);
        if answer.status.code != 200 || target.contains("structure") {
            continue;
        }
        let mut answer: Value = serde_json::from_str(answer.text()).unwrap();
        walk(target, &mut answer, &mut |record, object| {
            for (index, damage) in DAMAGES.iter().enumerate() {
                let value = object.get(damage.field).and_then(Value::as_str);
                if damage.kind == record.0 && value.is_some_and(|value| !value.is_empty()) {
                    found.insert((record.clone(), index));
                }
            }
        });
    }
    found.into_iter().collect()
}

/// Returns the records of a mirror after a pass with damaged values. `is_first` is false if the
/// mirror had the records before.
fn expected(clean: &[String], damaged: &Damaged, is_first: bool) -> Vec<String> {
    let mut records: Vec<Value> = clean
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for (record, field) in damaged.keys() {
        let damage = damage_of(record.0, field);
        let index = records
            .iter()
            .position(|line| key_of(line) == Some(record.clone()));
        let index = index.unwrap_or_else(|| panic!("{record:?} is no record"));
        let line = records[index].as_object_mut().unwrap();
        match (damage.effect, record.0) {
            (FindingEffect::FieldEmpty, _) => {
                line.remove(*field);
            }
            _ if !is_first => {}
            // The structure shows that the learner may have a mark, and the subjects per term show
            // that the learner takes the subject.
            (_, "mark") => {
                for name in ["mark", "percentage", "dtime"] {
                    line.remove(name);
                }
                line.insert("captured".to_owned(), json!(0));
            }
            (_, "learner_subject") => {
                for term in line["terms"].as_array_mut().unwrap() {
                    term.as_object_mut().unwrap().remove("mark");
                }
            }
            _ => {
                records.remove(index);
            }
        }
    }
    sorted(&records)
}

fn damage_of(kind: &str, field: &str) -> &'static Damage {
    let mut damages = DAMAGES.iter();
    damages
        .find(|of| of.kind == kind && of.field == field)
        .unwrap()
}

fn sorted(records: &[Value]) -> Vec<String> {
    let mut lines: Vec<String> = records.iter().map(Value::to_string).collect();
    lines.sort();
    lines
}

/// Returns the kind and the key of a line of an export.
fn key_of(line: &Value) -> Option<Record> {
    let kind = DAMAGES.iter().map(|damage| damage.kind);
    let kind = kind.into_iter().find(|kind| line["type"] == *kind)?;
    let names: &[&str] = match kind {
        "mark" => &["assessment_id", "learner_id"],
        "learner_subject" => &["learner_id", "year", "subject_id"],
        "accountable_person" => &["accountable_person_id"],
        _ => &["id"],
    };
    let numbers: Vec<String> = names.iter().map(|name| line[*name].to_string()).collect();
    Some((kind, numbers.join("/").replace('"', "")))
}

/// Returns the records that are not the app's own.
pub(super) fn records(mirror: &Engine) -> Vec<String> {
    let of_app = ["api_type", "integrator", "client_integration"];
    let records = lines(mirror).into_iter();
    let records = records.map(|line| serde_json::from_str::<Value>(&line).unwrap());
    let of_service = records.filter(|line| of_app.iter().all(|kind| line["type"] != *kind));
    sorted(&of_service.collect::<Vec<_>>())
}

/// Returns what a report names: the kind, the field, the effect and the keys.
fn named(findings: &[Finding]) -> BTreeSet<(String, String, FindingEffect, Vec<String>)> {
    let named = findings.iter().map(|of| {
        let mut keys = of.keys.clone();
        keys.sort();
        assert!(
            of.count >= keys.len() as u64 && of.target.starts_with("/api/v1/"),
            "{of:?}"
        );
        (of.kind.clone(), of.field.clone(), of.effect, keys)
    });
    named.collect()
}

fn expected_names(damaged: &Damaged) -> BTreeSet<(String, String, FindingEffect, Vec<String>)> {
    let mut names: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for (record, field) in damaged.keys() {
        names
            .entry((record.0, field))
            .or_default()
            .push(record.1.clone());
    }
    let names = names.into_iter().map(|((kind, field), mut keys)| {
        keys.sort();
        // A report names the terms of a subject as one field.
        let name = if kind == "learner_subject" {
            "terms"
        } else {
            field
        };
        (
            kind.to_owned(),
            name.to_owned(),
            damage_of(kind, field).effect,
            keys,
        )
    });
    names.collect()
}

#[test]
fn a_value_that_cannot_be_used_costs_only_itself() {
    let count = Counts::default();
    let worlds = search(
        seeds(extent(25, 400)),
        |seed| World::new(seed).actions(120),
        |seed, actions| {
            damage_and_compare(seed, actions, &count);
            Ok(())
        },
    );
    println!("{worlds} worlds: {count}");
    count.at_least("schools", worlds / 3);
    count.at_least("fields that are empty", worlds);
    count.at_least("records that are left out", worlds / 2);
}

fn damage_and_compare(seed: u64, actions: &[Action], count: &Counts) {
    let Some(source) = source(actions) else {
        return;
    };
    let (mirror, _, targets) = synced(&source, NOW, SyncOptions::default());
    let clean = records(&mirror);
    let mut random = Random::new(seed);
    let mut candidates = candidates(&source, &targets);
    random.shuffle(&mut candidates);
    let mut damaged = Damaged::new();
    for (record, index) in candidates {
        // Several fields of a record may be damaged, unless it is left out.
        let damage = &DAMAGES[index];
        let is_other = |((of, field), _): (&(Record, &'static str), &Value)| {
            let is_left_out = |field| damage_of(of.0, field).effect != FindingEffect::FieldEmpty;
            *of == record && (is_left_out(*field) || damage.effect != FindingEffect::FieldEmpty)
        };
        if damaged.len() < 5 && !damaged.iter().any(is_other) {
            let values = (damage.values)();
            let value = values[random.below(values.len())].clone();
            damaged.insert((record, damage.field), value);
        }
    }
    if damaged.is_empty() {
        return;
    }
    let mut change = |target: &str, answer: Answer| match answer.status.code {
        200 => damage(target, answer.text(), &damaged).into_bytes(),
        _ => answer.body,
    };
    // A first pass, which has nothing to fall back on.
    let first = Engine::memory(Options::default()).unwrap();
    let report = pass(&first, &source, &mut change);
    assert_eq!(
        named(&report.findings),
        expected_names(&damaged),
        "{damaged:?}"
    );
    assert_eq!(
        (&report.failed[..], &report.quarantined[..]),
        (&[][..], &[][..])
    );
    assert_eq!(
        records(&first),
        expected(&clean, &damaged, true),
        "{damaged:?}"
    );
    // A later pass: records that are left out remain as they were.
    let report = pass(&mirror, &source, &mut change);
    assert_eq!(
        named(&report.findings),
        expected_names(&damaged),
        "{damaged:?}"
    );
    assert_eq!(
        records(&mirror),
        expected(&clean, &damaged, false),
        "{damaged:?}"
    );
    // The findings are reported until the service has usable values, in each pass.
    let report = pass(&mirror, &source, &mut change);
    assert_eq!(
        named(&report.findings),
        expected_names(&damaged),
        "{damaged:?}"
    );
    for mirror in [&first, &mirror] {
        let report = pass(mirror, &source, &mut |_, answer| answer.body);
        assert_eq!(report.findings, []);
        assert_eq!(records(mirror), clean, "{damaged:?}");
        assert!(mirror.verify().unwrap().is_sound());
    }
    count.add("schools", 1);
    for (record, field) in damaged.keys() {
        count.add(
            match damage_of(record.0, field).effect {
                FindingEffect::FieldEmpty => "fields that are empty",
                _ => "records that are left out",
            },
            1,
        );
    }
}
