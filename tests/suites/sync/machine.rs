//! The machine: how many calls it makes, what it writes, how it meets a service that is not
//! well.

use super::driven::{lines, little_school};
use super::{ACCESS, NOW, SCHOOL, get, reply};
use rollbook::{
    Answer, Call, Engine, NoReply, Options, Reply, Step, Sync, SyncOptions, SyncReport, Taken, Why,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;

fn mirror() -> Engine {
    Engine::memory(Options::default()).unwrap()
}

pub(super) fn options(rotate: u32) -> SyncOptions {
    let mut options = SyncOptions::default();
    options.rotate = Some(rotate);
    options
}

/// A whole pass, call by call; with the targets.
pub(super) fn pass(sync: &Sync, source: &Engine, now: i64) -> (Vec<String>, SyncReport) {
    let mut targets = Vec::new();
    loop {
        match sync.next(now).unwrap() {
            Step::Send(call) => {
                let answer = get(source, &call.target, now);
                let taken = sync.take(call.id, now, &reply(&answer)).unwrap();
                assert!(matches!(taken, Taken::Kept | Taken::Same), "{taken:?}");
                targets.push(call.target);
            }
            Step::Done(report) => return (targets, report),
            other => panic!("{other:?}"),
        }
    }
}

/// A school with so many grades, a learner each.
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

/// Eleven calls, and for each grade its marks and their structure: 14 more for seven grades.
#[test]
fn an_unchanged_pass_asks_little() {
    let source = grades(7);
    let mirror = mirror();
    let sync = |rotate| mirror.sync(SCHOOL, options(rotate)).unwrap();
    pass(&sync(0), &source, NOW);
    let before = lines(&mirror);
    let seen = mirror.synced(SCHOOL).unwrap().unwrap();
    let later = NOW + 3_600;
    let (targets, report) = pass(&sync(0), &source, later);
    let is_marks = |target: &&String| target.contains("learnerassessmentmarks");
    assert_eq!(targets.iter().filter(is_marks).count(), 14, "{targets:#?}");
    assert_eq!(targets.len(), 25, "{targets:#?}");
    assert_eq!((report.replies, report.same), (25, 25));
    assert_eq!(lines(&mirror), before);
    // Only its age is another.
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
    // The rest has its turn, the oldest first, until all of it was asked.
    let mut rotated = 0;
    for number in 1..=5 {
        let (targets, report) = pass(&sync(7), &source, later + number);
        assert_eq!(targets.len(), 32, "{targets:#?}");
        assert_eq!(report.same, 32);
        rotated += 7;
    }
    let oldest = mirror.synced(SCHOOL).unwrap().unwrap().as_of.unwrap();
    assert_eq!(oldest > NOW, rotated >= 14 + 8 + 4, "{rotated}");
}

/// What follows a change is asked for, and no more.
#[test]
fn calls_follow_changes() {
    let source = grades(3);
    let mirror = mirror();
    let sync = || mirror.sync(SCHOOL, options(0)).unwrap();
    pass(&sync(), &source, NOW);
    let of_learners = |targets: &[String]| {
        let targets = targets
            .iter()
            .filter(|target| target.contains("learner_id="));
        targets.cloned().collect::<Vec<_>>()
    };
    let change = |line: &str| {
        source.apply(line.as_bytes()).unwrap();
        let (targets, report) = pass(&sync(), &source, NOW);
        assert!(report.held.is_empty() && report.unsettled.is_empty());
        mirror.apply(ACCESS.as_bytes()).unwrap();
        for target in &targets {
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
    // Another subject:
    let line = r#"{"type":"learner_subject","school_id":1000,"learner_id":2,"year":2026,"subject_id":102,"grade_id":2}"#;
    assert_eq!(change(line), [format!("{per_term}2"), format!("{marks}2")]);
    // another mark:
    let line = r#"{"type":"mark","school_id":1000,"assessment_id":3,"learner_id":3,"mark":"1.5"}"#;
    assert_eq!(change(line), [format!("{marks}3")]);
    // another learner:
    let line = r#"{"type":"learner","school_id":1000,"id":9,"first_name":"New"}"#;
    assert_eq!(change(line), [format!("{per_term}9"), format!("{marks}9")]);
    // something else.
    let line = r#"{"type":"staff_member","school_id":1000,"id":9,"first_name":"New"}"#;
    assert_eq!(change(line), [""; 0]);
    // Who left is asked no more, and is not answered as if there were nothing.
    let line = r#"{"type":"learner","school_id":1000,"id":9,"first_name":"New","status":"left"}"#;
    assert_eq!(change(line), [""; 0]);
    let left = get(&mirror, &format!("{marks}9"), NOW);
    assert_eq!(left.status.code, 503, "{}", left.text());
}

/// One call at first, then four.
#[test]
fn several_calls_are_out_at_once() {
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
        sync.take(call.id, NOW, &reply(&answer)).unwrap()
    };
    let first = out();
    assert_eq!(first.len(), 1);
    assert_eq!(answer(&first[0]), Taken::Kept);
    let four = out();
    assert_eq!(four.len(), 4);
    assert_eq!(sync.progress().in_flight, 4);
    // Too much: half of them, and after the pause that was asked for.
    let refused = Reply {
        status: 429,
        retry_after: Some("30"),
        body: b"",
    };
    let taken = sync.take(four[0].id, NOW, &refused).unwrap();
    assert_eq!(taken, Taken::Retry { at: NOW + 30 });
    for call in four[1..].iter().rev() {
        assert_eq!(answer(call), Taken::Kept);
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
fn what_comes_to_nothing_ten_times_is_given_up() {
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
                        None => sync.fail(call.id, now, NoReply::Timeout),
                        Some(status) => {
                            let body = b"<html>Log in to this Wi-Fi</html>";
                            let retry_after = None;
                            let reply = Reply {
                                status,
                                retry_after,
                                body,
                            };
                            sync.take(call.id, now, &reply)
                        }
                    };
                    match taken.unwrap() {
                        Taken::Retry { at } => {
                            waited += at - now;
                            // Told twice, it is one attempt.
                            let told = sync.fail(call.id, now, NoReply::Cut).unwrap();
                            assert_eq!(told, Taken::Retry { at });
                        }
                        Taken::GivenUp => {}
                        other => panic!("{other:?}"),
                    }
                }
                Step::Send(call) => {
                    let answer = get(&source, &call.target, NOW);
                    sync.take(call.id, now, &reply(&answer)).unwrap();
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
        assert_eq!(report.given_up.len(), 1);
        assert_eq!(report.given_up[0].target, staff);
        mirror.apply(ACCESS.as_bytes()).unwrap();
        assert_eq!(get(&mirror, staff, NOW).status.code, 503);
        // The next pass asks again.
        let (targets, report) = pass(
            &mirror.sync(SCHOOL, SyncOptions::default()).unwrap(),
            &source,
            now,
        );
        assert!(targets.iter().any(|target| target == staff));
        assert!(report.given_up.is_empty());
        assert_eq!(get(&mirror, staff, NOW), get(&source, staff, NOW));
    }
}

#[test]
fn the_newest_sync_of_a_school_goes_on() {
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
        first.take(call.id, NOW, &reply(&answer)).unwrap(),
        Taken::Stale
    );
    assert_eq!(first.next(NOW).unwrap(), Step::Stop(Why::Superseded));
    // The call has the same id: its reply may be handed in there.
    assert_eq!(second.next(NOW).unwrap(), Step::Send(call.clone()));
    assert_eq!(
        second.take(call.id, NOW, &reply(&answer)).unwrap(),
        Taken::Kept
    );
    // Of another school it is another.
    let other = mirror.sync(2000, SyncOptions::default()).unwrap();
    assert!(matches!(other.next(NOW).unwrap(), Step::Send(_)));
    pass(&second, &source, NOW);
}

/// What is wanted need not wait for the pass.
#[test]
fn what_is_wanted_is_asked_next_and_published_at_once() {
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
    next.want(wanted).unwrap();
    let answer: Answer = get(&source, &first.target, NOW);
    next.take(first.id, NOW, &reply(&answer)).unwrap();
    let call = sent(&next);
    assert_eq!(call.target, asked);
    let answer = get(&source, asked, NOW);
    assert_eq!(
        next.take(call.id, NOW, &reply(&answer)).unwrap(),
        Taken::Kept
    );
    drop(sent(&next));
    assert_eq!(get(&mirror, asked, NOW), answer);
    pass(&sync(), &source, NOW);
    assert_eq!(get(&mirror, asked, NOW), answer);
    assert_eq!(
        next.want("/api/v1/nothing").unwrap_err().code(),
        "unsupported"
    );
}

/// The service changes while it is asked: what was read first is read again.
#[test]
fn what_changes_meanwhile_is_asked_once_more() {
    let source = little_school();
    let mirror = mirror();
    let sync = mirror.sync(SCHOOL, options(0)).unwrap();
    let staff = |id: u32| {
        format!(r#"{{"type":"staff_member","school_id":1000,"id":{id},"first_name":"S"}}"#)
    };
    let mut asked = 0;
    let report = loop {
        match sync.next(NOW).unwrap() {
            Step::Send(call) => {
                let answer = get(&source, &call.target, NOW);
                sync.take(call.id, NOW, &reply(&answer)).unwrap();
                if call.target.contains("staff") {
                    asked += 1;
                    if asked < 3 {
                        source.apply(staff(asked).as_bytes()).unwrap();
                    }
                }
            }
            Step::Done(report) => break report,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((asked, report.unsettled.len()), (4, 0));
    mirror.apply(ACCESS.as_bytes()).unwrap();
    let target = "/api/v1/adminplus/staffmembers/1000";
    assert_eq!(get(&mirror, target, NOW), get(&source, target, NOW));
}

/// A service that never rests.
#[test]
fn what_changes_again_and_again_is_reported() {
    let source = little_school();
    let mirror = mirror();
    let sync = mirror.sync(SCHOOL, options(0)).unwrap();
    let mut asked = 0;
    let report = loop {
        match sync.next(NOW).unwrap() {
            Step::Send(call) => {
                if call.target.contains("staff") {
                    asked += 1;
                    let line = format!(
                        r#"{{"type":"staff_member","school_id":1000,"id":{asked},"first_name":"S"}}"#
                    );
                    source.apply(line.as_bytes()).unwrap();
                }
                let answer = get(&source, &call.target, NOW);
                sync.take(call.id, NOW, &reply(&answer)).unwrap();
            }
            Step::Done(report) => break report,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(asked, 4);
    assert_eq!(report.unsettled, ["/api/v1/adminplus/staffmembers/1000"]);
}

/// What may not be had of one learner may not be had of the others.
#[test]
fn what_is_forbidden_is_not_asked_again_and_again() {
    let source = grades(7);
    let mirror = mirror();
    let per_term = "/api/v1/currplus/learnersubjectsperterm/1000";
    for _ in 0..2 {
        let sync = mirror.sync(SCHOOL, options(0)).unwrap();
        let mut forbidden = 0;
        let report = loop {
            match sync.next(NOW).unwrap() {
                Step::Send(call) => {
                    let answer = get(&source, &call.target, NOW);
                    let reply = if call.target.starts_with(per_term) {
                        forbidden += 1;
                        Reply {
                            status: 403,
                            ..Reply::default()
                        }
                    } else {
                        reply(&answer)
                    };
                    sync.take(call.id, NOW, &reply).unwrap();
                }
                Step::Done(report) => break report,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!((forbidden, report.given_up.len()), (1, 1));
    }
    mirror.apply(ACCESS.as_bytes()).unwrap();
    let one = format!("{per_term}?learner_id=1");
    assert_eq!(get(&mirror, &one, NOW).status.code, 503);
    let marks = "/api/v1/currplus/learnersubjectmarks/1000?learner_id=1";
    assert_eq!(get(&mirror, marks, NOW), get(&source, marks, NOW));
}
