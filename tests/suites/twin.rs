//! Compares the engine with the naive twin, through random sequences of datasets, requests of both
//! versions, walks through collections, state updates, removals, reopening and compaction. Every
//! answer, refusal, count and export must have the same bytes, except for the text of cursors.
//!
//! `ROLLBOOK_SEQUENCES` sets the number of sequences, `ROLLBOOK_SEED` the seed of the first.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, missing_docs)]

use rollbook::{Credentials, Engine, Error, Options, Request, Summary};
use rollbook_tests::random::Random;
use rollbook_tests::search::{Counts, extent, first_seed, search, seeds};
use rollbook_tests::twin::{Twin, comparable};
use rollbook_tests::world::{Action, Cursors, Outcome, World, blanked};
use std::path::Path;

/// The number of sequences of the whole search.
const WHOLE: u64 = 1_400;
/// The minimum number of requests in the whole search.
const REQUESTS: u64 = 50_000;

#[test]
fn every_answer_equals_that_of_the_twin() {
    let count = Counts::default();
    let sequences = search(
        seeds(extent(25, WHOLE)),
        |seed| World::new(seed).actions(Random::new(!seed).between(30, 80)),
        |_, actions| run(actions, &count),
    );
    println!("{sequences} sequences: {count}");
    let requests = count.get("requests");
    count.at_least("requests", 20 * sequences);
    if sequences >= WHOLE {
        count.at_least("requests", REQUESTS);
    }
    count.at_least("changes", 5 * sequences);
    count.at_least("found something", requests / 4);
    count.at_least("went on from a cursor", requests / 40);
}

/// Datasets in which every line may be faulty, without other operations.
#[test]
fn every_fault_equals_that_of_the_twin() {
    let mut faults = 0;
    let first = first_seed();
    for seed in first..first + 100 {
        let lines = World::new(seed).faulty_dataset(200);
        let engine = Engine::memory(Options::default()).unwrap();
        let found = engine.check(lines.join("\n").as_bytes(), 500).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|fault| comparable(&fault.to_string()).to_owned())
            .collect();
        let expected = Twin::default().check(&lines, 500);
        let expected: Vec<_> = expected
            .iter()
            .map(|fault| comparable(fault).to_owned())
            .collect();
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "seed {seed}");
        }
        assert_eq!(found.len(), expected.len(), "seed {seed}");
        faults += found.len();
    }
    println!("{faults} faults");
    assert!(faults > 5000);
}

fn open(path: &Path) -> Result<Engine, String> {
    Engine::open(path, Options::default()).map_err(|error| error.to_string())
}

fn run(actions: &[Action], count: &Counts) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.redb");
    let mut engine = open(&path)?;
    let mut twin = Twin::default();
    let (mut given, mut twin_given) = (Cursors::default(), Cursors::default());
    for (place, action) in actions.iter().enumerate() {
        let expected = action.perform(&mut twin, &mut twin_given);
        let found = match action {
            Action::Apply(lines) => text_of(engine.apply(lines.join("\n").as_bytes())),
            Action::ReplaceSchool(school, lines) => {
                text_of(engine.replace_school(*school, lines.join("\n").as_bytes()))
            }
            Action::RemoveSchool(school) => text_of(engine.remove_school(*school)),
            Action::EraseLearner(school, learner) => {
                text_of(engine.erase_learner(*school, *learner))
            }
            Action::Reopen => {
                drop(engine);
                engine = open(&path)?;
                String::new()
            }
            Action::Compact => {
                engine.compact().map_err(|error| error.to_string())?;
                String::new()
            }
            Action::Request {
                now,
                method,
                target,
                headers,
                body,
            } => {
                count.add("requests", 1);
                let headers: Vec<_> = headers
                    .iter()
                    .filter_map(|(name, value)| {
                        Some((name.as_str(), std::str::from_utf8(value).ok()?))
                    })
                    .collect();
                let answer = engine.request(&Request {
                    method,
                    target: &given.fill(target),
                    headers: &headers,
                    body,
                    now: Some(*now),
                });
                if answer.status.code == 200 {
                    count.add("found something", 1);
                    if target.contains("cursor>") && given.goes_on() {
                        count.add("went on from a cursor", 1);
                    }
                }
                given.note(answer.text());
                let allow = answer.status.allow.map(str::to_owned);
                let body = blanked(answer.text());
                format!("{} {allow:?} {body}", answer.status.code)
            }
        };
        let expected = match expected {
            Outcome::Committed(summary) => {
                count.add("changes", 1);
                let counts = summary.iter().map(|(kind, n)| {
                    format!(
                        "{kind} +{} ~{} -{} .{}",
                        n.added, n.changed, n.removed, n.unchanged
                    )
                });
                counts.collect::<Vec<_>>().join("\n")
            }
            Outcome::Refused(fault) => comparable(&fault).to_owned(),
            Outcome::Answered(answer) => {
                let body = String::from_utf8_lossy(&answer.body);
                format!("{} {:?} {}", answer.status, answer.allow, blanked(&body))
            }
            Outcome::Done => String::new(),
        };
        let at = |what: &str| {
            format!("action {place}, {what}:\n{action:?}\nengine {found}\ntwin   {expected}")
        };
        if found != expected {
            return Err(at("other outcomes"));
        }
        if !matches!(action, Action::Request { .. }) {
            let lines = engine.export(Credentials::LeaveOut).unwrap();
            let export: String = lines.map(|line| line.unwrap() + "\n").collect();
            let expected = twin.export();
            if export != expected {
                let other = export.lines().zip(expected.lines()).find(|(a, b)| a != b);
                return Err(at(&format!("other exports: {other:?}")));
            }
        }
    }
    let found = engine.verify().map_err(|error| error.to_string())?;
    if found.is_sound() {
        Ok(())
    } else {
        Err(format!("{:#?}", found.problems))
    }
}

/// Returns the counts of a change, or the text of its refusal.
fn text_of(found: Result<Summary, Error>) -> String {
    match found {
        Ok(summary) => {
            let counts = summary.kinds().map(|(kind, n)| {
                format!(
                    "{kind} +{} ~{} -{} .{}",
                    n.added, n.changed, n.removed, n.unchanged
                )
            });
            counts.collect::<Vec<_>>().join("\n")
        }
        Err(error) => comparable(&error.to_string()).to_owned(),
    }
}
