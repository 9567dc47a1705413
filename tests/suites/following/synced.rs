//! A source that is synced itself: its follower answers what it answers, and refuses what it
//! refuses, for want of having seen it.

use super::records;
use super::scope::{Learners, Reach};
use super::sent::bring;
use crate::sync::passes::{instant, pass};
use crate::sync::{ACCESS, SCHOOL, get, source, synced};
use rollbook::{Engine, Options, SyncOptions};
use rollbook_tests::random::Random;
use rollbook_tests::search::extent;
use rollbook_tests::world::{Action, World, blanked};

/// Asks both all that was asked in a world, now and later; gives how often, and how often
/// it was refused.
fn compare(mirror: &Engine, follower: &Engine, actions: &[Action], at: i64) -> (u64, u64) {
    let (mut asked, mut refused) = (0, 0);
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
            assert_eq!(answer, expected, "{target} at {now}");
            asked += 1;
            refused += u64::from(answer.0 == 503);
        }
    }
    (asked, refused)
}

#[test]
fn what_a_source_has_not_seen_its_follower_has_not_seen() {
    let (mut schools, mut asked, mut refused) = (0, 0, 0);
    for seed in 0..extent(12, 120) {
        let mut dice = Random::new(seed);
        let actions = World::new(seed).actions(120);
        let before = source(&actions[..actions.len() / 2]);
        let (Some(before), Some(after)) = (before, source(&actions)) else {
            continue;
        };
        let now = instant(&actions);
        let Some((mirror, ..)) = synced(&before, now, SyncOptions::default()) else {
            continue;
        };
        schools += 1;
        let follower = Engine::memory(Options::default()).unwrap();
        let reach = Reach {
            schools: [(SCHOOL, None)].into(),
            kinds: None,
        };
        for is_first in [true, false] {
            bring(&mut dice, &mirror, &follower, &reach.scope()).unwrap();
            follower.apply(ACCESS.as_bytes()).unwrap();
            let expected = reach.of(&records(&mirror), &Learners::new());
            assert_eq!(records(&follower), expected, "seed {seed}");
            let counts = compare(&mirror, &follower, &actions, now);
            asked += counts.0;
            refused += counts.1;
            if is_first && pass(&mirror, &after, now).is_none() {
                break;
            }
        }
    }
    println!("{schools} schools: {asked} asked, {refused} refused");
    assert!(schools > 3 && refused > 0 && refused * 2 < asked);
}
