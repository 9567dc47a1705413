//! Tests of backups: a backup is complete, readable only by its owner, overwrites nothing, and
//! contains one state of the store even while a load is in progress.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, missing_docs)]

use crate::small_file::names;
use rollbook::{Credentials, Engine};
use rollbook_tests::storage::power_cut::needs_repair;
use rollbook_tests::storage::requests::{answers, export, get};
use rollbook_tests::storage::scenario::{OTHER, SCHOOL, options, school};
use rollbook_tests::storage::watchdog::{SetOnDrop, Watchdog};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tempfile::TempDir;

fn store() -> (TempDir, Engine) {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path().join("store"), options()).unwrap();
    engine.apply(school(SCHOOL, 30).as_bytes()).unwrap();
    (folder, engine)
}

fn open(path: &Path) -> Engine {
    let engine = Engine::open(path, options()).unwrap();
    let verified = engine.verify().unwrap();
    assert!(verified.is_sound(), "{:?}", verified.problems);
    engine
}

#[test]
fn a_copy_is_a_store_of_its_own() {
    let (folder, engine) = store();
    let path = folder.path().join("copy");
    engine.backup(&path, Credentials::Keep).unwrap();
    assert_eq!(names(folder.path()), ["copy", "store"]);
    assert!(!needs_repair(&fs::read(&path).unwrap()));
    let copy = open(&path);
    assert_eq!(export(&copy).unwrap(), export(&engine).unwrap());
    assert_eq!(answers(&copy, SCHOOL), answers(&engine, SCHOOL));
    copy.remove_school(SCHOOL).unwrap();
    assert!(copy.verify().unwrap().is_sound());
    assert_eq!(answers(&engine, SCHOOL).first().unwrap().status.code, 200);
    assert!(engine.verify().unwrap().is_sound());
    println!(
        "the store has {} bytes, its copy had {}",
        engine.stats().unwrap().bytes,
        fs::metadata(&path).unwrap().len()
    );
}

#[cfg(unix)]
#[test]
fn stores_and_copies_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, engine) = store();
    let copy = folder.path().join("copy");
    engine.backup(&copy, Credentials::Keep).unwrap();
    for path in [copy, folder.path().join("store")] {
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
    }
}

#[test]
fn nothing_is_written_over() {
    let (folder, engine) = store();
    let path = folder.path().join("taken");
    for content in ["", "precious"] {
        fs::write(&path, content).unwrap();
        let refused = engine.backup(&path, Credentials::Keep).unwrap_err();
        assert_eq!(refused.code(), "exists");
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
    let own = engine.backup(folder.path().join("store"), Credentials::Keep);
    assert_eq!(own.unwrap_err().code(), "exists");
    let folder_itself = engine.backup(folder.path(), Credentials::Keep);
    assert_eq!(folder_itself.unwrap_err().code(), "exists");
    let nowhere = folder.path().join("no").join("where");
    let refused = engine.backup(nowhere, Credentials::Keep);
    assert_eq!(refused.unwrap_err().code(), "io");
    assert_eq!(names(folder.path()), ["store", "taken"]);
    assert!(engine.verify().unwrap().is_sound());
}

/// Other files next to a backup are neither used nor removed.
#[test]
fn files_next_to_a_copy_are_unchanged() {
    let (folder, engine) = store();
    for name in ["copy.part", "rollbook-0000000000000000.part"] {
        fs::write(folder.path().join(name), "precious").unwrap();
    }
    let path = folder.path().join("copy");
    engine.backup(&path, Credentials::Keep).unwrap();
    let expected = [
        "copy",
        "copy.part",
        "rollbook-0000000000000000.part",
        "store",
    ];
    assert_eq!(names(folder.path()), expected);
    for name in &expected[1..3] {
        let content = fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(content, "precious");
    }
    assert_eq!(export(&open(&path)).unwrap(), export(&engine).unwrap());
}

/// If several backups to the same path run at a time, exactly one of them succeeds.
#[test]
fn one_of_many_copies_gets_the_name() {
    let (folder, engine) = store();
    for round in 0..5 {
        let path = folder.path().join(format!("copy-{round}"));
        let start = std::sync::Barrier::new(4);
        let copy = || {
            start.wait();
            let copied = engine.backup(&path, Credentials::Keep);
            copied.map_or_else(|error| error.code(), |()| "ok")
        };
        let mut codes: Vec<_> = std::thread::scope(|scope| {
            let copies: Vec<_> = (0..4).map(|_| scope.spawn(copy)).collect();
            copies
                .into_iter()
                .map(|copy| copy.join().unwrap())
                .collect()
        });
        codes.sort_unstable();
        assert_eq!(codes, ["exists", "exists", "exists", "ok"]);
        assert_eq!(export(&open(&path)).unwrap(), export(&engine).unwrap());
        assert_eq!(names(folder.path()).len(), round + 2);
    }
}

#[test]
fn a_copy_without_credentials_refuses_requests() {
    let (folder, engine) = store();
    let path = folder.path().join("copy");
    engine.backup(&path, Credentials::LeaveOut).unwrap();
    let bytes = fs::read(&path).unwrap();
    assert!(memchr::memmem::find(&bytes, b"$argon2id$").is_none());
    let copy = Engine::open(&path, options()).unwrap();
    let expected: Vec<String> = engine
        .export(Credentials::LeaveOut)
        .unwrap()
        .collect::<rollbook::Result<_>>()
        .unwrap();
    assert_eq!(export(&copy).unwrap(), expected.join("\n") + "\n");
    let refused = get(&copy, "/api/v1/settings/clients");
    assert_eq!(refused.status.code, 401);
    let verified = copy.verify().unwrap();
    assert!(verified.is_sound(), "{:?}", verified.problems);
}

#[test]
fn a_copy_during_a_load_contains_one_state() {
    let (folder, engine) = store();
    let large = school(OTHER, 400);
    let before = export(&engine).unwrap();
    engine.apply(large.as_bytes()).unwrap();
    let after = export(&engine).unwrap();
    // Removing a school also removes its authorisations, but not its integrator.
    engine.remove_school(OTHER).unwrap();
    let _dog = Watchdog::over("copies", Duration::from_secs(300));
    let enough = AtomicBool::new(false);
    let (mut copies, mut old, mut new) = (0, 0, 0);
    std::thread::scope(|scope| {
        let _ended = SetOnDrop(&enough);
        scope.spawn(|| {
            while !enough.load(Ordering::Relaxed) {
                engine.apply(large.as_bytes()).unwrap();
                engine.remove_school(OTHER).unwrap();
            }
        });
        while copies == old + new && (old < 3 || new < 3) {
            let path = folder.path().join(format!("copy-{copies}"));
            engine.backup(&path, Credentials::Keep).unwrap();
            let found = export(&open(&path)).unwrap();
            fs::remove_file(&path).unwrap();
            copies += 1;
            old += u32::from(found == before);
            new += u32::from(found == after);
        }
    });
    println!("{copies} copies during loads: {old} without the school, {new} with it");
    assert_eq!(copies, old + new);
}
