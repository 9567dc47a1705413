//! Whatever a power cut leaves opens as the store before or after the
//! operation that it cut short.
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
use rollbook_tests::storage::images::{Cut, windows};
use rollbook_tests::storage::meter::Meter;
use rollbook_tests::storage::power_cut::{Life, Operation, needs_repair};
use rollbook_tests::storage::random::Random;
use rollbook_tests::storage::scenario::{SCHOOL, STEPS, long_learners, options, school};
use std::collections::BTreeMap;

/// Every step of a store's life, its creation and its end included.
#[test]
fn a_life_of_a_store() {
    let steps = STEPS.iter().map(|step| -> Operation<'_> {
        Box::new(|engine| (step.run)(engine).unwrap_or_else(|e| panic!("{}: {e}", step.name)))
    });
    // A store that is not there yet is as good as an empty one.
    let life = Life::record(Vec::new(), String::new(), steps.collect());
    let cuts = life.cut_everywhere(1);
    let repaired: BTreeMap<_, _> = cuts.repairs.lock().unwrap().clone();
    println!("{}", cuts.judge());
    println!("{repaired:?}");
    // The first operation opens the store. Only compaction goes without what
    // spares the next open a scan.
    let repaired: BTreeMap<_, _> = repaired
        .iter()
        .map(|(begun, images)| (STEPS[begun - 2].name, images))
        .collect();
    println!("to be repaired: {repaired:?}");
    let compacting = ["erase_learner", "compact"];
    assert!(repaired.keys().all(|name| compacting.contains(name)));
}

/// A load too large for memory waits in the store, where a state update makes
/// it durable before its time.
#[test]
fn a_load_that_waits_in_the_store() {
    let operations: Vec<Operation<'_>> = vec![
        Box::new(|engine| {
            engine.apply(school(SCHOOL, 5).as_bytes()).unwrap();
        }),
        Box::new(|engine| {
            let mut load = engine.load();
            load.push(long_learners(0..16).as_bytes()).unwrap();
            let off = SetState {
                username: USERNAME,
                school: SCHOOL,
                api_type_id: 11,
                state: 0,
            };
            assert_eq!(engine.set_state(&off).unwrap().status.code, 200);
            load.push(long_learners(16..20).as_bytes()).unwrap();
            load.cancel();
        }),
        Box::new(|engine| {
            engine.apply(long_learners(0..16).as_bytes()).unwrap();
        }),
    ];
    let life = Life::record(Vec::new(), String::new(), operations);
    let cuts=life.cut_everywhere(1);
    println!("{:?}", cuts.repairs);
    for w in windows(Vec::new(), &life.log) { println!("{} {}..={}: {} pending {}", w.durable.len(), w.returned, w.begun, w.pending.len(), needs_repair(&w.durable)); }
    println!("{}", cuts.judge());
}

/// Power fails again while the store recovers.
#[test]
fn a_second_cut_during_recovery() {
    let step = |at: usize| (STEPS[at].run, STEPS[at].name);
    let steps = [0, 1, 5, 6].map(|at| -> Operation<'_> {
        let (run, name) = step(at);
        Box::new(move |engine| run(engine).unwrap_or_else(|e| panic!("{name}: {e}")))
    });
    let life = Life::record(Vec::new(), String::new(), steps.into());
    let mut random = Random::new(3);
    let (mut tried, mut said) = (0, String::new());
    for window in windows(Vec::new(), &life.log) {
        let cuts = window.cuts(4);
        for cut in [Cut::Everything, cuts[random.below(cuts.len())]] {
            let image = window.image(cut);
            let first = Engine::open_with_backend(Disk::of(image.clone()), options()).unwrap();
            let recovered = export(&first).unwrap();
            drop(first);
            let again = Life::record(image, recovered, Vec::new());
            said = again.cut_everywhere(2).judge();
            tried += 1;
        }
    }
    println!("{tried} recoveries cut; the last one: {said}");
    assert!(tried > 40);
}

/// Opening after a kill reads no more than opening what was closed, however
/// much is in the store.
#[test]
fn opening_a_killed_store_reads_little() {
    let read = |bytes: Vec<u8>| {
        let meter = Meter::on(bytes);
        let engine = Engine::open_with_backend(meter.clone(), options()).unwrap();
        let read = meter.read_bytes();
        assert!(engine.verify().unwrap().is_sound());
        read
    };
    for schools in [1, 10] {
        let disk = Disk::default();
        let engine = Engine::open_with_backend(disk.clone(), options()).unwrap();
        for place in 0..schools {
            let dataset = school(SCHOOL + place, 150);
            engine.apply(dataset.as_bytes()).unwrap();
        }
        let killed = disk.bytes();
        engine.close().unwrap();
        assert!(!needs_repair(&killed));
        let size = killed.len();
        let (killed, closed) = (read(killed), read(disk.bytes()));
        println!("of {size} bytes opening read {killed} after a kill, {closed} after closing");
        // A build of redb that has its debug assertions walks all pages anyhow.
        let walks = closed > 1 << 20;
        assert!(killed < closed + (64 << 10));
        assert!(walks || killed < 128 << 10);
    }
}
