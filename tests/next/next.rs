//! Opens stores of the current version with the library of the next version, and stores of the next
//! version with the current library. The script `run` lists what the next version adds.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use flate2::read::GzDecoder;
use rollbook::{Engine, Learners, Request};
use rollbook_tests::search::extent;
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::power_cut::Life;
use rollbook_tests::storage::requests::{export, headers};
use rollbook_tests::storage::scenario::{SCHOOL, options};
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::path::Path;

/// Records that only the next version accepts.
const NEW: &str = r#"
{"type":"house","school_id":1000,"id":"03","name":"Blue"}
{"type":"learner","school_id":1000,"id":7,"first_name":"Zoë","ethnic_group_id":4,"house":"Blue"}
{"type":"parent","school_id":1000,"id":1,"net_annual_income":"1200.125"}
"#;

/// Records that every version accepts.
const OLD: &str = r#"
{"type":"learner","school_id":1000,"id":70001,"first_name":"New","last_name":"Comer","grade_id":4}
{"type":"learner","school_id":1000,"id":8,"deleted":true}
"#;

/// A stored store of a format version, with the answers recorded when it was written.
struct Golden {
    store: Vec<u8>,
    export: String,
    now: i64,
    answers: Vec<(String, u64, String)>,
}

fn goldens() -> Vec<Golden> {
    let folder = std::env::var("ROLLBOOK_GOLDEN").unwrap();
    vec![Golden::read(&Path::new(&folder).join("v1"))]
}

impl Golden {
    fn read(folder: &Path) -> Golden {
        let bytes = |name: &str| {
            let mut bytes = Vec::new();
            let zipped = fs::read(folder.join(name)).unwrap();
            GzDecoder::new(&*zipped).read_to_end(&mut bytes).unwrap();
            bytes
        };
        let text = |name: &str| String::from_utf8(bytes(name)).unwrap();
        let answers = text("answers.ndjson.gz");
        let mut lines = answers
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let now = lines.next().unwrap()["now"].as_i64().unwrap();
        let answers = lines.map(|line| {
            let text = |name: &str| line[name].as_str().unwrap().to_owned();
            let status = line["status"].as_u64().unwrap();
            (text("target"), status, text("body"))
        });
        Golden {
            store: bytes("store.redb.gz"),
            export: text("export.ndjson.gz"),
            now,
            answers: answers.collect(),
        }
    }

    /// Repeats all recorded requests. The answers must equal the recorded ones, except for new
    /// fields, which must be empty. Returns the number of answers with new fields.
    fn is_answered_by(&self, engine: &Engine) -> usize {
        let mut new = 0;
        for (target, status, body) in &self.answers {
            let (found, answer) = ask(engine, target, self.now);
            let mut known = answer.clone();
            for name in ["house", "net_annual_income"] {
                for empty in ["\"\"", "null"] {
                    known = known.replace(&format!(",\"{name}\":{empty}"), "");
                }
            }
            assert_eq!((found, &known), (*status, body), "{target}");
            new += usize::from(known != answer);
        }
        new
    }
}

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

fn is_sound(engine: &Engine) {
    let verified = engine.verify().unwrap();
    assert!(verified.is_sound(), "{:?}", verified.problems);
}

fn open(store: &[u8]) -> (Engine, Disk) {
    let disk = Disk::new(store.to_vec());
    let engine = Engine::open_with_backend(disk.clone(), options()).unwrap();
    (engine, disk)
}

fn open_today(store: Vec<u8>) -> today::Result<today::Engine> {
    today::Engine::open_with_backend(Disk::new(store), today::Options::default())
}

#[test]
fn older_stores_are_answered_exported_and_written() {
    for golden in goldens() {
        let (engine, disk) = open(&golden.store);
        is_sound(&engine);
        assert!(export(&engine).unwrap() == golden.export, "another export");
        let new = golden.is_answered_by(&engine);
        assert!(new > 3, "the new fields show in {new} answers");
        assert!(export(&engine).unwrap() == golden.export, "another export");
        is_sound(&engine);

        let copy = Engine::memory(options()).unwrap();
        copy.apply(golden.export.as_bytes()).unwrap();
        for engine in [&engine, &copy] {
            engine.apply(OLD.as_bytes()).unwrap();
            engine.apply(NEW.as_bytes()).unwrap();
            is_sound(engine);
        }
        let changed = export(&engine).unwrap();
        assert!(
            changed == export(&copy).unwrap(),
            "the changes had other results"
        );
        for line in [
            r#"{"type":"house","school_id":1000,"id":3,"name":"Blue"}"#,
            r#"{"type":"parent","school_id":1000,"id":1,"net_annual_income":"1200.125"}"#,
        ] {
            assert!(changed.lines().any(|found| found == line), "{line}");
        }
        assert!(engine.stats().unwrap().records.contains(&("house", 1)));
        for (target, ..) in &golden.answers {
            let (found, expected) = [&engine, &copy].map(|e| ask(e, target, golden.now)).into();
            assert_eq!(found, expected, "{target}");
        }
        let target = format!("/api/v1/adminplus/learners/{SCHOOL}?learner_id=7");
        let (_, learner) = ask(&engine, &target, golden.now);
        assert!(learner.contains(r#","house":"Blue","#), "{learner}");
        engine.close().unwrap();
        let (engine, _) = open(&disk.bytes());
        assert!(export(&engine).unwrap() == changed);
        is_sound(&engine);
    }
}

/// A store of the next version is neither read nor changed.
#[test]
fn stores_of_the_next_version_are_refused_by_the_current_library() {
    let fresh = Disk::default();
    let engine = Engine::open_with_backend(fresh.clone(), options()).unwrap();
    engine.close().unwrap();
    let mut stores = vec![(fresh.bytes(), "rendering")];
    for golden in goldens() {
        let (engine, disk) = open(&golden.store);
        let learners = Learners {
            school: SCHOOL,
            ..Learners::default()
        };
        engine.ask(&learners).unwrap();
        engine.close().unwrap();
        stores.push((disk.bytes(), "rendering"));
        let (engine, disk) = open(&golden.store);
        engine.apply(NEW.as_bytes()).unwrap();
        engine.close().unwrap();
        stores.push((disk.bytes(), "kind"));
    }
    for (store, expected) in stores {
        let disk = Disk::new(store.clone());
        let opened = today::Engine::open_with_backend(disk.clone(), today::Options::default());
        match opened.map(drop) {
            Err(today::Error::NewerFormat { what, .. }) => assert_eq!(what, expected),
            other => panic!("{other:?}"),
        }
        assert!(disk.bytes() == store, "the store was changed");
    }
}

/// A store has the current format until data of the next version is added.
#[test]
fn a_store_that_was_only_opened_has_the_current_format() {
    for golden in goldens() {
        let (engine, disk) = open(&golden.store);
        assert!(export(&engine).unwrap() == golden.export);
        is_sound(&engine);
        engine.close().unwrap();
        let engine = open_today(disk.bytes()).unwrap();
        let lines = engine.export(today::Credentials::Keep).unwrap();
        let lines: Vec<_> = lines.map(|line| line.unwrap() + "\n").collect();
        assert!(lines.concat() == golden.export);
    }
}

/// The power fails while an older store is converted, and while new data is added.
#[test]
fn power_cuts() {
    for golden in goldens() {
        let answers = &golden;
        let life = Life::record(
            golden.store.clone(),
            golden.export.clone(),
            options(),
            vec![
                Box::new(|engine| assert!(answers.is_answered_by(engine) > 3)),
                Box::new(|engine| drop(engine.apply(NEW.as_bytes()).unwrap())),
            ],
        );
        let cuts = life.cut_everywhere(extent(1, 8), extent(6, usize::MAX));
        println!("{}", cuts.judge());
    }
}
