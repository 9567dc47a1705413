//! Values that cannot be used in one answer while another answer has them, and requests that the
//! service refuses while it answers others to the same endpoint.

use super::machine::options;
use super::odd::{pass, records};
use super::refused::{self, Way};
use super::steps::{drive_from, little_school};
use super::{ACCESS, NOW, SCHOOL, get};
use rollbook::{Answer, Engine, Options, Reply, Step, SyncOptions};
use serde_json::{Value, json};

const SCHOOL_OF_TWO: &str = r#"
{"type":"learner","school_id":1000,"id":2,"first_name":"Ben","grade_id":9,"parent1_id":5}
{"type":"parent","school_id":1000,"id":5,"first_name":"Zoe","email_address":"z@example.com"}
{"type":"subject","school_id":1000,"subject_id":101,"subject_name":"Maths","super_subject_id":1,"super_subject_name":"S"}
{"type":"learner_subject","school_id":1000,"learner_id":1,"year":2026,"subject_id":101,"grade_id":9,"terms":[{"term":1,"mark":50}]}
{"type":"learner_subject","school_id":1000,"learner_id":2,"year":2026,"subject_id":101,"grade_id":9,"terms":[{"term":1,"mark":60}]}
{"type":"learning_program","school_id":1000,"grade_id":9,"year":2026,"term":1,"subject_id":101,"released":1}
{"type":"assessment","school_id":1000,"assessment_id":77,"grade_id":9,"year":2026,"term":1,"subject_id":101,"learning_outcome_id":3,"assessment_name":"Test","assessment_date":"2026-02-01","weight":10,"mark_out_of":20}
{"type":"mark","school_id":1000,"assessment_id":77,"learner_id":1,"mark":10}
{"type":"mark","school_id":1000,"assessment_id":77,"learner_id":2,"mark":12}
{"type":"absentee","school_id":1000,"id":1,"learner_id":1,"absent_date":"2026-05-11"}"#;

fn school() -> Engine {
    let source = little_school();
    source.apply(SCHOOL_OF_TWO.as_bytes()).unwrap();
    source
}

fn mirror() -> Engine {
    Engine::memory(Options::default()).unwrap()
}

/// Replaces a member everywhere in an answer.
fn replace(value: &mut Value, member: &str, by: &Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, member, by)),
        Value::Object(members) => {
            for (name, inner) in members.iter_mut() {
                if name == member {
                    *inner = by.clone();
                } else {
                    replace(inner, member, by);
                }
            }
        }
        _ => {}
    }
}

/// The same value is good in the other answers that contain it, in first and in later passes, and
/// whether these have changed or not.
#[test]
fn a_value_that_another_answer_has_is_not_lost() {
    for (target, member) in [
        ("learnersubjectmarks/1000?learner_id=2", "subject_name"),
        ("learnersubjectsperterm/1000?learner_id=2", "subject_name"),
        (
            "learnersubjectsperterm/1000?learner_id=2",
            "super_subject_name",
        ),
        ("learnersubjectsperterm/1000?learner_id=2", "grade"),
        ("adminplus/parents/1000", "email_address"),
        ("adminplus/learners/1000?status=current", "email_address"),
        ("grade_id=9&structure=1", "assessment_name"),
        ("grade_id=9&structure=1", "subject_name"),
    ] {
        let source = school();
        let clean = mirror();
        pass(&clean, &source, &mut |_, answer| answer.body);
        let mut odd = |asked: &str, answer: Answer| {
            if answer.status.code != 200 || !asked.contains(target) {
                return answer.body;
            }
            let mut value = serde_json::from_str(answer.text()).unwrap();
            replace(&mut value, member, &json!(["x"]));
            value.to_string().into_bytes()
        };
        let first = mirror();
        let later = mirror();
        pass(&later, &source, &mut |_, answer| answer.body);
        for mirror in [&first, &later] {
            let report = pass(mirror, &source, &mut odd);
            assert!(!report.findings.is_empty(), "{target} {member}");
            assert_eq!(records(mirror), records(&clean), "{target} {member}");
        }
    }
}

/// Only the data of one learner or grade is missing. The others are requested.
#[test]
fn a_request_that_is_refused_costs_no_other_one() {
    let source = school();
    for lost in [
        "/api/v1/currplus/learnersubjectmarks/1000?learner_id=1",
        "/api/v1/currplus/learnersubjectsperterm/1000?learner_id=1",
    ] {
        for status in [401, 403] {
            let mirror = mirror();
            let of_lost = |target: &str| (target == lost).then_some(Way::Status(status));
            refused::pass(&mirror, &source, &of_lost);
            mirror.apply(ACCESS.as_bytes()).unwrap();
            let other = lost.replace("learner_id=1", "learner_id=2");
            assert_eq!(get(&mirror, lost, NOW).status.code, 503, "{status}");
            assert_eq!(
                get(&mirror, &other, NOW),
                get(&source, &other, NOW),
                "{status}"
            );
        }
    }
}

/// All lists of the first phase are refused, and the absences are not.
#[test]
fn a_pass_continues_although_all_its_lists_are_refused() {
    let source = school();
    let mirror = mirror();
    refused::pass(&mirror, &source, &|_| None);
    let line =
        r#"{"type":"absentee","school_id":1000,"id":9,"learner_id":1,"absent_date":"2026-05-12"}"#;
    source.apply(line.as_bytes()).unwrap();
    let sync = mirror.sync(SCHOOL, options(0)).unwrap();
    let refused = [
        "debtmanagement/schools",
        "adminplus/learners",
        "learnersubjects/",
    ];
    let mut now = NOW;
    loop {
        match sync.next(now).unwrap() {
            Step::Send(call) => {
                let answer = get(&source, &call.target, NOW);
                let is_refused = refused.iter().any(|path| call.target.contains(path));
                let forbidden = Reply {
                    status: 403,
                    body: b"{}",
                    ..Reply::default()
                };
                let reply = if is_refused {
                    forbidden
                } else {
                    super::reply(&answer)
                };
                sync.handle_reply(call.id, now, &reply).unwrap();
            }
            Step::Wait { until } => now = until,
            Step::Done(report) => {
                assert!(report.failed.len() >= 3, "{report:?}");
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(
        records(&mirror)
            .iter()
            .any(|line| line.contains(r#""id":9,"#))
    );
}

/// Get Schools is refused in later passes too. The school then follows Get School.
#[test]
fn a_school_follows_get_school_if_get_schools_is_refused_later() {
    let source = school();
    let mirror = mirror();
    refused::pass(&mirror, &source, &|_| None);
    let line = r#"{"type":"school","school_id":1000,"school_name":"Renamed","website":"w","current_year":2026}"#;
    source.apply(line.as_bytes()).unwrap();
    let no_finance = |target: &str| {
        target
            .contains("debtmanagement/schools")
            .then_some(Way::Status(403))
    };
    refused::pass(&mirror, &source, &no_finance);
    mirror.apply(ACCESS.as_bytes()).unwrap();
    let info = "/api/v1/adminplus/school/1000";
    assert_eq!(get(&mirror, info, NOW), get(&source, info, NOW));
}

/// A mark without `captured` is captured, as in a dataset; a term without a mark is no term.
#[test]
fn a_mark_that_the_service_does_not_give_is_empty() {
    let source = school();
    let clean = mirror();
    pass(&clean, &source, &mut |_, answer| answer.body);
    for (target, member, value) in [
        ("assessmentmarks", "captured", json!(null)),
        ("assessmentmarks", "captured", json!("")),
    ] {
        let mirror = mirror();
        let report = pass(&mirror, &source, &mut |asked, answer| {
            if answer.status.code != 200 || !asked.contains(target) {
                return answer.body;
            }
            let mut body = serde_json::from_str(answer.text()).unwrap();
            replace(&mut body, member, &value);
            body.to_string().into_bytes()
        });
        assert_eq!(report.findings, []);
        assert_eq!(records(&mirror), records(&clean), "{value}");
    }
    // The mark of the subject is removed at the service.
    let mirror = mirror();
    pass(&mirror, &source, &mut |_, answer| answer.body);
    for value in [json!(null), json!("")] {
        let report = pass(&mirror, &source, &mut |asked, answer| {
            if answer.status.code != 200 || !asked.contains("learnersubjectmarks") {
                return answer.body;
            }
            let mut body = serde_json::from_str(answer.text()).unwrap();
            replace(&mut body, "mark", &value);
            body.to_string().into_bytes()
        });
        assert_eq!(report.findings, []);
        let mut of_subjects = records(&mirror);
        of_subjects.retain(|line| line.contains("learner_subject"));
        assert!(
            of_subjects.iter().all(|line| !line.contains("mark")),
            "{of_subjects:?}"
        );
    }
}

/// A name that many answers repeat becomes unusable in all of them. It retains its value, because a
/// pass does not read all of these answers again. A first pass leaves it empty.
#[test]
fn a_repeated_name_that_becomes_unusable_retains_its_value() {
    let source = school();
    let bad = |_: &str, answer: Answer| {
        let Ok(mut value) = serde_json::from_slice::<Value>(&answer.body) else {
            return answer.body;
        };
        replace(&mut value, "subject_name", &json!(["x"]));
        value.to_string().into_bytes()
    };
    for was_stored in [true, false] {
        let mirror = mirror();
        if was_stored {
            pass(&mirror, &source, &mut |_, answer| answer.body);
        }
        let report = pass(&mirror, &source, &mut &bad);
        let mut findings = report.findings.iter();
        assert!(findings.any(|of| of.kind == "subject" && of.field == "subject_name"));
        let is_stored = records(&mirror).iter().any(|line| line.contains("Maths"));
        assert_eq!(is_stored, was_stored);
    }
}

/// Get School has no record although Get Schools has one. Nothing shows which fields of the record
/// are empty, so the stored information remains as old as it was.
#[test]
fn a_missing_school_record_leaves_the_information_as_it_was() {
    const INFO: &str = "/api/v1/adminplus/school/1000";
    let source = school();
    let line = r#"{"type":"school","school_id":1000,"school_name":"Little","current_year":2026,"website":"w"}"#;
    source.apply(line.as_bytes()).unwrap();
    let missing = r#"{"error":"Not found","error_description":"No school record found"}"#;
    let is_missing = |target: &str| (target == INFO).then_some((404, missing));
    for was_fetched in [true, false] {
        let mirror = mirror();
        if was_fetched {
            let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
            drive_from(&sync, &source, NOW, &|_| None).unwrap();
        }
        let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
        let done = drive_from(&sync, &source, NOW + 3_600, &is_missing).unwrap();
        let Step::Done(report) = done else {
            panic!("{done:?}");
        };
        let failed = report.failed.iter();
        let failed: Vec<_> = failed
            .map(|one| (one.target.as_str(), one.status))
            .collect();
        assert_eq!(failed, [(INFO, Some(404))]);
        mirror.apply(ACCESS.as_bytes()).unwrap();
        let seen = mirror.synced(SCHOOL).unwrap().unwrap().seen;
        let seen = seen
            .iter()
            .find(|seen| seen.what == "the school's information");
        assert_eq!(seen.map(|seen| seen.as_of), was_fetched.then_some(NOW));
        if was_fetched {
            assert_eq!(get(&mirror, INFO, NOW), get(&source, INFO, NOW));
        } else {
            assert_eq!(get(&mirror, INFO, NOW).status.code, 503);
        }
    }
}
