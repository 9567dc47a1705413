//! What a power cut may leave at any moment opens as the store before or
//! after the operation that it cut.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

use rollbook::{Engine, SetState};
use rollbook_tests::sample::USERNAME;
use rollbook_tests::storage::asked::export;
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::images::{Window, windows};
use rollbook_tests::storage::recorder::{Entry, Recorder};
use rollbook_tests::storage::scenario::{OTHER, SCHOOL, STEPS, options, school};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A scenario on a recording disk: its log, and the export after each of its
/// operations, the first of which is to open the store.
struct Run {
    log: Vec<Entry>,
    exports: Vec<String>,
}

fn record(operations: &[&dyn Fn(&Engine)]) -> Run {
    let recorder = Recorder::default();
    // Before the store is there, it is as good as an empty one.
    let mut exports = vec![String::new()];
    let opened = recorder.operation(|| Engine::open_with_backend(recorder.clone(), options()));
    let engine = opened.unwrap();
    exports.push(export(&engine).unwrap());
    for operation in operations {
        recorder.operation(|| operation(&engine));
        exports.push(export(&engine).unwrap());
    }
    let log = recorder.entries();
    // Closing is no operation that could be lost: it changes nothing.
    recorder.operation(|| engine.close().unwrap());
    exports.push(exports.last().unwrap().clone());
    drop(log);
    Run {
        log: recorder.entries(),
        exports,
    }
}

#[derive(Default)]
struct Found {
    syncs: usize,
    images: AtomicUsize,
    distinct: Mutex<HashSet<u64>>,
    failures: Mutex<Vec<String>>,
}

/// Opens every image of a run; of each so many seeds.
fn open_all(run: &Run, seeds: u64) -> Found {
    let windows = windows(Vec::new(), &run.log);
    let found = Found {
        syncs: windows.len(),
        ..Found::default()
    };
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(window) = windows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    open_window(run, window, seeds, &found);
                }
            });
        }
    });
    found
}

fn open_window(run: &Run, window: &Window, seeds: u64, found: &Found) {
    let allowed = &run.exports[window.returned..=window.begun];
    for cut in window.cuts(seeds) {
        let image = window.image(cut);
        found.images.fetch_add(1, Ordering::Relaxed);
        let mut hasher = DefaultHasher::new();
        (&image, window.returned, window.begun).hash(&mut hasher);
        if !found.distinct.lock().unwrap().insert(hasher.finish()) {
            continue;
        }
        if let Err(what) = open_one(image, allowed) {
            let at = (window.returned, window.begun, window.pending.len());
            let what = format!("{cut:?} of {at:?}: {what}");
            found.failures.lock().unwrap().push(what);
        }
    }
}

fn open_one(image: Vec<u8>, allowed: &[String]) -> Result<(), String> {
    let error = |what: &str, error: rollbook::Error| format!("{what}: {error}");
    let engine = Engine::open_with_backend(Disk::of(image), options())
        .map_err(|e| error("opening", e))?;
    let verified = engine.verify().map_err(|e| error("verify", e))?;
    if !verified.is_sound() {
        return Err(format!("verify: {:?}", verified.problems));
    }
    let found = export(&engine).map_err(|e| error("export", e))?;
    if allowed.contains(&found) {
        return Ok(());
    }
    Err(format!("an export of {} bytes is none of {:?}", found.len(), allowed.iter().map(String::len).collect::<Vec<_>>()))
}

#[test]
fn a_life_of_a_store() {
    let steps: Vec<Box<dyn Fn(&Engine)>> = STEPS
        .iter()
        .map(|step| {
            let work: Box<dyn Fn(&Engine)> =
                Box::new(|engine| (step.run)(engine).unwrap_or_else(|e| panic!("{}: {e}", step.name)));
            work
        })
        .collect();
    let steps: Vec<_> = steps.iter().map(Box::as_ref).collect();
    let started = std::time::Instant::now();
    let run = record(&steps);
    println!("recorded in {:?}, sizes {:?}", started.elapsed(), run.exports.iter().map(String::len).collect::<Vec<_>>());
    let w = windows(Vec::new(), &run.log);
    for w in &w { println!("{} {}..={}: {} pending, {} cuts", w.durable.len(), w.returned, w.begun, w.pending.len(), w.cuts(6).len()); }
    let found = open_all(&run, 6);
    println!(
        "{} syncs, {} images, {} of them different, in {:?}",
        found.syncs,
        found.images.load(Ordering::Relaxed),
        found.distinct.lock().unwrap().len(),
        started.elapsed()
    );
    let failures = found.failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{} images:\n{}", failures.len(), failures.join("\n"));
    let _ = (OTHER, SCHOOL, school(1,1), USERNAME, SetState::default());
}
