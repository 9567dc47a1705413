//! Whatever is answered has a named outcome, changes nothing that the answer is not about,
//! and is repeated nowhere.

use super::driven::lines;
use super::machine::{grades, options};
use super::{ACCESS, NOW, SCHOOL, get};
use rollbook::{Answer, Engine, Options, Reply, ReplyOutcome, Step, StopReason, SyncReport};
use rollbook_tests::search::extent;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// What stands in each bad answer.
const SAID: &str = "Zebedee";

/// A field that nobody knows.
const UNKNOWN: &str = "zebra";

/// What comes of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// It is asked for again, and given up at last.
    Retry,
    Failed,
    /// One of these.
    Refused,
    Kept,
}

/// Answers that are not as they should be, in place of a good one.
fn bad(good: &Answer) -> Vec<(&'static str, u16, Vec<u8>, Outcome)> {
    use Outcome::{Failed, Kept, Refused, Retry};
    let error = json!({"error": SAID, "error_description": SAID}).to_string();
    let of = |status, body: &str, outcome| (status, body.as_bytes().to_vec(), outcome);
    let html = format!("<html><body>{SAID}</body></html>");
    let deep = format!("{}\"{SAID}\"", "[".repeat(100_000));
    let mut bad = vec![
        ("a page", of(200, &html, Retry)),
        ("another text", of(200, &format!("\"{SAID}\""), Failed)),
        (
            "another object",
            of(200, &json!({SAID: [SAID]}).to_string(), Failed),
        ),
        (
            "other elements",
            of(200, &json!([[SAID]]).to_string(), Failed),
        ),
        ("an error that is none", of(404, &error, Failed)),
        ("a page that is not found", of(404, &html, Retry)),
        ("a redirect", of(302, &html, Failed)),
        ("nothing", of(204, "", Failed)),
        ("a wrong request", of(400, &error, Failed)),
        ("much within much", of(200, &deep, Refused)),
    ];
    if good.status.code == 200 {
        let text = good.text();
        let (half, _) = text.split_at(text.len() / 2);
        let mut value: Value = serde_json::from_str(text).unwrap();
        let at = leaf(&value);
        *value.pointer_mut(&at).unwrap() = json!({SAID: SAID});
        bad.push(("a wrong type", of(200, &value.to_string(), Failed)));
        let mut value: Value = serde_json::from_str(text).unwrap();
        let at = innermost(&value);
        value.pointer_mut(&at).unwrap()[UNKNOWN] = json!([{SAID: SAID}]);
        bad.push(("an unknown field", of(200, &value.to_string(), Kept)));
        bad.push(("half of it", of(200, half, Retry)));
        let bytes = [good.body.as_slice(), b"\xff"].concat();
        bad.push(("no text", (200, bytes, Retry)));
    }
    let named = bad.into_iter();
    let named = named.map(|(name, (status, body, outcome))| (name, status, body, outcome));
    named.collect()
}

/// Where the first value lies that has none within.
fn leaf(value: &Value) -> String {
    match first(value, |_| true) {
        Some((name, inner)) => format!("/{name}{}", leaf(inner)),
        None => String::new(),
    }
}

/// Where an object lies that has no other within.
fn innermost(value: &Value) -> String {
    let has_object = |value: &Value| match value {
        Value::Array(items) => items.iter().any(Value::is_object),
        other => other.is_object(),
    };
    match first(value, has_object) {
        Some((name, inner)) => format!("/{name}{}", innermost(inner)),
        None => String::new(),
    }
}

/// The first value of this make within another, and its name.
fn first(value: &Value, is_it: impl Fn(&Value) -> bool) -> Option<(String, &Value)> {
    match value {
        Value::Array(items) => {
            let at = items.iter().position(is_it)?;
            Some((at.to_string(), &items[at]))
        }
        Value::Object(members) => {
            let mut members = members.iter();
            let (name, value) = members.find(|(_, value)| is_it(value))?;
            Some((name.clone(), value))
        }
        _ => None,
    }
}

/// How a pass ended, and all that was said in it.
struct Passed {
    /// The first outcome of each bad answer.
    taken: Vec<ReplyOutcome>,
    /// Nothing, if it stopped.
    report: Option<SyncReport>,
    said: String,
}

/// A pass, with this instead of what a target answers.
fn pass(mirror: &Engine, source: &Engine, of: &str, status: u16, body: &[u8]) -> Passed {
    let sync = mirror.sync(SCHOOL, options(u32::MAX)).unwrap();
    let (mut now, mut said, mut bad) = (NOW, String::new(), Vec::new());
    let report = loop {
        let step = sync.next(now).unwrap();
        write!(said, "{step:?} {:?}", sync.progress()).unwrap();
        match step {
            Step::Send(call) => {
                let answer = get(source, &call.target, NOW);
                let is_bad = call.target == of;
                let (status, body) = if is_bad {
                    (status, body)
                } else {
                    (answer.status.code, answer.body.as_slice())
                };
                let reply = Reply {
                    status,
                    body,
                    ..Reply::default()
                };
                let taken = sync.handle_reply(call.id, now, &reply).unwrap();
                write!(said, "{taken:?}").unwrap();
                if is_bad {
                    bad.push(taken);
                } else {
                    assert!(
                        matches!(taken, ReplyOutcome::Stored | ReplyOutcome::Unchanged),
                        "{taken:?}"
                    );
                }
            }
            Step::Wait { until } => now = until,
            Step::Done(report) => break Some(report),
            Step::Stop(StopReason::Incomplete) => break None,
            other => panic!("{other:?}"),
        }
    };
    write!(said, "{:?}", mirror.synced(SCHOOL)).unwrap();
    Passed {
        taken: bad,
        report,
        said,
    }
}

/// The targets of a pass.
fn targets(source: &Engine) -> Vec<String> {
    let mirror = Engine::memory(Options::default()).unwrap();
    let sync = mirror.sync(SCHOOL, options(u32::MAX)).unwrap();
    super::machine::pass(&sync, source, NOW).0
}

/// Without the school or its learners nothing of a pass is published.
fn is_basis(target: &str) -> bool {
    target.contains("debtmanagement/schools/") || target.contains("status=current")
}

/// A school beside it, which a dataset brought.
const BESIDE: &str = r#"{"type":"school","school_id":2000,"school_name":"Other","current_year":2026}
{"type":"learner","school_id":2000,"id":1,"first_name":"Ophelia"}
{"type":"staff_member","school_id":2000,"id":1,"first_name":"Osric"}"#;

/// In a pass after the first nothing changes at all, since nothing has at the service.
#[test]
fn a_bad_answer_changes_nothing() {
    let source = grades(1);
    let mirror = Engine::memory(Options::default()).unwrap();
    mirror.apply(BESIDE.as_bytes()).unwrap();
    let mut targets = targets(&source);
    pass(&mirror, &source, "", 0, b"");
    let expected = lines(&mirror);
    let seen = |mirror: &Engine| {
        let seen = mirror.synced(SCHOOL).unwrap().unwrap().seen;
        let seen = seen.iter();
        let seen = seen.map(|seen| (seen.what, seen.year, seen.days, seen.count));
        seen.collect::<Vec<_>>()
    };
    let seen_before = seen(&mirror);
    targets.sort();
    targets.dedup();
    let all = targets.iter().flat_map(|target| {
        let bad = bad(&get(&source, target, NOW)).into_iter();
        bad.map(move |bad| (target, bad))
    });
    let mut count = 0;
    for (target, (name, status, body, outcome)) in all.step_by(extent(5, 1)) {
        let place = format!("{name} of {target}");
        let passed = pass(&mirror, &source, target, status, &body);
        assert!(!passed.said.contains(SAID), "{place}: {}", passed.said);
        assert_eq!(lines(&mirror), expected, "{place}");
        assert_eq!(seen(&mirror), seen_before, "{place}");
        assert!(mirror.verify().unwrap().is_sound(), "{place}");
        let first = passed.taken.first().unwrap();
        let is_it = match outcome {
            Outcome::Retry => matches!(first, ReplyOutcome::Retry { .. }),
            Outcome::Failed => *first == ReplyOutcome::Failed,
            Outcome::Refused => matches!(first, ReplyOutcome::Retry { .. } | ReplyOutcome::Failed),
            Outcome::Kept => *first == ReplyOutcome::Stored,
        };
        assert!(is_it, "{place}: {first:?}");
        let Some(report) = passed.report else {
            assert!(is_basis(target) && outcome != Outcome::Kept, "{place}");
            continue;
        };
        if outcome == Outcome::Kept {
            let [unknown] = &report.unknown[..] else {
                panic!("{place}: {:?}", report.unknown);
            };
            assert!(
                unknown.ends_with(&format!(": {UNKNOWN}")),
                "{place}: {unknown}"
            );
        } else {
            let [given_up] = &report.failed[..] else {
                panic!("{place}: {:?}", report.failed);
            };
            assert_eq!(given_up.target, *target);
            assert!(given_up.reason.len() > 10, "{}", given_up.reason);
        }
        count += 1;
    }
    assert!(count > extent(30, 200), "{count}");
}

/// In the first pass what was answered badly was not seen, and all else is exact.
#[test]
fn what_is_answered_badly_at_first_was_not_seen() {
    let source = grades(1);
    let (targets, mut refused) = (targets(&source), 0);
    for (number, target) in targets.iter().enumerate() {
        let bad = bad(&get(&source, target, NOW)).into_iter();
        let bad = bad.filter(|(.., outcome)| *outcome != Outcome::Kept);
        let bad: Vec<_> = bad.collect();
        let (name, status, body, _) = &bad[number % bad.len()];
        let place = format!("{name} of {target}");
        let mirror = Engine::memory(Options::default()).unwrap();
        let passed = pass(&mirror, &source, target, *status, body);
        assert!(!passed.said.contains(SAID), "{place}");
        assert!(mirror.verify().unwrap().is_sound(), "{place}");
        if passed.report.is_none() {
            assert!(is_basis(target), "{place}");
            assert_eq!(mirror.synced(SCHOOL).unwrap(), None, "{place}");
            continue;
        }
        mirror.apply(ACCESS.as_bytes()).unwrap();
        let mut exact = 0;
        for other in &targets {
            let answer = get(&mirror, other, NOW);
            if answer.status.code != 503 {
                assert_eq!(answer, get(&source, other, NOW), "{place}: {other}");
                exact += 1;
            }
        }
        assert!(exact * 4 > targets.len() * 3, "{place}: {exact}");
        refused += usize::from(get(&mirror, target, NOW).status.code == 503);
    }
    // Little is told by others as well: who takes which subjects, learner by learner.
    assert!(refused * 4 > targets.len() * 3, "{refused}");
}

/// A school with these learners and no other record of people.
fn learners(ids: std::ops::Range<u64>, name: &str) -> Engine {
    let school = Engine::memory(Options::default()).unwrap();
    let learner = |id| {
        format!(r#"{{"type":"learner","school_id":1000,"id":{id},"first_name":"{name}{id}"}}"#)
    };
    let learners: Vec<String> = ids.map(learner).collect();
    let lines = r#"{"type":"school","school_id":1000,"school_name":"S","current_year":2026}
"#;
    let all = [lines, &learners.join("\n"), ACCESS].concat();
    school.apply(all.as_bytes()).unwrap();
    school
}

/// Nothing tells that a list is another school's, or lacks what it had. Up to twenty records of
/// a school it is taken, and the next good pass undoes it; beyond that it is held.
#[test]
fn a_small_school_that_was_taken_for_another_is_itself_again_after_one_pass() {
    let mut held = Vec::new();
    for count in [1, 2, 5, 19, 20, 21, 40] {
        let source = learners(100..100 + count, "L");
        let mirror = Engine::memory(Options::default()).unwrap();
        pass(&mirror, &source, "", 0, b"");
        let expected = lines(&mirror);
        let coverage = |mirror: &Engine| {
            let seen = mirror.synced(SCHOOL).unwrap().unwrap().seen.into_iter();
            let seen = seen.map(|seen| (seen.what, seen.year, seen.days, seen.count));
            seen.collect::<Vec<_>>()
        };
        let seen = coverage(&mirror);
        let listed =
            format!("/api/v1/adminplus/learners/{SCHOOL}?status=current&include_parents=1");
        let other = get(&learners(500..500 + count, SAID), &listed, NOW);
        for answer in [other.body.as_slice(), b"[]"] {
            let passed = pass(&mirror, &source, &listed, 200, answer);
            let is_held = !passed.report.unwrap().quarantined.is_empty();
            held.push((count, is_held));
            assert_eq!(lines(&mirror) == expected, is_held, "{count}");
            assert!(mirror.verify().unwrap().is_sound(), "{count}");
            let passed = pass(&mirror, &source, "", 0, b"");
            assert_eq!(passed.report.unwrap().quarantined, [], "{count}");
            assert_eq!(lines(&mirror), expected, "{count}");
            assert_eq!(coverage(&mirror), seen, "{count}");
            assert!(mirror.verify().unwrap().is_sound(), "{count}");
        }
    }
    let expected = |(count, is_held): &(u64, bool)| (*count > 20) == *is_held;
    assert!(held.len() == 14 && held.iter().all(expected), "{held:?}");
}

/// The answers of another school: what says whose it is is refused, and what does not is
/// held back if much would go.
#[test]
fn another_schools_answers_change_nothing() {
    let school = |learners: std::ops::Range<u64>, name: &str| {
        let school = grades(1);
        let learner = |id| {
            format!(r#"{{"type":"learner","school_id":1000,"id":{id},"first_name":"{name}{id}"}}"#)
        };
        let learners: Vec<String> = learners.map(learner).collect();
        school.apply(learners.join("\n").as_bytes()).unwrap();
        school
    };
    let (source, other) = (school(100..150, "L"), school(500..550, SAID));
    let mirror = Engine::memory(Options::default()).unwrap();
    pass(&mirror, &source, "", 0, b"");
    let expected = lines(&mirror);
    // It tells whose it is.
    let target = format!("/api/v1/finplus/debtmanagement/schools/{SCHOOL}");
    let body = get(&source, &target, NOW).text().replace("1000", "2000");
    let passed = pass(&mirror, &source, &target, 200, body.as_bytes());
    assert_eq!(
        (passed.taken, passed.report),
        (vec![ReplyOutcome::Failed], None)
    );
    assert_eq!(lines(&mirror), expected);
    // Nothing tells that it is another's: much would go.
    let listed = format!("/api/v1/adminplus/learners/{SCHOOL}?status=current&include_parents=1");
    let answer = get(&other, &listed, NOW);
    let passed = pass(&mirror, &source, &listed, 200, &answer.body);
    let held = passed.report.unwrap().quarantined;
    assert!(held.iter().any(|held| held.target == listed), "{held:?}");
    assert!(!passed.said.contains(SAID));
    assert_eq!(lines(&mirror), expected);
    // The marks of another grade:
    let marks =
        |grade: u64| format!("/api/v1/currplus/learnerassessmentmarks/{SCHOOL}?grade_id={grade}");
    let answer = get(&grades(2), &marks(2), NOW);
    assert_eq!(answer.status.code, 200);
    let passed = pass(&mirror, &source, &marks(1), 200, &answer.body);
    let report = passed.report.unwrap();
    assert_eq!(
        report.failed[0].reason,
        "it contains data that was not requested"
    );
    assert_eq!(lines(&mirror), expected);
}
