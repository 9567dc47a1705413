//! Followers of a source that is itself synced: a follower gives the answers of its source, and
//! also refuses what its source refuses because it was not fetched.

use super::questions::of_learner;
use super::records;
use super::scope::{LEARNERS, Learners, Reach};
use super::transfer::bring;
use crate::sync::passes::{instant, pass};
use crate::sync::{ACCESS, SCHOOL, get, source, synced};
use rollbook::{Engine, Options, SyncOptions};
use rollbook_tests::random::Random;
use rollbook_tests::search::{Counts, extent, search, seeds};
use rollbook_tests::world::{Action, World, blanked};
use std::collections::BTreeSet;

/// Lets the app of the tests ask a follower, which has the API types of its source.
fn grant(follower: &Engine) {
    let lines = ACCESS.lines();
    let own = lines.filter(|line| !line.contains(r#""type":"api_type""#));
    let own = own.collect::<Vec<_>>().join("\n");
    follower.apply(own.as_bytes()).unwrap();
}

/// Asks both stores all questions of a world, now and later.
fn compare(mirror: &Engine, follower: &Engine, actions: &[Action], at: i64, count: &Counts) {
    for action in actions {
        let Action::Request { method, target, .. } = action else {
            continue;
        };
        if method != "GET" || target.contains("cursor") {
            continue;
        }
        for now in [at, at + 40 * 86_400] {
            let [answer, expected] = [follower, mirror].map(|engine| {
                let answer = get(engine, target, now);
                (answer.status.code, blanked(answer.text()))
            });
            count.add("asked", 1);
            // Another school is unknown to the follower, and the mirror stores nothing about it.
            if answer.1.contains("not synced yet: any record of school") {
                let is_empty = expected.1.contains(r#""data":[]"#);
                let is_nothing = matches!(expected.0, 401 | 404) || is_empty;
                assert!(answer.0 == 503 && is_nothing, "{target}: {expected:?}");
                continue;
            }
            assert_eq!(answer, expected, "{target} at {now}");
            count.add("refused", u64::from(answer.0 == 503));
            count.add("found", u64::from(answer.0 == 200));
        }
    }
}

#[test]
fn a_follower_refuses_what_its_source_has_not_fetched() {
    let count = Counts::default();
    let worlds = search(
        seeds(extent(12, 120)),
        |seed| World::new(seed).actions(120),
        |seed, actions| {
            follow_a_mirror(seed, actions, &count);
            Ok(())
        },
    );
    println!("{worlds} worlds: {count}");
    let asked = count.get("asked");
    count.at_least("schools", worlds / 3);
    count.at_least("second passes", worlds / 4);
    count.at_least("asked", 40 * worlds);
    count.at_least("found", asked / 8);
    count.at_least("refused", 4 * worlds);
    assert!(count.get("refused") * 2 < asked, "{count}");
}

fn follow_a_mirror(seed: u64, actions: &[Action], count: &Counts) {
    let mut dice = Random::new(seed);
    let before = source(&actions[..actions.len() / 2]);
    let (Some(before), Some(after)) = (before, source(actions)) else {
        return;
    };
    let now = instant(actions);
    let (mirror, ..) = synced(&before, now, SyncOptions::default());
    count.add("schools", 1);
    let follower = Engine::memory(Options::default()).unwrap();
    let reach = Reach {
        schools: [(SCHOOL, None)].into(),
        kinds: None,
    };
    for is_first in [true, false] {
        bring(&mut dice, &mirror, &follower, &reach.scope()).unwrap();
        grant(&follower);
        let expected = reach.filter(&records(&mirror), &Learners::new());
        assert_eq!(records(&follower), expected);
        compare(&mirror, &follower, actions, now, count);
        if is_first {
            pass(&mirror, &after, now);
        }
    }
    count.add("second passes", 1);
}

/// After a change of learners in its scope, a follower has the same coverage as a new follower of
/// that scope: questions about a new learner are answered at once, and nothing remains of a removed
/// one.
#[test]
fn a_learner_who_enters_a_synced_scope_is_answered_at_once() {
    let count = Counts::default();
    let worlds = search(
        seeds(extent(8, 80)),
        |seed| World::new(seed).actions(80),
        |seed, actions| {
            enter_and_leave(seed, actions, &count);
            Ok(())
        },
    );
    println!("{worlds} worlds: {count}");
    count.at_least("schools", worlds / 3);
    count.at_least("answered", 15 * worlds);
    count.at_least("refused", 4 * worlds);
}

fn enter_and_leave(seed: u64, actions: &[Action], count: &Counts) {
    let mut dice = Random::new(seed);
    let now = instant(actions);
    let Some(source) = source(actions) else {
        return;
    };
    let (mirror, ..) = synced(&source, now, SyncOptions::default());
    count.add("schools", 1);
    let follower = Engine::memory(Options::default()).unwrap();
    let mut learners = BTreeSet::from([LEARNERS[0]]);
    for _ in 0..6 {
        let reach = Reach {
            schools: [(SCHOOL, Some(learners.clone()))].into(),
            kinds: None,
        };
        let fresh = Engine::memory(Options::default()).unwrap();
        for engine in [&follower, &fresh] {
            bring(&mut dice, &mirror, engine, &reach.scope()).unwrap();
            grant(engine);
        }
        let coverage = [&follower, &fresh].map(|engine| engine.synced(SCHOOL).unwrap());
        assert_eq!(coverage[0], coverage[1], "{learners:?}");
        for learner in &learners {
            for target in of_learner(SCHOOL, *learner) {
                let [answer, expected] = [&follower, &mirror].map(|engine| {
                    let answer = get(engine, &target, now);
                    (answer.status.code, blanked(answer.text()))
                });
                assert_eq!(answer, expected, "{target}");
                count.add("answered", u64::from(answer.0 == 200));
                count.add("refused", u64::from(answer.0 == 503));
            }
        }
        let learner = dice.pick(&LEARNERS);
        if !learners.remove(&learner) {
            learners.insert(learner);
        }
    }
}
