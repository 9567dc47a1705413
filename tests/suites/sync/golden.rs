//! A golden store with a synced school: it answers from the fetched data, refuses everything else,
//! and reports its coverage.
//!
//! `tests/golden/synced/` contains the store and the file `coverage_and_answers.ndjson.gz`: a line with the time,
//! one line per entry of the coverage, and one line per request with target, status and body.
//! `ROLLBOOK_WRITE_GOLDEN=1` writes the folder if it is missing.

use super::{SCHOOL, get, synced};
use crate::golden::{SYNCED, golden, goldens, zipped};
use rollbook::{Credentials, Engine, Options, SyncOptions};
use rollbook_tests::sample::SampleSchool;
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::requests::NOW;
use serde_json::{Value, json};
use std::fs;

/// The learner who was erased.
const ERASED: u64 = 3;
/// A learner who was never fetched.
const UNKNOWN: u64 = 9_999_999;

fn targets() -> Vec<String> {
    let mut targets = vec!["/api/v1/adminplus/lookup/gender".to_owned()];
    for path in [
        "adminplus/learners",
        "adminplus/learners?status=waitlist&include_parents=1",
        "adminplus/learners?status=left",
        "adminplus/learners?learner_id=3",
        "adminplus/learnerabsentees",
        "adminplus/learnerabsentees?to_date=2026-04-01",
        "adminplus/staffmembers",
        "adminplus/lookup/grade",
        "currplus/learnersubjects",
        "currplus/learnersubjects?learner_id=1",
        "currplus/learnersubjectmarks?learner_id=1",
        "currplus/learnersubjectmarks?learner_id=3",
        "currplus/learnersubjectmarks?learner_id=9999999",
        "currplus/learnerassessmentmarks?grade_id=1&term=1",
        "finplus/debtmanagement/learnerparentinfo?all_accounts=1",
        "finplus/debtmanagement/schooldebtors",
    ] {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        targets.push(format!("/api/v1/{path}/{SCHOOL}?{query}"));
    }
    targets
}

/// Returns the coverage and the answers of a store, one line each.
fn summary(engine: &Engine) -> String {
    let coverage = engine.synced(SCHOOL).unwrap().unwrap();
    let mut summary =
        json!({"now": NOW, "as_of": coverage.as_of, "erased": coverage.erased}).to_string();
    for of in coverage.seen {
        let days = of.days.map(|(from, to)| format!("{from} {to}"));
        let line = json!({
            "what": of.what, "year": of.year, "days": days, "count": of.count, "as_of": of.as_of
        });
        summary = format!("{summary}\n{line}");
    }
    for target in targets() {
        let answer = get(engine, &target, NOW);
        let line = json!({"target": target, "status": answer.status.code, "body": answer.text()});
        summary = format!("{summary}\n{line}");
    }
    summary
}

fn write() {
    let source = Engine::memory(Options::default()).unwrap();
    let school = SampleSchool {
        school_id: SCHOOL,
        learners: 12,
        ..SampleSchool::default()
    };
    let lines: Vec<String> = school.lines().collect();
    source.apply(lines.join("\n").as_bytes()).unwrap();
    source.apply(super::ACCESS.as_bytes()).unwrap();
    let (mirror, ..) = synced(&source, NOW, SyncOptions::default());
    mirror.erase_learner(SCHOOL, ERASED).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    mirror.backup(&path, Credentials::Keep).unwrap();
    let engine = Engine::open(&path, Options::default()).unwrap();
    engine.compact().unwrap();
    let summary = summary(&engine);
    engine.close().unwrap();
    let golden = goldens().join(SYNCED);
    fs::create_dir(&golden).unwrap();
    fs::write(
        golden.join("store.redb.gz"),
        zipped(&fs::read(&path).unwrap()),
    )
    .unwrap();
    fs::write(
        golden.join("coverage_and_answers.ndjson.gz"),
        zipped(summary.as_bytes()),
    )
    .unwrap();
}

#[test]
fn a_synced_store_has_its_recorded_coverage_and_answers() {
    if std::env::var_os("ROLLBOOK_WRITE_GOLDEN").is_some_and(|value| value == "1")
        && !goldens().join(SYNCED).exists()
    {
        write();
    }
    let store = golden(SYNCED, "store.redb.gz");
    let expected = String::from_utf8(golden(SYNCED, "coverage_and_answers.ndjson.gz")).unwrap();
    let statuses: Vec<u64> = expected
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).unwrap()["status"].as_u64())
        .collect();
    for status in [200, 404, 503] {
        assert!(statuses.contains(&status), "{statuses:?}");
    }
    let engine = Engine::open_with_backend(Disk::new(store), Options::default()).unwrap();
    assert!(engine.verify().unwrap().is_sound());
    assert_eq!(summary(&engine), expected);
    let learner = format!(r#"{{"type":"learner","school_id":{SCHOOL},"id":{UNKNOWN}}}"#);
    let refused = engine.apply(learner.as_bytes()).unwrap_err();
    assert_eq!(refused.code(), "synced");
    engine.forget_sync(SCHOOL).unwrap();
    assert_eq!(engine.synced(SCHOOL).unwrap(), None);
    assert_eq!(engine.apply(learner.as_bytes()).unwrap().total().added, 1);
    assert!(engine.verify().unwrap().is_sound());
}
