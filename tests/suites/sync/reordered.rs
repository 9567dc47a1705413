//! Several calls are in flight while the service changes. Each is answered at some instant between
//! the call and its reply, and the replies arrive in any order.

use super::machine::options;
use super::passes::{check_floors, compare, differences, instant, mirror_with_grades_of, pass};
use super::{ACCESS, SCHOOL, get, reply, source};
use rollbook::{Call, Engine, Options, ReplyOutcome, Step};
use rollbook_tests::random::Random;
use rollbook_tests::search::{Counts, extent, search, seeds};
use rollbook_tests::world::{Action, World};

/// Runs a pass while the service goes through these states.
fn changing_pass(mirror: &Engine, states: &[Engine], random: &mut Random, now: i64) {
    let sync = mirror
        .sync(SCHOOL, options(random.pick(&[0, 3, u32::MAX])))
        .unwrap();
    let (mut state, mut now) = (0, now);
    // The calls in flight, with the state of the service when each was sent.
    let mut calls: Vec<(Call, usize)> = Vec::new();
    loop {
        match sync.next(now).unwrap() {
            Step::Send(call) => calls.push((call, state)),
            Step::Wait { until } if calls.is_empty() => now = until,
            Step::Wait { .. } => {
                if random.chance(8) {
                    state = (state + 1).min(states.len() - 1);
                }
                let (call, sent) = calls.swap_remove(random.below(calls.len()));
                let source = &states[random.between(sent, state)];
                let answer = get(source, &call.target, now);
                let outcome = sync.handle_reply(call.id, now, &reply(&answer)).unwrap();
                assert_ne!(outcome, ReplyOutcome::Stale, "{}", call.target);
            }
            Step::Done(_) | Step::Stop { .. } => return,
            other => panic!("{other:?}"),
        }
    }
}

fn check(seed: u64, actions: &[Action], counts: &Counts) {
    let states = (1..=6).filter_map(|sixth| source(&actions[..actions.len() * sixth / 6]));
    let states: Vec<Engine> = states.collect();
    let Some(last) = states.last() else {
        return;
    };
    let now = instant(actions);
    let mut random = Random::new(seed);
    let mirror = Engine::memory(Options::default()).unwrap();
    changing_pass(&mirror, &states, &mut random, now);
    assert!(mirror.verify().unwrap().is_sound());
    for _ in 0..random.below(3) {
        pass(&mirror, last, now);
    }
    let mut report = pass(&mirror, last, now);
    // A world may remove as much as a service that is partly down.
    for _ in 0..3 {
        let sync = mirror.sync(SCHOOL, options(u32::MAX)).unwrap();
        for answer in &report.quarantined {
            sync.approve(&answer.target).unwrap();
        }
        report = pass(&mirror, last, now);
    }
    assert_eq!(report.quarantined, []);
    if !report.failed.is_empty() {
        return;
    }
    mirror.apply(ACCESS.as_bytes()).unwrap();
    compare(actions, &mirror, last, now, counts);
    let fresh = mirror_with_grades_of(&mirror, last, now);
    assert_eq!(differences(&fresh, &mirror), [""; 0]);
    counts.add("schools", 1);
}

#[test]
fn replies_may_arrive_in_any_order() {
    let counts = Counts::default();
    let worlds = search(
        // With seeds 281 and 2105, an assessment moves to another grade during the pass.
        seeds(extent(20, 600)).chain([281, 2105]),
        |seed| World::new(seed).actions(120),
        |seed, actions| {
            check(seed, actions, &counts);
            Ok(())
        },
    );
    check_floors(worlds, &counts);
}
