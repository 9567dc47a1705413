//! Simulates power cuts: what remains on the disk opens as the store before or after the operation
//! that was interrupted.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

use rollbook::{Compaction, Engine, Options};
use rollbook_tests::random::Random;
use rollbook_tests::search::{extent, first_seed};
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::images::windows;
use rollbook_tests::storage::meter::Meter;
use rollbook_tests::storage::power_cut::{Judged, Life, Operation, needs_repair};
use rollbook_tests::storage::requests::export;
use rollbook_tests::storage::scenario::{
    SCHOOL, STEPS, Scenario, WAITING, long_learners, options, school, set_state,
};
use std::collections::BTreeMap;

fn operation(scenario: &Scenario, step: usize) -> Operation<'_> {
    let failed = move |error| panic!("{}: {error}", STEPS[step]);
    Box::new(move |engine| scenario.run(step, engine).unwrap_or_else(failed))
}

/// Cuts the power at every step of the life of a store, including its creation and its end.
#[test]
fn a_life_of_a_store() {
    let scenario = Scenario::new(60);
    let steps = (0..STEPS.len()).map(|step| operation(&scenario, step));
    // A store that does not exist yet is equivalent to an empty one.
    let life = Life::record(Vec::new(), String::new(), options(), steps.collect());
    let cuts = life.cut_everywhere(extent(1, 8), extent(24, usize::MAX));
    let repaired: BTreeMap<_, _> = cuts.repairs.lock().unwrap().clone();
    let judged = cuts.judge();
    println!("{judged}");
    assert!(judged.windows > 50 && judged.different > 500, "{judged}");
    // After each other operation, the file must contain what lets the next opening skip the repair.
    let names = [&["no operation", "creation"], &STEPS[..], &["close"]].concat();
    let repaired: BTreeMap<_, _> = repaired
        .iter()
        .map(|(begun, images)| (names[*begun], images))
        .collect();
    println!("to be repaired: {repaired:?}");
    let allowed = ["creation", "erase_learner", "compact"];
    assert!(repaired.keys().all(|name| allowed.contains(name)));
}

/// A load that is too large for memory is staged in the store, and a state update commits a part of
/// it before its end.
#[test]
fn a_load_that_waits_in_the_store() {
    let operations: Vec<Operation<'_>> = vec![
        Box::new(|engine| {
            engine.apply(school(SCHOOL, 5).as_bytes()).unwrap();
        }),
        Box::new(|engine| {
            let mut load = engine.load();
            load.push(long_learners(0..WAITING).as_bytes()).unwrap();
            assert_eq!(set_state(engine, 11, 0).unwrap(), 200);
            load.push(long_learners(WAITING..WAITING + 2).as_bytes())
                .unwrap();
            load.cancel();
        }),
        Box::new(|engine| {
            engine.apply(long_learners(0..WAITING).as_bytes()).unwrap();
        }),
    ];
    // Other tests interrupt compaction, on a smaller store.
    let manual = Options {
        compaction: Compaction::Manual,
        ..options()
    };
    let life = Life::record(Vec::new(), String::new(), manual, operations);
    let cuts = life.cut_everywhere(1, extent(1, 6));
    let repaired = cuts.repairs.lock().unwrap().clone();
    let judged = cuts.judge();
    println!("{judged}");
    assert!(judged.windows > 10 && judged.different > 30, "{judged}");
    assert!(repaired.keys().all(|begun| *begun == 1), "{repaired:?}");
}

/// The power fails again while the store recovers.
#[test]
fn a_second_cut_during_recovery() {
    let scenario = Scenario::new(20);
    let steps = [
        "load",
        "rename, move and delete",
        "remove_school",
        "erase_learner",
    ];
    let number = |name| STEPS.iter().position(|step| *step == name).unwrap();
    let steps = steps.map(|name| operation(&scenario, number(name)));
    let life = Life::record(Vec::new(), String::new(), options(), steps.into());
    let mut random = Random::new(first_seed() + 3);
    let (mut recoveries, mut total) = (0, Judged::default());
    for window in windows(Vec::new(), &life.log).iter().step_by(extent(6, 1)) {
        let cuts = window.cuts(4, usize::MAX);
        let image = window.image(cuts[random.below(cuts.len())]);
        let first = Engine::open_with_backend(Disk::new(image.clone()), options()).unwrap();
        let recovered = export(&first).unwrap();
        drop(first);
        let again = Life::record(image, recovered, options(), Vec::new());
        let judged = again.cut_everywhere(1, extent(4, usize::MAX)).judge();
        recoveries += 1;
        total.windows += judged.windows;
        total.images += judged.images;
        total.different += judged.different;
        total.repaired += judged.repaired;
    }
    println!("{recoveries} recoveries cut: {total}");
    assert!(
        recoveries > extent(5, 30) && total.different > extent(15, 100),
        "{recoveries} {total}"
    );
}

/// Opening a store after a kill reads about as little as opening a closed store, independent of its
/// size.
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
        assert!(killed < 128 << 10 && size > 1 << 20);
        assert!(killed < closed + (64 << 10));
    }
}
