//! Syncs schools from another engine, which takes the place of the service: data that was fetched
//! is answered with the same bytes at the same instant, and everything else is refused.
//!
//! `ROLLBOOK_SEQUENCES` sets the number of random worlds, `ROLLBOOK_SEED` the seed of the first.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    missing_docs
)]

mod access;
mod answers;
mod approved;
mod bad;
mod changing;
mod clocks;
mod contradicted;
mod cost;
pub(crate) mod coverage_model;
mod cuts;
mod decided;
mod disk;
mod erased;
mod faults;
mod golden;
mod guard;
mod later;
mod left_out;
mod lookups;
mod machine;
mod memory;
mod moved;
mod odd;
mod other_answers;
mod outbox;
mod outbox_answers;
pub(crate) mod passes;
mod quarantine;
mod reading;
mod refused;
mod reordered;
mod service_records;
mod spelled;
mod steps;
mod written;

use rollbook::{
    Answer, Credentials, Engine, Options, Reply, ReplyOutcome, Request, Step, StopReason,
    SyncOptions, SyncReport,
};
use rollbook_tests::world::Action;
use serde_json::Value;

pub(crate) const SCHOOL: u64 = 1000;
pub(crate) const NOW: i64 = 1_778_745_600;

/// An integrator with access to everything. The hash of its password, which is its user name, is
/// cheap to compute.
pub(crate) const ACCESS: &str = r#"
{"type":"api_type","api_type_id":4444,"api_type":"All+ API","family":["administration","curriculum","finance","parents"]}
{"type":"integrator","username":"sync","password_hash":"$argon2id$v=19$m=8,t=1,p=1$cm9sbGJvb2stdGVzdHM$C1yKybypd4eEg2To2Q1paHowAxtInn9Qf8pzB1rEaSU"}
{"type":"client_integration","username":"sync","school_id":1000,"api_type_id":4444,"state":1}
"#;

pub(crate) fn get(engine: &Engine, target: &str, now: i64) -> Answer {
    engine.request(&Request {
        target,
        headers: &[
            ("HTTP-X-USERNAME", "sync"),
            ("HTTP-X-PASSWORD", "sync"),
            ("HTTP-X-SCHOOLID", "1000"),
        ],
        now: Some(now),
        ..Request::default()
    })
}

pub(crate) fn reply(answer: &Answer) -> Reply<'_> {
    Reply {
        status: answer.status.code,
        retry_after: None,
        body: &answer.body,
    }
}

/// Returns a source with the records of a world, without time zones and numbers that are too large:
/// a sync assumes one time zone for all schools, because the service does not report any, and
/// rounding and percentages can cause numbers that no dataset may contain.
pub(crate) fn source(actions: &[Action]) -> Option<Engine> {
    let world = Engine::memory(Options::default()).unwrap();
    for lines in actions.iter().filter_map(Action::lines) {
        drop(world.apply(lines.join("\n").as_bytes()));
    }
    let source = Engine::memory(Options::default()).unwrap();
    let lines = world.export(Credentials::LeaveOut).unwrap();
    let lines = lines.map(|line| without_large_numbers(&without_offset(&line.unwrap())));
    let lines: Vec<String> = lines.collect();
    source.apply(lines.join("\n").as_bytes()).unwrap();
    source.apply(ACCESS.as_bytes()).ok().map(|_| source)
}

fn without_offset(line: &str) -> String {
    match line.split_once(r#","utc_offset":""#) {
        Some((before, after)) => {
            let (_, rest) = after.split_once('"').unwrap();
            format!("{before}{rest}")
        }
        None => line.to_owned(),
    }
}

/// Returns a line without the decimals from which the service could compute a number with more than
/// twelve digits before its point.
fn without_large_numbers(line: &str) -> String {
    let mut record: Value = serde_json::from_str(line).unwrap();
    let decimals = [
        "mark",
        "percentage",
        "weight",
        "mark_out_of",
        "gross_annual_income",
    ];
    let is_usable = |name: &str, value: &Value| {
        let number: f64 = match value {
            Value::String(text) => text.parse().unwrap_or(0.0),
            value => value.as_f64().unwrap_or(0.0),
        };
        let is_divisor = name == "mark_out_of" && number != 0.0;
        number.abs() < 1e8 && !(is_divisor && number.abs() < 1e-2)
    };
    let limit = |object: &mut Value| {
        for name in decimals {
            if let Some(value) = object.get_mut(name)
                && !is_usable(name, value)
            {
                *value = "7".into();
            }
        }
    };
    limit(&mut record);
    let terms = record.get_mut("terms").and_then(Value::as_array_mut);
    terms.into_iter().flatten().for_each(limit);
    record.to_string()
}

/// Returns the reason of a step that stops a sync.
pub(crate) fn stop_reason(step: Step) -> StopReason {
    match step {
        Step::Stop { reason, .. } => reason,
        other => panic!("{other:?}"),
    }
}

/// Syncs the school from the source. Also returns the targets whose answers were stored.
pub(crate) fn synced(
    source: &Engine,
    mut now: i64,
    options: SyncOptions,
) -> (Engine, SyncReport, Vec<String>) {
    let mut stored = Vec::new();
    let mirror = Engine::memory(Options::default()).unwrap();
    let sync = mirror.sync(SCHOOL, options).unwrap();
    let report = loop {
        match sync.next(now).unwrap() {
            Step::Send(call) => {
                let answer = get(source, &call.target, now);
                let taken = sync.handle_reply(call.id, now, &reply(&answer)).unwrap();
                let is_read = matches!(taken, ReplyOutcome::Stored | ReplyOutcome::Unchanged);
                // A source that is itself a mirror only has the current year.
                let is_of_year = call.target.contains("&year=")
                    && answer.text().contains("not synced yet: the structure");
                let is_expected = is_read || is_of_year;
                assert!(is_expected, "{taken:?} {}: {}", call.target, answer.text());
                if is_read {
                    stored.push(call.target);
                }
            }
            Step::Wait { until } => now = until,
            Step::Done(report) => break report,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(report.findings, []);
    mirror.apply(ACCESS.as_bytes()).unwrap();
    (mirror, report, stored)
}

/// Returns the current year of the school.
fn year_of(source: &Engine) -> u64 {
    let mut export = source.export(Credentials::LeaveOut).unwrap();
    let school = format!(r#"{{"type":"school","school_id":{SCHOOL},"#);
    let line = export.find_map(|line| Some(line.unwrap()).filter(|line| line.starts_with(&school)));
    let line = line.unwrap_or_default();
    let (_, year) = line.split_once(r#""current_year":"#).unwrap_or_default();
    let digits = year.split(|c: char| !c.is_ascii_digit()).next();
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}
