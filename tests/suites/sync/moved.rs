//! What goes with what leads to it: a grade with the last that shows it, marks with their
//! assessment, accounts with the lists of learners.

use super::driven::drive;
use super::foreseen::{Asked, Seen, today};
use super::{ACCESS, NOW, SCHOOL, get, reply};
use rollbook::{Engine, Options, Step, SyncOptions, Taken};

/// A school of the year 2026 with these records too.
fn school(lines: &str) -> Engine {
    school_of(2026, lines)
}

fn school_of(year: u64, lines: &str) -> Engine {
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

/// A whole pass; whoever answers a target.
fn pass<'a>(mirror: &Engine, of: impl Fn(&str) -> &'a Engine) {
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    loop {
        match sync.next(NOW).unwrap() {
            Step::Send(call) => {
                let answer = get(of(&call.target), &call.target, NOW);
                let taken = sync.take(call.id, NOW, &reply(&answer)).unwrap();
                assert!(matches!(taken, Taken::Kept | Taken::Same), "{taken:?}");
            }
            Step::Done(report) => {
                assert_eq!(report.held, [""; 0]);
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    mirror.apply(ACCESS.as_bytes()).unwrap();
}

fn same(mirror: &Engine, source: &Engine, target: &str) {
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

/// It was in the list, which lacks it now; nobody takes a subject in it any more.
#[test]
fn a_grade_that_is_gone_has_no_short_name_to_keep_it() {
    let (before, after) = (school(TAKEN_IN_8), school(""));
    let mirror = Engine::memory(Options::default()).unwrap();
    pass(&mirror, |_| &before);
    same(&mirror, &before, LIST);
    pass(&mirror, |_| &after);
    same(&mirror, &after, LIST);
    same(&mirror, &after, "/api/v2/adminplus/lookup/grade/10");
}

/// It was never in the list, which stays as it is.
#[test]
fn a_grade_beyond_the_list_stays_as_long_as_it_is_shown() {
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

/// An assessment of the year that is over is one of this year, in another grade: who had a
/// mark there and has none here is not shown.
#[test]
fn marks_go_where_their_assessment_goes() {
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

/// Who is in no list has left, but a list that was given up may have had them.
#[test]
fn accounts_are_unseen_without_a_list_of_learners() {
    let source = school(
        r#"
{"type":"accountable_person","school_id":1000,"accountable_person_id":6}"#,
    );
    for lost in ["status=waitlist", "nothing"] {
        let mirror = Engine::memory(Options::default()).unwrap();
        let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
        let kept = std::cell::RefCell::new(Vec::new());
        let done = drive(&sync, &source, &|target| {
            if target.contains(lost) {
                return Some((400, "{}"));
            }
            kept.borrow_mut().push(Asked::of(target, SCHOOL));
            None
        });
        let Ok(Step::Done(report)) = done else {
            panic!("{done:?}");
        };
        mirror.apply(ACCESS.as_bytes()).unwrap();
        let is_whole = report.given_up.is_empty();
        let seen = Seen {
            kept: kept.into_inner(),
            year: 2026,
            is_whole,
            today: today(NOW),
        };
        for target in [
            "/api/v2/finplus/debtmanagement/accountablepersons?include_learners",
            "/api/v2/finplus/debtmanagement/learners",
            "/api/v1/finplus/debtmanagement/learnerparentinfo/1000?all_accounts=1",
        ] {
            let is_refused = get(&mirror, target, NOW).status.code == 503;
            assert_eq!(is_refused, !is_whole, "{target}");
            let is_foreseen = seen.foresees(&Asked::of(target, SCHOOL));
            assert_eq!(is_foreseen, !is_whole, "{target}");
        }
        let persons = "/api/v2/finplus/debtmanagement/accountablepersons";
        assert_eq!(get(&mirror, persons, NOW).status.code, 200);
    }
}
