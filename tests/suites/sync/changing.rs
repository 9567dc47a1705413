//! A service that changes between calls: readers see only complete publications, and when the
//! service no longer changes, one pass is exact.

use super::guard;
use super::machine::{grades, mirror, options};
use super::moved::{self, school_of};
use super::passes::{check_floors, compare, differences, instant, pass};
use super::steps::{lines, little_school};
use super::{ACCESS, NOW, SCHOOL, get, reply, source};
use rollbook::{Call, Engine, Options, Reply, ReplyOutcome, Step, SyncOptions};
use rollbook_tests::random::Random;
use rollbook_tests::search::{Counts, extent, search, seeds};
use rollbook_tests::world::{Action, World};

#[test]
fn once_the_service_is_quiet_one_pass_is_exact() {
    let counts = Counts::default();
    let worlds = search(
        // With seed 153, a learner leaves and returns during the pass; with 223, two answers of the
        // same second have different names of a subject; with 385, a grade has programmes that are
        // not released.
        seeds(extent(15, 400)).chain([153, 223, 385]),
        |seed| World::new(seed).actions(120),
        |seed, actions| {
            change_and_settle(seed, actions, &counts);
            Ok(())
        },
    );
    check_floors(worlds, &counts);
}

fn change_and_settle(seed: u64, actions: &[Action], counts: &Counts) {
    let states = (1..=6).filter_map(|sixth| source(&actions[..actions.len() * sixth / 6]));
    let states: Vec<Engine> = states.collect();
    let Some(last) = states.last() else {
        return;
    };
    let now = instant(actions);
    let mut random = Random::new(seed);
    let mirror = Engine::memory(Options::default()).unwrap();
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let mut state = 0;
    loop {
        match sync.next(now).unwrap() {
            Step::Send(call) => {
                if random.chance(8) {
                    state = (state + 1).min(states.len() - 1);
                }
                let answer = get(&states[state], &call.target, now);
                let before = (seed % 100 < 4).then(|| lines(&mirror));
                let taken = sync.handle_reply(call.id, now, &reply(&answer)).unwrap();
                let is_read = matches!(
                    taken,
                    ReplyOutcome::Stored | ReplyOutcome::Unchanged | ReplyOutcome::Failed
                );
                assert!(is_read, "{taken:?}");
                if let Some(before) = before {
                    assert_eq!(lines(&mirror), before, "an answer is seen alone");
                }
            }
            Step::Done(_) | Step::Stop { .. } => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(mirror.verify().unwrap().is_sound());
    let report = pass(&mirror, last, now);
    assert!(report.quarantined.is_empty());
    if !report.failed.is_empty() {
        return;
    }
    mirror.apply(super::ACCESS.as_bytes()).unwrap();
    compare(actions, &mirror, last, now, counts);
    counts.add("schools", 1);
}

/// The service changes during the pass, so that the first answer is requested again.
#[test]
fn what_changes_during_a_pass_is_requested_again() {
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
                sync.handle_reply(call.id, NOW, &reply(&answer)).unwrap();
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
    assert_eq!((asked, report.unstable.len()), (4, 0));
    mirror.apply(ACCESS.as_bytes()).unwrap();
    let target = "/api/v1/adminplus/staffmembers/1000";
    assert_eq!(get(&mirror, target, NOW), get(&source, target, NOW));
}

/// The service changes before each request.
#[test]
fn what_changes_repeatedly_is_reported() {
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
                sync.handle_reply(call.id, NOW, &reply(&answer)).unwrap();
            }
            Step::Done(report) => break report,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(asked, 4);
    assert_eq!(report.unstable, ["/api/v1/adminplus/staffmembers/1000"]);
}

/// A request that is forbidden for three learners is not repeated for the others.
#[test]
fn a_forbidden_resource_is_requested_three_times() {
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
                    sync.handle_reply(call.id, NOW, &reply).unwrap();
                }
                Step::Done(report) => break report,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!((forbidden, report.failed.len()), (3, 3));
    }
    mirror.apply(ACCESS.as_bytes()).unwrap();
    let one = format!("{per_term}?learner_id=1");
    assert_eq!(get(&mirror, &one, NOW).status.code, 503);
    let marks = "/api/v1/currplus/learnersubjectmarks/1000?learner_id=1";
    assert_eq!(get(&mirror, marks, NOW), get(&source, marks, NOW));
}

/// The requests about two grades are in flight when the service begins a new year: the answer about
/// the first grade is still of the old year, and arrives last.
#[test]
fn an_unchanged_answer_of_the_old_year_is_requested_again() {
    let of = |year: u64| {
        let taken = |learner: u64, grade: u64| {
            format!(
                r#"
{{"type":"learner_subject","school_id":1000,"learner_id":{learner},"year":{year},"subject_id":101,"grade_id":{grade},"terms":[{{"term":1}}]}}
{{"type":"assessment","school_id":1000,"assessment_id":{},"grade_id":{grade},"year":{year},"term":1,"subject_id":101,"learning_outcome_id":3,"assessment_date":"2026-02-01","weight":10,"mark_out_of":20}}"#,
                year + grade
            )
        };
        let grade = r#"
{"type":"grade","school_id":1000,"grade_id":10,"grade":"8"}"#;
        school_of(year, &[grade, &taken(1, 9), &taken(2, 10)].concat())
    };
    let (before, after) = (of(2026), of(2027));
    let mirror = mirror();
    moved::pass(&mirror, |_| &before);
    let sync = mirror.sync(SCHOOL, options(u32::MAX)).unwrap();
    let [first, last] =
        [10, 9].map(|grade| format!("learnerassessmentmarks/1000?grade_id={grade}&structure=1"));
    let (mut calls, mut has_begun, mut old_answers) = (Vec::new(), false, 0);
    let mut now = NOW;
    loop {
        match sync.next(now).unwrap() {
            Step::Send(call) => calls.push(call),
            Step::Wait { until } if calls.is_empty() => now = until,
            Step::Wait { .. } => {
                let index_of = |target: &str| {
                    let mut calls = calls.iter();
                    calls.position(|call: &Call| call.target.ends_with(target))
                };
                let (first, last) = (index_of(&first), index_of(&last));
                let index = first.or(last).unwrap_or(0);
                let is_old = has_begun && first.is_none() && last.is_some() && old_answers == 0;
                has_begun |= first.is_some() && last.is_some();
                old_answers += u32::from(is_old);
                let source = if is_old { &before } else { &after };
                let call = calls.remove(index);
                let answer = get(source, &call.target, NOW);
                let outcome = sync.handle_reply(call.id, now, &reply(&answer)).unwrap();
                // This outcome must not confirm that the current year is the old one.
                let is_repeated = matches!(outcome, ReplyOutcome::Retry { .. });
                assert_eq!(is_repeated, is_old, "{outcome:?}");
            }
            Step::Done(_) => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(old_answers, 1);
    mirror.apply(ACCESS.as_bytes()).unwrap();
    let fresh = Engine::memory(Options::default()).unwrap();
    moved::pass(&fresh, |_| &after);
    assert_eq!(differences(&fresh, &mirror), [""; 0]);
}

/// A mark changes before the marks are requested again. The subject marks of its learner, which this
/// pass has requested already, follow in the next pass at the latest.
#[test]
fn subject_marks_follow_marks_that_change_during_a_pass() {
    let source = guard::school(&[(9, 1..31)], 1);
    let mirror = guard::mirror_of(&source);
    mirror.apply(ACCESS.as_bytes()).unwrap();
    let set_marks = |mark: u32| {
        let lines = format!(
            r#"{{"type":"mark","school_id":1000,"assessment_id":9000,"learner_id":7,"mark":"{mark}"}}
{{"type":"learner_subject","school_id":1000,"learner_id":7,"year":2026,"subject_id":101,"grade_id":9,"terms":[{{"term":1,"mark":{mark}}}]}}"#
        );
        source.apply(lines.as_bytes()).unwrap();
    };
    set_marks(14);
    let subject_marks = "/api/v1/currplus/learnersubjectmarks/1000?learner_id=7";
    let marks = format!("{}9", guard::MARKS);
    let (mut of_learner, mut of_grade) = (0, 0);
    for _ in 0..2 {
        let sync = mirror.sync(SCHOOL, options(0)).unwrap();
        loop {
            match sync.next(NOW).unwrap() {
                Step::Send(call) => {
                    of_learner += u32::from(call.target == subject_marks);
                    of_grade += u32::from(call.target == marks);
                    if (of_grade, call.target == marks) == (2, true) {
                        assert_eq!(of_learner, 1);
                        set_marks(15);
                    }
                    let answer = get(&source, &call.target, NOW);
                    sync.handle_reply(call.id, NOW, &reply(&answer)).unwrap();
                }
                Step::Done(_) => break,
                other => panic!("{other:?}"),
            }
        }
    }
    for target in [subject_marks, &marks] {
        assert_eq!(get(&mirror, target, NOW), get(&source, target, NOW));
    }
}
