//! A service that changes between calls: readers see whole passes, and once it is quiet one
//! pass is exact.

use super::driven::lines;
use super::passes::{compare, instant, pass};
use super::{SCHOOL, get, has_great_number, reply, source};
use rollbook::{Engine, Options, Step, SyncOptions, Taken};
use rollbook_tests::random::Random;
use rollbook_tests::search::extent;
use rollbook_tests::world::World;

#[test]
fn once_the_service_is_quiet_one_pass_is_exact() {
    let mut schools = 0;
    // By 153 a learner leaves while it is asked, and comes back.
    for seed in (0..extent(15, 240)).chain([153]) {
        let actions = World::new(seed).actions(120);
        let states = (1..=6).filter_map(|sixth| source(&actions[..actions.len() * sixth / 6]));
        let states: Vec<Engine> = states.collect();
        let Some(last) = states.last() else {
            continue;
        };
        let now = instant(&actions);
        let mut random = Random::new(seed);
        let mirror = Engine::memory(Options::default()).unwrap();
        let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
        let mut state = 0;
        loop {
            match sync.next(now).unwrap() {
                Step::Send(call) => {
                    if random.chance(8) {
                        state = (state + 1).min(states.len() - 1);
                    }
                    let answer = get(&states[state], &call.target, now);
                    let before = (seed < 4).then(|| lines(&mirror));
                    let taken = sync.take(call.id, now, &reply(&answer)).unwrap();
                    let is_read = matches!(taken, Taken::Kept | Taken::Same | Taken::GivenUp);
                    assert!(is_read || has_great_number(answer.text()), "{taken:?}");
                    if let Some(before) = before {
                        assert_eq!(lines(&mirror), before, "an answer is seen alone");
                    }
                }
                Step::Done(_) | Step::Stop(_) => break,
                other => panic!("{other:?}"),
            }
        }
        assert!(mirror.verify().unwrap().is_sound(), "seed {seed}");
        let Some(report) = pass(&mirror, last, now) else {
            continue;
        };
        assert!(report.held.is_empty(), "seed {seed}");
        if !report.given_up.is_empty() {
            continue;
        }
        mirror.apply(super::ACCESS.as_bytes()).unwrap();
        compare(seed, &actions, &mirror, last, now);
        schools += 1;
    }
    assert!(schools > 0);
}
