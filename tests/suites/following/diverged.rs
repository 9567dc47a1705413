//! Followers that differ from their source because of a fault of either: the difference is detected
//! with a later change and reported, and everything is requested again, once.

use super::records;
use super::transfer::{feed, push};
use rollbook::{Engine, Error, Options, Scope};
use rollbook_tests::feeds::sealed;
use rollbook_tests::random::Random;

const SOURCE: &str = r#"
{"type":"school","school_id":1,"current_year":2026}
{"type":"gender","id":1,"name":"A"}
{"type":"grade","school_id":1,"grade_id":9,"grade":"7"}
{"type":"parent","school_id":1,"id":5,"first_name":"Zoe"}
{"type":"learner","school_id":1,"id":7,"first_name":"Anna","parent1_id":5}
{"type":"learner","school_id":1,"id":8,"first_name":"Ben"}
{"type":"absentee","school_id":1,"id":3,"learner_id":7,"absent_date":"2026-05-04"}
{"type":"mark","school_id":1,"assessment_id":4,"learner_id":7,"mark":"5"}
{"type":"school","school_id":2,"current_year":2026}
{"type":"learner","school_id":2,"id":7,"first_name":"Cem"}
"#;

const CHANGES: [&str; 5] = [
    r#"{"type":"learner","school_id":1,"id":7,"first_name":"Anne","parent1_id":5}"#,
    r#"{"type":"absentee","school_id":1,"id":3,"deleted":true}"#,
    r#"{"type":"grade","school_id":1,"grade_id":9,"grade":"8"}"#,
    r#"{"type":"mark","school_id":1,"assessment_id":4,"learner_id":7,"mark":"6"}"#,
    r#"{"type":"gender","id":1,"name":"B"}"#,
];

fn scopes() -> [Scope; 3] {
    [
        Scope::default().school(1),
        Scope::default().learners(1, [7]),
        Scope::default().learners(1, [7]).school(2),
    ]
}

/// Requests a feed once and applies it. Returns the error, if any.
fn poll(source: &Engine, follower: &Engine, scope: &Scope) -> Option<Error> {
    let after = follower.followed().unwrap();
    let lines = feed(source, scope, after.as_deref()).unwrap();
    push(&mut Random::new(1), follower, lines.concat().as_bytes()).err()
}

/// Removes each change from a feed: the follower detects this and is repaired.
#[test]
fn a_missing_change_is_detected_and_repaired() {
    for scope in scopes() {
        for lost in CHANGES {
            let source = Engine::memory(Options::default()).unwrap();
            source.apply(SOURCE.as_bytes()).unwrap();
            let follower = Engine::memory(Options::default()).unwrap();
            assert_eq!(poll(&source, &follower, &scope), None);
            source
                .apply(CHANGES.concat().replace("}{", "}\n{").as_bytes())
                .unwrap();
            let after = follower.followed().unwrap();
            let mut lines = feed(&source, &scope, after.as_deref()).unwrap();
            let kind = lost.split(',').next().unwrap();
            let place = lines
                .iter()
                .position(|line| line.starts_with(kind))
                .unwrap();
            lines.remove(place);
            let altered = sealed(lines.concat().as_bytes());
            let mut reported = Vec::new();
            reported.extend(push(&mut Random::new(1), &follower, &altered).err());
            for round in 0..5 {
                let line = format!(r#"{{"type":"subject","school_id":1,"subject_id":{round}}}"#);
                source.apply(line.as_bytes()).unwrap();
                reported.extend(poll(&source, &follower, &scope));
                // Meanwhile the follower answers from the records it has.
                let school = rollbook::Grades {
                    school: 1,
                    ..rollbook::Grades::default()
                };
                assert_eq!(follower.ask(&school).unwrap().status.code, 200);
            }
            let codes: Vec<_> = reported.iter().map(Error::code).collect();
            assert_eq!(codes, ["diverged"], "{kind}");
            let export: Vec<_> = source
                .export_scope(&scope)
                .unwrap()
                .map(Result::unwrap)
                .collect();
            assert_eq!(records(&follower), export, "{kind}");
            assert!(follower.verify().unwrap().is_sound());
        }
    }
}

/// If a fault persists, everything is requested again only once, so that a device does not receive
/// everything with each change. The difference is reported each time.
#[test]
fn everything_is_requested_again_only_once() {
    let scope = Scope::default().school(1);
    let source = Engine::memory(Options::default()).unwrap();
    source.apply(SOURCE.as_bytes()).unwrap();
    let follower = Engine::memory(Options::default()).unwrap();
    let (mut whole, mut reported) = (0, 0);
    for round in 0..10 {
        let after = follower.followed().unwrap();
        let mut lines = feed(&source, &scope, after.as_deref()).unwrap();
        whole += usize::from(
            lines
                .iter()
                .any(|line| line.starts_with(r#"{"type":"whole""#)),
        );
        lines.retain(|line| !line.contains("Ben"));
        let altered = sealed(lines.concat().as_bytes());
        if let Err(error) = push(&mut Random::new(1), &follower, &altered) {
            assert_eq!(error.code(), "diverged");
            reported += 1;
        }
        let line = format!(r#"{{"type":"subject","school_id":1,"subject_id":{round}}}"#);
        source.apply(line.as_bytes()).unwrap();
    }
    assert_eq!(whole, 2);
    assert!((2..=8).contains(&reported), "{reported}");
    // All other changes were applied.
    let subjects = records(&follower);
    let subjects = subjects.iter().filter(|line| line.contains("subject_id"));
    assert_eq!(subjects.count(), 9);
    // When the fault is over and a change reveals it, the follower is complete.
    for round in 10..15 {
        let line = format!(r#"{{"type":"subject","school_id":1,"subject_id":{round}}}"#);
        source.apply(line.as_bytes()).unwrap();
        drop(poll(&source, &follower, &scope));
    }
    assert!(!records(&follower).concat().contains("Ben"));
    let change = r#"{"type":"learner","school_id":1,"id":8,"first_name":"Ben","last_name":"B"}"#;
    source.apply(change.as_bytes()).unwrap();
    assert_eq!(poll(&source, &follower, &scope), None);
    let export = source.export_scope(&scope).unwrap();
    assert!(
        records(&follower)
            .into_iter()
            .eq(export.map(Result::unwrap))
    );
    // A later fault would be repaired again.
    let line = r#"{"type":"learner","school_id":1,"id":8,"first_name":"Benedict"}"#;
    source.apply(line.as_bytes()).unwrap();
    assert_eq!(poll(&source, &follower, &scope), None);
}

/// A learner who was erased at the follower is the only intended difference.
#[test]
fn an_erasure_at_the_follower_is_no_fault() {
    let scope = Scope::default().school(1);
    let source = Engine::memory(Options::default()).unwrap();
    source.apply(SOURCE.as_bytes()).unwrap();
    let follower = Engine::memory(Options::default()).unwrap();
    assert_eq!(poll(&source, &follower, &scope), None);
    follower.erase_learner(1, 7).unwrap();
    for round in 0..5 {
        let line = format!(r#"{{"type":"subject","school_id":1,"subject_id":{round}}}"#);
        source.apply(line.as_bytes()).unwrap();
        assert_eq!(poll(&source, &follower, &scope), None);
    }
    assert!(!records(&follower).concat().contains("Ann"));
}
