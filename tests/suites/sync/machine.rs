//! The state machine of a sync: the number of its calls, what it writes, and its behaviour when the
//! service fails.

use super::steps::{drive, lines, little_school};
use super::{ACCESS, NOW, SCHOOL, get, reply, stop_reason};
use rollbook::{
    Answer, Call, CallFailure, Engine, Options, Reply, ReplyOutcome, Step, StopReason, Sync,
    SyncOptions, SyncReport,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

pub(super) fn mirror() -> Engine {
    Engine::memory(Options::default()).unwrap()
}

pub(super) fn options(rotate: u32) -> SyncOptions {
    let mut options = SyncOptions::default();
    options.rotate = Some(rotate);
    options
}

/// Runs a whole pass call by call. Returns the targets.
pub(super) fn pass(sync: &Sync, source: &Engine, now: i64) -> (Vec<String>, SyncReport) {
    let mut targets = Vec::new();
    loop {
        match sync.next(now).unwrap() {
            Step::Send(call) => {
                let answer = get(source, &call.target, now);
                let taken = sync.handle_reply(call.id, now, &reply(&answer)).unwrap();
                assert!(
                    matches!(taken, ReplyOutcome::Stored | ReplyOutcome::Unchanged),
                    "{taken:?}"
                );
                targets.push(call.target);
            }
            Step::Done(report) => return (targets, report),
            other => panic!("{other:?}"),
        }
    }
}

/// Returns a school with so many grades, each with one learner.
pub(super) fn grades(count: u64) -> Engine {
    let source = mirror();
    let mut text = r#"{"type":"school","school_id":1000,"school_name":"S","current_year":2026}
"#
    .to_owned();
    for grade in 1..=count {
        write!(
            text,
            r#"{{"type":"grade","school_id":1000,"grade_id":{grade},"grade":"{grade}"}}
{{"type":"learner","school_id":1000,"id":{grade},"first_name":"L{grade}","grade_id":{grade},"parent1_id":{grade}}}
{{"type":"parent","school_id":1000,"id":{grade},"first_name":"P{grade}"}}
{{"type":"learner_subject","school_id":1000,"learner_id":{grade},"year":2026,"subject_id":101,"grade_id":{grade},"terms":[{{"term":1,"mark":50}}]}}
{{"type":"learning_program","school_id":1000,"grade_id":{grade},"year":2026,"term":1,"subject_id":101,"released":1}}
{{"type":"assessment","school_id":1000,"assessment_id":{grade},"grade_id":{grade},"year":2026,"term":1,"subject_id":101,"learning_outcome_id":3,"assessment_date":"2026-02-01","weight":10,"mark_out_of":20}}
{{"type":"mark","school_id":1000,"assessment_id":{grade},"learner_id":{grade},"mark":"13.5"}}
"#
        )
        .unwrap();
    }
    text += r#"{"type":"subject","school_id":1000,"subject_id":101,"subject_name":"Maths"}
{"type":"learning_outcome","school_id":1000,"learning_outcome_id":3,"learning_outcome_name":"O"}
{"type":"absentee","school_id":1000,"id":1,"learner_id":1,"absent_date":"2026-05-04"}
"#;
    source.apply([&text, ACCESS].concat().as_bytes()).unwrap();
    source
}

/// An unchanged pass makes eleven calls, one call for the marks of each grade, and one for every
/// second learner, which reveals additions: 11 more for seven grades.
#[test]
fn an_unchanged_pass_makes_few_calls() {
    let source = grades(7);
    let mirror = mirror();
    let sync = |rotate| mirror.sync(SCHOOL, options(rotate)).unwrap();
    pass(&sync(0), &source, NOW);
    let before = lines(&mirror);
    let seen = mirror.synced(SCHOOL).unwrap().unwrap();
    let later = NOW + 3_600;
    let (targets, report) = pass(&sync(0), &source, later);
    let marks = "/api/v1/currplus/learnerassessmentmarks/1000?";
    let count = |what: &str, targets: &[String]| {
        let start = format!("{marks}{what}");
        let targets = targets.iter();
        targets.filter(|target| target.starts_with(&start)).count()
    };
    assert_eq!(count("learner_id=", &targets), 4, "{targets:#?}");
    assert_eq!(count("grade_id=", &targets), 7, "{targets:#?}");
    assert_eq!(targets.len(), 22, "{targets:#?}");
    assert_eq!((report.replies, report.unchanged), (22, 22));
    assert_eq!(lines(&mirror), before);
    // Only the times of the coverage have changed.
    let now_seen = mirror.synced(SCHOOL).unwrap().unwrap();
    let what = |seen: &rollbook::Coverage| {
        let seen = seen.seen.iter();
        let seen = seen.map(|seen| (seen.what, seen.year, seen.days, seen.count));
        seen.collect::<Vec<_>>()
    };
    assert_eq!(what(&now_seen), what(&seen));
    let as_of = |seen: &rollbook::Coverage| {
        let seen = seen.seen.iter().map(|seen| (seen.what, seen.as_of));
        seen.collect::<BTreeMap<_, _>>()
    };
    assert!(as_of(&seen).values().all(|as_of| *as_of == NOW));
    for what in [
        "the current learners",
        "the parents of learners",
        "the learners' subjects",
    ] {
        assert_eq!(as_of(&now_seen)[what], later, "{what}");
    }
    assert_eq!(as_of(&now_seen)["the grades"], NOW);
    // The other resources and the structures are requested in rotation, the oldest first.
    let mut rotated = 0;
    let mut structures = BTreeSet::new();
    for number in 1..=7 {
        let (targets, report) = pass(&sync(7), &source, later + number);
        assert!((29..=30).contains(&targets.len()), "{targets:#?}");
        assert_eq!(report.unchanged, targets.len() as u64);
        assert_eq!(count("grade_id=", &targets), 8, "{targets:#?}");
        let is_structure = |target: &String| {
            target.starts_with(&format!("{marks}grade_id=")) && target.ends_with("structure=1")
        };
        structures.extend(targets.into_iter().filter(is_structure));
        rotated += 7;
    }
    assert_eq!(structures.len(), 7);
    let oldest = mirror.synced(SCHOOL).unwrap().unwrap().as_of.unwrap();
    assert_eq!(oldest > NOW, rotated >= 14 + 8 + 4, "{rotated}");
}

/// A change causes the necessary further calls, and no others.
#[test]
fn calls_follow_changes() {
    let source = grades(3);
    let mirror = mirror();
    let sync = || mirror.sync(SCHOOL, options(0)).unwrap();
    pass(&sync(), &source, NOW);
    let of_learners = |targets: &[String]| {
        let targets = targets
            .iter()
            .filter(|target| target.contains("learner_id=") && !target.contains("structure"));
        targets.cloned().collect::<Vec<_>>()
    };
    let change = |line: &str| {
        source.apply(line.as_bytes()).unwrap();
        let (targets, report) = pass(&sync(), &source, NOW);
        assert!(report.quarantined.is_empty() && report.unstable.is_empty());
        mirror.apply(ACCESS.as_bytes()).unwrap();
        for target in targets
            .iter()
            .filter(|target| !target.contains("learner_id="))
        {
            assert_eq!(
                get(&mirror, target, NOW),
                get(&source, target, NOW),
                "{target}"
            );
        }
        of_learners(&targets)
    };
    let per_term = "/api/v1/currplus/learnersubjectsperterm/1000?learner_id=";
    let marks = "/api/v1/currplus/learnersubjectmarks/1000?learner_id=";
    // Another subject of a learner.
    let line = r#"{"type":"learner_subject","school_id":1000,"learner_id":2,"year":2026,"subject_id":102,"grade_id":2}"#;
    assert_eq!(change(line), [format!("{per_term}2"), format!("{marks}2")]);
    // Another mark in an assessment, which may change the mark of the subject.
    let line = r#"{"type":"mark","school_id":1000,"assessment_id":3,"learner_id":3,"mark":"1.5"}"#;
    assert_eq!(change(line), [format!("{marks}3")]);
    let lines = r#"{"type":"mark","school_id":1000,"assessment_id":3,"learner_id":3,"mark":"2.5"}
{"type":"learner_subject","school_id":1000,"learner_id":3,"year":2026,"subject_id":101,"grade_id":3,"terms":[{"term":1,"mark":51}]}"#;
    assert_eq!(change(lines), [format!("{marks}3"), format!("{per_term}3")]);
    // Another learner.
    let line = r#"{"type":"learner","school_id":1000,"id":9,"first_name":"New"}"#;
    assert_eq!(change(line), [format!("{per_term}9"), format!("{marks}9")]);
    // A change that needs no further calls.
    let line = r#"{"type":"staff_member","school_id":1000,"id":9,"first_name":"New"}"#;
    assert_eq!(change(line), [""; 0]);
    // Nothing is requested any more about a learner who has left, and questions about the learner
    // are refused.
    let line = r#"{"type":"learner","school_id":1000,"id":9,"first_name":"New","status":"left"}"#;
    assert_eq!(change(line), [""; 0]);
    let left = get(&mirror, &format!("{marks}9"), NOW);
    assert_eq!(left.status.code, 503, "{}", left.text());
}

/// After a failure of the answer that shows who takes which subjects, the next pass makes calls only
/// for the learners that have changed their subjects.
#[test]
fn a_failed_list_of_subjects_causes_no_calls_for_each_learner() {
    let source = grades(7);
    let mirror = mirror();
    let sync = || mirror.sync(SCHOOL, options(0)).unwrap();
    pass(&sync(), &source, NOW);
    let fails = |target: &str| target.contains("learnersubjects/").then_some((400, "{}"));
    let failed = drive(&sync(), &source, &fails);
    assert!(matches!(failed, Ok(Step::Done(report)) if report.failed.len() == 1));
    let line = r#"{"type":"learner_subject","school_id":1000,"learner_id":2,"year":2026,"subject_id":102,"grade_id":2}"#;
    source.apply(line.as_bytes()).unwrap();
    let (targets, _) = pass(&sync(), &source, NOW);
    let is_of_learner =
        |target: &&String| target.contains("learner_id=") && !target.contains("structure");
    let of_learners: Vec<_> = targets.iter().filter(is_of_learner).collect();
    assert_eq!(
        of_learners,
        [
            "/api/v1/currplus/learnersubjectsperterm/1000?learner_id=2",
            "/api/v1/currplus/learnersubjectmarks/1000?learner_id=2"
        ]
    );
}

/// One call is in flight at first, then four.
#[test]
fn several_calls_are_in_flight_at_once() {
    let source = grades(7);
    let mirror = mirror();
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let out = || {
        let mut out = Vec::new();
        while let Step::Send(call) = sync.next(NOW).unwrap() {
            out.push(call);
        }
        out
    };
    let answer = |call: &Call| {
        let answer = get(&source, &call.target, NOW);
        sync.handle_reply(call.id, NOW, &reply(&answer)).unwrap()
    };
    let first = out();
    assert_eq!(first.len(), 1);
    assert_eq!(answer(&first[0]), ReplyOutcome::Stored);
    let four = out();
    assert_eq!(four.len(), 4);
    assert_eq!(sync.progress().in_flight, 4);
    // After a 429, only half as many calls are in flight, after the requested pause.
    let refused = Reply {
        status: 429,
        retry_after: Some("30"),
        body: b"",
    };
    let taken = sync.handle_reply(four[0].id, NOW, &refused).unwrap();
    assert_eq!(taken, ReplyOutcome::Retry { at: NOW + 30 });
    for call in four[1..].iter().rev() {
        assert_eq!(answer(call), ReplyOutcome::Stored);
    }
    assert_eq!(sync.next(NOW).unwrap(), Step::Wait { until: NOW + 30 });
    let Step::Send(call) = sync.next(NOW + 30).unwrap() else {
        panic!("not sent again");
    };
    assert_eq!(call, four[0]);
    assert!(matches!(sync.next(NOW + 30).unwrap(), Step::Send(_)));
    assert!(matches!(sync.next(NOW + 30).unwrap(), Step::Wait { .. }));
    assert_eq!(sync.progress().in_flight, 2);
}

#[test]
fn a_call_fails_after_ten_attempts() {
    let source = little_school();
    let staff = "/api/v1/adminplus/staffmembers/1000";
    for status in [None, Some(500), Some(503), Some(429), Some(408), Some(200)] {
        let mirror = mirror();
        let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
        let (mut now, mut tries, mut waited) = (NOW, Vec::new(), 0);
        let report = loop {
            match sync.next(now).unwrap() {
                Step::Send(call) if call.target == staff => {
                    tries.push(now);
                    let taken = match status {
                        None => sync.handle_failure(call.id, now, CallFailure::Timeout),
                        Some(status) => {
                            let body = b"<html>Log in to this Wi-Fi</html>";
                            let retry_after = None;
                            let reply = Reply {
                                status,
                                retry_after,
                                body,
                            };
                            sync.handle_reply(call.id, now, &reply)
                        }
                    };
                    match taken.unwrap() {
                        ReplyOutcome::Retry { at } => {
                            waited += at - now;
                            // A second report of the same call does not count as another attempt.
                            let repeated =
                                sync.handle_failure(call.id, now, CallFailure::Cut).unwrap();
                            assert_eq!(repeated, ReplyOutcome::Retry { at });
                        }
                        ReplyOutcome::Failed => {}
                        other => panic!("{other:?}"),
                    }
                }
                Step::Send(call) => {
                    let answer = get(&source, &call.target, NOW);
                    sync.handle_reply(call.id, now, &reply(&answer)).unwrap();
                }
                Step::Wait { until } => {
                    assert!(until > now);
                    now = until;
                }
                Step::Done(report) => break report,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(tries.len(), 10, "{status:?}");
        assert!(waited > 9 && waited < 2_000, "{status:?}: {waited}");
        let pauses = tries.windows(2).zip(1..).all(|(pair, attempt)| {
            let most = (1 << attempt).min(300);
            (1..=most + 1).contains(&(pair[1] - pair[0]))
        });
        assert!(pauses, "{status:?}: {tries:?}");
        assert_eq!(report.failed.len(), 1);
        assert_eq!(report.failed[0].target, staff);
        mirror.apply(ACCESS.as_bytes()).unwrap();
        assert_eq!(get(&mirror, staff, NOW).status.code, 503);
        // The next pass requests the resource again.
        let (targets, report) = pass(
            &mirror.sync(SCHOOL, SyncOptions::default()).unwrap(),
            &source,
            now,
        );
        assert!(targets.iter().any(|target| target == staff));
        assert!(report.failed.is_empty());
        assert_eq!(get(&mirror, staff, NOW), get(&source, staff, NOW));
    }
}

#[test]
fn only_the_newest_sync_of_a_school_continues() {
    let source = little_school();
    let mirror = mirror();
    let sync = || mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let first = sync();
    let Step::Send(call) = first.next(NOW).unwrap() else {
        panic!("nothing is sent");
    };
    let second = sync();
    let answer = get(&source, &call.target, NOW);
    assert_eq!(
        first.handle_reply(call.id, NOW, &reply(&answer)).unwrap(),
        ReplyOutcome::Stale
    );
    assert_eq!(
        stop_reason(first.next(NOW).unwrap()),
        StopReason::Superseded
    );
    // The call has the same id, so its reply can be passed to the new sync.
    assert_eq!(second.next(NOW).unwrap(), Step::Send(call.clone()));
    assert_eq!(
        second.handle_reply(call.id, NOW, &reply(&answer)).unwrap(),
        ReplyOutcome::Stored
    );
    // A sync of another school is independent.
    let other = mirror.sync(2000, SyncOptions::default()).unwrap();
    assert!(matches!(other.next(NOW).unwrap(), Step::Send(_)));
    pass(&second, &source, NOW);
}

/// A prioritised request is published before the pass ends.
#[test]
fn a_prioritised_request_is_sent_next_and_published_at_once() {
    let source = grades(3);
    let mirror = mirror();
    let sync = || mirror.sync(SCHOOL, options(0)).unwrap();
    pass(&sync(), &source, NOW);
    mirror.apply(ACCESS.as_bytes()).unwrap();
    let line =
        r#"{"type":"absentee","school_id":1000,"id":2,"learner_id":2,"absent_date":"2025-05-04"}"#;
    source.apply(line.as_bytes()).unwrap();
    let wanted = "/api/v1/adminplus/learnerabsentees/1000?to_date=2025-05-20&from_date=2025-05-01";
    let asked = "/api/v1/adminplus/learnerabsentees/1000?from_date=2025-05-01&to_date=2025-05-20";
    assert_eq!(get(&mirror, asked, NOW).status.code, 503);
    let next = sync();
    let sent = |sync: &Sync| match sync.next(NOW).unwrap() {
        Step::Send(call) => call,
        other => panic!("{other:?}"),
    };
    let first = sent(&next);
    next.prioritise(wanted).unwrap();
    let answer: Answer = get(&source, &first.target, NOW);
    next.handle_reply(first.id, NOW, &reply(&answer)).unwrap();
    let call = sent(&next);
    assert_eq!(call.target, asked);
    let answer = get(&source, asked, NOW);
    assert_eq!(
        next.handle_reply(call.id, NOW, &reply(&answer)).unwrap(),
        ReplyOutcome::Stored
    );
    let out = sent(&next);
    assert_eq!(get(&mirror, asked, NOW), answer);
    let taken = next.handle_reply(out.id, NOW, &reply(&get(&source, &out.target, NOW)));
    assert_eq!(taken.unwrap(), ReplyOutcome::Unchanged);
    // The data remains available until the next pass, which does not request it.
    pass(&next, &source, NOW);
    assert_eq!(get(&mirror, asked, NOW), answer);
    pass(&sync(), &source, NOW);
    assert_eq!(get(&mirror, asked, NOW).status.code, 503);
    // The same request can be prioritised again, even if its answer is unchanged.
    let again = sync();
    again.prioritise(asked).unwrap();
    pass(&again, &source, NOW);
    assert_eq!(get(&mirror, asked, NOW), answer);
    assert_eq!(
        next.prioritise("/api/v1/nothing").unwrap_err().code(),
        "unsupported"
    );
}
