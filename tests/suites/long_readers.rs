//! Exports, feeds and backups at the same time as operations that need exclusive access to the
//! store: both make progress, and a reader that does not continue cannot delay an erasure for long.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use rollbook::{Credentials, Engine, Options, Scope};
use rollbook_tests::storage::requests::export;
use rollbook_tests::storage::scenario::{SCHOOL, options, school};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

const WAIT: Duration = Duration::from_millis(200);

/// Returns a store in a file with this `writer_wait`.
fn store(wait: Duration, learners: u32) -> (tempfile::TempDir, Engine) {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        writer_wait: wait,
        ..options()
    };
    let engine = Engine::open(folder.path().join("store"), options).unwrap();
    engine.apply(school(SCHOOL, learners).as_bytes()).unwrap();
    (folder, engine)
}

/// Checks that an export and a feed that were read in part end with an error after `call`.
fn overtaken(engine: &Engine, call: impl FnOnce()) {
    let whole = export(engine).unwrap();
    let scope = Scope::default().school(SCHOOL);
    let mut lines = engine.export(Credentials::Keep).unwrap();
    let mut feed = engine.feed(&scope, None).unwrap();
    let mut read = lines.next().unwrap().unwrap() + "\n";
    feed.next().unwrap().unwrap();
    let before = Instant::now();
    call();
    assert!(before.elapsed() >= WAIT, "{:?}", before.elapsed());
    let mut ended = None;
    for line in &mut lines {
        match line {
            Ok(line) => read += &(line + "\n"),
            Err(error) => ended = Some(error),
        }
    }
    let ended = ended.unwrap();
    assert_eq!(ended.code(), "reader_ended", "{ended}");
    assert!(ended.to_string().contains("start it again"), "{ended}");
    assert!(lines.next().is_none());
    assert!(whole.starts_with(&read) && read.len() < whole.len());
    let ended = feed.find_map(Result::err);
    assert_eq!(ended.unwrap().code(), "reader_ended");
}

#[test]
fn a_reader_that_does_not_continue_is_ended() {
    let (_folder, engine) = store(WAIT, 12);
    overtaken(&engine, || engine.compact().unwrap());
    overtaken(&engine, || {
        assert!(engine.erase_learner(SCHOOL, 3).unwrap().total().removed > 0);
    });
    overtaken(&engine, || engine.suspend().unwrap());
    engine.resume().unwrap();
    assert!(engine.verify().unwrap().is_sound());
}

/// A load does not end readers in order to compact afterwards.
#[test]
fn a_load_ends_no_reader() {
    let (_folder, engine) = store(Duration::ZERO, 1500);
    // Loads compact stores of at least this size.
    assert!(engine.stats().unwrap().bytes > 8 << 20);
    let lines = engine.export(Credentials::Keep).unwrap();
    let whole = export(&engine).unwrap();
    engine.remove_school(SCHOOL).unwrap();
    let read: Vec<_> = lines.collect::<Result<_, _>>().unwrap();
    assert_eq!(read.join("\n") + "\n", whole);
}

#[test]
fn a_reader_that_ends_in_time_is_waited_for() {
    let (_folder, engine) = store(Duration::from_secs(60), 12);
    let whole = export(&engine).unwrap();
    let (mut erased, mut compacted) = (0, 0);
    for learner in 1..=6 {
        let mut lines = engine.export(Credentials::Keep).unwrap();
        let mut read = lines.next().unwrap().unwrap() + "\n";
        std::thread::scope(|scope| {
            let eraser = scope.spawn(|| match learner % 2 {
                0 => engine.erase_learner(SCHOOL, learner).map(drop),
                _ => engine.compact(),
            });
            std::thread::sleep(Duration::from_millis(20));
            assert!(!eraser.is_finished());
            for line in lines {
                read += &(line.unwrap() + "\n");
            }
            eraser.join().unwrap().unwrap();
        });
        if erased == 0 {
            assert_eq!(read, whole);
        }
        erased += u32::from(learner % 2 == 0);
        compacted += u32::from(learner % 2 == 1);
    }
    assert_eq!((erased, compacted), (3, 3));
}

/// Exports and erasures without pauses.
#[test]
fn exports_and_erasures_both_make_progress() {
    let (_folder, engine) = store(Duration::from_secs(60), 40);
    let is_over = AtomicBool::new(false);
    let read = [const { AtomicU32::new(0) }; 3];
    std::thread::scope(|scope| {
        for read in &read {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let lines = engine.export(Credentials::Keep).unwrap();
                    assert!(lines.map(Result::unwrap).count() > 100);
                    read.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let all = |count| {
            read.iter()
                .all(|read| read.load(Ordering::Relaxed) >= count)
        };
        let erase = || (1..=20).try_for_each(|id| engine.erase_learner(SCHOOL, id).map(drop));
        let (erased, during) = (erase(), all(10));
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(erased, Ok(()));
        assert!(during, "{read:?}");
    });
    println!("20 erasures beside {read:?} exports");
}

/// A reader of a closed store fails with `closed`, and not with an error of the disk.
#[test]
fn a_reader_of_a_closed_store_fails_with_closed() {
    let (_folder, engine) = store(WAIT, 40);
    let mut lines = engine.export(Credentials::Keep).unwrap();
    let mut feed = engine.feed(&Scope::default().school(SCHOOL), None).unwrap();
    lines.next().unwrap().unwrap();
    feed.next().unwrap().unwrap();
    engine.close().unwrap();
    assert_eq!(lines.find_map(Result::err).unwrap().code(), "closed");
    assert_eq!(feed.find_map(Result::err).unwrap().code(), "closed");
    assert!(lines.next().is_none());
}
