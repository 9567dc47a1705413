//! Answers that contradict each other: the mirror finally has what the later answer, the other list
//! or the other day shows, like a mirror that is synced from scratch.

use super::moved::{pass, same, school, school_of, wanting};
use super::steps::drive;
use super::{ACCESS, NOW, SCHOOL, get, reply};
use rollbook::{Engine, Options, Step, Sync, SyncOptions};
use std::fmt::Write as _;

/// An assessment moves to another grade between the requests for the structures of the two grades:
/// the older answer is no longer used for its marks.
#[test]
fn an_assessment_that_moves_within_a_pass_takes_no_learners_along() {
    let of = |grade: u64| {
        school(&format!(
            r#"
{{"type":"grade","school_id":1000,"grade_id":10,"grade":"8"}}
{{"type":"learner_subject","school_id":1000,"learner_id":1,"year":2026,"subject_id":101,"grade_id":9,"terms":[{{"term":1}}]}}
{{"type":"learner_subject","school_id":1000,"learner_id":2,"year":2026,"subject_id":101,"grade_id":10,"terms":[{{"term":1}}]}}
{{"type":"assessment","school_id":1000,"assessment_id":77,"grade_id":{grade},"year":2026,"term":1,"subject_id":101,"learning_outcome_id":3,"assessment_date":"2026-02-01","weight":10,"mark_out_of":20}}"#
        ))
    };
    let marks = "/api/v1/currplus/learnerassessmentmarks/1000?grade_id=";
    for (from, to) in [(9, 10), (10, 9)] {
        let (before, after) = (of(from), of(to));
        let mirror = Engine::memory(Options::default()).unwrap();
        let is_moved = std::cell::Cell::new(false);
        pass(&mirror, |target| {
            if target.contains(&format!("grade_id={to}")) && target.contains("structure") {
                is_moved.set(true);
            }
            if is_moved.get() { &after } else { &before }
        });
        assert!(is_moved.get());
        for _ in 0..3 {
            pass(&mirror, |_| &after);
        }
        for grade in [9, 10] {
            same(&mirror, &after, &format!("{marks}{grade}&structure=1"));
        }
        assert_is_fresh(&mirror, &after);
    }
}

/// Checks that the mirror has exactly the records of a mirror that is synced from scratch.
fn assert_is_fresh(mirror: &Engine, source: &Engine) {
    let fresh = Engine::memory(Options::default()).unwrap();
    for _ in 0..2 {
        pass(&fresh, |_| source);
    }
    let [ours, theirs] = [mirror, &fresh].map(|engine| {
        let lines = engine.export(rollbook::Credentials::LeaveOut).unwrap();
        lines.map(Result::unwrap).collect::<Vec<_>>()
    });
    assert_eq!(ours, theirs);
}

/// A window of days that is only partly within the days of a pass is read again for each request of
/// the app, even if the answer of the service is unchanged.
#[test]
fn a_window_half_outside_is_read_whenever_it_is_wanted() {
    for change in [false, true] {
        let lines = r#"
{"type":"absentee","school_id":1000,"id":5,"learner_id":1,"absent_date":"2026-04-05","absent_reason":"Flu"}"#;
        let source = school(lines);
        let mirror = Engine::memory(Options::default()).unwrap();
        let window =
            "/api/v1/adminplus/learnerabsentees/1000?from_date=2026-04-04&to_date=2026-04-24";
        pass(&mirror, |_| &source);
        for round in 0..3 {
            assert_eq!(get(&mirror, window, NOW).status.code, 503);
            wanting(&mirror, &[window], &|_| &source);
            same(&mirror, &source, window);
            if change {
                let line = format!(r#"{{"type":"staff_member","school_id":1000,"id":{round}}}"#);
                source.apply(line.as_bytes()).unwrap();
            }
            pass(&mirror, |_| &source);
        }
        assert_is_fresh(&mirror, &source);
    }
}

/// The list of parents is complete for the parents of current learners, even if the service refuses
/// requests for learners with parents.
#[test]
fn parents_are_removed_if_learners_are_fetched_without_them() {
    let lines = r#"
{"type":"learner","school_id":1000,"id":3,"first_name":"Cleo","parent1_id":7,"parent2_id":8}
{"type":"parent","school_id":1000,"id":7,"first_name":"Mum"}
{"type":"parent","school_id":1000,"id":8,"first_name":"Dad"}"#;
    let source = school(lines);
    let refusing = school(lines);
    refusing
        .apply(ACCESS.replace(",\"parents\"", "").as_bytes())
        .unwrap();
    let of = |target: &str| -> &Engine {
        if target.contains("include_parents") {
            &refusing
        } else {
            &source
        }
    };
    let mirror = Engine::memory(Options::default()).unwrap();
    let list = "/api/v1/adminplus/parents/1000";
    wanting(&mirror, &[], &of);
    same(&mirror, &source, list);
    source
        .apply(&br#"{"type":"parent","school_id":1000,"id":7,"deleted":true}"#[..])
        .unwrap();
    wanting(&mirror, &[], &of);
    same(&mirror, &source, list);
    assert!(!get(&mirror, list, NOW).text().contains("Mum"));
}

/// The accounts of all learners show the parents of learners who have left; open accounts do not.
/// If only open accounts were fetched, questions that need these parents are refused.
#[test]
fn parents_of_learners_whose_accounts_were_not_fetched_are_refused() {
    let source = school(
        r#"
{"type":"learner","school_id":1000,"id":3,"first_name":"Cleo","status":"left","account":"open","parent1_id":7}
{"type":"parent","school_id":1000,"id":7,"first_name":"Mum"}"#,
    );
    let mirror = Engine::memory(Options::default()).unwrap();
    let pass = |has_accounts: bool| {
        let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
        let change = |target: &str| {
            let is_refused =
                !has_accounts && target.contains("learnerparentinfo/1000?all_accounts");
            is_refused.then_some((404, "{}"))
        };
        assert!(matches!(drive(&sync, &source, &change), Ok(Step::Done(_))));
    };
    pass(false);
    mirror.apply(ACCESS.as_bytes()).unwrap();
    let accounts = "/api/v1/finplus/debtmanagement/learnerparentinfo/1000";
    same(&mirror, &source, accounts);
    same(
        &mirror,
        &source,
        "/api/v1/adminplus/learners/1000?include_parents=1",
    );
    let with_parents = format!("{accounts}?include_parents=1");
    let refused = get(&mirror, &with_parents, NOW);
    let says = "not synced yet: the accounts of all learners";
    assert!(refused.text().contains(says), "{}", refused.text());
    pass(true);
    same(&mirror, &source, &with_parents);
}

/// Data that is requested in rotation is requested in time, even after a clock that was far ahead
/// was corrected.
#[test]
fn a_clock_that_was_ahead_delays_no_rotation() {
    let of = |name: &str| {
        let source = school("");
        let lines = format!(
            r#"{{"type":"gender","id":1,"name":"{name}"}}
{{"type":"language","id":1,"name":"{name}"}}
{{"type":"marital_status","id":1,"name":"{name}"}}"#
        );
        source.apply(lines.as_bytes()).unwrap();
        source
    };
    let [before, after] = ["Before", "After"].map(of);
    let mirror = Engine::memory(Options::default()).unwrap();
    let passes = |source: &Engine, now: i64, count: usize| {
        for _ in 0..count {
            let mut options = SyncOptions::default();
            options.rotate = Some(1);
            let sync = mirror.sync(SCHOOL, options).unwrap();
            let step = drive_at(&sync, source, now);
            assert!(matches!(step, Step::Done(_)), "{step:?}");
            mirror.apply(ACCESS.as_bytes()).unwrap();
        }
    };
    passes(&before, NOW, 3);
    passes(&before, NOW + 40 * 86_400, 30);
    passes(&after, NOW, 40);
    for list in ["gender", "language", "maritalstatus"] {
        same(&mirror, &after, &format!("/api/v1/adminplus/lookup/{list}"));
    }
}

/// Drives a pass at one instant.
fn drive_at(sync: &Sync, source: &Engine, now: i64) -> Step {
    loop {
        match sync.next(now).unwrap() {
            Step::Send(call) => {
                let answer = get(source, &call.target, now);
                sync.handle_reply(call.id, now, &reply(&answer)).unwrap();
            }
            step => return step,
        }
    }
}

/// In a new year without data, the answers about learners without subjects are those of the year
/// before. The coverage must still be the same as that of a mirror that is synced from scratch.
#[test]
fn unchanged_answers_count_for_a_new_year() {
    let mut lines = String::new();
    for learner in 3..15 {
        let line = r#"{"type":"learner","school_id":1000,"first_name":"Cleo","id":"#;
        write!(lines, "\n{line}{learner}}}").unwrap();
    }
    lines += r#"
{"type":"learner_subject","school_id":1000,"learner_id":1,"year":2026,"subject_id":101,"grade_id":9,"terms":[{"term":1}]}
{"type":"assessment","school_id":1000,"assessment_id":77,"grade_id":9,"year":2026,"term":1,"subject_id":101,"learning_outcome_id":3,"assessment_date":"2026-02-01","weight":10,"mark_out_of":20}"#;
    let [before, after] = [2026, 2027].map(|year| school_of(year, &lines));
    let options = || {
        let mut options = SyncOptions::default();
        options.rotate = Some(5);
        options
    };
    let mirror = Engine::memory(Options::default()).unwrap();
    for number in 0..40 {
        let source = if number < 6 { &before } else { &after };
        let sync = mirror.sync(SCHOOL, options()).unwrap();
        assert!(matches!(drive(&sync, source, &|_| None), Ok(Step::Done(_))));
        mirror.apply(ACCESS.as_bytes()).unwrap();
    }
    for target in [
        "/api/v1/currplus/learnersubjects/1000",
        "/api/v1/currplus/learnersubjectsperterm/1000?learner_id=1",
        "/api/v1/currplus/learnersubjectsperterm/1000?learner_id=14",
    ] {
        same(&mirror, &after, target);
    }
}
