//! Kills a process while it loads: every change that was reported as committed is in the store, any
//! other is there completely or not at all, and the next opening is fast.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

use rollbook::{Credentials, Engine, Options};
use rollbook_tests::random::Random;
use rollbook_tests::search::{extent, first_seed};
use rollbook_tests::storage::child;
use rollbook_tests::storage::hooked_backend::Wrapping;
use rollbook_tests::storage::scenario::{SCHOOL, school, set_state};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// Every sixteenth change rewrites all learners; the others are small.
const LARGE: u64 = 16;
const LEARNERS: u64 = 300;

#[test]
fn kills() {
    if let Some(task) = child::task() {
        return write_for_ever(Path::new(&task));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let engine = Engine::open(&path, Options::default()).unwrap();
    engine.apply(school(SCHOOL, 20).as_bytes()).unwrap();
    engine.apply(change(0).as_bytes()).unwrap();
    engine.close().unwrap();
    let mut random = Random::new(first_seed() + 11);
    let (mut inside, mut writing, mut landed) = (0, 0, 0);
    let mut openings = Vec::new();
    let wanted = extent(20, 60);
    // The moment of a kill depends on the machine, so more kills may be necessary.
    while openings.len() < wanted || (writing < wanted / 4 && openings.len() < 4 * wanted) {
        let changes = kill_one(&path, &mut random);
        let started = Instant::now();
        let engine = Engine::open(&path, Options::default()).unwrap();
        openings.push(started.elapsed());
        let found = state_of(&engine);
        assert!(
            (changes.ended..=changes.begun).contains(&found),
            "change {found} is there; {} had ended, {} had begun",
            changes.ended,
            changes.begun
        );
        inside += usize::from(changes.begun > changes.ended);
        writing += usize::from(changes.writing);
        landed += usize::from(changes.begun > changes.ended && found == changes.begun);
        let verified = engine.verify().unwrap();
        assert!(verified.is_sound(), "{:?}", verified.problems);
        engine.close().unwrap();
    }
    openings.sort_unstable();
    let kills = openings.len();
    println!(
        "{kills} kills, {inside} inside a change, {writing} of them while it was \
         written, {landed} when it was there already; \
         opening took {:?} in the median, {:?} at most; the file has {} bytes",
        openings.get(kills / 2).unwrap(),
        openings.last().unwrap(),
        std::fs::metadata(&path).unwrap().len()
    );
    assert!(writing >= wanted / 4, "{writing} kills while writing");
    assert!(openings.get(kills / 2).unwrap() < &Duration::from_secs(1));
}

/// The last changes that a child began and completed before it was killed.
#[derive(Default)]
struct Changes {
    begun: u64,
    ended: u64,
    /// Whether the change that was begun had written something.
    writing: bool,
}

fn kill_one(path: &Path, random: &mut Random) -> Changes {
    let mut child = child::start("kill::kills", path.to_str().unwrap());
    let out = child.stdout.take().unwrap();
    let (said, heard) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        child::lines(out).for_each(|line| drop(said.send(line)));
    });
    let mut changes = Changes::default();
    let mut hear = |line: String| {
        let (what, number) = line.split_once(' ').unwrap();
        let number = number.parse().unwrap();
        match what {
            "open" => (changes.begun, changes.ended) = (number, number),
            "begin" => changes.begun = number,
            "write" => changes.writing = true,
            "end" => (changes.ended, changes.writing) = (number, false),
            _ => panic!("the child says {line}"),
        }
    };
    hear(heard.recv_timeout(Duration::from_secs(60)).unwrap());
    std::thread::sleep(Duration::from_micros(random.below(400_000) as u64));
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap();
    heard.try_iter().for_each(hear);
    changes
}

/// Runs in the child: makes one change after the other, and prints a line before each change, when
/// it is first written, and when it is complete.
fn write_for_ever(path: &Path) {
    let silent = Arc::new(AtomicBool::new(true));
    let announced = silent.clone();
    let backend = Wrapping::open(path, move || {
        if !announced.swap(true, Ordering::Relaxed) {
            child::say("write 0");
        }
    });
    let engine = Engine::open_with_backend(backend, Options::default()).unwrap();
    let mut number = state_of(&engine);
    child::say(&format!("open {number}"));
    loop {
        number += 1;
        child::say(&format!("begin {number}"));
        silent.store(false, Ordering::Relaxed);
        if number % LARGE == LARGE / 2 {
            assert_eq!(set_state(&engine, 8, state(number)).unwrap(), 200);
        } else {
            engine.apply(change(number).as_bytes()).unwrap();
        }
        silent.store(true, Ordering::Relaxed);
        child::say(&format!("end {number}"));
    }
}

/// Returns the state after a change. It is set half-way between two large changes.
fn state(number: u64) -> u64 {
    1 - (number + LARGE / 2) / LARGE % 2
}

/// Returns a change: its number is the name of a grade, and for a large change also the last name
/// of every learner.
fn change(number: u64) -> String {
    let mut dataset =
        format!(r#"{{"type":"grade","school_id":{SCHOOL},"grade_id":77,"grade":"{number}"}}"#);
    if number.is_multiple_of(LARGE) {
        for id in 1..=LEARNERS {
            let learner = format!(r#""school_id":{SCHOOL},"id":{id},"last_name":"{number}""#);
            write!(dataset, "\n{{\"type\":\"learner\",{learner}}}").unwrap();
        }
    }
    dataset
}

/// Returns the number of the last change in the store, after checking that it is complete.
fn state_of(engine: &Engine) -> u64 {
    let (mut names, mut learners) = (BTreeSet::new(), 0);
    let (mut grade, mut found_state) = (0, 0);
    for line in engine.export(Credentials::LeaveOut).unwrap() {
        let record: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let number = |name: &str| record.get(name).and_then(serde_json::Value::as_u64);
        let text = |name: &str| -> u64 { record[name].as_str().unwrap().parse().unwrap() };
        match (record["type"].as_str().unwrap(), number("grade_id")) {
            ("learner", _) => {
                learners += 1;
                names.insert(text("last_name"));
            }
            ("grade", Some(77)) => grade = text("grade"),
            ("client_integration", _) if number("api_type_id") == Some(8) => {
                found_state = number("state").unwrap_or(0);
            }
            _ => {}
        }
    }
    let large = grade / LARGE * LARGE;
    assert_eq!((names, learners), (BTreeSet::from([large]), LEARNERS));
    let set = grade % LARGE == LARGE / 2 - 1 && found_state == state(grade + 1);
    let number = grade + u64::from(set);
    assert_eq!(found_state, state(number));
    number
}
