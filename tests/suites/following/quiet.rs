//! A device that polls continuously and has nothing to receive is never sent a whole feed, however
//! often its source is opened and whatever else changes at the source. It writes its file seldom.

use super::transfer::{bring, feed, push};
use super::{open, records};
use rollbook::{Engine, Options, Scope};
use rollbook_tests::random::Random;
use rollbook_tests::storage::disk::Disk;

const SOURCE: &str = r#"
{"type":"school","school_id":1,"current_year":2026}
{"type":"grade","school_id":1,"grade_id":9,"grade":"7"}
{"type":"parent","school_id":1,"id":5,"first_name":"Zoe"}
{"type":"learner","school_id":1,"id":7,"first_name":"Anna","parent1_id":5}
{"type":"learner","school_id":1,"id":8,"first_name":"Ben"}
{"type":"school","school_id":2,"current_year":2026}
"#;

/// A device that requests feeds as `follow_from` does, and applies them.
struct Device {
    engine: Engine,
    scope: Scope,
    /// The number of feeds with changes that it was sent.
    sent: usize,
    /// The number of times that a whole school, or all tables of no school, were sent.
    whole: usize,
}

impl Device {
    fn new(source: &Engine, scope: Scope) -> Device {
        let engine = Engine::memory(Options::default()).unwrap();
        bring(&mut Random::new(1), source, &engine, &scope).unwrap();
        Device {
            engine,
            scope,
            sent: 0,
            whole: 0,
        }
    }

    fn poll(&mut self, source: &Engine) {
        let after = self.engine.followed().unwrap();
        let asked = source.feed(&self.scope, after.as_deref()).unwrap();
        if !asked.has_changes() {
            return;
        }
        self.sent += 1;
        let lines: Vec<String> = asked.map(|line| line.unwrap() + "\n").collect();
        let is_whole = |line: &&String| line.starts_with(r#"{"type":"whole""#);
        self.whole += lines.iter().filter(is_whole).count();
        push(&mut Random::new(1), &self.engine, lines.concat().as_bytes()).unwrap();
    }
}

fn apply(engine: &Engine, line: &str) {
    engine.apply(line.as_bytes()).unwrap();
}

fn name(engine: &Engine, learner: u64, name: &str) {
    let line =
        format!(r#"{{"type":"learner","school_id":1,"id":{learner},"first_name":"{name}"}}"#);
    apply(engine, &line);
}

/// A source recognises the commits of its last 64 openings.
#[test]
fn a_device_outlives_any_number_of_openings_of_its_source() {
    let disk = Disk::default();
    let source = open(&disk);
    apply(&source, SOURCE);
    let mut device = Device::new(&source, Scope::default().learners(1, [7]));
    drop(source);
    for round in 0..200 {
        let source = open(&disk);
        apply(
            &source,
            &format!(r#"{{"type":"grade","school_id":2,"grade_id":{round}}}"#),
        );
        for _ in 0..3 {
            device.poll(&source);
        }
        if round % 50 == 49 {
            // An opening without a write changes nothing.
            let sent = device.sent;
            drop(source);
            device.poll(&open(&disk));
            assert_eq!(device.sent, sent);
        }
    }
    assert_eq!(device.whole, 0);
    assert!((1..=200).contains(&device.sent), "{}", device.sent);
    let source = open(&disk);
    name(&source, 7, "Anne");
    device.poll(&source);
    assert_eq!(device.whole, 0);
    assert!(records(&device.engine).concat().contains("Anne"));
}

/// Marks of another learner fill the journal of the school several times.
#[test]
fn a_device_outlives_any_number_of_changes_of_others() {
    const BOUND: u64 = 8_000;
    let options = Options {
        journal_bytes: BOUND,
        ..Options::default()
    };
    let source = Engine::memory(options).unwrap();
    apply(&source, SOURCE);
    let mut device = Device::new(&source, Scope::default().learners(1, [7]));
    let rounds = 3_000;
    for round in 0..rounds {
        apply(
            &source,
            &format!(
                r#"{{"type":"mark","school_id":1,"assessment_id":{round},"learner_id":8,"mark":"5"}}"#
            ),
        );
        device.poll(&source);
    }
    assert_eq!(device.whole, 0);
    // An entry of the journal takes up to 45 bytes, and half of the limit is used before the device
    // is sent a new resume token.
    let most = rounds * 45 / (usize::try_from(BOUND).unwrap() / 2) + 1;
    assert!((1..=most).contains(&device.sent), "{}", device.sent);
    name(&source, 7, "Anne");
    device.poll(&source);
    assert_eq!(device.whole, 0);
    assert!(records(&device.engine).concat().contains("Anne"));
}

/// The same if the tables that belong to no school change.
#[test]
fn a_device_receives_its_token_with_each_change() {
    let source = Engine::memory(Options::default()).unwrap();
    apply(&source, SOURCE);
    let mut device = Device::new(&source, Scope::default().school(1));
    for round in 0..20 {
        apply(
            &source,
            &format!(r#"{{"type":"gender","id":1,"name":"{round}"}}"#),
        );
        device.poll(&source);
        let again = device.engine.followed().unwrap();
        let lines = feed(&source, &device.scope, again.as_deref()).unwrap();
        assert_eq!(lines, [""; 0]);
    }
    assert_eq!((device.sent, device.whole), (20, 0));
}

/// A device that did not poll for a longer time is sent everything.
#[test]
fn a_device_that_did_not_poll_for_long_receives_everything() {
    let disk = Disk::default();
    let source = open(&disk);
    apply(&source, SOURCE);
    let mut device = Device::new(&source, Scope::default().learners(1, [7]));
    drop(source);
    for round in 0..70 {
        let source = open(&disk);
        apply(
            &source,
            &format!(r#"{{"type":"grade","school_id":2,"grade_id":{round}}}"#),
        );
    }
    device.poll(&open(&disk));
    assert_eq!((device.sent, device.whole), (1, 2));
}
