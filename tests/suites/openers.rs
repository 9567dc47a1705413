//! A store is open in one engine at a time, of this or another process, and in none while it is
//! suspended or after it was closed.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, missing_docs)]

use crate::small_file::{open, store};
use rollbook::{Credentials, Engine, Error, Result};
use rollbook_tests::storage::child;
use rollbook_tests::storage::hooked_backend::Wrapping;
use rollbook_tests::storage::requests::{code, export, get, targets};
use rollbook_tests::storage::scenario::{SCHOOL, options, school, set_state};
use std::path::Path;
use std::process::Child;

/// Another process that has tried to open the store, and still has it open if it succeeded.
struct Other {
    /// The outcome of opening the store.
    said: String,
    process: Child,
    /// The rest of the output, which must stay open until the process ends.
    lines: Box<dyn Iterator<Item = String>>,
}

impl Other {
    fn opens(test: &str, path: &Path) -> Other {
        let mut process = child::start(test, path.to_str().unwrap());
        let mut lines = child::lines(process.stdout.take().unwrap());
        Other {
            said: lines.next().unwrap(),
            process,
            lines: Box::new(lines),
        }
    }

    fn ends(mut self) {
        drop(self.process.stdin.take());
        assert_eq!(self.lines.count(), 0);
        assert!(self.process.wait().unwrap().success());
    }
}

fn in_another_process(test: &str, path: &Path) -> String {
    let other = Other::opens(test, path);
    let said = other.said.clone();
    other.ends();
    said
}

/// Runs the task of a child if this process is one.
fn is_child() -> bool {
    let Some(path) = child::task() else {
        return false;
    };
    let opened = open(Path::new(&path));
    let said = opened.as_ref().map_or_else(Error::code, |_| "ok");
    child::say(said);
    child::wait_for_parent();
    true
}

#[test]
fn one_engine_at_a_time() {
    if is_child() {
        return;
    }
    let me = "openers::one_engine_at_a_time";
    let (_folder, path, engine) = store();
    let second = open(&path).unwrap_err();
    assert_eq!(second.code(), "already_open");
    assert!(
        second.to_string().contains(path.to_str().unwrap()),
        "{second}"
    );
    assert_eq!(in_another_process(me, &path), "already_open");
    assert_eq!(code(engine.stats()), "ok");
    engine.close().unwrap();
    assert_eq!(in_another_process(me, &path), "ok");

    let engine = open(&path).unwrap();
    assert_eq!(code(open(&path)), "already_open");
    drop(engine);
    let other = Other::opens(me, &path);
    assert_eq!(other.said, "ok");
    assert_eq!(code(open(&path)), "already_open");
    other.ends();
    assert_eq!(code(open(&path)), "ok");
}

/// If many engines open a path without a file at once, exactly one creates the store and opens it.
#[test]
fn one_of_many_makes_the_store() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..10 {
        let path = folder.path().join(format!("store-{round}"));
        let start = std::sync::Barrier::new(8);
        let opened: Vec<_> = std::thread::scope(|scope| {
            let openers: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        start.wait();
                        open(&path)
                    })
                })
                .collect();
            openers
                .into_iter()
                .map(|opener| opener.join().unwrap())
                .collect()
        });
        let mut codes: Vec<_> = opened
            .iter()
            .map(|opened| match opened {
                Ok(_) => "ok",
                Err(error) => error.code(),
            })
            .collect();
        codes.sort_unstable();
        assert_eq!(codes, [&["already_open"; 7][..], &["ok"]].concat());
        let engine = opened.into_iter().find_map(Result::ok).unwrap();
        engine.apply(school(SCHOOL, 2).as_bytes()).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), round + 1);
    }
}

#[test]
fn through_a_backend_that_wraps_a_file() {
    if is_child() {
        return;
    }
    let me = "openers::through_a_backend_that_wraps_a_file";
    let (_folder, path, engine) = store();
    let wrapped = || Engine::open_with_backend(Wrapping::open(&path, || {}), options());
    assert_eq!(code(wrapped()), "already_open");
    engine.close().unwrap();
    let engine = wrapped().unwrap();
    let before = export(&engine).unwrap();
    assert_eq!(code(wrapped()), "already_open");
    assert_eq!(code(open(&path)), "already_open");
    assert_eq!(in_another_process(me, &path), "already_open");
    assert_eq!(code(engine.suspend()), "unsupported");
    engine.compact().unwrap();
    assert_eq!(code(open(&path)), "already_open");
    engine.close().unwrap();
    assert_eq!(in_another_process(me, &path), "ok");
    assert_eq!(export(&open(&path).unwrap()).unwrap(), before);
}

#[test]
fn suspended_for_another_process() {
    if is_child() {
        return;
    }
    let me = "openers::suspended_for_another_process";
    let (_folder, path, engine) = store();
    let before = export(&engine).unwrap();
    assert_eq!(in_another_process(me, &path), "already_open");
    engine.suspend().unwrap();
    engine.suspend().unwrap();
    let other = Other::opens(me, &path);
    assert_eq!(other.said, "ok");
    assert_eq!(code(engine.resume()), "already_open");
    assert_eq!(code(engine.stats()), "suspended");
    other.ends();
    engine.resume().unwrap();
    engine.resume().unwrap();
    assert_eq!(export(&engine).unwrap(), before);
    assert_eq!(in_another_process(me, &path), "already_open");
}

/// Returns the outcome of every call of the engine that needs the store.
fn calls(engine: &Engine, folder: &Path) -> Vec<(&'static str, &'static str)> {
    let learners = rollbook::Learners {
        school: SCHOOL,
        ..rollbook::Learners::default()
    };
    let backup = folder.join("never");
    vec![
        ("stats", code(engine.stats())),
        ("apply", code(engine.apply(&b""[..]))),
        ("check", code(engine.check(&b""[..], 1))),
        ("replace_school", code(engine.replace_school(1, &b""[..]))),
        ("remove_school", code(engine.remove_school(1))),
        ("erase_learner", code(engine.erase_learner(SCHOOL, 1))),
        ("export", code(engine.export(Credentials::Keep))),
        ("backup", code(engine.backup(backup, Credentials::Keep))),
        ("verify", code(engine.verify())),
        ("compact", code(engine.compact())),
        ("set_state", code(set_state(engine, 8, 1))),
        ("ask", code(engine.ask(&learners))),
    ]
}

#[test]
fn calls_while_suspended_or_closed() {
    let (folder, _path, engine) = store();
    engine.suspend().unwrap();
    for (call, found) in calls(&engine, folder.path()) {
        assert_eq!(found, "suspended", "{call}");
    }
    for target in targets(SCHOOL) {
        assert_eq!(get(&engine, &target).status.code, 500, "{target}");
    }
    engine.resume().unwrap();
    assert_eq!(code(engine.stats()), "ok");
    for _ in 0..2 {
        engine.close().unwrap();
        for (call, found) in calls(&engine, folder.path()) {
            assert_eq!(found, "closed", "{call}");
        }
    }
    assert_eq!(code(engine.suspend()), "closed");
    assert_eq!(code(engine.resume()), "closed");
    let answer = get(&engine, &targets(SCHOOL).concat());
    assert_eq!(
        answer.status.code, 404,
        "a path that is none needs no store"
    );
    let answer = get(&engine, "/api/v1/settings/clients");
    assert_eq!(answer.status.code, 500);
    assert!(answer.text().contains("closed"), "{}", answer.text());
    let found = std::fs::read_dir(folder.path()).unwrap();
    let found: Vec<_> = found.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(found, ["store"]);

    let suspended = store();
    suspended.2.suspend().unwrap();
    suspended.2.close().unwrap();
    assert_eq!(code(suspended.2.stats()), "closed");
    assert_eq!(code(open(&suspended.1)), "ok");
}

#[test]
fn a_store_in_memory_is_not_suspended() {
    let engine = Engine::memory(options()).unwrap();
    assert_eq!(code(engine.suspend()), "unsupported");
    assert_eq!(code(engine.stats()), "ok");
}

#[test]
fn an_export_continues_during_changes_and_ends_when_the_store_is_closed() {
    let (_folder, path, engine) = store();
    let mut lines = engine.export(Credentials::Keep).unwrap();
    let first = lines.next().unwrap().unwrap();
    assert_eq!(code(engine.verify()), "ok");
    engine
        .apply(&br#"{"type":"grade","school_id":1000,"grade_id":77}"#[..])
        .unwrap();
    let rest: Result<Vec<_>> = lines.by_ref().collect();
    assert!(
        !rest
            .unwrap()
            .iter()
            .any(|line| line.contains("\"grade_id\":77}"))
    );
    drop(lines);
    assert!(export(&engine).unwrap().starts_with(&first));
    engine.compact().unwrap();
    engine.suspend().unwrap();
    engine.resume().unwrap();

    // Closing does not wait for the export, which ends early with an error.
    let all = export(&engine).unwrap();
    let mut lines = engine.export(Credentials::Keep).unwrap();
    let mut read = lines.next().unwrap().unwrap() + "\n";
    engine.close().unwrap();
    assert_eq!(code(open(&path)), "ok");
    for line in lines {
        match line {
            Ok(line) => read += &(line + "\n"),
            Err(error) => assert_eq!(error.code(), "closed", "{error}"),
        }
    }
    assert!(all.starts_with(&read));
}

#[test]
fn an_export_outlives_its_engine() {
    let (_folder, path, engine) = store();
    let all = export(&engine).unwrap();
    let mut lines = engine.export(Credentials::Keep).unwrap();
    drop(engine);
    assert_eq!(code(open(&path)), "already_open");
    let read: String = lines.by_ref().map(|line| line.unwrap() + "\n").collect();
    assert_eq!(read, all);
    drop(lines);
    assert_eq!(code(open(&path)), "ok");
}

/// An unfinished load that has staged nothing does not block other operations.
#[test]
fn an_unfinished_load_blocks_nothing() {
    let (_folder, _path, engine) = store();
    let mut load = engine.load();
    load.push(b"{\"type\":\"grade\",\"school_id\":1000,")
        .unwrap();
    assert_eq!(code(engine.compact()), "ok");
    assert_eq!(code(engine.apply(school(SCHOOL, 4).as_bytes())), "ok");
    engine.suspend().unwrap();
    engine.resume().unwrap();
    load.push(b"\"grade_id\":78}").unwrap();
    assert_eq!(load.finish().unwrap().total().added, 1);
}
