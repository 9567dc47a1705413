//! Interrupts rendering again: by power cuts, by faults of the disk, and by suspending the engine.

use super::aged::{Fresh, Meta, differing_blocks, is_sound, typed, typed_of};
use rollbook::{Engine, Options};
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::faulty::{DiskOperation, Fault, Faulty};
use rollbook_tests::storage::images::windows;
use rollbook_tests::storage::recorder::Recorder;
use rollbook_tests::storage::requests::{export, get, targets};
use rollbook_tests::storage::scenario::{OTHER, SCHOOL, options};
use rollbook_tests::storage::watchdog::Watchdog;
use std::collections::HashSet;
use std::time::Duration;

/// The power fails while records are rendered again: the rest answers correctly, and an engine of
/// another version finds what it expects.
#[test]
fn power_cuts() {
    let fresh = Fresh::new(16);
    let aged = Fresh::aged(&fresh, fresh.version - 1);
    let recorder = Recorder::on(aged.file.clone());
    let open = || Engine::open_with_backend(recorder.clone(), options());
    let engine = recorder.operation(open).unwrap();
    recorder.operation(|| typed_of(&engine, SCHOOL).unwrap());
    recorder.operation(|| typed(&engine).unwrap());
    recorder.operation(|| engine.close().unwrap());
    drop(engine);
    let log = recorder.entries();
    let (mut images, mut stages) = (HashSet::new(), HashSet::new());
    let mut total = 0;
    for window in windows(aged.file.clone(), &log) {
        for cut in window.cuts(6, usize::MAX) {
            total += 1;
            let image = window.image(cut);
            if !images.insert(image.clone()) {
                continue;
            }
            let what = format!("operation {}, {cut:?}", window.begun);
            let disk = Disk::new(image);
            let engine = Engine::open_with_backend(disk.clone(), options()).unwrap();
            let found = Meta::parse(&disk.bytes());
            let [one, _] = found.versions().map(|version| version == fresh.version);
            let all = found.rendered == fresh.version;
            assert!(one || !all, "{what}: {found:?}");
            // Everything that was answered must have been durable.
            assert!(one || window.returned < 2, "{what}: {found:?}");
            assert!(all || window.returned < 3, "{what}: {found:?}");
            stages.insert((one, all));
            assert!(typed(&engine).unwrap() == fresh.typed, "{what}");
            assert!(export(&engine).unwrap() == fresh.export, "{what}");
            is_sound(&engine, &what);
            assert!(
                differing_blocks(&fresh.file, &disk.bytes()).is_empty(),
                "{what}"
            );
        }
    }
    println!(
        "{total} cuts, {} different images, {} stages",
        images.len(),
        stages.len()
    );
    assert_eq!(stages.len(), 3);
}

/// Every operation of the disk fails once or permanently while records are rendered again: answers
/// are correct or errors, and are correct after the fault.
#[test]
fn failing_disks() {
    let fresh = Fresh::new(16);
    let aged = fresh.aged(fresh.version - 1);
    let small_cache = || Options {
        cache_bytes: 0,
        ..options()
    };
    let disk = Faulty::on(aged.file.clone());
    let engine = Engine::open_with_backend(disk.clone(), small_cache()).unwrap();
    disk.plan(None);
    typed(&engine).unwrap();
    let done = DiskOperation::ALL.map(|deed| disk.done(deed));
    drop(engine);
    let (mut tried, mut refused, mut right) = (0, 0, 0);
    for (deed, done) in DiskOperation::ALL.into_iter().zip(done) {
        for from in (0..done).step_by(done.div_ceil(40).max(1)) {
            for once in [true, false] {
                let fault = Fault {
                    operation: deed,
                    from,
                    once,
                };
                let what = format!("{fault:?}");
                let _dog = Watchdog::over(&what, Duration::from_secs(60));
                let disk = Faulty::on(aged.file.clone());
                let engine = Engine::open_with_backend(disk.clone(), small_cache()).unwrap();
                disk.plan(Some(fault));
                for round in 0..2 {
                    match typed(&engine) {
                        Ok(answers) => {
                            right += 1;
                            assert!(answers == fresh.typed, "{what}, round {round}");
                        }
                        Err(error) => {
                            refused += 1;
                            assert_eq!(error.code(), "io", "{what}: {error}");
                        }
                    }
                }
                assert!(disk.failed() > 0, "{what} did not come about");
                let answer = get(&engine, &targets(OTHER)[0]);
                match answer.status.code {
                    200 => assert!(answer == fresh.answers[fresh.answers.len() / 2], "{what}"),
                    code => assert_eq!(code, 500, "{what}: {}", answer.text()),
                }
                disk.plan(None);
                fresh.check(&engine, &what);
                assert!(
                    differing_blocks(&fresh.file, &disk.bytes()).is_empty(),
                    "{what}"
                );
                tried += 1;
            }
        }
    }
    println!("{tried} faults: {refused} errors, {right} right answers");
    assert!(refused > 50 && right > 50);
}

/// The engine is suspended before the first use, between two uses, and while the file is replaced
/// by one with old renderings.
#[test]
fn suspended_and_resumed() {
    let fresh = Fresh::new(40);
    for version in super::older(&fresh) {
        let aged = fresh.aged(version);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        std::fs::write(&path, &aged.file).unwrap();
        let again = |engine: &Engine| {
            engine.suspend().unwrap();
            engine.resume().unwrap();
        };
        let engine = Engine::open(&path, options()).unwrap();
        again(&engine);
        assert!(typed_of(&engine, SCHOOL).unwrap() == fresh.typed[..6]);
        again(&engine);
        fresh.check(&engine, "suspended before");
        engine.suspend().unwrap();
        let rendered = std::fs::read(&path).unwrap();
        assert!(differing_blocks(&rendered, &fresh.file).is_empty());
        std::fs::write(&path, &aged.file).unwrap();
        engine.resume().unwrap();
        fresh.check(&engine, "rendered otherwise meanwhile");
    }
}
