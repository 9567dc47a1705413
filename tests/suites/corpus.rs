//! Runs the corpus on the engine itself: every case as requests, and also as typed questions where
//! a request corresponds to one.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::too_many_lines,
    missing_docs
)]

mod decoded;
pub(crate) mod typed;

use rollbook::{Credentials, Engine, Error, Options, SchoolInfo, Summary};
use rollbook_tests::corpus::{self, Case, Cursors, Expected, Size, Step};
use typed::Version;

#[test]
fn every_case() {
    let cases = corpus::cases();
    let mut failures = Vec::new();
    let mut asked = Asked::default();
    for case in &cases {
        match run(case, &mut asked) {
            Ok(()) => {}
            Err(what) => failures.push(format!("{}\n{what}", case.name)),
        }
    }
    let Asked {
        requests,
        v1,
        v2,
        trusted,
        refused,
    } = asked;
    println!(
        "{} cases, {requests} requests, {v1} of v1 and {v2} of v2 asked through the typed door too",
        cases.len()
    );
    assert!(
        failures.is_empty(),
        "{} of {} cases:\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n\n")
    );
    let ran = Size {
        cases: cases.len(),
        requests,
    };
    assert_eq!(ran, corpus::size());
    assert!(v1 > 750 && v2 > 800);
    assert!(trusted > 2000 && refused > 100);
}

/// No request gets this far: a user who may ask about a school has an integration of it, and an
/// integration requires the school.
#[test]
fn a_school_that_does_not_exist_is_not_found() {
    let engine = Engine::memory(Options::default()).unwrap();
    let line = r#"{"type":"school","school_id":76,"current_year":2026}"#;
    engine.apply(line.as_bytes()).unwrap();
    let both = |school| {
        let asked = SchoolInfo { school };
        [engine.ask(&asked).unwrap(), engine.find(&asked).unwrap()]
    };
    assert!(both(76).iter().all(|answer| answer.status.code == 200));
    let none = both(77);
    assert!(none.iter().all(|answer| answer.status.code == 404));
    assert_eq!(
        none.map(|answer| answer.text().to_owned()),
        [
            r#"{"error":"Not found","error_description":"No school record found"}"#,
            r#"{"success":false,"message":"The requested ID does not exist in the system"}"#,
        ]
    );
}

/// The number of requests, and the number of each version that were also asked as typed questions.
#[derive(Default)]
struct Asked {
    requests: usize,
    v1: u32,
    v2: u32,
    /// Requests that a trusted app sent with the same answer.
    trusted: u32,
    /// Requests of which the access is refused, unless a trusted app sends them.
    refused: u32,
}

fn run(case: &Case, count: &mut Asked) -> Result<(), String> {
    let engine = Engine::memory(Options::default()).map_err(|error| error.to_string())?;
    let mut cursors = Cursors::default();
    for (place, step) in case.steps.iter().enumerate() {
        let at = |what: String| format!("step {}: {what}", place + 1);
        match step {
            Step::Apply(dataset, expected) => {
                changed(engine.apply(dataset.as_bytes()), expected).map_err(at)?;
            }
            Step::ReplaceSchool(school, dataset, expected) => {
                let replaced = engine.replace_school(*school, dataset.as_bytes());
                changed(replaced, expected).map_err(at)?;
            }
            Step::RemoveSchool(school, expected) => {
                changed(engine.remove_school(*school), expected).map_err(at)?;
            }
            Step::EraseLearner(school, learner, expected) => {
                changed(engine.erase_learner(*school, *learner), expected).map_err(at)?;
            }
            Step::Check(dataset, limit, expected) => {
                let faults = engine
                    .check(dataset.as_bytes(), *limit)
                    .map_err(|e| at(e.to_string()))?;
                let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
                let fits = expected
                    .iter()
                    .zip(&faults)
                    .all(|(message, fault)| message.fits(fault));
                if !fits || faults.len() != expected.len() {
                    return Err(at(format!("faults {faults:#?}\nexpected {expected:#?}")));
                }
            }
            Step::Export(expected) => {
                let lines = engine
                    .export(Credentials::LeaveOut)
                    .map_err(|e| at(e.to_string()))?;
                let lines: Result<Vec<_>, _> =
                    lines.map(|line| line.map(|line| line + "\n")).collect();
                same(
                    "export",
                    &lines.map_err(|e| at(e.to_string()))?.concat(),
                    expected,
                )
                .map_err(at)?;
            }
            Step::Request(now, request) => {
                count.requests += 1;
                let headers: Vec<_> = request
                    .headers
                    .iter()
                    .map(|(name, value)| (name.as_str(), value.as_str()))
                    .collect();
                let target = cursors.target(request);
                let asked = rollbook::Request {
                    method: &request.method,
                    target: &target,
                    headers: &headers,
                    body: request.body.as_bytes(),
                    now: Some(*now),
                };
                let by_type = typed::ask(&engine, request, &target, *now);
                let answer = engine.request(&asked);
                let what = format!("{} {}", request.method, request.target);
                if !cursors.fits(answer.text(), &request.answer) {
                    same(&what, answer.text(), &request.answer).map_err(at)?;
                }
                same(
                    &what,
                    &answer.status.code.to_string(),
                    &request.status.to_string(),
                )
                .map_err(at)?;
                let allow = answer.status.allow.unwrap_or_default();
                same(&what, allow, request.allow.as_deref().unwrap_or_default()).map_err(at)?;
                let length = answer
                    .headers()
                    .find(|(name, _)| *name == "Content-Length")
                    .unwrap()
                    .1;
                same(&what, &length, &answer.text().len().to_string()).map_err(at)?;
                decoded::agrees(&request.method, &target, &answer).map_err(at)?;
                if request.method == "GET" {
                    let trusted = engine.request_trusted(&asked);
                    let is_refused = |status| matches!(status, 401 | 403);
                    // These answers depend on the integrator that the request names.
                    let of_integrator = ["/debtmanagement/schools", "/settings/"];
                    let is_of_integrator = of_integrator.iter().any(|part| target.contains(part));
                    if is_refused(request.status) {
                        count.refused += 1;
                        let is_answered = !is_refused(trusted.status.code);
                        assert!(is_answered || is_of_integrator, "{what}");
                    } else if request.status != 413 {
                        count.trusted += 1;
                        assert_eq!(trusted.status.code, request.status, "{what}");
                        if !cursors.fits(trusted.text(), &request.answer) {
                            let what = format!("{what} trusted");
                            same(&what, trusted.text(), &request.answer).map_err(at)?;
                        }
                    }
                }
                if let Some((version, by_type)) = by_type {
                    match version {
                        Version::V1 => count.v1 += 1,
                        Version::V2 => count.v2 += 1,
                    }
                    same(&format!("{what} typed"), by_type.text(), answer.text()).map_err(at)?;
                    assert_eq!(by_type.status, answer.status);
                }
            }
        }
    }
    let found = engine.verify().map_err(|error| error.to_string())?;
    if found.is_sound() {
        Ok(())
    } else {
        Err(format!("afterwards: {:#?}", found.problems))
    }
}

fn same(what: &str, found: &str, expected: &str) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what}\n  found    {found}\n  expected {expected}"))
}

fn changed(found: Result<Summary, Error>, expected: &Expected) -> Result<(), String> {
    match (found, &expected.fault) {
        (Ok(summary), None) => {
            let counts: Vec<_> = summary
                .kinds()
                .map(|(kind, n)| {
                    format!(
                        "{kind} +{} ~{} -{} .{}",
                        n.added, n.changed, n.removed, n.unchanged
                    )
                })
                .collect();
            if expected.counts.is_empty() || counts == expected.counts {
                return Ok(());
            }
            Err(format!(
                "found {counts:#?}\nexpected {:#?}",
                expected.counts
            ))
        }
        (Err(Error::BadDataset(fault)), Some(message)) if message.fits(&fault.to_string()) => {
            Ok(())
        }
        (found, message) => Err(format!("found {found:?}\nexpected {message:?}")),
    }
}
