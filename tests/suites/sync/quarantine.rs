//! Quarantined answers remain until the app decides or the service answers differently: across
//! passes, restarts and failures. Whatever an answer would remove counts.

mod during_pass;

use super::guard::{
    MARKS, change, drive, is_same, mirror_of, school, start, targets, without_marks,
};
use super::steps::lines;
use super::{ACCESS, NOW, SCHOOL, get, reply};
use rollbook::{CallFailure, Engine, Options, Reply, Step, StopReason, Sync, SyncOptions};
use std::fmt::Write as _;

/// Returns a mirror of 30 learners whose marks the service has deleted since, and the service.
fn quarantined() -> (Engine, Engine) {
    let source = school(&[(9, 1..31)], 25);
    let mirror = mirror_of(&source);
    without_marks(&source, 9, 25);
    (mirror, source)
}

/// Fails the calls of a sync until it stops.
fn fail(sync: &Sync) -> (StopReason, usize) {
    let mut now = NOW;
    loop {
        match sync.next(now).unwrap() {
            Step::Send(call) => {
                sync.handle_failure(call.id, now, CallFailure::Cut).unwrap();
            }
            Step::Wait { until } => now = until,
            Step::Stop { reason, report } => return (reason, report.quarantined.len()),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_pass_that_begins_or_fails_leaves_quarantined_answers() {
    let (mirror, source) = quarantined();
    let before = get(&mirror, &format!("{MARKS}9"), NOW);
    let expected = drive(&start(&mirror), &source, |_| None).quarantined;
    assert!(expected.len() > 1, "{expected:?}");
    let sync = start(&mirror);
    assert_eq!(sync.report().unwrap().quarantined, expected);
    assert_eq!(fail(&sync), (StopReason::Unreachable, expected.len()));
    assert_eq!(start(&mirror).quarantined().unwrap(), expected);
    // The process ends during the pass, again and again, until the pass is over.
    let mut replies = 0;
    'pass: loop {
        let sync = start(&mirror);
        for _ in 0..2 {
            match sync.next(NOW).unwrap() {
                Step::Send(call) => {
                    let answer = get(&source, &call.target, NOW);
                    sync.handle_reply(call.id, NOW, &reply(&answer)).unwrap();
                    replies += 1;
                }
                Step::Done(report) => {
                    assert_eq!(report.quarantined, expected);
                    break 'pass;
                }
                other => panic!("{other:?}"),
            }
            assert_eq!(sync.report().unwrap().quarantined, expected, "{replies}");
        }
        assert_eq!(start(&mirror).quarantined().unwrap(), expected, "{replies}");
    }
    assert!(replies > 20, "{replies}");
    assert_eq!(get(&mirror, &format!("{MARKS}9"), NOW), before);
    // The service has the marks again: nothing is left to decide.
    let whole = school(&[(9, 1..31)], 25);
    let report = drive(&start(&mirror), &whole, |_| None);
    assert_eq!(report.quarantined, []);
    assert_eq!(lines(&mirror), lines(&mirror_of(&whole)));
}

/// Each approval is given to a sync of its own, which begins a pass before the next approval.
#[test]
fn approvals_outlast_passes() {
    let (mirror, source) = quarantined();
    let report = drive(&start(&mirror), &source, |_| None);
    let list = targets(&report);
    assert!(list.len() > 1, "{list:?}");
    for target in &list {
        let sync = start(&mirror);
        sync.approve(target).unwrap();
        drive(&sync, &source, |_| None);
    }
    assert_eq!(start(&mirror).quarantined().unwrap(), []);
    assert_eq!(lines(&mirror), lines(&mirror_of(&source)));
    // An approval during a pass is not lost either.
    let (mirror, source) = quarantined();
    let list = targets(&drive(&start(&mirror), &source, |_| None));
    let sync = start(&mirror);
    let Step::Send(call) = sync.next(NOW).unwrap() else {
        panic!("no pass is begun");
    };
    for target in &list {
        sync.approve(target).unwrap();
    }
    let answer = get(&source, &call.target, NOW);
    sync.handle_reply(call.id, NOW, &reply(&answer)).unwrap();
    assert_eq!(drive(&sync, &source, |_| None).quarantined, []);
    assert_eq!(lines(&mirror), lines(&mirror_of(&source)));
}

const SUBJECTS: &str = "/api/v1/currplus/learnersubjects/1000";
const PER_TERM: &str = "/api/v1/currplus/learnersubjectsperterm/1000?";
const SUBJECT_MARKS: &str = "/api/v1/currplus/learnersubjectmarks/1000?";

fn has_no_subjects(target: &str) -> Option<(u16, &'static str)> {
    let lists = [SUBJECTS, PER_TERM, SUBJECT_MARKS];
    let is_list = lists.iter().any(|list| target.starts_with(list));
    is_list.then_some((200, "[]"))
}

/// What is left after most answers were approved is few, but it was not approved.
#[test]
fn only_what_is_approved_is_published() {
    let source = school(&[(9, 1..31)], 1);
    let mirror = mirror_of(&source);
    let mut options = SyncOptions::default();
    options.rotate = Some(1_000);
    let sync = mirror.sync(SCHOOL, options).unwrap();
    let list = targets(&drive(&sync, &source, has_no_subjects));
    let of = |learner: u64| {
        let list = list.iter();
        list.filter(move |target| target.ends_with(&format!("learner_id={learner}")))
    };
    for learner in 1..26 {
        for target in of(learner) {
            sync.approve(target).unwrap();
            drive(&sync, &source, has_no_subjects);
        }
    }
    let mut left: Vec<_> = (26..31).flat_map(of).cloned().collect();
    left.sort_unstable();
    assert_eq!(left.len(), 10);
    let mut listed = targets(&sync.report().unwrap());
    listed.sort_unstable();
    assert_eq!(listed, left);
    mirror.apply(ACCESS.as_bytes()).unwrap();
    for learner in 1..31 {
        let target = format!("{PER_TERM}learner_id={learner}");
        assert_eq!(
            is_same(&mirror, &source, &target),
            learner > 25,
            "{learner}"
        );
    }
    for target in &left {
        sync.reject(target).unwrap();
    }
    assert_eq!(sync.quarantined().unwrap(), []);
}

/// An app reads through while the service has no subjects: each answer alone would remove few.
#[test]
fn answers_that_are_published_one_by_one_count_together() {
    let source = school(&[(9, 1..31)], 1);
    let mirror = mirror_of(&source);
    mirror.apply(ACCESS.as_bytes()).unwrap();
    let sync = start(&mirror);
    drive(&sync, &source, |_| None);
    for learner in 1..31 {
        sync.prioritise(&format!("{PER_TERM}learner_id={learner}"))
            .unwrap();
        drive(&sync, &source, has_no_subjects);
    }
    let learners = 1..31;
    let lost = learners.filter(|learner| {
        let target = format!("{PER_TERM}learner_id={learner}");
        !is_same(&mirror, &source, &target)
    });
    // Twenty values may be removed, three of each learner.
    assert_eq!(lost.count(), 6);
    assert!(!sync.quarantined().unwrap().is_empty());
}

#[test]
fn every_value_of_a_mark_counts() {
    for (stored, emptied) in [
        (r#""mark":"13.5""#, r#""captured":1"#),
        (
            r#""mark":"13.5","dtime":"2026-02-01 08:00:00""#,
            r#""mark":"13.5""#,
        ),
    ] {
        let marks = |values: &str| {
            let mut text = String::new();
            for (learner, number) in (1..31).flat_map(|id| (0..6).map(move |n| (id, 9_000 + n))) {
                writeln!(text, r#"{{"type":"mark","school_id":1000,"assessment_id":{number},"learner_id":{learner},{values}}}"#).unwrap();
            }
            text
        };
        let source = school(&[(9, 1..31)], 6);
        change(&source, &marks(stored));
        let mirror = mirror_of(&source);
        let before = lines(&mirror);
        change(&source, &marks(emptied));
        let report = drive(&start(&mirror), &source, |_| None);
        let marks = report
            .quarantined
            .iter()
            .find(|one| one.target == format!("{MARKS}9"));
        let marks = marks.unwrap_or_else(|| panic!("{stored} {emptied}: {:?}", report.quarantined));
        assert_eq!((marks.lost, marks.stored), (180, 180), "{emptied}");
        assert_eq!(lines(&mirror), before, "{emptied}");
    }
}

/// Learners still refer to their parents, but no answer has any.
#[test]
fn parents_that_are_in_no_answer_count() {
    let source = school(&[(9, 1..31)], 1);
    for id in 1..31 {
        change(
            &source,
            &format!(
                r#"{{"type":"learner","school_id":1000,"id":{id},"first_name":"L{id}","grade_id":9,"parent1_id":{}}}
{{"type":"parent","school_id":1000,"id":{},"first_name":"P{id}"}}"#,
                1_000 + id,
                1_000 + id
            ),
        );
    }
    let mirror = mirror_of(&source);
    let before = lines(&mirror);
    for id in 1..31 {
        let id = 1_000 + id;
        change(
            &source,
            &format!(r#"{{"type":"parent","school_id":1000,"id":{id},"deleted":true}}"#),
        );
    }
    let report = drive(&start(&mirror), &source, |_| None);
    assert!(!report.quarantined.is_empty());
    assert_eq!(lines(&mirror), before);
}

/// The erasure removes answers that may contain the learner. They are not listed any more.
#[test]
fn an_erasure_discards_quarantined_answers() {
    let (mirror, source) = quarantined();
    let sync = start(&mirror);
    let list = targets(&drive(&sync, &source, |_| None));
    mirror.erase_learner(SCHOOL, 1).unwrap();
    assert_eq!(sync.quarantined().unwrap(), []);
    assert_eq!(sync.report().unwrap().quarantined, []);
    for target in &list {
        sync.approve(target).unwrap();
    }
    // The next pass requests them again.
    let again = targets(&drive(&start(&mirror), &source, |_| None));
    assert_eq!(again, list);
}

/// A service that refuses everything does not become the owner of a school without records.
#[test]
fn an_offset_alone_does_not_create_a_school() {
    for offset in [None, Some("+05:30".to_owned())] {
        let mirror = Engine::memory(Options::default()).unwrap();
        let mut options = SyncOptions::default();
        options.utc_offset = offset;
        let sync = mirror.sync(SCHOOL, options).unwrap();
        let mut now = NOW;
        loop {
            match sync.next(now).unwrap() {
                Step::Send(call) => {
                    let reply = Reply {
                        status: 403,
                        ..Reply::default()
                    };
                    sync.handle_reply(call.id, now, &reply).unwrap();
                }
                Step::Wait { until } => now = until,
                Step::Stop { reason, .. } => {
                    assert_eq!(reason, StopReason::Incomplete);
                    break;
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(mirror.synced(SCHOOL).unwrap(), None);
    }
}

/// What one pass was refused, the next one requests, even if an approved answer comes between.
#[test]
fn a_pass_forgets_what_the_last_one_was_refused() {
    let source = school(&[(9, 1..31)], 25);
    let mirror = mirror_of(&source);
    without_marks(&source, 9, 25);
    let mut options = SyncOptions::default();
    options.rotate = Some(1_000);
    let sync = mirror.sync(SCHOOL, options.clone()).unwrap();
    let report = drive(&sync, &source, |target| {
        target.starts_with(PER_TERM).then_some((403, "{}"))
    });
    assert_eq!(report.failed.len(), 3);
    let sync = mirror.sync(SCHOOL, options).unwrap();
    for target in targets(&report) {
        sync.approve(&target).unwrap();
    }
    let asked = std::cell::Cell::new(0);
    let report = drive(&sync, &source, |target| {
        asked.set(asked.get() + u32::from(target.starts_with(PER_TERM)));
        None
    });
    assert_eq!((asked.get(), report.failed.len()), (30, 0));
}

#[test]
fn a_request_that_finally_succeeds_is_not_reported() {
    let source = school(&[(9, 1..4)], 1);
    let mirror = mirror_of(&source);
    let sync = start(&mirror);
    let staff = "/api/v1/adminplus/staffmembers/1000";
    let report = drive(&sync, &source, |target| {
        target.starts_with(staff).then_some((410, "{}"))
    });
    assert_eq!(report.failed[0].target, staff);
    sync.prioritise(staff).unwrap();
    assert_eq!(drive(&sync, &source, |_| None).failed, []);
}

/// Get Parents is refused, and the lists of learners no longer have parents.
#[test]
fn parents_that_lists_of_learners_no_longer_have_count() {
    let source = school(&[(9, 1..31)], 1);
    let each = |line: fn(u32) -> String| (1..31).map(line).collect::<Vec<_>>().join("\n");
    let with_parents = each(|id| {
        let parent = 1_000 + id;
        format!(
            r#"{{"type":"learner","school_id":1000,"id":{id},"first_name":"L{id}","grade_id":9,"parent1_id":{parent}}}
{{"type":"parent","school_id":1000,"id":{parent},"first_name":"P{id}"}}"#
        )
    });
    let without_parents = each(|id| {
        let parent = 1_000 + id;
        format!(r#"{{"type":"parent","school_id":1000,"id":{parent},"deleted":true}}"#)
    });
    change(&source, &with_parents);
    let refused = |target: &str| target.contains("/parents/").then_some((403, "{}"));
    let mirror = Engine::memory(Options::default()).unwrap();
    drive(&start(&mirror), &source, refused);
    let before = lines(&mirror);
    assert_eq!(
        before
            .iter()
            .filter(|line| line.contains(r#""type":"parent""#))
            .count(),
        30
    );
    change(&source, &without_parents);
    let report = drive(&start(&mirror), &source, refused);
    assert!(!report.quarantined.is_empty());
    assert_eq!(lines(&mirror), before);
}

/// The names of all subjects are empty in every answer. Those that the marks have are few, so that they
/// may go.
#[test]
fn names_that_are_no_longer_in_any_answer_count() {
    let source = school(&[(9, 1..31)], 3);
    let mirror = mirror_of(&source);
    for subject in 101..=103 {
        change(
            &source,
            &format!(
                r#"{{"type":"subject","school_id":1000,"subject_id":{subject},"subject_name":""}}"#
            ),
        );
    }
    let mut options = SyncOptions::default();
    options.rotate = Some(1_000);
    let sync = mirror.sync(SCHOOL, options).unwrap();
    let list = targets(&drive(&sync, &source, |_| None));
    let per_term = list.iter().filter(|target| target.starts_with(PER_TERM));
    assert_eq!(per_term.count(), 30, "{list:?}");
    let names = lines(&mirror)
        .into_iter()
        .filter(|line| line.contains(r#""subject_name":"S10"#));
    assert_eq!(names.count(), 2);
}

/// A day later the service has half of the learners, and nobody's subjects.
#[test]
fn what_is_quarantined_does_not_become_younger() {
    let source = school(&[(9, 1..61)], 1);
    let mirror = mirror_of(&source);
    let half = school(&[(9, 1..31)], 1);
    let next_day = NOW + 86_400;
    let mut options = SyncOptions::default();
    options.rotate = Some(1_000);
    let sync = mirror.sync(SCHOOL, options).unwrap();
    let report = loop {
        match sync.next(next_day).unwrap() {
            Step::Send(call) => {
                let answer = get(&half, &call.target, NOW);
                let none = has_no_subjects(&call.target);
                let reply = match none {
                    Some((status, body)) => Reply {
                        status,
                        body: body.as_bytes(),
                        ..Reply::default()
                    },
                    None => reply(&answer),
                };
                sync.handle_reply(call.id, next_day, &reply).unwrap();
            }
            Step::Done(report) => break report,
            other => panic!("{other:?}"),
        }
    };
    assert!(report.quarantined.len() > 30, "{:?}", report.quarantined);
    let seen = mirror.synced(SCHOOL).unwrap().unwrap().seen;
    for what in [
        "the current learners",
        "the parents of learners",
        "the learners' subjects",
    ] {
        let of = seen.iter().find(|of| of.what == what);
        let of = of.unwrap_or_else(|| panic!("{what}: {seen:?}"));
        assert_eq!(of.as_of, NOW, "{what}");
    }
}
