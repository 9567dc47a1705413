//! Cuts the power at each sync of the disk, at the follower and at the source: each part of a
//! feed is stored completely and together with its resume token, or not at all, and the next feed
//! continues there.

use super::records;
use super::scope::{Learners, Reach};
use super::transfer::{bring, feed};
use rollbook::{Engine, Options};
use rollbook_tests::random::Random;
use rollbook_tests::search::{Counts, extent, first_seed};
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::images::{Cut, Window, windows};
use rollbook_tests::storage::recorder::{Entry, Recorder};
use rollbook_tests::world::{Action, World};
use std::collections::BTreeMap;

fn recorded(recorder: &Recorder) -> Engine {
    Engine::open_with_backend(recorder.clone(), Options::default()).unwrap()
}

/// Returns datasets of a world, beginning with the one that fills it.
pub(super) fn datasets(seed: u64, count: usize) -> Vec<String> {
    let mut world = World::new(seed);
    let first = world.actions(1);
    let more = std::iter::repeat_with(|| world.action());
    let all = first.into_iter().chain(more);
    let lines = all.filter_map(|action| match action {
        Action::Apply(lines) => Some(lines.join("\n")),
        _ => None,
    });
    lines.take(count).collect()
}

/// Opens what remains after a cut. Returns `None` if the store did not exist yet.
fn opened(window: &Window, cut: Cut) -> Option<Engine> {
    let disk = Disk::new(window.image(cut));
    match Engine::open_with_backend(disk, Options::default()) {
        Ok(engine) => Some(engine),
        Err(error) => {
            assert!(window.returned < 1, "{error}");
            None
        }
    }
}

/// Tries cuts in every other window, or in each: cuts with missing writes, single or many, and with
/// torn writes.
fn each_cut(log: &[Entry], mut attempt: impl FnMut(&Window, Cut)) {
    for window in windows(Vec::new(), log).iter().step_by(extent(2, 1)) {
        for cut in window.cuts(extent(1, 4), extent(1, 8)) {
            attempt(window, cut);
        }
    }
}

#[test]
fn a_follower_continues_after_a_power_cut() {
    let mut dice = Random::new(first_seed() + 5);
    let source = Engine::memory(Options::default()).unwrap();
    let recorder = Recorder::on(Vec::new());
    let follower = recorder.operation(|| recorded(&recorder));
    let mut reach = Reach::of_all();
    // The records at each resume token, and the tokens in order.
    let mut states = BTreeMap::from([(None, records(&follower))]);
    let mut order = vec![None];
    // The number of tokens after each number of operations that have returned.
    let mut reached = vec![1, 1];
    for dataset in datasets(first_seed() + 11, 12) {
        drop(source.apply(dataset.as_bytes()));
        let after = follower.followed().unwrap();
        let mut follow = follower.follow();
        for line in feed(&source, &reach.scope(), after.as_deref()).unwrap() {
            recorder.operation(|| follow.push(line.as_bytes()).unwrap());
            let position = follower.followed().unwrap();
            if order.last() != Some(&position) {
                states.insert(position.clone(), records(&follower));
                order.push(position);
            }
            reached.push(order.len());
        }
        follow.finish().unwrap();
        reach = reach.changed(&mut dice);
    }
    let no_learners = Learners::new();
    let expected = reach.filter(&records(&source), &no_learners);
    let log = recorder.entries();
    drop(follower);
    let count = Counts::default();
    each_cut(&log, |window, cut| {
        let Some(follower) = opened(window, cut) else {
            return;
        };
        let position = follower.followed().unwrap();
        assert_eq!(Some(&records(&follower)), states.get(&position), "{cut:?}");
        let place = order.iter().position(|one| *one == position).unwrap();
        let least = reached.get(window.returned).copied().unwrap_or(1);
        assert!(place + 1 >= least, "{cut:?}: {place} of {least}");
        bring(&mut dice, &source, &follower, &reach.scope()).unwrap();
        assert_eq!(records(&follower), expected, "{cut:?}");
        assert!(follower.verify().unwrap().is_sound());
        count.add("stores opened", 1);
    });
    println!("{count} of {} parts", order.len());
    count.at_least("stores opened", extent(50, 400));
    assert!(order.len() > 12);
}

/// The journal of a source agrees with its records after any cut, so a follower with an earlier
/// token receives what it lacks.
#[test]
fn a_follower_continues_after_a_power_cut_at_its_source() {
    let mut dice = Random::new(first_seed() + 6);
    let recorder = Recorder::on(Vec::new());
    let source = recorder.operation(|| recorded(&recorder));
    let mut reach = Reach::of_all();
    let disk = Disk::default();
    let follower = super::open(&disk);
    // The file of the follower after each number of operations that have returned.
    let mut followers = vec![disk.bytes(), disk.bytes()];
    for dataset in datasets(first_seed() + 12, 16) {
        recorder.operation(|| drop(source.apply(dataset.as_bytes())));
        bring(&mut dice, &source, &follower, &reach.scope()).unwrap();
        followers.push(disk.bytes());
        reach = reach.changed(&mut dice);
    }
    let log = recorder.entries();
    drop((source, follower));
    let count = Counts::default();
    each_cut(&log, |window, cut| {
        let Some(source) = opened(window, cut) else {
            return;
        };
        let last = window.returned.min(followers.len() - 1);
        for place in [last, dice.between(0, last)] {
            let follower = super::open(&Disk::new(followers[place].clone()));
            for _ in 0..2 {
                bring(&mut dice, &source, &follower, &reach.scope()).unwrap();
                let expected = reach.filter(&records(&source), &Learners::new());
                assert_eq!(records(&follower), expected, "{cut:?} at {place}");
                let line = r#"{"type":"gender","id":77,"name":"Other"}"#;
                source.apply(line.as_bytes()).unwrap();
            }
            count.add("followers compared", 1);
        }
        count.add("stores opened", 1);
    });
    println!("{count}");
    count.at_least("stores opened", extent(40, 300));
}
