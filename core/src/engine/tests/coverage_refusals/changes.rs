//! Tests which changes an app may make to a synced school, and the erasure of learners.

use super::{cover, days, engine, get, missing, of_id, unavailable, whole};
use crate::api::{Request, SetState};
use crate::engine::Engine;
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::record::replication::erased_learners::ErasedLearners;
use crate::store::Reader;
use crate::{Answer, Error, Result};

const SYNCED: Error = Error::Synced { school: 1000 };

fn apply(engine: &Engine, lines: &str) -> Result<u64> {
    let total = engine.apply(lines.as_bytes())?.total();
    Ok(total.added + total.changed + total.removed)
}

#[test]
fn a_dataset_cannot_change_a_synced_school() -> Result<()> {
    let engine = engine()?;
    let before: Vec<_> = engine.export(crate::Credentials::Keep)?.collect();
    cover(&engine, &[whole(CoverageKind::CurrentLearners)])?;
    for line in [
        r#"{"type":"school","school_id":1000,"current_year":2026,"school_name":"Other"}"#,
        r#"{"type":"learner","school_id":1000,"id":7,"deleted":true}"#,
        r#"{"type":"learner","school_id":1000,"id":70}"#,
        r#"{"type":"grade","school_id":1000,"grade_id":9,"grade":"7"}"#,
        r#"{"type":"absentee","school_id":1000,"id":50,"learner_id":7,"absent_date":"2026-05-04"}"#,
        r#"{"type":"learner_subject","school_id":1000,"learner_id":8,"year":2026,"subject_id":101}"#,
        r#"{"type":"mark","school_id":1000,"assessment_id":501,"learner_id":7,"mark":6}"#,
        r#"{"type":"mark","school_id":1000,"assessment_id":999,"learner_id":7,"deleted":true}"#,
        // If any record of a dataset is refused, nothing of it is applied.
        "{\"type\":\"learner\",\"school_id\":999,\"id\":1}\n{\"type\":\"learner\",\"school_id\":1000,\"id\":1}\n{\"type\":\"learner\",\"school_id\":1001,\"id\":1}",
    ] {
        assert_eq!(apply(&engine, line).err(), Some(SYNCED), "{line}");
        let mut load = engine.once("a").load();
        load.push(line.as_bytes())?;
        assert_eq!(load.finish().err(), Some(SYNCED), "{line}");
    }
    let after: Vec<_> = engine.export(crate::Credentials::Keep)?.collect();
    assert_eq!(after, before);
    assert_eq!(SYNCED.code(), "synced");
    assert_eq!(
        SYNCED.to_string(),
        "school 1000 is synced, and only the service changes it: change it there, or call forget_sync first"
    );
    // Access rights, lists that belong to no school and other schools may be changed by the app.
    let others = r#"
{"type":"integrator","username":"new","password":"new"}
{"type":"client_integration","username":"new","school_id":1000,"api_type_id":8,"state":1}
{"type":"client_integration","username":"idle","school_id":1000,"api_type_id":9,"deleted":true}
{"type":"api_type","api_type_id":9,"family":"finance"}
{"type":"gender","id":1,"name":"Female"}
{"type":"learner","school_id":1001,"id":7}"#;
    assert_eq!(apply(&engine, others)?, 6);
    let learner = r#"{"type":"learner","school_id":1000,"id":70}"#;
    assert_eq!(apply(&engine, learner).err(), Some(SYNCED));
    engine.forget_sync(1000)?;
    assert_eq!(apply(&engine, learner)?, 1);
    Ok(())
}

#[test]
fn a_load_that_began_before_the_sync_is_refused_at_its_end() -> Result<()> {
    let engine = engine()?;
    let mut load = engine.load();
    load.push(b"{\"type\":\"learner\",\"school_id\":1000,\"id\":70}\n")?;
    let mut whole_school = engine.load_school(1000);
    whole_school.push(b"{\"type\":\"school\",\"school_id\":1000,\"current_year\":2026}\n")?;
    cover(&engine, &[])?;
    assert_eq!(load.finish().err(), Some(SYNCED));
    // A dataset with the complete school replaces the coverage.
    whole_school.finish()?;
    assert_eq!(engine.synced(1000)?, None);
    Ok(())
}

fn send(engine: &Engine, id: Option<&str>, method: &str, target: &str, body: &str) -> Answer {
    let request = Request {
        method,
        target,
        headers: &[("HTTP-X-USERNAME", "demo"), ("HTTP-X-PASSWORD", "demo")],
        body: body.as_bytes(),
        ..Request::default()
    };
    match id {
        Some(id) => engine.once(id).request(&request),
        None => engine.request(&request),
    }
}

#[test]
fn a_state_that_would_not_be_sent_to_the_service_is_refused() -> Result<()> {
    let engine = engine()?;
    let v1 = |id, school: u64, api_type: u64, state: u8| {
        let body = format!(r#"{{"api_type_id":{api_type},"state":{state}}}"#);
        let target = format!("/api/v1/settings/clients/{school}");
        send(&engine, id, "PATCH", &target, &body)
    };
    let v2 = |school: u64, state: bool| {
        let body = format!(r#"{{"school_id":{school},"api_type_id":8,"state":{state}}}"#);
        send(
            &engine,
            None,
            "POST",
            "/api/v2/settings/clientintegrations",
            &body,
        )
    };
    let made = v1(Some("before"), 1000, 8, 0);
    assert_eq!(made.status.code, 200);
    cover(&engine, &[])?;
    for state in [0, 1] {
        let answer = v1(None, 1000, 8, state);
        assert_eq!(answer.status.code, 503);
        assert_eq!(answer.text(), unavailable("/api/v1/", &SYNCED));
        let answer = v2(1000, state == 1);
        assert_eq!(answer.status.code, 503);
        assert_eq!(answer.text(), unavailable("/api/v2/", &SYNCED));
        let set = SetState {
            username: "demo",
            school: 1000,
            api_type_id: 8,
            state: state == 1,
        };
        assert_eq!(engine.set_state(&set).err(), Some(SYNCED));
        assert_eq!(engine.once("other").set_state(&set).err(), Some(SYNCED));
    }
    // Missing access, invalid bodies and repeated changes are detected first.
    assert_eq!(v1(None, 1000, 99, 1).status.code, 401);
    assert_eq!(v1(None, 1000, 8, 7).status.code, 400);
    assert_eq!(v1(None, 1002, 8, 1).status.code, 404);
    assert_eq!(v1(Some("before"), 1000, 8, 0), made);
    assert_eq!(v1(None, 1001, 8, 0).status, made.status);
    assert_eq!(v2(1001, true).status.code, 200);
    engine.forget_sync(1000)?;
    assert_eq!(v1(None, 1000, 8, 1).status.code, 200);
    Ok(())
}

/// Returns whether sync must omit a learner.
fn is_erased(engine: &Engine, learner: u64) -> Result<bool> {
    let mut is_erased = false;
    engine.store.write(|write| {
        is_erased = ErasedLearners::read_for_write(write, 1000)?.has(learner);
        Ok(())
    })?;
    Ok(is_erased)
}

#[test]
fn the_coverage_of_an_erased_learner_is_removed() -> Result<()> {
    let engine = engine()?;
    let of_seven = [
        CoverageKind::LearnersOwnSubjects,
        CoverageKind::SubjectsPerTerm,
        CoverageKind::SubjectMarks,
        CoverageKind::StructureOfLearner,
    ];
    let mut seen: Vec<_> = of_seven.map(|kind| of_id(kind, 7)).into();
    seen.extend([
        of_id(CoverageKind::SubjectMarks, 8),
        whole(CoverageKind::CurrentLearners),
    ]);
    cover(&engine, &seen)?;
    engine.erase_learner(1000, 7)?;
    // The same is true for a learner that never existed, and for a repeated erasure.
    engine.erase_learner(1000, 70)?;
    engine.erase_learner(1000, 70)?;
    let coverage = engine.synced(1000)?.unwrap_or_default();
    let counts: Vec<_> = coverage.seen.iter().map(|of| (of.what, of.count)).collect();
    let left = [
        ("the current learners", 1),
        ("the subject marks of the learner", 1),
    ];
    assert_eq!((counts.as_slice(), coverage.erased), (left.as_slice(), 2));
    for (target, code) in [
        ("/api/v1/adminplus/learners/1000?learner_id=7", 404),
        (
            "/api/v1/currplus/learnersubjectmarks/1000?learner_id=7",
            404,
        ),
        (
            "/api/v1/currplus/learnersubjectmarks/1000?learner_id=70",
            404,
        ),
        (
            "/api/v1/currplus/learnersubjectsperterm/1000?learner_id=7",
            404,
        ),
        ("/api/v1/currplus/learnersubjects/1000?learner_id=7", 404),
        (
            "/api/v1/currplus/learnerassessmentmarks/1000?learner_id=7",
            404,
        ),
        (
            "/api/v1/currplus/learnerassessmentmarks/1000?learner_id=7&structure=1",
            404,
        ),
        ("/api/v2/adminplus/learners/7?status=left", 404),
        (
            "/api/v1/currplus/learnersubjectmarks/1000?learner_id=8",
            404,
        ),
        (
            "/api/v1/currplus/learnersubjectmarks/1000?learner_id=9",
            503,
        ),
        ("/api/v2/adminplus/learners/77?status=left", 503),
    ] {
        assert_eq!(get(&engine, target, "demo").status.code, code, "{target}");
    }
    // The id occurs neither in the coverage nor anywhere else.
    engine.store.read(|snapshot| {
        for kind in CoverageKind::ALL {
            for year in [0, 2026] {
                let entries = snapshot.records(CoverageKey::of_year(kind, year).partition(1000))?;
                for id in [7, 70] {
                    assert!(
                        entries.get(crate::store::Key::one(id))?.is_none(),
                        "{kind:?}"
                    );
                }
            }
        }
        Ok(())
    })?;
    assert!(engine.verify()?.is_sound());
    Ok(())
}

#[test]
fn an_erasure_is_recorded_until_the_school_is_removed_or_replaced() -> Result<()> {
    for is_replaced in [true, false] {
        let engine = engine()?;
        // For a school that is not synced, the erasure is not recorded.
        engine.erase_learner(1000, 8)?;
        cover(
            &engine,
            &[days(CoverageKind::Absences, "2026-04-01", "2026-04-30")],
        )?;
        engine.erase_learner(1000, 7)?;
        assert!(is_erased(&engine, 7)? && !is_erased(&engine, 8)?);
        engine.forget_sync(1000)?;
        assert!(is_erased(&engine, 7)? && engine.verify()?.is_sound());
        cover(&engine, &[])?;
        assert_eq!(
            engine.synced(1000)?.map(|coverage| coverage.erased),
            Some(1)
        );
        let question = crate::SubjectMarks {
            school: 1000,
            learner_id: 9,
        };
        let what = "the subject marks of the learner 9 in 2026";
        assert_eq!(engine.ask(&question).err(), Some(missing(Some(1000), what)));
        if is_replaced {
            engine.replace_school(1000, &[][..])?;
        } else {
            engine.remove_school(1000)?;
        }
        assert!(!is_erased(&engine, 7)? && engine.verify()?.is_sound());
    }
    Ok(())
}
