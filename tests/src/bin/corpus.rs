//! Writes the corpus as lines of JSON, one case per line, for bindings in other languages, and the
//! numbers of cases and requests: `corpus CASES SIZE`. The steps are those of
//! `rollbook_tests::corpus`.
#![allow(clippy::unwrap_used)]

use rollbook_tests::corpus::{Case, Expected, Message, Size, Step, cases, size};
use serde_json::{Value, json};
use std::io::Write;

fn main() {
    let mut paths = std::env::args().skip(1);
    let path = paths.next().unwrap();
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    for case in cases() {
        writeln!(file, "{}", line(&case)).unwrap();
    }
    file.flush().unwrap();
    let Size { cases, requests } = size();
    let size = json!({"cases": cases, "requests": requests}).to_string();
    std::fs::write(paths.next().unwrap(), size).unwrap();
}

fn line(case: &Case) -> Value {
    let steps: Vec<_> = case.steps.iter().map(step).collect();
    json!({"name": case.name, "steps": steps})
}

fn step(step: &Step) -> Value {
    match step {
        Step::Apply(dataset, expected) => {
            json!({"step": "apply", "dataset": dataset, "expected": outcome(expected)})
        }
        Step::Check(dataset, limit, faults) => {
            let faults: Vec<_> = faults.iter().map(message).collect();
            json!({"step": "check", "dataset": dataset, "limit": limit, "faults": faults})
        }
        Step::ReplaceSchool(school, dataset, expected) => {
            let expected = outcome(expected);
            json!({"step": "replace_school", "school": school, "dataset": dataset, "expected": expected})
        }
        Step::RemoveSchool(school, expected) => {
            json!({"step": "remove_school", "school": school, "expected": outcome(expected)})
        }
        Step::EraseLearner(school, learner, expected) => {
            let expected = outcome(expected);
            json!({"step": "erase_learner", "school": school, "learner": learner, "expected": expected})
        }
        Step::Request(now, request) => json!({
            "step": "request",
            "now": now,
            "method": request.method,
            "target": request.target,
            "headers": request.headers,
            "body": request.body,
            "status": request.status,
            "allow": request.allow,
            "answer": request.answer,
        }),
        Step::Export(lines) => json!({"step": "export", "lines": lines}),
    }
}

fn outcome(expected: &Expected) -> Value {
    json!({"fault": expected.fault.as_ref().map(message), "counts": expected.counts})
}

fn message(message: &Message) -> Value {
    match message {
        Message::Is(text) => json!({"is": text}),
        Message::Starts(text) => json!({"starts": text}),
    }
}
