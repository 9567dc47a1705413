//! Bad replies of the service: each has a defined outcome, changes no other data, and its content
//! is not repeated in any message.

use super::machine::{grades, options};
use super::steps::lines;
use super::{ACCESS, NOW, SCHOOL, get};
use rollbook::{Answer, Engine, Options, Reply, ReplyOutcome, Step, SyncReport};
use rollbook_tests::search::extent;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A text in each bad answer.
const SAID: &str = "Zebedee";

/// The name of an unknown field.
const UNKNOWN: &str = "zebra";

/// The expected outcome of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The request is repeated, and finally fails.
    Retry,
    Failed,
    /// One of the two outcomes above.
    Refused,
    Stored,
    /// A value cannot be used: the rest of the answer is stored, unless nothing is left of it.
    Odd,
}

/// Returns bad answers that replace a good one.
fn bad(good: &Answer) -> Vec<(&'static str, u16, Vec<u8>, Outcome)> {
    use Outcome::{Failed, Odd, Refused, Retry, Stored};
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
        ("a redirect", of(302, &html, Retry)),
        ("text that is not JSON", of(200, SAID, Retry)),
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
        bad.push(("a wrong type", of(200, &value.to_string(), Odd)));
        let mut value: Value = serde_json::from_str(text).unwrap();
        let at = innermost(&value);
        value.pointer_mut(&at).unwrap()[UNKNOWN] = json!([{SAID: SAID}]);
        // The name of a person in place of a field.
        value.pointer_mut(&at).unwrap()[format!("{SAID} Smith")] = json!(1);
        bad.push(("an unknown field", of(200, &value.to_string(), Stored)));
        bad.push(("half of it", of(200, half, Retry)));
        let bytes = [good.body.as_slice(), b"\xff"].concat();
        bad.push(("no text", (200, bytes, Retry)));
    }
    let named = bad.into_iter();
    let named = named.map(|(name, (status, body, outcome))| (name, status, body, outcome));
    named.collect()
}

/// Returns the path of the first value that contains no other value.
fn leaf(value: &Value) -> String {
    match first(value, |_| true) {
        Some((name, inner)) => format!("/{name}{}", leaf(inner)),
        None => String::new(),
    }
}

/// Returns the path of an object that contains no other object.
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

/// Returns the first matching value within another, and its name.
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

/// The result of a pass, and all its messages.
struct Passed {
    /// The first outcome of each bad answer.
    taken: Vec<ReplyOutcome>,
    report: SyncReport,
    said: String,
}

/// Runs a pass in which the answer to one target is replaced.
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
            Step::Done(report) => break report,
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

/// Returns the targets of a pass.
pub(super) fn targets(source: &Engine) -> Vec<String> {
    let mirror = Engine::memory(Options::default()).unwrap();
    let sync = mirror.sync(SCHOOL, options(u32::MAX)).unwrap();
    super::machine::pass(&sync, source, NOW).0
}

/// Another school, which is owned by the app.
const OTHER: &str = r#"{"type":"school","school_id":2000,"school_name":"Other","current_year":2026}
{"type":"learner","school_id":2000,"id":1,"first_name":"Ophelia"}
{"type":"staff_member","school_id":2000,"id":1,"first_name":"Osric"}"#;

/// In a second pass, a bad answer changes nothing, because nothing has changed at the service.
#[test]
fn a_bad_answer_changes_nothing() {
    let source = grades(1);
    let mirror = Engine::memory(Options::default()).unwrap();
    mirror.apply(OTHER.as_bytes()).unwrap();
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
    let (mut count, mut odd) = (0, 0);
    for (target, (name, status, body, outcome)) in all.step_by(extent(5, 1)) {
        let place = format!("{name} of {target}");
        let passed = pass(&mirror, &source, target, status, &body);
        assert!(!passed.said.contains(SAID), "{place}: {}", passed.said);
        let first = passed.taken.first().unwrap();
        let is_odd = outcome == Outcome::Odd && *first == ReplyOutcome::Stored;
        if is_odd {
            let findings = &passed.report.findings;
            let found: Vec<_> = findings.iter().map(|of| (of.count, &of.target)).collect();
            // The names of learners in this answer are not used.
            let is_used = !target.contains("/learnersubjects/");
            let expected: &[_] = if is_used { &[(1, target)] } else { &[] };
            assert_eq!(found, expected, "{place}");
            // The value is stored as soon as the service has it again.
            pass(&mirror, &source, "", 0, b"");
            odd += 1;
        }
        assert_eq!(lines(&mirror), expected, "{place}");
        assert_eq!(seen(&mirror), seen_before, "{place}");
        assert!(mirror.verify().unwrap().is_sound(), "{place}");
        let is_it = match outcome {
            Outcome::Retry => matches!(first, ReplyOutcome::Retry { .. }),
            Outcome::Failed => *first == ReplyOutcome::Failed,
            Outcome::Odd => is_odd || *first == ReplyOutcome::Failed,
            Outcome::Refused => matches!(first, ReplyOutcome::Retry { .. } | ReplyOutcome::Failed),
            Outcome::Stored => *first == ReplyOutcome::Stored,
        };
        assert!(is_it, "{place}: {first:?}");
        let report = passed.report;
        if is_odd {
            assert_eq!(report.failed, [], "{place}");
        } else if outcome == Outcome::Stored {
            let [hidden, unknown] = &report.unknown[..] else {
                panic!("{place}: {:?}", report.unknown);
            };
            assert!(hidden.ends_with(": ..."), "{place}: {hidden}");
            assert!(
                unknown.ends_with(&format!(": {UNKNOWN}")),
                "{place}: {unknown}"
            );
        } else {
            let [failed] = &report.failed[..] else {
                panic!("{place}: {:?}", report.failed);
            };
            assert_eq!(failed.target, *target);
            assert!(failed.reason.len() > 10, "{}", failed.reason);
        }
        count += 1;
    }
    assert!(
        count > extent(30, 200) && odd > extent(3, 10),
        "{count} {odd}"
    );
}

/// In a first pass, data with a bad answer was not fetched, and everything else is exact.
#[test]
fn data_with_a_bad_first_answer_was_not_fetched() {
    let source = grades(1);
    let (targets, mut refused) = (targets(&source), 0);
    for (number, target) in targets.iter().enumerate() {
        let bad = bad(&get(&source, target, NOW)).into_iter();
        let bad = bad.filter(|(.., outcome)| !matches!(outcome, Outcome::Stored | Outcome::Odd));
        let bad: Vec<_> = bad.collect();
        let (name, status, body, _) = &bad[number % bad.len()];
        let place = format!("{name} of {target}");
        let mirror = Engine::memory(Options::default()).unwrap();
        let passed = pass(&mirror, &source, target, *status, body);
        assert!(!passed.said.contains(SAID), "{place}");
        assert!(mirror.verify().unwrap().is_sound(), "{place}");
        assert_eq!(passed.report.failed[0].target, *target, "{place}");
        mirror.apply(ACCESS.as_bytes()).unwrap();
        let mut exact = 0;
        // The subjects of a learner depend on the list that contains the learner.
        let is_dependent = |other: &String| {
            let is_of_learner = other.contains("learner_id=") || other.contains("learnersubjects/");
            target.contains("status=current") && is_of_learner
        };
        for other in targets.iter().filter(|other| !is_dependent(other)) {
            let answer = get(&mirror, other, NOW);
            if answer.status.code != 503 {
                assert_eq!(answer, get(&source, other, NOW), "{place}: {other}");
                exact += 1;
            }
        }
        let dependent = targets.iter().filter(|other| is_dependent(other)).count();
        let others = targets.len() - dependent;
        assert!(exact * 4 > others * 3, "{place}: {exact} of {others}");
        refused += usize::from(get(&mirror, target, NOW).status.code == 503);
    }
    // Other answers contain little of this data: which subjects the learners take, one by one.
    assert!(refused * 4 > targets.len() * 3, "{refused}");
}

/// Returns a school with these learners and no other records of people.
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

/// A list of another school, or an incomplete list, cannot be recognised. Up to twenty records of a
/// school, it is published, and the next good pass repairs the school; beyond that, it is
/// quarantined.
#[test]
fn a_small_school_with_a_wrong_list_is_repaired_in_one_pass() {
    let mut outcomes = Vec::new();
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
            let is_quarantined = !passed.report.quarantined.is_empty();
            outcomes.push((count, is_quarantined));
            assert_eq!(lines(&mirror) == expected, is_quarantined, "{count}");
            assert!(mirror.verify().unwrap().is_sound(), "{count}");
            let passed = pass(&mirror, &source, "", 0, b"");
            assert_eq!(passed.report.quarantined, [], "{count}");
            assert_eq!(lines(&mirror), expected, "{count}");
            assert_eq!(coverage(&mirror), seen, "{count}");
            assert!(mirror.verify().unwrap().is_sound(), "{count}");
        }
    }
    let expected = |(count, is_quarantined): &(u64, bool)| (*count > 20) == *is_quarantined;
    assert!(
        outcomes.len() == 14 && outcomes.iter().all(expected),
        "{outcomes:?}"
    );
}

/// Answers of another school: those that name their school are refused, and others are quarantined
/// if they would remove many values.
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
    // This answer names its school.
    let target = format!("/api/v1/finplus/debtmanagement/schools/{SCHOOL}");
    let body = get(&source, &target, NOW).text().replace("1000", "2000");
    let passed = pass(&mirror, &source, &target, 200, body.as_bytes());
    assert_eq!(passed.taken, [ReplyOutcome::Failed]);
    assert_eq!(passed.report.failed[0].reason, "it is about another school");
    assert_eq!(lines(&mirror), expected);
    // This answer does not name its school, and would remove many values.
    let listed = format!("/api/v1/adminplus/learners/{SCHOOL}?status=current&include_parents=1");
    let answer = get(&other, &listed, NOW);
    let passed = pass(&mirror, &source, &listed, 200, &answer.body);
    let quarantined = passed.report.quarantined;
    assert!(
        quarantined
            .iter()
            .any(|quarantined| quarantined.target == listed),
        "{quarantined:?}"
    );
    assert!(!passed.said.contains(SAID));
    assert_eq!(lines(&mirror), expected);
    // The marks of another grade.
    let marks =
        |grade: u64| format!("/api/v1/currplus/learnerassessmentmarks/{SCHOOL}?grade_id={grade}");
    let answer = get(&grades(2), &marks(2), NOW);
    assert_eq!(answer.status.code, 200);
    let passed = pass(&mirror, &source, &marks(1), 200, &answer.body);
    let report = passed.report;
    assert_eq!(
        report.failed[0].reason,
        "it contains data that was not requested"
    );
    assert_eq!(lines(&mirror), expected);
}
