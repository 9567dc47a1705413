//! Questions outside of what was seen of a school that is synced: never answered as if
//! there were nothing.

mod rows;

use super::Engine;
use crate::api::{Answer, Page, Request};
use crate::dataset::coverage::{self, Seen};
use crate::date::Date;
use crate::query::{AssessmentMarks, ENDPOINTS, LearnerStatus, Learners, Schools};
use crate::record::coverage::{Part, Unit};
use crate::{Clock, Error, Options, Result};
use rows::Row;
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

/// What was seen of school 1000.
fn see(engine: &Engine, seen: &[Seen]) -> Result<()> {
    Ok(engine
        .store
        .write(|write| coverage::see(write, 1000, seen, NOW))?)
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

/// The answer to a question outside of what was seen.
fn unseen(target: &str, what: &str) -> String {
    let error = Error::NotSynced {
        school: 1000,
        what: what.to_owned(),
    };
    if target.starts_with("/api/v1/") {
        format!(r#"{{"error":"Service Unavailable","error_description":"{error}"}}"#)
    } else {
        format!(r#"{{"success":false,"message":"{error}"}}"#)
    }
}

fn day(text: &str) -> Date {
    text.parse().unwrap_or(Date::MIN)
}

fn whole(part: Part) -> Seen {
    Seen::Whole(Unit::of(part))
}

fn of_id(part: Part, id: u64) -> Seen {
    Seen::Whole(Unit::of_id(part, 2026, id))
}

fn days(part: Part, from: &str, to: &str) -> Seen {
    Seen::Days(part, day(from), day(to))
}

#[test]
fn what_was_not_seen_is_refused_and_what_was_is_answered_as_ever() -> Result<()> {
    let plain = engine()?;
    let rows = rows::rows();
    assert_eq!(rows.len(), rows::count());
    for row in &rows {
        let Row {
            targets,
            seen,
            what,
            others,
        } = row;
        let engine = engine()?;
        // All else that any question reads, if it is no more than another way to this.
        let beside = rows
            .iter()
            .map(|row| row.seen)
            .filter(|other| other != seen);
        let mut beside: Vec<Seen> = beside.chain(others.iter().copied()).collect();
        beside.retain(|other| !is_wider(*other, *seen));
        see(&engine, &beside)?;
        for target in targets {
            let answer = get(&engine, target, "demo");
            let expected = unseen(target, what);
            assert_eq!(
                (answer.status.code, answer.text()),
                (503, &*expected),
                "{target}"
            );
        }
        see(&engine, &[*seen])?;
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
        .filter(|endpoint| !endpoint.v1.0.contains("lookup/"))
    {
        let is_asked = asked.iter().any(|target| target.contains(endpoint.v1.0));
        assert!(is_asked, "{}", endpoint.name);
    }
    Ok(())
}

/// Whether one tells all that another does.
fn is_wider(one: Seen, other: Seen) -> bool {
    matches!(
        (one, other),
        (
            Seen::Whole(Unit {
                part: Part::AllDebtors,
                ..
            }),
            Seen::Whole(Unit {
                part: Part::LearnersDebtors,
                ..
            })
        ) | (
            Seen::Whole(Unit {
                part: Part::MarksOfGrade,
                ..
            }),
            Seen::Whole(Unit {
                part: Part::MarksOfTerm,
                ..
            })
        )
    )
}

#[test]
fn all_days_of_a_window_must_have_been_seen() -> Result<()> {
    let engine = engine()?;
    let asked = |from: &str, to: &str| {
        let target =
            format!("/api/v1/adminplus/learnerabsentees/1000?from_date={from}&to_date={to}");
        get(&engine, &target, "demo").status.code
    };
    see(&engine, &[days(Part::Absences, "2026-04-01", "2026-04-30")])?;
    assert_eq!(asked("2026-04-01", "2026-04-30"), 404);
    assert_eq!(asked("2026-04-01", "2026-05-01"), 503);
    assert_eq!(asked("2026-03-31", "2026-04-01"), 503);
    see(&engine, &[days(Part::Absences, "2026-05-02", "2026-05-31")])?;
    assert_eq!(asked("2026-04-20", "2026-05-10"), 503);
    assert_eq!(asked("2026-05-02", "2026-05-31"), 200);
    // Seen at another time, so that it stays by itself.
    let first_of_may = [days(Part::Absences, "2026-05-01", "2026-05-01")];
    engine
        .store
        .write(|write| coverage::see(write, 1000, &first_of_may, NOW + 1))?;
    assert_eq!(asked("2026-04-20", "2026-05-10"), 200);
    assert_eq!(asked("2026-05-01", "2026-06-01"), 503);
    Ok(())
}

#[test]
fn a_record_that_is_there_is_known_whatever_else_was_seen() -> Result<()> {
    let engine = engine()?;
    see(
        &engine,
        &[Seen::Whole(Unit::of_id(Part::LeftLearner, 0, 8))],
    )?;
    let get = |target: &str| get(&engine, target, "demo");
    for (path, known, unknown, what) in [
        ("adminplus/learners/{}?status=left", 8, 88, "the learner 88"),
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
        assert_eq!(answer.text(), unseen("/api/v2/", what), "{path}");
        assert_eq!(answer.status.code, 503, "{path}");
    }
    Ok(())
}

#[test]
fn access_and_parameters_come_first_and_other_schools_have_all() -> Result<()> {
    let engine = engine()?;
    see(&engine, &[])?;
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
        ("/api/v1/adminplus/lookup/gender", "demo", 404),
    ] {
        assert_eq!(get(&engine, target, password).status.code, code, "{target}");
    }
    engine.apply(&br#"{"type":"api_type","api_type_id":8,"family":"finance"}"#[..])?;
    let inactive = get(&engine, "/api/v1/adminplus/learners/1000", "demo");
    assert_eq!(inactive.status.code, 403);
    Ok(())
}

#[test]
fn typed_questions_fail_and_name_what_is_missing() -> Result<()> {
    let engine = engine()?;
    see(&engine, &[])?;
    let learners = Learners {
        school: 1000,
        ..Learners::default()
    };
    let missing = |what: &str| Error::NotSynced {
        school: 1000,
        what: what.to_owned(),
    };
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
    see(
        &engine,
        &[Seen::Whole(Unit::of_id(Part::LeftLearner, 0, 8))],
    )?;
    assert_eq!(engine.find(&left)?.status.code, 200);
    assert_eq!(
        engine.ask(&left).map_err(|error| error.code()).err(),
        Some("not_synced")
    );
    let current = Learners {
        learner_id: Some(7),
        ..left
    };
    assert_eq!(engine.find(&current)?.status.code, 404);
    // What breaks a rule is refused as ever.
    let nobody = AssessmentMarks {
        school: 1000,
        ..AssessmentMarks::default()
    };
    assert_eq!(engine.ask(&nobody)?.status.code, 400);
    // A list of schools is whole or not.
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

#[test]
fn a_school_that_is_removed_replaced_or_forgotten_is_synced_no_more() -> Result<()> {
    let target = "/api/v1/adminplus/learners/1000";
    let seen = [whole(Part::Staff), of_id(Part::SubjectMarks, 7)];
    let line = &br#"{"type":"learner","school_id":1000,"id":7}"#[..];
    for (way, code) in [("replace", 200), ("remove", 401), ("forget", 200)] {
        let engine = engine()?;
        see(&engine, &seen)?;
        assert_eq!(get(&engine, target, "demo").status.code, 503);
        // A change that fails changes nothing of it.
        assert!(engine.replace_school(1000, &b"x"[..]).is_err());
        assert_eq!(get(&engine, target, "demo").status.code, 503);
        match way {
            "replace" => {
                let client = r#"{"type":"client_integration","username":"demo","school_id":1000,"api_type_id":8,"state":1}"#;
                let school = r#"{"type":"school","school_id":1000,"current_year":2026}"#;
                let lines = [school.as_bytes(), client.as_bytes(), line].join(&b'\n');
                engine.replace_school(1000, lines.as_slice())?;
            }
            "remove" => {
                engine.remove_school(1000)?;
            }
            _ => engine.store.write(|write| coverage::forget(write, 1000))?,
        }
        assert_eq!(get(&engine, target, "demo").status.code, code, "{way}");
        assert!(engine.verify()?.is_sound());
        let of_coverage = engine.store.read(|snapshot| Ok(snapshot.has_synced()))?;
        assert!(!of_coverage, "{way}");
    }
    Ok(())
}

#[test]
fn nothing_is_kept_of_a_learner_who_was_erased() -> Result<()> {
    let engine = engine()?;
    see(
        &engine,
        &[of_id(Part::SubjectMarks, 7), of_id(Part::SubjectMarks, 8)],
    )?;
    engine.erase_learner(1000, 7)?;
    let target =
        |learner| format!("/api/v1/currplus/learnersubjectmarks/1000?learner_id={learner}");
    assert_eq!(get(&engine, &target(7), "demo").status.code, 503);
    assert_eq!(get(&engine, &target(8), "demo").status.code, 404);
    Ok(())
}
