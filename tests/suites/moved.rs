//! Deletes, moves or replaces the file of a store while an engine has it open, or while the engine
//! is suspended: no change is written to a file that was removed, and no empty store is made in its
//! place.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, missing_docs)]

use crate::small_file::{names, open, store};
use rollbook::{Credentials, Engine};
use rollbook_tests::storage::child;
use rollbook_tests::storage::requests::{answers, code, export};
use rollbook_tests::storage::scenario::{OTHER, SCHOOL, school, set_state};
use std::fs;
use std::path::Path;

/// Makes a store with another school and closes it. Returns its bytes.
fn another(path: &Path) -> Vec<u8> {
    let engine = open(path).unwrap();
    engine.apply(school(OTHER, 3).as_bytes()).unwrap();
    engine.close().unwrap();
    fs::read(path).unwrap()
}

/// Returns the outcome of every call that may change something.
fn changes(engine: &Engine) -> [(&'static str, &'static str); 8] {
    let grade = br#"{"type":"grade","school_id":1000,"grade_id":77}"#;
    [
        ("apply", code(engine.apply(&grade[..]))),
        (
            "unchanged",
            code(engine.apply(school(SCHOOL, 5).as_bytes())),
        ),
        ("state", code(set_state(engine, 8, 0))),
        (
            "replace_school",
            code(engine.replace_school(SCHOOL, &b""[..])),
        ),
        ("remove_school", code(engine.remove_school(SCHOOL))),
        ("erase_learner", code(engine.erase_learner(SCHOOL, 1))),
        ("compact", code(engine.compact())),
        ("load", {
            let mut load = engine.load();
            load.push(grade).unwrap();
            code(load.finish())
        }),
    ]
}

/// Checks that every change fails with `missing`, and that the open store can still be read and
/// saved.
fn is_missed(engine: &Engine, folder: &Path) {
    let before = (export(engine).unwrap(), answers(engine, SCHOOL));
    for (change, found) in changes(engine) {
        assert_eq!(found, "missing", "{change}");
    }
    assert_eq!((export(engine).unwrap(), answers(engine, SCHOOL)), before);
    let saved = folder.join("saved");
    engine.backup(&saved, Credentials::Keep).unwrap();
    assert_eq!(export(&open(&saved).unwrap()).unwrap(), before.0);
    fs::remove_file(saved).unwrap();
}

#[test]
fn deleted_under_an_open_engine() {
    let (folder, path, engine) = store();
    fs::remove_file(&path).unwrap();
    let error = engine.apply(school(SCHOOL, 6).as_bytes()).unwrap_err();
    assert!(
        error.to_string().contains(path.to_str().unwrap()),
        "{error}"
    );
    is_missed(&engine, folder.path());
    assert_eq!(names(folder.path()), Vec::<String>::new());
    engine.close().unwrap();
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

#[test]
fn moved_away_and_back() {
    let (folder, path, engine) = store();
    let aside = folder.path().join("aside");
    fs::rename(&path, &aside).unwrap();
    is_missed(&engine, folder.path());
    fs::rename(&aside, &path).unwrap();
    let learners = school(SCHOOL, 7);
    engine.apply(learners.as_bytes()).unwrap();
    let changed = export(&engine).unwrap();
    engine.close().unwrap();
    assert_eq!(export(&open(&path).unwrap()).unwrap(), changed);

    // The same if a folder of the path is renamed.
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let engine = open(&inner.join("store")).unwrap();
    engine.apply(learners.as_bytes()).unwrap();
    fs::rename(&inner, folder.path().join("renamed")).unwrap();
    is_missed(&engine, folder.path());
    fs::write(&inner, "a file where the folder was").unwrap();
    is_missed(&engine, folder.path());
}

#[test]
fn replaced_under_an_open_engine() {
    let (folder, path, engine) = store();
    let other = folder.path().join("other");
    let bytes = another(&other);
    fs::rename(&other, &path).unwrap();
    is_missed(&engine, folder.path());
    engine.close().unwrap();
    assert!(
        fs::read(&path).unwrap() == bytes,
        "the other store was changed"
    );
    assert_eq!(
        answers(&open(&path).unwrap(), OTHER)
            .first()
            .unwrap()
            .status
            .code,
        200
    );
}

#[test]
fn removed_while_suspended() {
    let (folder, path, engine) = store();
    let before = export(&engine).unwrap();
    let aside = folder.path().join("aside");
    engine.suspend().unwrap();
    fs::rename(&path, &aside).unwrap();
    for _ in 0..2 {
        let error = engine.resume().unwrap_err();
        assert_eq!(error.code(), "missing");
        assert!(
            error.to_string().contains(path.to_str().unwrap()),
            "{error}"
        );
        assert_eq!(names(folder.path()), ["aside"]);
        assert_eq!(code(engine.stats()), "suspended");
    }
    for content in ["", "a diary"] {
        fs::write(&path, content).unwrap();
        assert_eq!(code(engine.resume()), "not_a_store");
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
    fs::rename(&aside, &path).unwrap();
    engine.resume().unwrap();
    assert_eq!(export(&engine).unwrap(), before);
}

/// After a backup was restored while the engine was suspended, the engine opens the backup.
#[test]
fn replaced_while_suspended() {
    let (folder, path, engine) = store();
    let other = folder.path().join("other");
    another(&other);
    engine.suspend().unwrap();
    fs::rename(&other, &path).unwrap();
    engine.resume().unwrap();
    assert_eq!(answers(&engine, OTHER).first().unwrap().status.code, 200);
    engine.apply(school(OTHER, 4).as_bytes()).unwrap();
    let changed = export(&engine).unwrap();
    engine.close().unwrap();
    assert_eq!(export(&open(&path).unwrap()).unwrap(), changed);
}

/// A relative path refers to the working directory of the process at the time of opening.
#[test]
fn the_process_goes_to_another_folder() {
    if let Some(folder) = child::task() {
        let folder = Path::new(&folder);
        std::env::set_current_dir(folder).unwrap();
        let engine = open(Path::new("store")).unwrap();
        let elsewhere = folder.join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        std::env::set_current_dir(&elsewhere).unwrap();
        engine.apply(school(SCHOOL, 5).as_bytes()).unwrap();
        engine.suspend().unwrap();
        engine.resume().unwrap();
        engine.apply(school(SCHOOL, 6).as_bytes()).unwrap();
        engine.compact().unwrap();
        child::say("done");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let me = "moved::the_process_goes_to_another_folder";
    let mut process = child::start(me, folder.path().to_str().unwrap());
    let said: Vec<_> = child::lines(process.stdout.take().unwrap()).collect();
    assert!(process.wait().unwrap().success());
    assert_eq!(said, ["done"]);
    assert_eq!(names(folder.path()), ["elsewhere", "store"]);
    assert_eq!(
        names(&folder.path().join("elsewhere")),
        Vec::<String>::new()
    );
}

#[test]
fn through_a_link() {
    use std::os::unix::fs::symlink;
    let (folder, path, engine) = store();
    let link = folder.path().join("link");
    symlink(&path, &link).unwrap();
    assert_eq!(code(open(&link)), "already_open");
    engine.close().unwrap();
    let linked = open(&link).unwrap();
    linked.apply(school(SCHOOL, 6).as_bytes()).unwrap();
    fs::remove_file(&path).unwrap();
    is_missed(&linked, folder.path());
    linked.close().unwrap();
    // A link to a missing file is not treated as a path without a file.
    assert_eq!(code(open(&link)), "io");
    assert_eq!(names(folder.path()), ["link"]);
}
