//! Learners who are erased, at the source or at the follower: what is answered about them, that
//! they are not added again, and that nothing of them remains in the file of the follower.

use super::records;
use super::transfer::{bring, feed};
use crate::erased::portrait::{Needle, Portrait, found, id_needles};
use rollbook::{Compaction, Engine, Learners, Options, Scope};
use rollbook_tests::random::Random;
use rollbook_tests::search::extent;
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::images::{Cut, windows};
use rollbook_tests::storage::recorder::Recorder;
use rollbook_tests::storage::scenario::{SCHOOL, school};

const ONE: u64 = 0x5eed_c0de_9b3d_01e7;

fn options() -> Options {
    Options {
        // No automatic compaction, which could also remove the bytes.
        compaction: Compaction::Manual,
        ..Options::default()
    }
}

/// Returns a source with one learner who has records of all kinds, and all that may be found of the
/// learner.
fn source() -> (Engine, Vec<Needle>) {
    let source = Engine::memory(options()).unwrap();
    source.apply(school(SCHOOL, 12).as_bytes()).unwrap();
    let portrait = Portrait::new(ONE, 1, &[880_000_001]);
    source.apply(portrait.lines.as_bytes()).unwrap();
    let mut needles = portrait.needles;
    needles.extend(id_needles(ONE));
    (source, needles)
}

fn follow(source: &Engine, follower: &Engine, scope: &Scope) {
    bring(&mut Random::new(1), source, follower, scope).unwrap();
}

fn scopes() -> [Scope; 3] {
    [
        Scope::default().school(SCHOOL),
        Scope::default().learners(SCHOOL, [ONE, 3]),
        Scope::default()
            .school(SCHOOL)
            .only(["absentee", "mark"])
            .unwrap(),
    ]
}

/// For each scope of the follower, and each way in which the learner leaves it.
#[test]
fn nothing_of_an_erased_learner_remains_in_the_file_of_a_follower() {
    for (number, scope) in scopes().into_iter().enumerate() {
        let (source, needles) = source();
        let disk = Disk::default();
        let follower = Engine::open_with_backend(disk.clone(), options()).unwrap();
        follow(&source, &follower, &scope);
        let before = found(&disk.bytes(), &needles).len();
        let part = if number == 2 { 10 } else { 2 };
        assert!(before > needles.len() / part, "{before}");
        source.erase_learner(SCHOOL, ONE).unwrap();
        follow(&source, &follower, &scope);
        assert_eq!(found(&disk.bytes(), &needles), [""; 0], "scope {number}");
        assert!(follower.verify().unwrap().is_sound());
    }
}

/// Also for a learner who leaves the scope, or whose school leaves it.
#[test]
fn nothing_remains_of_a_learner_who_leaves_the_scope() {
    for next in [
        Scope::default().learners(SCHOOL, [3]),
        Scope::default(),
        Scope::default().school(SCHOOL).only(["parent"]).unwrap(),
    ] {
        let (source, needles) = source();
        let disk = Disk::default();
        let follower = Engine::open_with_backend(disk.clone(), options()).unwrap();
        follow(&source, &follower, &Scope::default().school(SCHOOL));
        assert!(found(&disk.bytes(), &needles).len() > needles.len() / 2);
        follow(&source, &follower, &next);
        assert_eq!(found(&disk.bytes(), &needles), [""; 0]);
    }
}

/// Records of people that a dataset removes at the source, one by one.
#[test]
fn nothing_remains_of_people_whom_a_dataset_removes() {
    let learner = Portrait::new(ONE, 1, &[880_000_001]);
    let removal = learner.removal();
    let all = Scope::default().school(SCHOOL);
    let family = Scope::default().learners(SCHOOL, [ONE, 3]);
    let (people, removals) = Portrait::of_people();
    for (portrait, removals, scope) in [
        (&people, &removals, &all),
        (&learner, &removal, &all),
        (&learner, &removal, &family),
    ] {
        let source = Engine::memory(options()).unwrap();
        source.apply(school(SCHOOL, 12).as_bytes()).unwrap();
        source.apply(portrait.lines.as_bytes()).unwrap();
        let disk = Disk::default();
        let follower = Engine::open_with_backend(disk.clone(), options()).unwrap();
        follow(&source, &follower, scope);
        let needles = &portrait.needles;
        assert!(found(&disk.bytes(), needles).len() > needles.len() / 2);
        source.apply(removals.as_bytes()).unwrap();
        follow(&source, &follower, scope);
        assert_eq!(records(&follower).len(), {
            let lines = source.export_scope(scope).unwrap();
            lines.count()
        });
        assert_eq!(found(&disk.bytes(), needles), [""; 0]);
    }
}

/// The file is rewritten once, independent of the number of learners who leave at once, and only if
/// a learner leaves.
#[test]
fn the_file_is_rewritten_once_and_only_if_learners_leave() {
    let (source, _) = source();
    let recorder = Recorder::on(Vec::new());
    let follower = Engine::open_with_backend(recorder.clone(), options()).unwrap();
    let scope = Scope::default().school(SCHOOL);
    follow(&source, &follower, &scope);
    let syncs = |work: &dyn Fn()| {
        let before = recorder.entries().len();
        work();
        let entries = recorder.entries();
        let log = &entries[before..];
        windows(Vec::new(), log).len()
    };
    let line = |rest: &str| {
        let line = format!(r#"{{"type":"learner","school_id":{SCHOOL},{rest}}}"#);
        source.apply(line.as_bytes()).unwrap();
    };
    let changed = syncs(&|| {
        line(r#""id":3,"first_name":"Other""#);
        follow(&source, &follower, &scope);
    });
    let erased = |learners: &[u64]| {
        syncs(&|| {
            for learner in learners {
                source.erase_learner(SCHOOL, *learner).unwrap();
            }
            follow(&source, &follower, &scope);
        })
    };
    let (one, many) = (erased(&[ONE]), erased(&[4, 5, 6, 7]));
    assert!(changed < one, "{changed} {one}");
    // The number of syncs of one rewrite varies, but two rewrites would need more than this.
    assert!(many < one * 3 / 2, "{one} {many}");
}

/// A device may be killed after a feed, before all bytes of the learner are removed. The rest is
/// removed when the store is opened again.
#[test]
fn a_kill_after_a_feed_is_repaired_by_the_next_opening() {
    let (source, needles) = source();
    let scope = Scope::default().school(SCHOOL);
    let follower = Disk::default();
    follow(
        &source,
        &Engine::open_with_backend(follower.clone(), options()).unwrap(),
        &scope,
    );
    let durable = follower.bytes();
    let recorder = Recorder::on(durable.clone());
    let engine = Engine::open_with_backend(recorder.clone(), options()).unwrap();
    source.erase_learner(SCHOOL, ONE).unwrap();
    let after = engine.followed().unwrap();
    let lines = feed(&source, &scope, after.as_deref()).unwrap();
    recorder.operation(|| {
        let mut follow = engine.follow();
        follow.push(lines.concat().as_bytes()).unwrap();
        follow.finish().unwrap();
    });
    let log = recorder.entries();
    drop(engine);
    let (mut had_remains, mut images) = (0, 0);
    for (seed, window) in (0..).zip(windows(durable, &log).iter().step_by(extent(2, 1))) {
        for cut in [Cut::Nothing, Cut::Everything, Cut::Some(seed)] {
            let bytes = window.image(cut);
            let left = found(&bytes, &needles).len();
            let disk = Disk::new(bytes);
            let engine = Engine::open_with_backend(disk.clone(), options()).unwrap();
            let id = ONE.to_string();
            if records(&engine).iter().any(|line| line.contains(&id)) {
                continue;
            }
            images += 1;
            had_remains += usize::from(left > 0);
            assert_eq!(found(&disk.bytes(), &needles), [""; 0], "{seed} {cut:?}");
            assert!(engine.verify().unwrap().is_sound());
        }
    }
    println!("{images} images, {had_remains} had something left");
    assert!(had_remains > 5, "{had_remains} of {images}");
}

/// The same for a kill in a store that itself erases the learner.
#[test]
fn a_kill_within_an_erasure_is_repaired_by_the_next_opening() {
    let (source, needles) = source();
    let disk = Disk::default();
    let mut copy = Vec::new();
    for line in source.export(rollbook::Credentials::Keep).unwrap() {
        copy.extend(format!("{}\n", line.unwrap()).bytes());
    }
    let engine = Engine::open_with_backend(disk.clone(), options()).unwrap();
    engine.apply(&copy[..]).unwrap();
    drop(engine);
    let durable = disk.bytes();
    let recorder = Recorder::on(durable.clone());
    let engine = Engine::open_with_backend(recorder.clone(), options()).unwrap();
    recorder.operation(|| engine.erase_learner(SCHOOL, ONE).unwrap());
    let log = recorder.entries();
    drop(engine);
    let mut had_remains = 0;
    for window in windows(durable, &log).iter().step_by(extent(2, 1)) {
        let bytes = window.image(Cut::Everything);
        let left = found(&bytes, &needles).len();
        let disk = Disk::new(bytes);
        let engine = Engine::open_with_backend(disk.clone(), options()).unwrap();
        let id = ONE.to_string();
        if records(&engine).iter().any(|line| line.contains(&id)) {
            continue;
        }
        had_remains += usize::from(left > 0);
        assert_eq!(found(&disk.bytes(), &needles), [""; 0]);
    }
    assert!(had_remains > 2, "{had_remains}");
}

const SMALL: &str = r#"
{"type":"school","school_id":1,"current_year":2026}
{"type":"learner","school_id":1,"id":7,"first_name":"Anna","last_name":"A"}
{"type":"learner","school_id":1,"id":8,"first_name":"Ben","last_name":"B"}
{"type":"absentee","school_id":1,"id":3,"learner_id":7,"absent_date":"2026-05-04"}
{"type":"school","school_id":2,"current_year":2026}
{"type":"learner","school_id":2,"id":9,"first_name":"Cem"}
"#;

fn small() -> Engine {
    let source = Engine::memory(Options::default()).unwrap();
    source.apply(SMALL.as_bytes()).unwrap();
    source
}

/// Returns the status and the text of the answer about a learner.
fn answered(engine: &Engine, learner: u64) -> (u16, String) {
    let question = Learners {
        school: 1,
        learner_id: Some(learner),
        ..Learners::default()
    };
    let answer = engine.ask(&question).unwrap();
    (answer.status.code, answer.text().to_owned())
}

/// A device answers from its records until the next feed, and as its source afterwards.
#[test]
fn an_erased_learner_is_answered_until_the_next_feed() {
    for scope in [
        Scope::default().school(1),
        Scope::default().learners(1, [7, 8]),
    ] {
        let source = small();
        let device = Engine::memory(Options::default()).unwrap();
        follow(&source, &device, &scope);
        let before = answered(&device, 7);
        assert!(before.0 == 200 && before.1.contains("Anna"), "{before:?}");
        source.erase_learner(1, 7).unwrap();
        assert_eq!(answered(&source, 7).0, 404);
        assert_eq!(answered(&device, 7), before);
        assert_eq!(answered(&device, 8), answered(&source, 8));
        follow(&source, &device, &scope);
        assert_eq!(answered(&device, 7), answered(&source, 7));
        assert_eq!(answered(&device, 8), answered(&source, 8));
        // A learner who is enrolled again at the source is added again, because the device did not
        // erase the learner itself.
        source.apply(SMALL.as_bytes()).unwrap();
        follow(&source, &device, &scope);
        assert_eq!(answered(&device, 7), before);
    }
}

/// A person whom the device erased is not added again, even if the school leaves the scope and
/// enters it again, or if the scope changes.
#[test]
fn a_person_whom_the_device_erased_does_not_return_with_the_school() {
    let source = small();
    let whole = Scope::default().school(1).school(2);
    let device = Engine::memory(Options::default()).unwrap();
    follow(&source, &device, &whole);
    device.erase_learner(1, 7).unwrap();
    let is_absent = || {
        let lines = records(&device);
        lines
            .iter()
            .all(|line| !line.contains("Anna") && !line.contains(r#""learner_id":7"#))
    };
    assert!(is_absent());
    for other in [
        Scope::default().school(2),
        Scope::default(),
        Scope::default().learners(1, [8]),
        Scope::default().learners(1, [7]),
        Scope::default().school(1).only(["absentee"]).unwrap(),
    ] {
        for scope in [&other, &whole] {
            follow(&source, &device, scope);
            assert!(is_absent());
            assert!(device.verify().unwrap().is_sound());
        }
        assert_eq!(answered(&device, 8).0, 200);
        assert_eq!(answered(&device, 7).0, 404);
    }
    // Removing the school at the device ends that.
    device.remove_school(1).unwrap();
    follow(&source, &device, &whole);
    assert!(!is_absent());
}

/// A school that is no longer followed is unknown, even if learners of it were erased.
#[test]
fn an_erasure_alone_is_no_record_of_the_school() {
    let source = small();
    let device = Engine::memory(Options::default()).unwrap();
    follow(&source, &device, &Scope::default().school(1).school(2));
    device.erase_learner(1, 7).unwrap();
    follow(&source, &device, &Scope::default().school(2));
    let question = Learners {
        school: 1,
        ..Learners::default()
    };
    let refused = device.ask(&question).map(drop).unwrap_err();
    assert_eq!(refused.code(), "not_synced");
    assert_eq!(device.synced(1).unwrap(), None);
    // The app can now change the school.
    device
        .apply(SMALL.lines().nth(3).unwrap().as_bytes())
        .unwrap();
    assert_eq!(answered(&device, 8).0, 200);
}
