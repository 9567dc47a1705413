//! Runs the corpus on the naive twin: what the engine is compared with in random sequences itself
//! answers as specified.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use rollbook_tests::corpus::{self, Case, Cursors, Expected, Message, Request, Size, Step};
use rollbook_tests::twin::{Summary, Twin, comparable};

/// Cases that the twin cannot run, each with the number of its requests and the reason.
const LEFT_OUT: [(&str, usize, &str); 1] = [(
    "access-credentials: a password hash of an export is accepted",
    3,
    "the twin stores passwords in plain text",
)];

#[test]
fn every_case() {
    let cases = corpus::cases_in_clear();
    let (mut ran, mut requests) = (0, 0);
    let mut failures = Vec::new();
    for case in &cases {
        if LEFT_OUT.iter().any(|(name, ..)| *name == case.name) {
            continue;
        }
        ran += 1;
        match run(case) {
            Ok(asked) => requests += asked,
            Err(what) => failures.push(format!("{}\n{what}", case.name)),
        }
    }
    println!("{ran} cases, {requests} requests");
    for (name, requests, reason) in LEFT_OUT {
        println!("left out: {name}, {requests} requests: {reason}");
    }
    assert!(
        failures.is_empty(),
        "{} of {ran} cases:\n{}",
        failures.len(),
        failures.join("\n\n")
    );
    let left_out: usize = LEFT_OUT.iter().map(|(_, requests, _)| requests).sum();
    let all = Size {
        cases: ran + LEFT_OUT.len(),
        requests: requests + left_out,
    };
    assert_eq!(all, corpus::size());
}

/// Runs a case on an empty twin. Returns the number of its requests.
fn run(case: &Case) -> Result<usize, String> {
    let mut twin = Twin::default();
    let mut cursors = Cursors::default();
    let mut requests = 0;
    for (place, step) in (1..).zip(&case.steps) {
        let outcome = match step {
            Step::Apply(dataset, expected) => changed(&twin.apply(&lines(dataset)), expected),
            Step::ReplaceSchool(school, dataset, expected) => {
                changed(&twin.replace_school(*school, &lines(dataset)), expected)
            }
            Step::RemoveSchool(school, expected) => {
                changed(&Ok(twin.remove_school(*school)), expected)
            }
            Step::EraseLearner(school, learner, expected) => {
                changed(&Ok(twin.erase_learner(*school, *learner)), expected)
            }
            Step::Check(dataset, limit, expected) => {
                let faults = twin.check(&lines(dataset), *limit);
                let fit = faults.len() == expected.len()
                    && expected
                        .iter()
                        .zip(&faults)
                        .all(|(m, fault)| fits(m, fault));
                same(fit, &faults, expected)
            }
            Step::Export(expected) => {
                let found = twin.export();
                same(found == *expected, &found, expected)
            }
            Step::Request(now, request) => {
                requests += 1;
                asked(&mut twin, &mut cursors, *now, request)
            }
        };
        outcome.map_err(|what| format!("step {place}: {what}"))?;
    }
    Ok(requests)
}

/// Returns the lines of a dataset. Only U+000A ends a line.
fn lines(dataset: &str) -> Vec<String> {
    dataset.split('\n').map(str::to_owned).collect()
}

fn asked(
    twin: &mut Twin,
    cursors: &mut Cursors,
    now: i64,
    request: &Request,
) -> Result<(), String> {
    let headers: Vec<_> = request
        .headers
        .iter()
        .map(|(name, value)| (name.clone(), value.clone().into_bytes()))
        .collect();
    let target = cursors.target(request);
    let body = request.body.as_bytes();
    let answer = twin.request(now, &request.method, &target, &headers, body);
    let text = String::from_utf8(answer.body).unwrap();
    if cursors.fits(&text, &request.answer)
        && answer.status == request.status
        && answer.allow == request.allow
    {
        return Ok(());
    }
    Err(format!(
        "{} {target}\n  found    {} {:?} {text}\n  expected {} {:?} {}",
        request.method, answer.status, answer.allow, request.status, request.allow, request.answer
    ))
}

fn changed(found: &Result<Summary, String>, expected: &Expected) -> Result<(), String> {
    let fit = match (found, &expected.fault) {
        (Ok(summary), None) => {
            let counts = summary.iter().map(|(kind, n)| {
                format!(
                    "{kind} +{} ~{} -{} .{}",
                    n.added, n.changed, n.removed, n.unchanged
                )
            });
            expected.counts.is_empty() || counts.eq(expected.counts.iter().cloned())
        }
        (Err(fault), Some(message)) => fits(message, fault),
        _ => false,
    };
    same(fit, found, expected)
}

/// Returns whether a fault has this message, except for details that each implementation may word
/// differently.
fn fits(message: &Message, fault: &str) -> bool {
    match message {
        Message::Is(whole) => comparable(fault) == comparable(whole),
        Message::Starts(start) => comparable(fault).starts_with(start),
    }
}

fn same(
    fit: bool,
    found: &impl std::fmt::Debug,
    expected: &impl std::fmt::Debug,
) -> Result<(), String> {
    if fit {
        return Ok(());
    }
    Err(format!("found    {found:#?}\nexpected {expected:#?}"))
}
