//! Records that are left out because a value cannot be used, beside records that the service has
//! deleted or moved; and what a report contains after a restart.

use super::machine::options;
use super::odd::{pass, records};
use super::steps::{drive, little_school};
use super::{ACCESS, NOW, SCHOOL, get};
use rollbook::{Answer, Call, CallFailure, Engine, Options, Reply, Step, StopReason, SyncOptions};
use serde_json::{Value, json};
use std::cell::Cell;

fn mirror() -> Engine {
    Engine::memory(Options::default()).unwrap()
}

/// Returns a school with these records besides a few others.
fn school(lines: &str) -> Engine {
    let source = little_school();
    source.apply(lines.as_bytes()).unwrap();
    source
}

/// Returns a change of the answers to the targets that contain a text.
fn changed<'a>(
    of: &'a str,
    change: &'a dyn Fn(&mut Value),
) -> impl FnMut(&str, Answer) -> Vec<u8> + 'a {
    move |target, answer| {
        if !target.contains(of) || answer.status.code != 200 {
            return answer.body;
        }
        let mut value = serde_json::from_str(answer.text()).unwrap();
        change(&mut value);
        value.to_string().into_bytes()
    }
}

/// Returns the lines of a mirror that contain a text.
fn with(mirror: &Engine, text: &str) -> Vec<String> {
    let mut lines = records(mirror);
    lines.retain(|line| line.contains(text));
    lines
}

const ABSENCES: &str = r#"
{"type":"absentee","school_id":1000,"id":1,"learner_id":1,"absent_date":"2026-05-11"}
{"type":"absentee","school_id":1000,"id":2,"learner_id":1,"absent_date":"2026-05-12"}
{"type":"absentee","school_id":1000,"id":3,"learner_id":1,"absent_date":"2026-05-13","absent_reason":"Ill"}"#;
const DELETION: &[u8] = br#"{"type":"absentee","school_id":1000,"id":2,"deleted":true}"#;

/// The rest of the answer is complete: what it does not contain is deleted.
#[test]
fn a_record_that_is_left_out_is_not_deleted_and_others_are() {
    let source = school(ABSENCES);
    let mirror = mirror();
    pass(&mirror, &source, &mut |_, answer| answer.body);
    let before = with(&mirror, "absentee");
    assert_eq!(before.len(), 3);
    source.apply(DELETION).unwrap();
    let damage = |list: &mut Value| {
        for absence in list.as_array_mut().unwrap() {
            if absence["id"] == "3" {
                absence["absent_date"] = json!("2026-05-13 08:00:00");
                absence["absent_reason"] = json!("Other");
            }
        }
    };
    let report = pass(&mirror, &source, &mut changed("absentees", &damage));
    assert_eq!(report.findings[0].keys, ["3"]);
    let after = with(&mirror, "absentee");
    assert_eq!(after, [before[0].clone(), before[2].clone()]);
}

/// An object without a usable id may be any record.
#[test]
fn a_record_without_a_key_prevents_deletions() {
    let source = school(ABSENCES);
    let mirror = mirror();
    pass(&mirror, &source, &mut |_, answer| answer.body);
    let before = with(&mirror, "absentee");
    source.apply(DELETION).unwrap();
    let damage = |list: &mut Value| {
        if let Some(absence) = list.as_array_mut().unwrap().last_mut() {
            absence["id"] = json!("x");
        }
    };
    let report = pass(&mirror, &source, &mut changed("absentees", &damage));
    let [finding] = &report.findings[..] else {
        panic!("{:?}", report.findings);
    };
    assert_eq!((finding.count, finding.keys.len()), (1, 0));
    assert_eq!(with(&mirror, "absentee"), before);
    let report = pass(&mirror, &source, &mut |_, answer| answer.body);
    assert_eq!(report.findings, []);
    assert_eq!(with(&mirror, "absentee").len(), 2);
}

/// An absence moves to another window, whose answer has an odd value of it.
#[test]
fn a_record_that_moves_is_not_deleted_where_it_was() {
    let source = school(ABSENCES);
    let mirror = mirror();
    pass(&mirror, &source, &mut |_, answer| answer.body);
    let before = with(&mirror, "absentee");
    let moved = r#"
{"type":"absentee","school_id":1000,"id":3,"learner_id":1,"absent_date":"2026-05-01"}
{"type":"absentee","school_id":1000,"id":4,"learner_id":1,"absent_date":"2026-05-01"}"#;
    source.apply(moved.as_bytes()).unwrap();
    for (member, value) in [("learner_id", json!("x")), ("id", json!(null))] {
        let damage = |list: &mut Value| {
            for absence in list.as_array_mut().unwrap() {
                if absence["id"] == "3" {
                    absence[member] = value.clone();
                }
            }
        };
        pass(&mirror, &source, &mut changed("absentees", &damage));
        let after = with(&mirror, "absentee");
        assert!(before.iter().all(|line| after.contains(line)), "{member}");
        assert_eq!(after.len(), 4, "{member}");
    }
    pass(&mirror, &source, &mut |_, answer| answer.body);
    let after = with(&mirror, "absentee");
    assert!(after.len() == 4 && !after.contains(&before[2]), "{after:?}");
}

/// A learner moves to the waitlist, whose answer has an unusable id for it.
#[test]
fn a_learner_that_cannot_be_identified_in_another_list_remains() {
    let lines = r#"{"type":"learner","school_id":1000,"id":2,"first_name":"Ben","grade_id":9}"#;
    let other = r#"{"type":"learner","school_id":1000,"id":3,"status":"waitlist"}"#;
    let source = school(&[lines, other].join("\n"));
    let mirror = mirror();
    pass(&mirror, &source, &mut |_, answer| answer.body);
    let before = with(&mirror, "Ben");
    let waiting = lines.replace(r#""grade_id":9"#, r#""grade_id":9,"status":"waitlist""#);
    source.apply(waiting.as_bytes()).unwrap();
    let damage = |list: &mut Value| list[0]["id"] = json!({});
    pass(&mirror, &source, &mut |target, answer| {
        let is_account = target.contains("all_accounts=1") && target.contains("parents");
        let body = changed("status=waitlist", &damage)(target, answer);
        if is_account { b"[]".to_vec() } else { body }
    });
    // The account of a learner who is not current is closed.
    let closed = before[0].replace("open", "closed");
    assert_eq!(with(&mirror, "Ben"), [closed]);
    pass(&mirror, &source, &mut |_, answer| answer.body);
    assert!(with(&mirror, "Ben")[0].contains("waitlist"));
}

/// The answers with parents have something else in their place.
#[test]
fn parents_that_cannot_be_read_are_not_deleted() {
    let people = (10..40).map(|id| {
        format!(
            r#"{{"type":"learner","school_id":1000,"id":{id},"grade_id":9,"parent1_id":{parent}}}
{{"type":"parent","school_id":1000,"id":{parent},"first_name":"P{parent}"}}"#,
            parent = id + 100
        )
    });
    let source = school(&people.collect::<Vec<_>>().join("\n"));
    let mirror = mirror();
    pass(&mirror, &source, &mut |_, answer| answer.body);
    let before = with(&mirror, r#""parent""#);
    assert_eq!(before.len(), 31);
    for value in [json!("none"), json!([{"id": null}]), json!(7), json!([[1]])] {
        let damage = |list: &mut Value| {
            for learner in list.as_array_mut().unwrap() {
                learner["parents"] = value.clone();
            }
        };
        let report = pass(&mirror, &source, &mut changed("include_parents", &damage));
        assert_eq!(report.findings[0].kind, "parent", "{value}");
        assert_eq!(with(&mirror, r#""parent""#), before, "{value}");
    }
    // An empty list means that the parents no longer exist.
    let none = |list: &mut Value| {
        for learner in list.as_array_mut().unwrap() {
            learner["parents"] = json!([]);
        }
    };
    source
        .apply(&br#"{"type":"parent","school_id":1000,"id":110,"deleted":true}"#[..])
        .unwrap();
    let one = |list: &mut Value| {
        for learner in list.as_array_mut().unwrap() {
            if learner["parent1_id"] == "110" {
                none(&mut json!([learner]));
            }
        }
    };
    pass(&mirror, &source, &mut changed("include_parents", &one));
    assert_eq!(with(&mirror, r#""parent""#).len(), 30);
}

/// Get Schools does not contain the requested school.
#[test]
fn an_answer_without_the_school_is_no_answer() {
    let source = little_school();
    for (status, body) in [
        (200, "[]"),
        (200, r#"[{"school_id":null,"school_name":"Little"}]"#),
        (
            404,
            r#"{"error":"Not found","error_description":"No school records found"}"#,
        ),
    ] {
        let mirror = mirror();
        let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
        let step = drive(&sync, &source, &|target| {
            target
                .contains("debtmanagement/schools/")
                .then_some((status, body))
        });
        let Ok(Step::Done(report)) = step else {
            panic!("{step:?}");
        };
        assert_eq!(report.failed.len(), 1, "{body}");
        assert_eq!(report.failed[0].status, Some(status), "{body}");
        mirror.apply(ACCESS.as_bytes()).unwrap();
        let schools = "/api/v1/finplus/debtmanagement/schools/1000";
        assert_eq!(get(&mirror, schools, NOW).status.code, 503, "{body}");
        let info = "/api/v1/adminplus/school/1000";
        assert_eq!(get(&mirror, info, NOW), get(&source, info, NOW), "{body}");
    }
}

/// A sync that is abandoned in the middle of a pass leaves its findings and reasons to the next one.
#[test]
fn findings_and_reasons_survive_a_restart() {
    let source = school(ABSENCES);
    let answer = |call: &Call| {
        let answer = get(&source, &call.target, NOW);
        let (mut status, mut body) = (answer.status.code, answer.body.clone());
        if call.target.contains("status=current") {
            let mut list: Value = serde_json::from_str(answer.text()).unwrap();
            list[0]["date_of_birth"] = json!("0000-00-00");
            body = list.to_string().into_bytes();
        } else if call.target.contains("debtmanagement/schools/") {
            (status, body) = (410, b"{}".to_vec());
        } else if call.target.contains("lookup/grade") {
            body = br#"{"error":"x"}"#.to_vec();
        }
        (status, body)
    };
    let run = |restart_after: usize| {
        let mirror = mirror();
        let mut sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
        let mut calls = 0;
        loop {
            if calls == restart_after {
                sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
            }
            match sync.next(NOW).unwrap() {
                Step::Send(call) => {
                    let (status, body) = answer(&call);
                    let reply = Reply {
                        status,
                        body: &body,
                        ..Reply::default()
                    };
                    sync.handle_reply(call.id, NOW, &reply).unwrap();
                    calls += 1;
                }
                Step::Done(mut report) => {
                    report.failed.sort_by(|a, b| a.target.cmp(&b.target));
                    return (calls, report.failed, report.findings);
                }
                other => panic!("{other:?}"),
            }
        }
    };
    let (calls, failed, findings) = run(usize::MAX);
    assert_eq!((failed.len(), findings.len()), (2, 1));
    for restart_after in 1..calls {
        let (_, again, found) = run(restart_after);
        assert_eq!((&again, &found), (&failed, &findings), "{restart_after}");
    }
}

/// A reply that is not JSON is given up only if the one before it was not JSON either.
#[test]
fn an_answer_is_unreadable_if_two_replies_in_a_row_are() {
    const TARGET: &str = "/lookup/grade/";
    for (bodies, is_failed) in [
        (&["Fatal error", "Fatal error"][..], true),
        (&["Fatal error", "[", "Fatal error"], false),
        (
            &["Fatal error", "<html>", "Fatal error", "[", "Warning: "],
            false,
        ),
        (&["Fatal error", "[{]"], true),
    ] {
        let source = little_school();
        let mirror = mirror();
        let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
        let attempt = Cell::new(0);
        let step = drive(&sync, &source, &|target| {
            if !target.contains(TARGET) {
                return None;
            }
            attempt.set(attempt.get() + 1);
            Some((200, *bodies.get(attempt.get() - 1)?))
        });
        let Ok(Step::Done(report)) = step else {
            panic!("{step:?}");
        };
        assert_eq!(!report.failed.is_empty(), is_failed, "{bodies:?}");
        let attempts = bodies.len() + usize::from(!is_failed);
        assert_eq!(attempt.get(), attempts, "{bodies:?}");
    }
}

/// With one call at a time, a second call is never sent beside the first one, even before the
/// service has replied.
#[test]
fn one_call_is_in_flight_if_that_is_the_limit() {
    let mirror = mirror();
    let mut limited = options(0);
    limited.most_in_flight = Some(1);
    let sync = mirror.sync(SCHOOL, limited).unwrap();
    let (mut now, mut sent) = (NOW, Vec::new());
    loop {
        match sync.next(now).unwrap() {
            Step::Send(call) => {
                assert_eq!(sync.progress().in_flight, 1);
                sent.push(call.target.clone());
                now += 1;
                sync.handle_failure(call.id, now, CallFailure::Timeout)
                    .unwrap();
            }
            Step::Wait { until } => now = until,
            Step::Stop { reason, .. } => {
                assert_eq!(reason, StopReason::Unreachable);
                break;
            }
            Step::Done(report) => panic!("{report:?}"),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(sent.len(), 3);
    assert!(sent.iter().any(|target| *target != sent[0]), "{sent:?}");
}
