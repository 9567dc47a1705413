//! Tests that questions outside the coverage of a synced school are refused, and never answered as
//! if there were no data.

mod changes;
mod end_of_sync;
mod question_table;

use crate::api::{Answer, Page, Request};
use crate::dataset::replication::stored_coverage::{self, CoverageAddition};
use crate::date::Date;
use crate::engine::Engine;
use crate::query::endpoints::{AssessmentMarks, Learners, Schools};
use crate::query::{ENDPOINTS, LearnerStatus};
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::{Clock, Coverage, Covered, Error, Options, Result};
use question_table::Row;
use std::collections::BTreeSet;

const NOW: i64 = 1_778_745_600; // 2026-05-14T08:00:00Z

const SCHOOL: &str = r#"
{"type":"school","school_id":1000,"current_year":2026,"school_name":"Hillside"}
{"type":"school","school_id":1001,"current_year":2026}
{"type":"api_type","api_type_id":8,"family":["administration","curriculum","finance","parents"]}
{"type":"integrator","username":"demo","password":"demo"}
{"type":"client_integration","username":"demo","school_id":1000,"api_type_id":8,"state":1}
{"type":"client_integration","username":"demo","school_id":1001,"api_type_id":8,"state":1}
{"type":"client_integration","username":"demo","school_id":1001,"api_type_id":9,"state":1}
{"type":"client_integration","username":"idle","school_id":1000,"api_type_id":9,"state":1}
{"type":"grade","school_id":1000,"grade_id":9,"grade":"7"}
{"type":"term","school_id":1000,"year":2026,"term":1,"term_id":98,"end_date":"2026-03-27"}
{"type":"learner","school_id":1000,"id":7,"grade_id":9,"parent1_id":"40","accountable_person_id":"40"}
{"type":"learner","school_id":1000,"id":8,"status":"left","transfer_date":"2026-05-01"}
{"type":"learner","school_id":1000,"id":9,"status":"waitlist"}
{"type":"parent","school_id":1000,"id":40}
{"type":"accountable_person","school_id":1000,"accountable_person_id":40}
{"type":"staff_member","school_id":1000,"id":13}
{"type":"absentee","school_id":1000,"id":5,"learner_id":7,"absent_date":"2026-05-04"}
{"type":"discipline","school_id":1000,"id":6,"learner_id":7,"discipline_date":"2026-05-04"}
{"type":"subject","school_id":1000,"subject_id":101}
{"type":"learner_subject","school_id":1000,"learner_id":7,"year":2026,"subject_id":101,"grade_id":9,"terms":[{"term":1,"mark":50}]}
{"type":"assessment","school_id":1000,"assessment_id":501,"grade_id":9,"year":2026,"term":1,"subject_id":101,"learning_outcome_id":31,"assessment_date":"2026-02-10","weight":1}
{"type":"mark","school_id":1000,"assessment_id":501,"learner_id":7,"mark":5}
"#;

fn engine() -> Result<Engine> {
    let clock = Clock::Fixed(NOW);
    let engine = Engine::memory(Options {
        clock,
        ..Options::default()
    })?;
    engine.apply(SCHOOL.as_bytes())?;
    Ok(engine)
}

/// Adds to the coverage of school 1000.
fn cover(engine: &Engine, seen: &[CoverageAddition]) -> Result<()> {
    Ok(engine
        .store
        .write(|write| stored_coverage::add_coverage(write, 1000, seen, NOW))?)
}

fn get(engine: &Engine, target: &str, password: &str) -> Answer {
    let headers = [
        ("HTTP-X-USERNAME", "demo"),
        ("HTTP-X-PASSWORD", password),
        ("HTTP-X-SCHOOLID", "1000"),
    ];
    engine.request(&Request {
        target,
        headers: &headers,
        ..Request::default()
    })
}

/// Returns the answer to a question outside the coverage.
fn not_covered(target: &str, what: &str) -> String {
    unavailable(target, &missing(Some(1000), what))
}

fn missing(school: Option<u64>, what: &str) -> Error {
    Error::NotSynced {
        school,
        what: what.to_owned(),
    }
}

/// Returns the answer for a 503.
fn unavailable(target: &str, error: &Error) -> String {
    if target.starts_with("/api/v1/") {
        format!(r#"{{"error":"Service Unavailable","error_description":"{error}"}}"#)
    } else {
        format!(r#"{{"success":false,"message":"{error}"}}"#)
    }
}

fn day(text: &str) -> Date {
    text.parse().unwrap_or(Date::MIN)
}

fn whole(kind: CoverageKind) -> CoverageAddition {
    CoverageAddition::Whole(CoverageKey::new(kind))
}

fn of_id(kind: CoverageKind, id: u64) -> CoverageAddition {
    CoverageAddition::Whole(CoverageKey::of_id(kind, 2026, id))
}

fn days(kind: CoverageKind, from: &str, to: &str) -> CoverageAddition {
    CoverageAddition::Days(kind, day(from), day(to))
}

#[test]
fn questions_outside_the_coverage_are_refused_and_others_are_answered() -> Result<()> {
    let plain = engine()?;
    let rows = question_table::rows();
    assert_eq!(rows.len(), question_table::count());
    for row in &rows {
        let Row {
            targets,
            seen,
            what,
            others,
        } = row;
        let engine = engine()?;
        // Covers everything else that any question reads.
        let beside = rows
            .iter()
            .map(|row| row.seen)
            .filter(|other| other != seen);
        let beside: Vec<CoverageAddition> = beside.chain(others.iter().copied()).collect();
        cover(&engine, &beside)?;
        for target in targets {
            let answer = get(&engine, target, "demo");
            let expected = not_covered(target, what);
            assert_eq!(
                (answer.status.code, answer.text()),
                (503, &*expected),
                "{target}"
            );
        }
        cover(&engine, &[*seen])?;
        for target in targets {
            let (found, expected) = (get(&engine, target, "demo"), get(&plain, target, "demo"));
            assert_eq!(found.text(), expected.text(), "{target}");
            assert_ne!(found.status.code, 503, "{target}");
        }
        assert!(engine.verify()?.is_sound());
    }
    let asked: BTreeSet<&str> = rows
        .iter()
        .flat_map(|row| &row.targets)
        .map(String::as_str)
        .collect();
    for endpoint in ENDPOINTS
        .iter()
        .filter(|endpoint| !endpoint.v1.0.contains("lookup/") && !endpoint.is_settable)
    {
        let is_asked = asked.iter().any(|target| target.contains(endpoint.v1.0));
        assert!(is_asked, "{}", endpoint.name);
    }
    Ok(())
}

#[test]
fn data_that_no_sync_fetches_is_refused_whatever_the_coverage() -> Result<()> {
    let engine = engine()?;
    let seen: Vec<CoverageAddition> = question_table::rows().iter().map(|row| row.seen).collect();
    cover(&engine, &seen)?;
    let left = "the learners who left from 2026-04-14 to 2026-05-14";
    let marks = "the assessment marks of the learner 7 in 2026";
    for (target, what) in [
        ("/api/v1/adminplus/learners/1000?status=left", left),
        ("/api/v2/adminplus/learners?status=left", left),
        ("/api/v2/adminplus/learners/8?status=left", "the learner 8"),
        (
            "/api/v1/currplus/learnerassessmentmarks/1000?learner_id=7",
            marks,
        ),
        (
            "/api/v2/currplus/learnerassessmentmarks?learner_id=7",
            marks,
        ),
    ] {
        let answer = get(&engine, target, "demo");
        assert_eq!(answer.text(), not_covered(target, what), "{target}");
        assert_eq!(answer.status.code, 503, "{target}");
    }
    Ok(())
}

#[test]
fn all_days_of_a_window_must_be_covered() -> Result<()> {
    let engine = engine()?;
    let asked = |from: &str, to: &str| {
        let target =
            format!("/api/v1/adminplus/learnerabsentees/1000?from_date={from}&to_date={to}");
        get(&engine, &target, "demo").status.code
    };
    cover(
        &engine,
        &[days(CoverageKind::Absences, "2026-04-01", "2026-04-30")],
    )?;
    assert_eq!(asked("2026-04-01", "2026-04-30"), 404);
    assert_eq!(asked("2026-04-01", "2026-05-01"), 503);
    assert_eq!(asked("2026-03-31", "2026-04-01"), 503);
    cover(
        &engine,
        &[days(CoverageKind::Absences, "2026-05-02", "2026-05-31")],
    )?;
    assert_eq!(asked("2026-04-20", "2026-05-10"), 503);
    assert_eq!(asked("2026-05-02", "2026-05-31"), 200);
    // Fetched at another time, so that the range remains separate.
    let first_of_may = [days(CoverageKind::Absences, "2026-05-01", "2026-05-01")];
    engine
        .store
        .write(|write| stored_coverage::add_coverage(write, 1000, &first_of_may, NOW + 1))?;
    assert_eq!(asked("2026-04-20", "2026-05-10"), 200);
    assert_eq!(asked("2026-05-01", "2026-06-01"), 503);
    Ok(())
}

#[test]
fn a_stored_record_is_answered_by_id_whatever_the_coverage() -> Result<()> {
    let engine = engine()?;
    cover(&engine, &[])?;
    let get = |target: &str| get(&engine, target, "demo");
    for (path, known, unknown, what) in [
        ("adminplus/parents/{}", 40, 41, "the parent 41"),
        ("adminplus/staffmembers/{}", 13, 14, "the staff member 14"),
        ("adminplus/learnerabsentees/{}", 5, 55, "the absence 55"),
        (
            "adminplus/learnerdiscipline/{}",
            6,
            66,
            "the discipline record 66",
        ),
    ] {
        let target = |id: u64| format!("/api/v2/{}", path.replace("{}", &id.to_string()));
        assert_eq!(get(&target(known)).status.code, 200, "{path}");
        let answer = get(&target(unknown));
        assert_eq!(answer.text(), not_covered("/api/v2/", what), "{path}");
        assert_eq!(answer.status.code, 503, "{path}");
    }
    Ok(())
}

#[test]
fn access_and_parameters_are_checked_first_and_other_schools_are_complete() -> Result<()> {
    let engine = engine()?;
    cover(&engine, &[])?;
    for (target, password, code) in [
        ("/api/v1/adminplus/learners/1000", "wrong", 401),
        ("/api/v1/adminplus/learners/1002", "demo", 401),
        ("/api/v1/adminplus/learners/1000?status=Left", "demo", 400),
        (
            "/api/v1/adminplus/learners/1000?status=left&since=2020-01-01",
            "demo",
            400,
        ),
        (
            "/api/v2/adminplus/learners?status=left&since=2020-01-01",
            "demo",
            400,
        ),
        (
            "/api/v2/adminplus/learners/7?status=left&since=2020-01-01",
            "demo",
            400,
        ),
        ("/api/v2/adminplus/learners?limit=0", "demo", 400),
        ("/api/v2/adminplus/learners?cursor=x", "demo", 400),
        ("/api/v1/currplus/learnerassessmentmarks/1000", "demo", 400),
        ("/api/v1/adminplus/learners/1001", "demo", 404),
        ("/api/v1/settings/clients/1001", "demo", 200),
        // The store itself determines who has access, even for a synced school.
        ("/api/v1/settings/clients", "demo", 200),
        ("/api/v1/settings/clients/1000", "demo", 200),
        ("/api/v2/settings/clientintegrations", "demo", 200),
    ] {
        assert_eq!(get(&engine, target, password).status.code, code, "{target}");
    }
    engine.apply(&br#"{"type":"api_type","api_type_id":8,"family":"finance"}"#[..])?;
    let inactive = get(&engine, "/api/v1/adminplus/learners/1000", "demo");
    assert_eq!(inactive.status.code, 403);
    Ok(())
}

#[test]
fn typed_questions_fail_with_a_description_of_the_missing_data() -> Result<()> {
    let engine = engine()?;
    cover(&engine, &[])?;
    let learners = Learners {
        school: 1000,
        ..Learners::default()
    };
    let missing = |what: &str| self::missing(Some(1000), what);
    let current = missing("the current learners");
    assert_eq!(engine.ask(&learners).err(), Some(current.clone()));
    assert_eq!(
        engine.page(&learners, &Page::default()).err(),
        Some(current.clone())
    );
    assert_eq!(engine.find(&learners).err(), Some(current.clone()));
    assert_eq!(current.code(), "not_synced");
    assert_eq!(
        current.to_string(),
        "not synced yet: the current learners of school 1000; sync that first, or ask for what was seen"
    );
    let left = Learners {
        status: LearnerStatus::Left,
        learner_id: Some(8),
        ..learners
    };
    assert_eq!(engine.find(&left).err(), Some(missing("the learner 8")));
    assert_eq!(
        engine.ask(&left).map_err(|error| error.code()).err(),
        Some("not_synced")
    );
    let current = Learners {
        learner_id: Some(7),
        ..left
    };
    assert_eq!(engine.find(&current)?.status.code, 404);
    // A question that breaks a rule is refused in any case.
    let without_selection = AssessmentMarks {
        school: 1000,
        ..AssessmentMarks::default()
    };
    assert_eq!(engine.ask(&without_selection)?.status.code, 400);
    // A list of schools is complete or refused.
    let schools = Schools {
        username: "demo",
        school: None,
    };
    assert_eq!(
        engine.ask(&schools).err(),
        Some(missing("the school's record"))
    );
    let other = Schools {
        school: Some(1001),
        ..schools
    };
    assert_eq!(engine.ask(&other)?.status.code, 200);
    Ok(())
}
