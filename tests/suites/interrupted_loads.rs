//! Interrupts loads that are staged in the store: each is applied completely or not at all.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, missing_docs)]

use rollbook::{Compaction, Engine, Error, Options, Result, Summary};
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::faulty::{DiskOperation, Fault, Faulty};
use rollbook_tests::storage::meter::Meter;
use rollbook_tests::storage::requests::export;
use rollbook_tests::storage::scenario::{
    LONG_ID, SCHOOL, WAITING, long_learners, options, school, set_state,
};

fn manual() -> Options {
    Options {
        compaction: Compaction::Manual,
        ..options()
    }
}

const ALL: u64 = WAITING + 2;

fn stored(engine: &Engine) {
    engine.apply(school(SCHOOL, 10).as_bytes()).unwrap();
}

fn learners(engine: &Engine) -> u64 {
    let records = engine.stats().unwrap().records;
    let learners = records.iter().find(|(kind, _)| *kind == "learner");
    learners.unwrap().1
}

/// Loads in two parts, with `between` in between.
fn load_around(engine: &Engine, between: impl FnOnce()) -> Result<Summary> {
    let mut load = engine.load();
    let bytes = || engine.stats().unwrap().bytes;
    let before = bytes();
    load.push(long_learners(0..WAITING).as_bytes())?;
    assert!(
        bytes() > before + (16 << 20),
        "it does not wait in the store"
    );
    between();
    load.push(long_learners(WAITING..ALL).as_bytes())?;
    load.finish()
}

/// A successful load has added every learner; a failed one has added none.
fn whole_or_not_at_all(engine: &Engine, before: u64, outcome: &Result<Summary>) {
    let brought = learners(engine) - before;
    match outcome {
        Ok(summary) => assert_eq!((summary.total().added, brought), (ALL, ALL)),
        Err(_) => assert_eq!(brought, 0),
    }
    let verified = engine.verify().unwrap();
    assert!(verified.is_sound(), "{:?}", verified.problems);
}

#[test]
fn the_engine_is_suspended_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path().join("store"), manual()).unwrap();
    stored(&engine);
    let before = learners(&engine);
    let mut suspended = Ok(());
    let outcome = load_around(&engine, || {
        suspended = engine.suspend();
        engine.resume().unwrap();
    });
    println!(
        "suspended: {suspended:?}, loaded: {:?}",
        outcome.as_ref().map(Summary::total)
    );
    whole_or_not_at_all(&engine, before, &outcome);
}

#[test]
fn the_store_is_opened_again_after_a_fault() {
    let disk = Faulty::on(Vec::new());
    let engine = Engine::open_with_backend(disk.clone(), manual()).unwrap();
    stored(&engine);
    let before = learners(&engine);
    let outcome = load_around(&engine, || {
        disk.plan(Some(Fault {
            operation: DiskOperation::Write,
            from: 0,
            once: true,
        }));
        assert_eq!(set_state(&engine, 11, 0).unwrap_err().code(), "io");
        disk.plan(None);
    });
    println!("loaded: {:?}", outcome.as_ref().map(Summary::total));
    whole_or_not_at_all(&engine, before, &outcome);
}

/// Other operations during a load do not affect it.
#[test]
fn changes_checks_and_copies_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path().join("store"), manual()).unwrap();
    stored(&engine);
    let between: [(&str, &dyn Fn()); 5] = [
        ("a state update", &|| {
            assert_eq!(set_state(&engine, 11, 0).unwrap(), 200);
            assert_eq!(set_state(&engine, 11, 1).unwrap(), 200);
        }),
        ("compaction", &|| engine.compact().unwrap()),
        ("verification", &|| {
            assert!(engine.verify().unwrap().is_sound());
        }),
        ("a backup", &|| {
            let to = folder.path().join("backup");
            engine.backup(&to, rollbook::Credentials::Keep).unwrap();
            let copy = Engine::open(&to, options()).unwrap();
            assert_eq!(export(&copy).unwrap(), export(&engine).unwrap());
        }),
        ("another load", &|| {
            let mut other = engine.load();
            other
                .push(long_learners(50..50 + WAITING).as_bytes())
                .unwrap();
            other.cancel();
        }),
    ];
    for (what, between) in between {
        let before = learners(&engine);
        load_around(&engine, between).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_eq!(learners(&engine) - before, ALL, "{what}");
        assert!(engine.verify().unwrap().is_sound(), "{what}");
        for id in 0..ALL {
            engine.erase_learner(SCHOOL, LONG_ID + id).unwrap();
        }
    }
}

/// The next load succeeds as soon as the fault is over.
#[test]
fn a_load_right_after_one_that_failed() {
    let disk = Faulty::on(Vec::new());
    let engine = Engine::open_with_backend(disk.clone(), manual()).unwrap();
    stored(&engine);
    for deed in [DiskOperation::Write, DiskOperation::SetLen] {
        disk.plan(Some(Fault {
            operation: deed,
            from: 0,
            once: true,
        }));
        let failed = engine.apply(long_learners(0..WAITING).as_bytes());
        assert_eq!(failed.map_err(|e| e.code()), Err("io"), "{deed:?}");
        disk.plan(None);
        let again = engine.apply(long_learners(0..WAITING).as_bytes());
        assert_eq!(again.map(|s| s.total().added), Ok(WAITING), "{deed:?}");
        for id in 0..WAITING {
            engine.erase_learner(SCHOOL, LONG_ID + id).unwrap();
        }
    }
}

/// A commit during a load also makes the staged data durable, which remains in the file when the
/// process is killed. Opening such a file is fast, a later load does not contain the data, and
/// compaction removes it.
#[test]
fn the_remains_of_a_killed_load() {
    let names = |bytes: &[u8]| memchr::memmem::find_iter(bytes, "Name 3 ").count();
    let disk = Disk::default();
    let engine = Engine::open_with_backend(disk.clone(), manual()).unwrap();
    stored(&engine);
    let mut load = engine.load();
    load.push(long_learners(0..WAITING).as_bytes()).unwrap();
    assert_eq!(set_state(&engine, 11, 0).unwrap(), 200);
    let killed = disk.bytes();
    assert!(names(&killed) > 100_000, "it did not come to the disk");
    load.cancel();
    let expected = export(&engine).unwrap();

    let meter = Meter::on(killed.clone());
    let reopened = Engine::open_with_backend(meter.clone(), manual()).unwrap();
    let read = meter.read_bytes();
    println!("opening read {read} of {} bytes", killed.len());
    assert!(read < 300_000, "opening read {read} bytes");
    assert_eq!(export(&reopened).unwrap(), expected);
    drop(reopened);

    let disk = Disk::new(killed.clone());
    let reopened = Engine::open_with_backend(disk.clone(), manual()).unwrap();
    reopened.compact().unwrap();
    assert_eq!(export(&reopened).unwrap(), expected);
    drop(reopened);
    assert_eq!(names(&disk.bytes()), 0);

    let again = Engine::open_with_backend(Disk::new(killed), manual()).unwrap();
    let before = learners(&again);
    let outcome = load_around(&again, || {});
    assert!(outcome.is_ok(), "{outcome:?}");
    whole_or_not_at_all(&again, before, &outcome);
}

type Call<'a> = (&'a str, &'a dyn Fn(&Engine) -> Result<()>);

/// The first call after a lasting fault succeeds, whichever it is.
#[test]
fn any_call_right_after_a_fault_that_lasted() {
    let folder = tempfile::tempdir().unwrap();
    let calls: [Call<'_>; 9] = [
        ("apply", &|engine| {
            let grade = r#"{"type":"grade","school_id":1000,"grade_id":77,"grade":"x"}"#;
            engine.apply(grade.as_bytes()).map(drop)
        }),
        ("set_state", &|engine| set_state(engine, 11, 0).map(drop)),
        ("compact", &Engine::compact),
        ("verify", &|engine| {
            let problems = engine.verify()?.problems;
            problems.is_empty().then_some(()).ok_or(Error::Corrupt {
                detail: problems.concat(),
            })
        }),
        ("stats", &|engine| engine.stats().map(drop)),
        ("export", &|engine| export(engine).map(drop)),
        ("erase", &|engine| engine.erase_learner(SCHOOL, 3).map(drop)),
        ("backup", &|engine| {
            engine.backup(folder.path().join("b"), rollbook::Credentials::Keep)
        }),
        ("a large load", &|engine| {
            engine.apply(long_learners(0..WAITING).as_bytes()).map(drop)
        }),
    ];
    let mut failures = Vec::new();
    for (name, call) in calls {
        let disk = Faulty::on(Vec::new());
        let engine = Engine::open_with_backend(disk.clone(), manual()).unwrap();
        stored(&engine);
        disk.plan(Some(Fault {
            operation: DiskOperation::Write,
            from: 0,
            once: false,
        }));
        assert!(set_state(&engine, 11, 0).is_err());
        disk.plan(None);
        if let Err(error) = call(&engine) {
            failures.push(format!("{name}: {error}"));
        }
        let verified = engine.verify().unwrap();
        if !verified.is_sound() {
            failures.push(format!("{name}: unsound: {:?}", verified.problems));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
