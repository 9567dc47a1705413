//! Wrong clocks of the caller and of the store, which are set back and forth: after the clock of
//! the caller is corrected, one pass is exact, and whatever the clock of the store says, the store
//! answers as the service would at that time.

use super::answers::School;
use super::faults::set;
use super::machine::{self, grades, mirror};
use super::passes::instant;
use super::steps::drive_from;
use super::{ACCESS, NOW, SCHOOL, get, later, reply, source};
use rollbook::{Clock, Engine, Options, ReplyOutcome, Request, Step, SyncOptions};
use rollbook_tests::random::Random;
use rollbook_tests::search::{Counts, extent, search, seeds};
use rollbook_tests::world::{Action, World, blanked};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Runs a pass with a clock, which requests everything again. Returns the targets that were read.
fn pass(mirror: &Engine, source: &Engine, now: i64, mut clock: impl FnMut() -> i64) -> Vec<String> {
    let mut options = SyncOptions::default();
    options.rotate = Some(u32::MAX);
    let sync = mirror.sync(SCHOOL, options).unwrap();
    let mut read = Vec::new();
    loop {
        match sync.next(clock()).unwrap() {
            Step::Send(call) => {
                let answer = get(source, &call.target, now);
                let taken = sync
                    .handle_reply(call.id, clock(), &reply(&answer))
                    .unwrap();
                let is_read = matches!(taken, ReplyOutcome::Stored | ReplyOutcome::Unchanged);
                assert!(is_read, "{taken:?} {}: {}", call.target, answer.text());
                read.push(call.target);
            }
            Step::Done(report) => {
                assert_eq!(report.unstable, [""; 0]);
                assert_eq!(report.findings, []);
                return read;
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn once_the_clock_is_right_one_pass_is_exact() {
    let count = Counts::default();
    let worlds = search(
        seeds(extent(25, 100)),
        |seed| World::new(seed).actions(100),
        |seed, actions| {
            run(seed, actions, &count);
            Ok(())
        },
    );
    println!("{worlds} worlds: {count}");
    let asked = count.get("asked");
    for (what, floor) in [
        ("schools", worlds / 3),
        ("passes under a wrong clock", worlds / 2),
        ("asked", 20 * worlds),
        ("found", asked / 5),
        ("refusals predicted", 2 * worlds),
        ("asked at other times", 50 * worlds),
        ("found at other times", 20 * worlds),
        ("refused at other times", 4 * worlds),
    ] {
        count.at_least(what, floor);
    }
}

fn run(seed: u64, actions: &[Action], count: &Counts) {
    let mut dice = Random::new(!seed);
    let Some(source) = source(actions) else {
        return;
    };
    let now = instant(actions);
    let hand = Arc::new(AtomicI64::new(now));
    let shown = hand.clone();
    let options = Options {
        clock: Clock::custom(move || shown.load(Ordering::Relaxed)),
        ..Options::default()
    };
    let mirror = Engine::memory(options).unwrap();
    for _ in 0..dice.between(1, 2) {
        let mut time = now;
        let wrong = || {
            if dice.chance(10) {
                time = set(time, &mut dice);
            }
            time
        };
        pass(&mirror, &source, now, wrong);
        count.add("passes under a wrong clock", 1);
    }
    let read = pass(&mirror, &source, now, || now);
    count.add("schools", 1);
    mirror.apply(ACCESS.as_bytes()).unwrap();
    let gets: Vec<_> = actions.iter().filter_map(Action::question).collect();
    let school = School::new([source, mirror], now, &read, true, count);
    for target in gets.iter().map(|(target, _)| *target) {
        school.ask([target, target]);
    }
    let still = later::still(&school.source, now);
    for (target, own) in gets {
        for at in [own, set(now, &mut dice), set(now, &mut dice)] {
            hand.store(at, Ordering::Relaxed);
            let answer = at_its_clock(&school.mirror, target);
            count.add("asked at other times", 1);
            if answer.0 == 503 {
                count.add("refused at other times", 1);
                continue;
            }
            let expected = get(&still, target, at);
            let expected = (expected.status.code, blanked(expected.text()));
            assert_eq!(answer, expected, "{target} at {at}, synced at {now}");
            count.add("found at other times", u64::from(answer.0 == 200));
        }
    }
    assert!(school.mirror.verify().unwrap().is_sound());
}

/// A clock was once ahead. The next pass, whose answers are unchanged, have failed or have changed,
/// shows the right time.
#[test]
fn after_a_pass_no_age_is_in_the_future() {
    for what in ["unchanged", "failed", "changed"] {
        let source = grades(3);
        let mirror = mirror();
        let sync = || mirror.sync(SCHOOL, machine::options(0)).unwrap();
        drive_from(&sync(), &source, NOW + 400 * 86_400, &|_| None).unwrap();
        if what == "changed" {
            let line = r#"{"type":"learner","school_id":1000,"id":2,"first_name":"New"}"#;
            source.apply(line.as_bytes()).unwrap();
        }
        let fails = |target: &str| {
            let is_failing = what == "failed" && target.contains("staffmembers");
            is_failing.then_some((400, "{}"))
        };
        drive_from(&sync(), &source, NOW, &fails).unwrap();
        let coverage = mirror.synced(SCHOOL).unwrap().unwrap();
        assert!(coverage.as_of <= Some(NOW), "{what} {:?}", coverage.as_of);
        for seen in coverage.seen {
            assert!(seen.as_of <= NOW, "{what} {seen:?}");
        }
    }
}

/// Returns the answer of a store at the time of its own clock.
fn at_its_clock(engine: &Engine, target: &str) -> (u16, String) {
    let answer = engine.request(&Request {
        target,
        headers: &[
            ("HTTP-X-USERNAME", "sync"),
            ("HTTP-X-PASSWORD", "sync"),
            ("HTTP-X-SCHOOLID", "1000"),
        ],
        ..Request::default()
    });
    (answer.status.code, blanked(answer.text()))
}
