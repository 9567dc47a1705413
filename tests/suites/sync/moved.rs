//! Records that are removed or moved together with what they depend on: grades that no answer
//! shows, marks of a moved assessment, accounts without lists of learners.

use super::coverage_model::{Asked, Seen, today};
use super::passes::differences;
use super::steps::drive;
use super::{ACCESS, NOW, SCHOOL, get, reply};
use rollbook::{Engine, Options, ReplyOutcome, Step, SyncOptions, SyncReport};
use std::fmt::Write as _;

/// Returns a school in the year 2026 with additional records.
pub(super) fn school(lines: &str) -> Engine {
    school_of(2026, lines)
}

pub(super) fn school_of(year: u64, lines: &str) -> Engine {
    let source = Engine::memory(Options::default()).unwrap();
    let school = format!(
        r#"{{"type":"school","school_id":1000,"school_name":"S","current_year":{year}}}
{{"type":"grade","school_id":1000,"grade_id":9,"grade":"7"}}
{{"type":"learner","school_id":1000,"id":1,"first_name":"Anna"}}
{{"type":"learner","school_id":1000,"id":2,"first_name":"Ben"}}
{{"type":"subject","school_id":1000,"subject_id":101,"subject_name":"Maths"}}"#
    );
    source
        .apply([&school, lines, ACCESS].concat().as_bytes())
        .unwrap();
    source
}

/// Runs a whole pass. `of` returns the source of each answer.
pub(super) fn pass<'a>(mirror: &Engine, of: impl Fn(&str) -> &'a Engine) {
    let report = wanting(mirror, &[], &of);
    assert_eq!((report.quarantined, report.failed), (vec![], vec![]));
}

/// Runs a whole pass in which the app prioritises these targets.
pub(super) fn wanting<'a>(
    mirror: &Engine,
    wanted: &[&str],
    of: &dyn Fn(&str) -> &'a Engine,
) -> SyncReport {
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    for target in wanted {
        sync.prioritise(target).unwrap();
    }
    loop {
        match sync.next(NOW).unwrap() {
            Step::Send(call) => {
                let answer = get(of(&call.target), &call.target, NOW);
                let taken = sync.handle_reply(call.id, NOW, &reply(&answer)).unwrap();
                let is_expected = matches!(
                    taken,
                    ReplyOutcome::Stored | ReplyOutcome::Unchanged | ReplyOutcome::Failed
                );
                assert!(is_expected, "{taken:?}");
            }
            Step::Done(report) => {
                mirror.apply(ACCESS.as_bytes()).unwrap();
                return report;
            }
            other => panic!("{other:?}"),
        }
    }
}

pub(super) fn same(mirror: &Engine, source: &Engine, target: &str) {
    let [ours, theirs] = [mirror, source].map(|engine| {
        let answer = get(engine, target, NOW);
        (answer.status.code, answer.text().to_owned())
    });
    assert_eq!(ours, theirs, "{target}");
}

const LIST: &str = "/api/v1/adminplus/lookup/grade/1000";
const TAKEN_IN_8: &str = r#"
{"type":"grade","school_id":1000,"grade_id":10,"grade":"8"}
{"type":"learner_subject","school_id":1000,"learner_id":1,"year":2026,"subject_id":101,"grade_id":10,"terms":[{"term":1}]}"#;

/// A grade is removed from the list, and no learner takes a subject in it any more.
#[test]
fn a_grade_is_removed_although_it_had_a_short_name() {
    let (before, after) = (school(TAKEN_IN_8), school(""));
    let mirror = Engine::memory(Options::default()).unwrap();
    pass(&mirror, |_| &before);
    same(&mirror, &before, LIST);
    pass(&mirror, |_| &after);
    same(&mirror, &after, LIST);
    same(&mirror, &after, "/api/v2/adminplus/lookup/grade/10");
}

/// A grade that was never in the list, which does not change.
#[test]
fn a_grade_outside_the_list_remains_while_an_answer_shows_it() {
    let (shown, after) = (school(TAKEN_IN_8), school(""));
    let mirror = Engine::memory(Options::default()).unwrap();
    for _ in 0..3 {
        pass(&mirror, |target| match target {
            LIST => &after,
            _ => &shown,
        });
        let taken = "/api/v1/currplus/learnersubjectsperterm/1000?learner_id=1";
        same(&mirror, &shown, taken);
    }
    pass(&mirror, |_| &after);
    same(&mirror, &after, LIST);
}

/// An assessment of last year becomes one of this year, in another grade: a learner who had a mark
/// only before is not answered.
#[test]
fn marks_move_with_their_assessment() {
    let of = |year: u64, grade: u64, learner: u64| {
        let lines = format!(
            r#"
{{"type":"grade","school_id":1000,"grade_id":10,"grade":"8"}}
{{"type":"learner_subject","school_id":1000,"learner_id":{learner},"year":{year},"subject_id":101,"grade_id":{grade},"terms":[{{"term":1}}]}}
{{"type":"learning_program","school_id":1000,"grade_id":{grade},"year":{year},"term":1,"subject_id":101,"released":1}}
{{"type":"assessment","school_id":1000,"assessment_id":77,"grade_id":{grade},"year":{year},"term":1,"subject_id":101,"learning_outcome_id":3,"assessment_date":"2026-02-01","weight":10,"mark_out_of":20}}
{{"type":"mark","school_id":1000,"assessment_id":77,"learner_id":{learner},"mark":"13.5"}}"#
        );
        school_of(year, &lines)
    };
    let before = of(2026, 10, 1);
    for (year, grade) in [(2027, 9), (2027, 10), (2026, 9)] {
        let after = of(year, grade, 2);
        let mirror = Engine::memory(Options::default()).unwrap();
        for source in [&before, &after] {
            pass(&mirror, |_| source);
        }
        for structure in ["", "&structure=1"] {
            let marks = "/api/v1/currplus/learnerassessmentmarks/1000";
            let target = format!("{marks}?grade_id={grade}&year={year}{structure}");
            same(&mirror, &after, &target);
        }
        assert!(mirror.verify().unwrap().is_sound());
    }
}

/// Accounts are answered although a list of learners could not be fetched, which may contain some of
/// the learners.
#[test]
fn accounts_do_not_require_the_lists_of_learners() {
    let source = school(
        r#"
{"type":"learner","school_id":1000,"id":21,"first_name":"Current","debtor_code":"C1","accountable_person_id":6}
{"type":"learner","school_id":1000,"id":22,"first_name":"Waiting","status":"waitlist","debtor_code":"W1","accountable_person_id":6}
{"type":"learner","school_id":1000,"id":23,"first_name":"Gone","status":"left","debtor_code":"G1","accountable_person_id":6}
{"type":"accountable_person","school_id":1000,"accountable_person_id":6}"#,
    );
    for lost in ["status=waitlist", "status=current", "nothing"] {
        let mirror = Engine::memory(Options::default()).unwrap();
        let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
        let stored = std::cell::RefCell::new(Vec::new());
        let done = drive(&sync, &source, &|target| {
            if target.contains(lost) {
                return Some((400, "{}"));
            }
            stored.borrow_mut().push(Asked::parse(target, SCHOOL));
            None
        });
        let Ok(Step::Done(report)) = done else {
            panic!("{done:?}");
        };
        mirror.apply(ACCESS.as_bytes()).unwrap();
        let is_whole = report.failed.is_empty();
        let seen = Seen {
            stored: stored.into_inner(),
            year: 2026,
            is_whole,
            today: today(NOW),
        };
        for target in [
            "/api/v2/finplus/debtmanagement/accountablepersons?include_learners",
            "/api/v2/finplus/debtmanagement/learners",
            "/api/v1/finplus/debtmanagement/learnerparentinfo/1000?all_accounts=1",
        ] {
            same(&mirror, &source, target);
            let is_predicted = seen.predicts_refusal(&Asked::parse(target, SCHOOL));
            assert!(!is_predicted, "{target}");
        }
        // As soon as the list can be fetched, it shows which of the learners have not left.
        pass(&mirror, |_| &source);
        for status in ["current", "waitlist"] {
            let listed = format!("/api/v1/adminplus/learners/1000?status={status}");
            same(&mirror, &source, &listed);
        }
    }
}

/// The service may have changed data that is no longer requested.
#[test]
fn other_years_and_days_that_are_over_are_refused() {
    let of = |year: u64, day: &str| {
        let lines = format!(
            r#"
{{"type":"absentee","school_id":1000,"id":1,"learner_id":1,"absent_date":"{day}"}}
{{"type":"learner_subject","school_id":1000,"learner_id":1,"year":{year},"subject_id":101,"grade_id":9,"terms":[{{"term":1}}]}}
{{"type":"learning_program","school_id":1000,"grade_id":9,"year":{year},"term":1,"subject_id":101,"released":1}}
{{"type":"assessment","school_id":1000,"assessment_id":77,"grade_id":9,"year":{year},"term":1,"subject_id":101,"learning_outcome_id":3,"assessment_date":"2026-02-01","weight":10,"mark_out_of":20}}
{{"type":"mark","school_id":1000,"assessment_id":77,"learner_id":1,"mark":"13.5"}}"#
        );
        school_of(year, &lines)
    };
    let (before, after) = (of(2026, "2026-05-04"), of(2027, "2027-05-04"));
    let later = NOW + 365 * 86_400;
    let mirror = Engine::memory(Options::default()).unwrap();
    pass(&mirror, |_| &before);
    let asked = |year: u64| {
        let marks = "/api/v1/currplus/learnerassessmentmarks/1000?grade_id=9&year=";
        let days = format!("from_date={year}-05-01&to_date={year}-05-10");
        [
            format!("{marks}{year}"),
            format!("{marks}{year}&structure=1"),
            format!("/api/v1/adminplus/learnerabsentees/1000?{days}"),
            format!("/api/v1/adminplus/learnerdiscipline/1000?{days}"),
        ]
    };
    for target in asked(2026) {
        same(&mirror, &before, &target);
    }
    // Two passes: data whose answers were unchanged is refused, too.
    for _ in 0..2 {
        crate::sync::passes::pass(&mirror, &after, later);
        for target in asked(2026) {
            let answer = get(&mirror, &target, later);
            assert_eq!(answer.status.code, 503, "{target}");
        }
        for target in asked(2027) {
            let [ours, theirs] = [&mirror, &after].map(|engine| get(engine, &target, later));
            assert_eq!(ours.text(), theirs.text(), "{target}");
        }
    }
    // The clock is corrected, and the data of that time is fetched again.
    pass(&mirror, |_| &before);
    for target in asked(2026) {
        same(&mirror, &before, &target);
    }
}

const TAKEN: &str = r#"
{"type":"learner_subject","school_id":1000,"learner_id":1,"year":2026,"subject_id":101,"grade_id":9,"terms":[{"term":1,"mark":50}]}
{"type":"learning_program","school_id":1000,"grade_id":9,"year":2026,"term":1,"subject_id":101,"released":1}
{"type":"assessment","school_id":1000,"assessment_id":77,"grade_id":9,"year":2026,"term":1,"subject_id":101,"learning_outcome_id":3,"assessment_date":"2026-02-01","weight":10,"mark_out_of":20}
{"type":"mark","school_id":1000,"assessment_id":77,"learner_id":1,"mark":"13.5"}"#;

/// Compares what is asked about a learner and a grade of the current year.
fn of_current_year(mirror: &Engine, source: &Engine) {
    for target in [
        "learnersubjects/1000",
        "learnersubjects/1000?learner_id=1",
        "learnersubjectsperterm/1000?learner_id=1",
        "learnersubjectmarks/1000?learner_id=1",
        "learnerassessmentmarks/1000?grade_id=9",
        "learnerassessmentmarks/1000?grade_id=9&structure=1",
    ] {
        same(mirror, source, &format!("/api/v1/currplus/{target}"));
    }
}

/// The service still has the marks of last year, but they do not belong to the current year.
#[test]
fn an_empty_new_year_has_no_marks_of_the_last() {
    let waiting = r#"
{"type":"learner","school_id":1000,"id":3,"first_name":"Cora","status":"waitlist"}"#;
    let of_2027 = r#"
{"type":"learner_subject","school_id":1000,"learner_id":3,"year":2027,"subject_id":101,"grade_id":9,"terms":[{"term":1}]}"#;
    let lines = [TAKEN, waiting].concat();
    let before = school_of(2026, &lines);
    for after in [
        school_of(2027, &lines),
        // In January, learners on the waitlist already have subjects.
        school_of(2027, &[&lines, of_2027].concat()),
    ] {
        let mirror = Engine::memory(Options::default()).unwrap();
        pass(&mirror, |_| &before);
        of_current_year(&mirror, &before);
        for _ in 0..3 {
            pass(&mirror, |_| &after);
            of_current_year(&mirror, &after);
            let waiting = "/api/v1/currplus/learnersubjectsperterm/1000?learner_id=3";
            same(&mirror, &after, waiting);
            let of_2026 = "/api/v1/currplus/learnerassessmentmarks/1000?grade_id=9&year=2026";
            assert_eq!(get(&mirror, of_2026, NOW).status.code, 503);
        }
        let fresh = Engine::memory(Options::default()).unwrap();
        pass(&fresh, |_| &after);
        of_current_year(&fresh, &after);
        assert_eq!(differences(&fresh, &mirror), [""; 0]);
        // The new year has data.
        let begun = school_of(2027, &TAKEN.replace("2026,", "2027,"));
        pass(&mirror, |_| &begun);
        of_current_year(&mirror, &begun);
        let fresh = Engine::memory(Options::default()).unwrap();
        pass(&fresh, |_| &begun);
        assert_eq!(differences(&fresh, &mirror), [""; 0]);
    }
}

/// A service that has lost its records does not begin a new year.
#[test]
fn a_year_without_records_is_not_over() {
    let mut many = TAKEN.to_owned();
    for learner in 10..40 {
        write!(
            many,
            r#"
{{"type":"learner","school_id":1000,"id":{learner},"first_name":"L"}}
{{"type":"learner_subject","school_id":1000,"learner_id":{learner},"year":2026,"subject_id":101,"grade_id":9,"terms":[{{"term":1,"mark":50}}]}}
{{"type":"mark","school_id":1000,"assessment_id":77,"learner_id":{learner},"mark":"13.5"}}"#
        )
        .unwrap();
    }
    let before = school(&many);
    let mirror = Engine::memory(Options::default()).unwrap();
    pass(&mirror, |_| &before);
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let no_marks = r#"{"error":"Not found","error_description":"No subject mark records found"}"#;
    let report = drive(&sync, &before, &|target| match target {
        target if target.contains("learnerassessmentmarks") => Some((404, no_marks)),
        target if target.contains("currplus") => Some((200, "[]")),
        _ => None,
    });
    let Ok(Step::Done(report)) = report else {
        panic!("{report:?}");
    };
    assert!(report.quarantined.len() > 30, "{:?}", report.quarantined);
    of_current_year(&mirror, &before);
}

/// When the last learner has dropped a subject, no answer shows its super subject.
#[test]
fn a_subject_without_takers_has_nothing_above_it() {
    let above = |more: &str| {
        let line = r#"
{"type":"subject","school_id":1000,"subject_id":101,"subject_name":"Maths","super_subject_id":"7","super_subject_name":"Science"}"#;
        school(&[line, TAKEN, more].concat())
    };
    let removal = r#"
{"type":"learner_subject","school_id":1000,"learner_id":1,"year":2026,"subject_id":101,"deleted":true}"#;
    let (before, after) = (above(""), above(removal));
    let mirror = Engine::memory(Options::default()).unwrap();
    pass(&mirror, |_| &before);
    of_current_year(&mirror, &before);
    pass(&mirror, |_| &after);
    of_current_year(&mirror, &after);
    let fresh = Engine::memory(Options::default()).unwrap();
    pass(&fresh, |_| &after);
    assert_eq!(differences(&fresh, &mirror), [""; 0]);
}

/// The lists that all schools share are owned by the service only if all schools of the store are
/// synced.
#[test]
fn shared_lists_lose_deleted_entries_only_if_all_schools_are_synced() {
    let genders = |count: u32| {
        let gender = |id| format!("\n{{\"type\":\"gender\",\"id\":{id},\"name\":\"G{id}\"}}");
        school(&(1..=count).map(gender).collect::<String>())
    };
    let (before, after) = (genders(3), genders(2));
    let access = ACCESS.replace("1000", "2000");
    let target = "/api/v1/adminplus/lookup/gender";
    for is_synced in [true, false] {
        let mirror = Engine::memory(Options::default()).unwrap();
        if is_synced {
            let other = school("");
            let text =
                r#"{"type":"school","school_id":2000,"school_name":"T","current_year":2026}"#;
            other.apply([text, &access].concat().as_bytes()).unwrap();
            let sync = mirror.sync(2000, SyncOptions::default()).unwrap();
            assert!(matches!(drive(&sync, &other, &|_| None), Ok(Step::Done(_))));
        } else {
            let text =
                r#"{"type":"school","school_id":2000,"school_name":"T","current_year":2026}"#;
            mirror.apply(text.as_bytes()).unwrap();
        }
        pass(&mirror, |_| &before);
        same(&mirror, &before, target);
        pass(&mirror, |_| &after);
        // A school of the app may need entries that the service has deleted.
        same(&mirror, if is_synced { &after } else { &before }, target);
    }
}

/// One offset determines today's date for the requested days and for answers.
#[test]
fn the_offset_is_stored_and_can_be_changed() {
    let text = r#"
{"type":"absentee","school_id":1000,"id":1,"learner_id":1,"absent_date":"2026-05-15"}"#;
    let source = school(text);
    let mirror = Engine::memory(Options::default()).unwrap();
    // 2026-05-14T13:00:00Z
    let now = NOW + 5 * 3_600;
    let sync = |offset: Option<&str>| {
        let mut options = SyncOptions::default();
        options.utc_offset = offset.map(str::to_owned);
        let sync = mirror.sync(SCHOOL, options).unwrap();
        super::machine::pass(&sync, &source, now);
        mirror.apply(ACCESS.as_bytes()).unwrap();
    };
    let today = "/api/v1/adminplus/learnerabsentees/1000";
    // The offset is not given, then given, and then changed; a sync without one uses the stored
    // one.
    for (offset, is_next_day) in [
        (None, false),
        (Some("+12:00"), true),
        (None, true),
        (Some("+02:00"), false),
        (None, false),
        (Some("+11:00"), true),
    ] {
        sync(offset);
        let answer = get(&mirror, today, now);
        let expected = if is_next_day { 200 } else { 404 };
        assert_eq!(answer.status.code, expected, "{offset:?}");
    }
    let far = {
        let mut options = SyncOptions::default();
        options.utc_offset = Some("+19:00".to_owned());
        mirror.sync(SCHOOL, options)
    };
    assert!(far.is_err());
}
