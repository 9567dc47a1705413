//! Opens the golden stores of every format version: each must answer and export the same bytes as
//! when it was written, and accept changes.
//!
//! `tests/golden/` has a folder for each format version, and one with a synced school:
//!
//! - `store.redb.gz`: a store that the engine of that version has closed.
//! - `export.ndjson.gz`: its export with credentials.
//! - `answers.ndjson.gz`: the time, then one line per request with target, status and body.
//!
//! These files are never changed. Fields that a later version adds to a record are ignored when
//! answers are compared. For a new format version, run
//! `ROLLBOOK_WRITE_GOLDEN=1 cargo test -p rollbook-tests --test suites golden`, which writes the
//! missing folder, and commit it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

mod names;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use names::Names;
use rollbook::{Credentials, Engine, Request};
use rollbook_tests::sample::SampleSchool;
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::requests::{NOW, export, headers, targets};
use rollbook_tests::storage::scenario::{
    OTHER, SCHOOL, STEPS, Scenario, options, school, set_state,
};
use rollbook_tests::storage::tables::{META, rows};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The maximum total size of a golden store, so that the repository stays small.
const MAX_BYTES: usize = 200_000;

/// The change that is made after opening: a learner is added, one is moved, one is removed.
const CHANGE: &str = r#"
{"type":"learner","school_id":1000,"id":70001,"first_name":"New","last_name":"Comer","grade_id":4}
{"type":"learner","school_id":1000,"id":7,"first_name":"Moved","last_name":"Away","grade_id":5}
{"type":"learner","school_id":1000,"id":8,"deleted":true}
{"type":"absentee","school_id":1000,"id":70001,"learner_id":70001,"absent_date":"2026-05-04"}
"#;

/// The folder of a store with a synced school, which `sync::golden` checks.
pub(crate) const SYNCED: &str = "synced";

pub(crate) fn goldens() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden")
}

pub(crate) fn zipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns the content of a golden file of a format version.
pub(crate) fn golden(version: &str, name: &str) -> Vec<u8> {
    let path = goldens().join(version).join(name);
    let zipped = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut bytes = Vec::new();
    GzDecoder::new(&zipped[..]).read_to_end(&mut bytes).unwrap();
    bytes
}

/// Returns the status and the body of the answer to a target.
fn ask(engine: &Engine, target: &str, now: i64) -> (u64, String) {
    let answer = engine.request(&Request {
        target,
        headers: &headers(),
        now: Some(now),
        ..Request::default()
    });
    let body = String::from_utf8(answer.body).unwrap();
    (answer.status.code.into(), body)
}

/// A golden store, with its answers and its export when it was written.
struct Golden {
    store: Vec<u8>,
    export: String,
    now: i64,
    answers: Vec<(String, (u64, String))>,
    names: Names,
}

impl Golden {
    fn read(version: &str) -> Golden {
        let text = |name: &str| String::from_utf8(golden(version, name)).unwrap();
        let answers = text("answers.ndjson.gz");
        let mut lines = answers
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let now = lines.next().unwrap()["now"].as_i64().unwrap();
        let answers = lines.map(|line| {
            let text = |name: &str| line[name].as_str().unwrap().to_owned();
            let status = line["status"].as_u64().unwrap();
            (text("target"), (status, text("body")))
        });
        let answers: Vec<_> = answers.collect();
        let mut names = Names::default();
        for (_, (_, body)) in &answers {
            names.learn(body);
        }
        Golden {
            store: golden(version, "store.redb.gz"),
            export: text("export.ndjson.gz"),
            now,
            answers,
            names,
        }
    }

    /// Checks the content of the opened store, changes it, and checks it again.
    fn check(&self, engine: &Engine) {
        self.is_intact_in(engine);
        let copy = Engine::memory(options()).unwrap();
        copy.apply(self.export.as_bytes()).unwrap();
        self.is_intact_in(&copy);
        for engine in [engine, &copy] {
            assert_eq!(change(engine), 200);
        }
        let changed = export(engine).unwrap();
        assert!(changed != self.export);
        assert!(
            changed == export(&copy).unwrap(),
            "a change had another result"
        );
        let mut others = 0;
        for (target, before) in &self.answers {
            let answer = ask(engine, target, self.now);
            assert_eq!(answer, ask(&copy, target, self.now), "{target}");
            others += usize::from(self.known(&answer) != *before);
        }
        assert!(others > 2, "the change shows in {others} answers");
        is_sound(engine);
        is_sound(&copy);
    }

    /// Checks that nothing differs from when the store was written.
    fn is_intact_in(&self, engine: &Engine) {
        is_sound(engine);
        assert!(export(engine).unwrap() == self.export, "another export");
        for (target, answer) in &self.answers {
            let found = self.known(&ask(engine, target, self.now));
            assert_eq!(found, *answer, "{target}");
        }
        is_sound(engine);
    }

    /// Returns the status, and the body without members that the golden answers do not contain.
    fn known(&self, (status, body): &(u64, String)) -> (u64, String) {
        (*status, self.names.part_of(body))
    }
}

fn is_sound(engine: &Engine) {
    let verified = engine.verify().unwrap();
    assert!(verified.is_sound(), "{:?}", verified.problems);
    assert!(verified.records > 1000);
}

fn change(engine: &Engine) -> u16 {
    engine.apply(CHANGE.as_bytes()).unwrap();
    set_state(engine, 11, 1).unwrap()
}

/// Returns the format version in the file of a store.
fn format_of(store: Vec<u8>) -> u32 {
    let rows = rows(store, META);
    let (_, value) = rows.iter().find(|(key, _)| key == b"format").unwrap();
    u32::from_le_bytes(value[..].try_into().unwrap())
}

/// Returns the records with extreme values.
fn extremes() -> String {
    let plain = SampleSchool {
        school_id: SCHOOL,
        learners: 1,
        ..SampleSchool::default()
    };
    let edge = SampleSchool {
        edge_values: true,
        ..plain.clone()
    };
    let known: HashSet<_> = plain.lines().collect();
    let lines = edge.lines().filter(|line| !known.contains(line));
    lines.map(|line| line + "\n").collect()
}

/// Returns lines that remove most assessments; their marks are then stored without an assessment.
fn fewer_assessments(export: &str) -> String {
    let records = export
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let assessments = records.filter(|record| record["type"] == "assessment");
    let removed = assessments.filter(|record| record["assessment_id"].as_u64().unwrap() % 24 > 0);
    let lines = removed.map(|record| {
        let (school, id) = (&record["school_id"], &record["assessment_id"]);
        json!({"type": "assessment", "school_id": school, "assessment_id": id, "deleted": true})
    });
    lines.map(|line| line.to_string() + "\n").collect()
}

/// Returns a second school, most of whose marks have no assessment.
fn small_school() -> String {
    let dataset = school(OTHER, 5);
    let lines = dataset.lines().filter(|line| {
        let record: Value = serde_json::from_str(line).unwrap();
        match record["type"].as_str().unwrap() {
            "assessment" => record["assessment_id"].as_u64().unwrap().is_multiple_of(32),
            "learning_program" | "mark" => line.len() % 4 == 0,
            _ => true,
        }
    });
    lines.map(|line| line.to_string() + "\n").collect()
}

/// Returns a closed store with records of every kind, in the current format.
fn current_store() -> Vec<u8> {
    let engine = Engine::memory(options()).unwrap();
    let scenario = Scenario::new(25);
    for name in ["load", "rename, move and delete", "state update"] {
        let step = STEPS.iter().position(|step| *step == name).unwrap();
        scenario.run(step, &engine).unwrap();
    }
    let fewer = fewer_assessments(&export(&engine).unwrap());
    engine.apply(fewer.as_bytes()).unwrap();
    engine.apply(extremes().as_bytes()).unwrap();
    engine.apply(small_school().as_bytes()).unwrap();
    engine.erase_learner(SCHOOL, 9).unwrap();
    // A backup has no unused pages, which would be most of the bytes.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    engine.backup(&path, Credentials::Keep).unwrap();
    let engine = Engine::open(&path, options()).unwrap();
    engine.compact().unwrap();
    let records = engine.stats().unwrap().records;
    assert!(records.iter().all(|(_, count)| *count > 1), "{records:?}");
    is_sound(&engine);
    let pending = marks_without_assessment(&export(&engine).unwrap());
    assert!(pending > 2, "{pending} marks without an assessment");
    engine.close().unwrap();
    fs::read(&path).unwrap()
}

fn marks_without_assessment(export: &str) -> usize {
    let records = || {
        export
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
    };
    let key = |record: &Value| ["school_id", "assessment_id"].map(|of| record[of].to_string());
    let of_kind = move |kind: &'static str| records().filter(move |record| record["type"] == kind);
    let assessments: HashSet<_> = of_kind("assessment").map(|record| key(&record)).collect();
    let marks = of_kind("mark").filter(|record| !assessments.contains(&key(record)));
    marks.count()
}

/// Writes the golden store of the current format version.
fn write(folder: &Path, store: &[u8]) {
    let engine = Engine::open_with_backend(Disk::new(store.to_vec()), options()).unwrap();
    let mut asked = [targets(SCHOOL), targets(OTHER)].concat();
    asked.extend([
        "/api/v1/settings/clients".to_owned(),
        format!("/api/v1/currplus/learnersubjectmarks/{SCHOOL}?learner_id=18446744073709551615"),
        format!("/api/v1/adminplus/learners/{SCHOOL}?learner_id=18446744073709551615"),
        format!("/api/v1/adminplus/learners/{SCHOOL}?learner_id=4&include_parents=1"),
        format!("/api/v1/currplus/learnerassessmentmarks/{OTHER}?learner_id=3"),
        format!("/api/v1/currplus/learnersubjectsperterm/{OTHER}?learner_id=3"),
        format!("/api/v1/currplus/learnersubjectmarks/{OTHER}?learner_id=3"),
        "/api/v1/adminplus/learners/77".to_owned(),
    ]);
    let mut answers = format!("{}\n", json!({ "now": NOW }));
    for target in asked {
        let (status, body) = ask(&engine, &target, NOW);
        let line = json!({"target": target, "status": status, "body": body});
        answers.push_str(&line.to_string());
        answers.push('\n');
    }
    let files = [
        ("store.redb.gz", zipped(store)),
        (
            "export.ndjson.gz",
            zipped(export(&engine).unwrap().as_bytes()),
        ),
        ("answers.ndjson.gz", zipped(answers.as_bytes())),
    ];
    let sizes: Vec<_> = files
        .iter()
        .map(|(name, bytes)| (name, bytes.len()))
        .collect();
    let total: usize = sizes.iter().map(|(_, size)| size).sum();
    println!("{} bytes of store become {sizes:?}", store.len());
    assert!(total < MAX_BYTES, "{sizes:?}");
    // Fails if the folder exists, because golden files are never overwritten.
    fs::create_dir(folder).unwrap();
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).unwrap();
    }
}

#[test]
fn golden_stores_are_as_they_were() {
    let current = current_store();
    let folder = goldens().join(format!("v{}", format_of(current.clone())));
    if std::env::var_os("ROLLBOOK_WRITE_GOLDEN").is_some_and(|value| value == "1")
        && !folder.exists()
    {
        write(&folder, &current);
    }
    assert!(folder.exists(), "{} is missing", folder.display());
    let copies = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(goldens()).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap();
        if name == SYNCED {
            continue;
        }
        let golden = Golden::read(name);
        assert!(golden.answers.len() > 20);
        assert_eq!(format!("v{}", format_of(golden.store.clone())), name);

        let path = copies.path().join(name);
        fs::write(&path, &golden.store).unwrap();
        let engine = Engine::open(&path, options()).unwrap();
        golden.check(&engine);
        engine.close().unwrap();
        let engine = Engine::open(&path, options()).unwrap();
        is_sound(&engine);

        let disk = Disk::new(golden.store.clone());
        golden.check(&Engine::open_with_backend(disk, options()).unwrap());
        println!(
            "{name}: {} bytes of store, {} answers, {} lines of export",
            golden.store.len(),
            golden.answers.len(),
            golden.export.lines().count(),
        );
    }
}
