//! The shrink guard: answers that would remove many values are quarantined until the app decides,
//! in whatever order it does, and the report always lists them.

use super::steps::lines;
use super::{ACCESS, NOW, SCHOOL, get, synced};
use rollbook::{Engine, Options, Reply, Step, Sync, SyncOptions, SyncReport};
use std::fmt::Write as _;

pub(super) const MARKS: &str = "/api/v1/currplus/learnerassessmentmarks/1000?grade_id=";

/// Returns a school with these learners in each grade: each takes three subjects, has a mark in
/// each assessment, and an open account with a payer of its own.
pub(super) fn school(grades: &[(u64, std::ops::Range<u64>)], assessments: u64) -> Engine {
    let mut text = r#"{"type":"school","school_id":1000,"school_name":"S","current_year":2026}
{"type":"learning_outcome","school_id":1000,"learning_outcome_id":3,"learning_outcome_name":"O"}
"#
    .to_owned();
    for subject in 101..=103 {
        writeln!(text, r#"{{"type":"subject","school_id":1000,"subject_id":{subject},"subject_name":"S{subject}"}}"#).unwrap();
    }
    for (grade, learners) in grades {
        writeln!(
            text,
            r#"{{"type":"grade","school_id":1000,"grade_id":{grade},"grade":"{grade}"}}"#
        )
        .unwrap();
        writeln!(text, r#"{{"type":"learning_program","school_id":1000,"grade_id":{grade},"year":2026,"term":1,"subject_id":101,"released":1}}"#).unwrap();
        for number in 0..assessments {
            let assessment = grade * 1_000 + number;
            writeln!(text, r#"{{"type":"assessment","school_id":1000,"assessment_id":{assessment},"grade_id":{grade},"year":2026,"term":1,"subject_id":101,"learning_outcome_id":3,"assessment_date":"2026-02-01","weight":10,"mark_out_of":20}}"#).unwrap();
        }
        for id in learners.clone() {
            writeln!(text, r#"{{"type":"learner","school_id":1000,"id":{id},"first_name":"L{id}","grade_id":{grade},"debtor_code":"D{id}","accountable_person_id":{id},"account":"open"}}"#).unwrap();
            writeln!(text, r#"{{"type":"accountable_person","school_id":1000,"accountable_person_id":{id},"first_name":"P{id}","account":"open"}}"#).unwrap();
            for subject in 101..=103 {
                writeln!(text, r#"{{"type":"learner_subject","school_id":1000,"learner_id":{id},"year":2026,"subject_id":{subject},"grade_id":{grade},"terms":[{{"term":1,"mark":50}}]}}"#).unwrap();
            }
            for number in 0..assessments {
                let assessment = grade * 1_000 + number;
                writeln!(text, r#"{{"type":"mark","school_id":1000,"assessment_id":{assessment},"learner_id":{id},"mark":"13.5"}}"#).unwrap();
            }
        }
    }
    let source = Engine::memory(Options::default()).unwrap();
    source.apply([&text, ACCESS].concat().as_bytes()).unwrap();
    source
}

pub(super) fn change(source: &Engine, lines: &str) {
    source.apply(lines.as_bytes()).unwrap();
}

/// Drives a pass to its end. `replaced` may replace answers of the source.
pub(super) fn drive(
    sync: &Sync,
    source: &Engine,
    replaced: impl Fn(&str) -> Option<(u16, &'static str)>,
) -> SyncReport {
    let mut now = NOW;
    loop {
        match sync.next(now).unwrap() {
            Step::Send(call) => {
                let answer = get(source, &call.target, NOW);
                let (status, body) = match replaced(&call.target) {
                    Some((status, body)) => (status, body.as_bytes()),
                    None => (answer.status.code, answer.body.as_slice()),
                };
                let retry_after = None;
                let reply = Reply {
                    status,
                    retry_after,
                    body,
                };
                sync.handle_reply(call.id, now, &reply).unwrap();
            }
            Step::Wait { until } => now = until,
            Step::Done(report) => return report,
            other @ Step::Stop { .. } => panic!("{other:?}"),
            _ => {}
        }
    }
}

pub(super) fn start(mirror: &Engine) -> Sync {
    mirror.sync(SCHOOL, SyncOptions::default()).unwrap()
}

pub(super) fn targets(report: &SyncReport) -> Vec<String> {
    let quarantined = report.quarantined.iter();
    quarantined.map(|one| one.target.clone()).collect()
}

pub(super) fn mirror_of(source: &Engine) -> Engine {
    synced(source, NOW, SyncOptions::default()).0
}

pub(super) fn is_same(mirror: &Engine, source: &Engine, target: &str) -> bool {
    let [ours, theirs] = [mirror, source].map(|engine| get(engine, target, NOW));
    (ours.status.code, ours.text()) == (theirs.status.code, theirs.text())
}

/// Deletes the assessments of a grade, which also removes its marks.
pub(super) fn without_marks(source: &Engine, grade: u64, assessments: u64) {
    for number in 0..assessments {
        let assessment = grade * 1_000 + number;
        change(
            source,
            &format!(
                r#"{{"type":"assessment","school_id":1000,"assessment_id":{assessment},"deleted":true}}"#
            ),
        );
    }
}

/// Deletes the marks of a learner in the assessments of a grade.
fn delete_marks(source: &Engine, grade: u64, learner: u64, assessments: u64) {
    for number in 0..assessments {
        let assessment = grade * 1_000 + number;
        change(
            source,
            &format!(
                r#"{{"type":"mark","school_id":1000,"assessment_id":{assessment},"learner_id":{learner},"deleted":true}}"#
            ),
        );
    }
}

/// Deletes the subjects of a learner.
fn delete_subjects(source: &Engine, learner: u64) {
    for subject in 101..=103 {
        change(
            source,
            &format!(
                r#"{{"type":"learner_subject","school_id":1000,"learner_id":{learner},"year":2026,"subject_id":{subject},"deleted":true}}"#
            ),
        );
    }
}

/// A mark of another grade changes in the same pass, so that the pass publishes twice.
#[test]
fn quarantined_answers_remain_in_the_report() {
    let source = school(&[(9, 1..31), (10, 31..61)], 6);
    let mirror = mirror_of(&source);
    let before = get(&mirror, &format!("{MARKS}9"), NOW);
    without_marks(&source, 9, 6);
    change(
        &source,
        r#"{"type":"mark","school_id":1000,"assessment_id":10001,"learner_id":40,"mark":"2"}"#,
    );
    let report = drive(&start(&mirror), &source, |_| None);
    let marks = format!("{MARKS}9");
    assert!(
        targets(&report).contains(&marks),
        "{:?}",
        report.quarantined
    );
    assert_eq!(get(&mirror, &format!("{MARKS}9"), NOW), before);
    assert!(is_same(&mirror, &source, &format!("{MARKS}10")));
    let quarantined = report
        .quarantined
        .iter()
        .find(|quarantined| quarantined.target == marks)
        .unwrap();
    assert_eq!((quarantined.lost, quarantined.stored), (180, 180));
    // A sync that was just started reports the same, without a new pass.
    let sync = start(&mirror);
    assert_eq!(sync.quarantined().unwrap(), report.quarantined);
    for target in targets(&report) {
        sync.approve(&target).unwrap();
    }
    assert_eq!(sync.quarantined().unwrap(), []);
    drop(sync);
    // Approvals are stored: another sync publishes the answers with its first step.
    let Step::Send(_) = start(&mirror).next(NOW).unwrap() else {
        panic!("no pass is begun");
    };
    assert!(is_same(&mirror, &source, &format!("{MARKS}9")));
}

/// Whatever is deleted, and in whatever order it is approved, the records finally equal those of a
/// mirror that is synced from scratch.
#[test]
fn the_order_of_approvals_makes_no_difference() {
    let all = || school(&[(9, 1..61)], 25);
    for half in [false, true] {
        let after = all();
        if half {
            for id in 1..31 {
                change(
                    &after,
                    &format!(
                        r#"{{"type":"learner","school_id":1000,"id":{id},"deleted":true}}
{{"type":"accountable_person","school_id":1000,"accountable_person_id":{id},"deleted":true}}"#
                    ),
                );
                delete_marks(&after, 9, id, 25);
                delete_subjects(&after, id);
            }
        } else {
            without_marks(&after, 9, 25);
        }
        let expected = lines(&mirror_of(&after));
        for order in 0..4 {
            let mirror = mirror_of(&all());
            let sync = start(&mirror);
            let mut quarantined = targets(&drive(&sync, &after, |_| None));
            assert!(quarantined.len() > 1, "{quarantined:?}");
            match order {
                0 => {}
                1 => quarantined.reverse(),
                _ => {
                    let by = (order - 1) % quarantined.len();
                    quarantined.rotate_left(by);
                }
            }
            for target in &quarantined {
                // Approves one after the other, with a publication after each, and some of them
                // twice.
                sync.approve(target).unwrap();
                drive(&sync, &after, |_| None);
                sync.approve(target).unwrap();
            }
            for quarantined in drive(&sync, &after, |_| None).quarantined {
                sync.approve(&quarantined.target).unwrap();
            }
            assert_eq!(drive(&sync, &after, |_| None).quarantined, []);
            assert_eq!(lines(&mirror), expected, "{half} {order}");
            assert!(mirror.verify().unwrap().is_sound());
        }
    }
}

/// Records that remain because another answer shows them may still lose values.
#[test]
fn lost_values_of_remaining_records_count() {
    let per_term = "/api/v1/currplus/learnersubjectsperterm/1000?";
    let subject_marks = "/api/v1/currplus/learnersubjectmarks/1000?";
    let subjects = "/api/v1/currplus/learnersubjects/1000";
    let accounts = "/api/v1/finplus/debtmanagement/learnerparentinfo/1000?";
    let debtors = "/api/v1/finplus/debtmanagement/schooldebtors/1000";
    let cases: [(&str, &[&str]); 5] = [
        ("accounts", &[accounts]),
        ("debtors", &[debtors]),
        ("subjects", &[subjects, per_term, subject_marks]),
        ("subject marks", &[subjects, subject_marks]),
        ("marks", &[MARKS]),
    ];
    for (what, emptied) in cases {
        let source = school(&[(9, 1..31)], 6);
        let mirror = mirror_of(&source);
        let before = lines(&mirror);
        let nothing = |target: &str| {
            let is_emptied = emptied.iter().any(|of| target.starts_with(of));
            let is_structure = target.contains("structure=1");
            (is_emptied && !is_structure).then_some(if what == "marks" {
                (
                    404,
                    r#"{"error":"Not found","error_description":"No subject mark records found"}"#,
                )
            } else {
                (200, "[]")
            })
        };
        let mut options = SyncOptions::default();
        options.rotate = Some(1_000);
        let sync = mirror.sync(SCHOOL, options).unwrap();
        let report = drive(&sync, &source, nothing);
        assert_eq!(report.failed, [], "{what}");
        assert!(!report.quarantined.is_empty(), "{what}");
        assert_eq!(lines(&mirror), before, "{what}");
        // The app rejects the answers: nothing changes, and the next pass requests them again.
        for target in targets(&report) {
            sync.reject(&target).unwrap();
        }
        assert_eq!(sync.quarantined().unwrap(), []);
        let report = drive(&start(&mirror), &source, |_| None);
        assert_eq!(report.quarantined, [], "{what}");
        assert_eq!(lines(&mirror), before, "{what}");
    }
}

/// One of three learners has a third of the marks, but is only one learner.
#[test]
fn a_small_grade_may_lose_a_learner() {
    let source = school(&[(9, 1..4), (10, 11..41)], 60);
    let mirror = mirror_of(&source);
    change(
        &source,
        r#"{"type":"learner","school_id":1000,"id":2,"deleted":true}"#,
    );
    delete_subjects(&source, 2);
    delete_marks(&source, 9, 2, 60);
    let report = drive(&start(&mirror), &source, |_| None);
    assert_eq!(report.quarantined, []);
    assert!(is_same(&mirror, &source, &format!("{MARKS}9")));
}

/// One learner after the other loses all marks, in answers to the same request in one pass.
#[test]
fn learners_who_lose_their_marks_one_by_one_count_together() {
    let source = school(&[(9, 1..4), (10, 11..61)], 60);
    let mirror = mirror_of(&source);
    // The pass publishes many marks of another grade.
    change(
        &source,
        r#"{"type":"mark","school_id":1000,"assessment_id":10001,"learner_id":40,"mark":"2"}"#,
    );
    let sync = start(&mirror);
    drive(&sync, &source, |_| None);
    let marks = format!("{MARKS}9");
    for (learner, is_published) in [(1, true), (2, false)] {
        delete_marks(&source, 9, learner, 60);
        sync.prioritise(&marks).unwrap();
        let report = drive(&sync, &source, |_| None);
        assert_eq!(
            targets(&report).contains(&marks),
            !is_published,
            "{learner}"
        );
        assert_eq!(is_same(&mirror, &source, &marks), is_published, "{learner}");
    }
}

/// A structure has a cell for each learner and assessment, even without marks.
#[test]
fn cells_without_a_mark_may_go() {
    let source = school(&[(9, 1..4)], 0);
    for number in 0..10 {
        change(
            &source,
            &format!(
                r#"{{"type":"assessment","school_id":1000,"assessment_id":{number},"grade_id":9,"year":2026,"term":1,"subject_id":101,"learning_outcome_id":3,"assessment_date":"2026-02-01","weight":10,"mark_out_of":20}}"#
            ),
        );
    }
    let mirror = mirror_of(&source);
    for number in 0..10 {
        change(
            &source,
            &format!(
                r#"{{"type":"assessment","school_id":1000,"assessment_id":{number},"deleted":true}}"#
            ),
        );
    }
    let report = drive(&start(&mirror), &source, |_| None);
    assert_eq!(report.quarantined, []);
    assert!(is_same(&mirror, &source, &format!("{MARKS}9&structure=1")));
}

#[test]
fn answers_that_are_not_quarantined_need_no_decision() {
    let source = school(&[(9, 1..4)], 1);
    let mirror = mirror_of(&source);
    let sync = start(&mirror);
    for target in [
        format!("{MARKS}9"),
        "/api/v1/adminplus/staffmembers/1000".to_owned(),
    ] {
        sync.approve(&target).unwrap();
        sync.reject(&target).unwrap();
    }
    for decided in [sync.approve("/api/v1/none"), sync.reject("/api/v1/none")] {
        assert_eq!(decided.unwrap_err().code(), "unsupported");
    }
    let newer = start(&mirror);
    let replaced = sync.approve(&format!("{MARKS}9")).unwrap_err();
    assert_eq!(replaced.code(), "unsupported");
    newer.approve(&format!("{MARKS}9")).unwrap();
}
