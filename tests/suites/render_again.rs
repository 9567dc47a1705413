//! Records that another version rendered are rendered again from the stored values when their
//! school is first used: an old rendering is never answered.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

mod aged;
mod interrupted;

use aged::{
    Fresh, Meta, UNKNOWN, all_answers, differing_blocks, is_sound, own_key, rendered_otherwise,
    typed, typed_of, with_number,
};
use rollbook::{Credentials, Engine, Error, Learners, Schools};
use rollbook_tests::sample::USERNAME;
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::hooked_backend::Wrapping;
use rollbook_tests::storage::requests::{export, get, targets};
use rollbook_tests::storage::scenario::{OTHER, SCHOOL, options, school, set_state};
use rollbook_tests::storage::watchdog::Watchdog;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

/// Returns all earlier render versions.
fn older(fresh: &Fresh) -> std::ops::Range<u32> {
    0..fresh.version
}

/// If nothing were rendered again, the old rendering would be answered.
#[test]
fn another_rendering_shows() {
    let fresh = Fresh::new(40);
    let aged = fresh.aged(fresh.version);
    let engine = Engine::open_with_backend(Disk::new(aged.file.clone()), options()).unwrap();
    let found = all_answers(&engine);
    let differ = found.iter().zip(&fresh.answers).filter(|(a, b)| a != b);
    let differ = differ.count();
    println!(
        "{} renderings show in {differ} of {} answers",
        aged.renderings,
        found.len()
    );
    assert!(differ > 15);
    assert_eq!(export(&engine).unwrap(), fresh.export);
    assert!(!engine.verify().unwrap().is_sound());
}

/// A use of an engine.
type Use = fn(&Engine);

fn ask_learners(engine: &Engine) {
    let learners = Learners {
        school: SCHOOL,
        ..Learners::default()
    };
    assert_eq!(engine.ask(&learners).unwrap().status.code, 200);
}

fn request_learners(engine: &Engine) {
    let answer = get(engine, &targets(SCHOOL)[0]);
    assert_eq!(answer.status.code, 200);
}

fn ask_schools(engine: &Engine) {
    let schools = Schools {
        username: USERNAME,
        school: None,
    };
    assert_eq!(engine.ask(&schools).unwrap().status.code, 200);
}

/// Applies a record that is already stored, so that nothing else changes.
fn apply_unchanged(engine: &Engine) {
    let export = export(engine).unwrap();
    let is_one = |line: &&str| line.contains("\"learner\"") && line.contains("1000");
    let line = export.lines().find(is_one).unwrap();
    engine.apply(line.as_bytes()).unwrap();
}

fn replace_unchanged(engine: &Engine) {
    let export = export(engine).unwrap();
    let own = |line: &&str| line.contains("\"school_id\":1000,");
    let lines: Vec<_> = export.lines().filter(own).collect();
    assert!(lines.len() > 300);
    engine
        .replace_school(SCHOOL, lines.join("\n").as_bytes())
        .unwrap();
}

/// The first use of a school renders its records and no others, in one commit. Opening renders
/// nothing, and neither do operations that need no rendering.
#[test]
fn at_first_use() {
    let own: [(&str, Use); 4] = [
        ("a question", ask_learners),
        ("a request", request_learners),
        ("apply", apply_unchanged),
        ("replace_school", replace_unchanged),
    ];
    let all: [(&str, Use); 2] = [
        ("a question about all", ask_schools),
        ("a request about all", |engine| {
            let answer = get(engine, "/api/v1/finplus/debtmanagement/schools");
            assert_eq!(answer.status.code, 200);
        }),
    ];
    let none: [(&str, Use); 4] = [
        ("open", |_| ()),
        ("export", |engine| drop(export(engine).unwrap())),
        ("stats", |engine| drop(engine.stats().unwrap())),
        ("backup", |engine| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("backup");
            engine.backup(&path, Credentials::Keep).unwrap();
            let copy = Engine::open(&path, options()).unwrap();
            assert!(
                typed(&copy)
                    .unwrap()
                    .iter()
                    .all(|answer| answer.status.code == 200)
            );
        }),
    ];
    let fresh = Fresh::new(40);
    let ours = fresh.version;
    let (mut uses, mut renderings) = (0, 0);
    for version in older(&fresh) {
        let aged = fresh.aged(version);
        renderings += aged.renderings;
        let before = Meta::parse(&aged.file);
        let kinds = [
            (&own[..], [ours, version]),
            (&all, [ours, ours]),
            (&none, [version, version]),
        ];
        for (uses_of_kind, expected) in kinds {
            for (name, use_once) in uses_of_kind {
                let what = format!("{name}, version {version}");
                let disk = Disk::new(aged.file.clone());
                let engine = Engine::open_with_backend(disk.clone(), options()).unwrap();
                assert_eq!(Meta::parse(&disk.bytes()), before, "{what}: at opening");
                use_once(&engine);
                let file = disk.bytes();
                let after = Meta::parse(&file);
                assert_eq!(after.versions(), expected, "{what}");
                let changed = differing_blocks(&aged.file, &file);
                let left = differing_blocks(&fresh.file, &file);
                let commits = after.sequence - before.sequence;
                if expected == [version; 2] {
                    assert_eq!(after, before, "{what}");
                    assert!(changed.is_empty(), "{what}: {changed:?} changed");
                } else if expected == [ours; 2] {
                    assert_eq!((commits, after.rendered), (1, ours), "{what}");
                    assert!(left.is_empty(), "{what}: {left:?} left");
                } else {
                    assert_eq!((commits, after.rendered), (1, version), "{what}");
                    assert!(!changed.contains(&OTHER), "{what}: the other school too");
                    assert!(left.contains(&OTHER), "{what}: the other school too");
                    assert!(!left.contains(&SCHOOL), "{what}: {left:?} left");
                }
                fresh.check(&engine, &what);
                let again = Meta::parse(&disk.bytes());
                assert!(typed(&engine).unwrap() == fresh.typed);
                assert_eq!(Meta::parse(&disk.bytes()), again, "{what}: once more");
                assert_eq!(again.rendered, fresh.version);
                assert!(
                    differing_blocks(&fresh.file, &disk.bytes()).is_empty(),
                    "{what}"
                );
                uses += 1;
            }
        }
    }
    println!("{uses} first uses, {renderings} renderings");
}

/// A school with an older render version of its own is rendered again, whatever the version of the
/// other schools.
#[test]
fn a_school_with_a_version_of_its_own() {
    let fresh = Fresh::new(40);
    let (otherwise, _) = rendered_otherwise(&fresh.file, &[SCHOOL]);
    for version in older(&fresh) {
        let what = format!("version {version}");
        let file = with_number(otherwise.clone(), &own_key(SCHOOL), version);
        let engine = Engine::open_with_backend(Disk::new(file), options()).unwrap();
        fresh.check(&engine, &what);
    }
}

/// Renderings of a newer version are neither read nor replaced.
#[test]
fn a_newer_rendering() {
    let fresh = Fresh::new(16);
    let newer = fresh.version + 1;
    for key in [b"rendered".to_vec(), own_key(SCHOOL), own_key(OTHER)] {
        let disk = Disk::new(with_number(fresh.file.clone(), &key, newer));
        let before = disk.bytes();
        let refused = Engine::open_with_backend(disk.clone(), options()).unwrap_err();
        let expected = Error::NewerFormat {
            what: "rendering".to_owned(),
            found: newer,
            supported: fresh.version,
        };
        assert_eq!(refused, expected);
        assert!(disk.bytes() == before, "the file was changed");
    }
}

/// Verification accepts renderings of an older version, and does not replace them.
#[test]
fn verification() {
    let fresh = Fresh::new(40);
    for version in older(&fresh) {
        let aged = fresh.aged(version);
        let disk = Disk::new(aged.file.clone());
        let engine = Engine::open_with_backend(disk.clone(), options()).unwrap();
        is_sound(&engine, &format!("version {version}"));
        assert_eq!(Meta::parse(&disk.bytes()), Meta::parse(&aged.file));
        assert!(differing_blocks(&aged.file, &disk.bytes()).is_empty());
        typed_of(&engine, SCHOOL).unwrap();
        is_sound(&engine, &format!("version {version}, one school used"));
    }
}

/// A request for an unknown school writes nothing.
#[test]
fn an_unknown_school() {
    let fresh = Fresh::new(40);
    let aged = fresh.aged(fresh.version - 1);
    let disk = Disk::new(aged.file.clone());
    let engine = Engine::open_with_backend(disk.clone(), options()).unwrap();
    assert_eq!(get(&engine, &targets(UNKNOWN)[0]).status.code, 401);
    assert_eq!(Meta::parse(&disk.bytes()), Meta::parse(&aged.file));
}

/// Two threads use the school first: both get correct answers, and the records are rendered once.
#[test]
fn two_threads_at_once() {
    let fresh = Fresh::new(40);
    let aged = fresh.aged(fresh.version - 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    std::fs::write(&path, &aged.file).unwrap();
    let armed = Arc::new(AtomicBool::new(false));
    let both = Arc::new(Barrier::new(2));
    // The first write lets the other thread ask, and waits until that thread waits, too.
    let before_write = {
        let (armed, both) = (armed.clone(), both.clone());
        move || {
            if armed.swap(false, Ordering::SeqCst) {
                both.wait();
                std::thread::sleep(Duration::from_millis(300));
            }
        }
    };
    let engine = Engine::open_with_backend(Wrapping::open(&path, before_write), options()).unwrap();
    armed.store(true, Ordering::SeqCst);
    let _dog = Watchdog::over("two threads", Duration::from_secs(60));
    std::thread::scope(|scope| {
        let first = scope.spawn(|| typed_of(&engine, SCHOOL).unwrap());
        let second = scope.spawn(|| {
            both.wait();
            typed_of(&engine, SCHOOL).unwrap()
        });
        for found in [first, second] {
            assert!(found.join().unwrap() == fresh.typed[..6]);
        }
    });
    assert!(!armed.load(Ordering::SeqCst));
    engine.close().unwrap();
    let after = Meta::parse(&std::fs::read(&path).unwrap());
    let engine = Engine::open(&path, options()).unwrap();
    fresh.check(&engine, "two threads");
    let commits = after.sequence - Meta::parse(&aged.file).sequence;
    assert_eq!(
        (after.versions(), commits),
        ([fresh.version, fresh.version - 1], 1)
    );
}

/// Many threads use both schools, one or all at once.
#[test]
fn many_threads_at_once() {
    let fresh = Fresh::new(40);
    let aged = fresh.aged(fresh.version - 1);
    let _dog = Watchdog::over("many threads", Duration::from_secs(120));
    for _ in 0..20 {
        let engine = Engine::open_with_backend(Disk::new(aged.file.clone()), options()).unwrap();
        let start = Barrier::new(6);
        std::thread::scope(|scope| {
            let asked: Vec<_> = (0..6)
                .map(|place| {
                    let (engine, start) = (&engine, &start);
                    scope.spawn(move || {
                        start.wait();
                        match place % 3 {
                            0 => (0..6, typed_of(engine, SCHOOL).unwrap()),
                            1 => (6..12, typed_of(engine, OTHER).unwrap()),
                            _ => (0..13, typed(engine).unwrap()),
                        }
                    })
                })
                .collect();
            for asked in asked {
                let (place, found) = asked.join().unwrap();
                assert!(found == fresh.typed[place]);
            }
        });
        is_sound(&engine, "many threads");
    }
}

/// A change with its name.
type Step<'a> = (&'static str, &'a dyn Fn(&Engine));

/// Changes have the same results on a school with an old rendering, and so do later changes.
#[test]
fn changes() {
    let change = r#"
{"type":"learner","school_id":1000,"id":7,"first_name":"Moved","last_name":"Away","grade_id":5}
{"type":"learner","school_id":1001,"id":3,"first_name":"Moved","last_name":"Too","grade_id":10}
{"type":"absentee","school_id":1000,"id":70001,"learner_id":7,"absent_date":"2026-05-04"}
{"type":"api_type","api_type_id":8,"api_type":"Admin","family":"administration"}
"#;
    let steps: [Step<'_>; 6] = [
        ("apply", &|engine| {
            engine.apply(change.as_bytes()).unwrap();
        }),
        ("set_state", &|engine| {
            set_state(engine, 9, 0).unwrap();
        }),
        ("erase_learner", &|engine| {
            engine.erase_learner(SCHOOL, 5).unwrap();
        }),
        ("replace_school", &|engine| {
            let whole = school(SCHOOL, 30);
            engine.replace_school(SCHOOL, whole.as_bytes()).unwrap();
        }),
        ("remove_school", &|engine| {
            engine.remove_school(OTHER).unwrap();
        }),
        ("compact", &|engine| engine.compact().unwrap()),
    ];
    let fresh = Fresh::new(40);
    let mut lives = 0;
    for version in older(&fresh) {
        let aged = fresh.aged(version);
        // Each step is once the first use, followed by all others.
        for first in 0..steps.len() {
            let open = |file: &Vec<u8>| {
                Engine::open_with_backend(Disk::new(file.clone()), options()).unwrap()
            };
            let (right, found) = (open(&fresh.file), open(&aged.file));
            for (name, step) in steps.iter().cycle().skip(first).take(steps.len()) {
                let what = format!("{name} after {}, version {version}", steps[first].0);
                step(&right);
                step(&found);
                assert!(export(&right).unwrap() == export(&found).unwrap(), "{what}");
            }
            let what = format!("from {} on", steps[first].0);
            assert!(typed(&right).unwrap() == typed(&found).unwrap(), "{what}");
            assert!(all_answers(&right) == all_answers(&found), "{what}");
            is_sound(&found, &what);
            lives += 1;
        }
    }
    println!("{lives} lives of {} changes", steps.len());
}
