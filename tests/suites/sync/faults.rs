//! A service and a network that fail in every way, with a seed, and with a clock that this test
//! sets back and forth: the result is the same, and no wait is too long.

use super::steps::lines;
use super::{NOW, SCHOOL, get, source, synced};
use rollbook::{
    CallFailure, Engine, Options, Reply, Step, StopReason, Sync, SyncOptions, SyncReport,
};
use rollbook_tests::random::Random;
use rollbook_tests::search::{Counts, extent, search, seeds};
use rollbook_tests::world::{Action, World};
use std::collections::BTreeSet;

/// The fate of a call.
#[derive(Clone, Copy)]
enum Way {
    Well,
    TooMany,
    TooManyFor(&'static str),
    Unwell(u16),
    Login,
    Short,
    None(CallFailure),
    Lost,
}

const WAYS: [(usize, Way); 12] = [
    (80, Way::Well),
    (3, Way::TooMany),
    (1, Way::TooManyFor("7")),
    (1, Way::TooManyFor("Thu, 14 May 2026 08:00:30 GMT")),
    (3, Way::Unwell(500)),
    (2, Way::Unwell(503)),
    (2, Way::Login),
    (2, Way::Short),
    (2, Way::None(CallFailure::Timeout)),
    (2, Way::None(CallFailure::Cut)),
    (2, Way::None(CallFailure::Offline)),
    (1, Way::Lost),
];

/// A reply that has not arrived yet.
struct Post {
    call: u64,
    status: u16,
    retry_after: Option<&'static str>,
    body: Vec<u8>,
}

impl Post {
    fn hand_in(&self, sync: &Sync, now: i64) {
        let reply = Reply {
            status: self.status,
            retry_after: self.retry_after,
            body: &self.body,
        };
        sync.handle_reply(self.call, now, &reply).unwrap();
    }
}

/// The service may require an hour, and a device that is online again waits a little longer.
const LONGEST_WAIT: i64 = 3_660;

/// Returns another time of the clock, some seconds or years earlier or later.
pub(super) fn set(now: i64, random: &mut Random) -> i64 {
    let most = random.pick(&[
        5,
        200,
        4_000,
        90_000,
        40 * 86_400,
        400 * 86_400,
        4_000 * 86_400,
    ]);
    let by = i64::try_from(random.below(most)).unwrap();
    if random.chance(50) {
        now + by
    } else {
        now - by
    }
}

/// Runs a pass with all these faults, which is sometimes abandoned and continued.
fn pass(mirror: &Engine, source: &Engine, random: &mut Random, count: &Counts) -> SyncReport {
    let start = || mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let (mut sync, mut now) = (start(), NOW);
    let mut on_the_way: Vec<Post> = Vec::new();
    let (mut has_begun, mut has_contact) = (false, false);
    loop {
        if random.chance(2) {
            (sync, has_contact) = (start(), false);
            count.add("syncs that were left", 1);
        }
        // The days that are requested are decided when the pass begins.
        if has_begun && random.chance(4) {
            now = set(now, random);
            count.add("times the clock was set", 1);
        }
        if !on_the_way.is_empty() && random.chance(40) {
            let post = on_the_way.swap_remove(random.below(on_the_way.len()));
            has_contact = true;
            post.hand_in(&sync, now);
            if random.chance(20) {
                post.hand_in(&sync, now);
                on_the_way.push(post);
            }
        }
        match sync.next(now).unwrap() {
            Step::Send(call) => {
                let answer = get(source, &call.target, NOW);
                let whole = (answer.status.code, answer.body);
                has_begun = true;
                let way = random.weighted(&WAYS);
                count.add("calls in vain", u64::from(!matches!(way, Way::Well)));
                let (status, retry_after, body) = match way {
                    Way::Well => (whole.0, None, whole.1),
                    Way::TooMany => (429, None, Vec::new()),
                    Way::TooManyFor(time) => (429, Some(time), Vec::new()),
                    Way::Unwell(status) => (status, None, b"{\"error\":\"x\"}".to_vec()),
                    Way::Login => (200, None, b"<html>Log in</html>".to_vec()),
                    Way::Short => {
                        let length = random.below(whole.1.len());
                        (whole.0, None, whole.1[..length].to_vec())
                    }
                    Way::None(why) => {
                        sync.handle_failure(call.id, now, why).unwrap();
                        continue;
                    }
                    Way::Lost => continue,
                };
                on_the_way.push(Post {
                    call: call.id,
                    status,
                    retry_after,
                    body,
                });
            }
            Step::Wait { until } => {
                assert!(
                    until > now && until - now <= LONGEST_WAIT,
                    "{}",
                    until - now
                );
                match on_the_way.pop() {
                    Some(post) if random.chance(90) => {
                        has_contact = true;
                        post.hand_in(&sync, now);
                    }
                    _ => now = until,
                }
            }
            Step::Done(report) => return report,
            // The first calls failed, so that this sync never reached the service.
            Step::Stop {
                reason: StopReason::Unreachable,
                ..
            } => {
                assert!(!has_contact);
                count.add("syncs without contact", 1);
                sync = start();
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn whatever_fails_the_end_is_the_same() {
    let count = Counts::default();
    let worlds = search(
        // With the last seed, a sync is abandoned between the answer that names a grade and the
        // marks of that grade.
        seeds(extent(12, 400)).chain([3_394_768_124]),
        |seed| World::new(seed).actions(80),
        |seed, actions| {
            fail_and_compare(seed, actions, &count);
            Ok(())
        },
    );
    println!("{worlds} worlds: {count}");
    for (what, floor) in [
        ("schools", worlds / 2),
        ("records", 20 * worlds),
        ("calls in vain", 5 * worlds),
        ("syncs that were left", worlds),
        ("times the clock was set", worlds),
    ] {
        count.at_least(what, floor);
    }
}

fn fail_and_compare(seed: u64, actions: &[Action], count: &Counts) {
    let Some(source) = source(actions) else {
        return;
    };
    let (clean, expected, _) = synced(&source, NOW, SyncOptions::default());
    let mirror = Engine::memory(Options::default()).unwrap();
    let report = pass(&mirror, &source, &mut Random::new(seed), count);
    // An answer that cannot be read fails in any case.
    let failed = |report: SyncReport| {
        let failed = report.failed.into_iter();
        failed.map(|one| one.target).collect::<BTreeSet<_>>()
    };
    assert_eq!(report.unstable, [""; 0]);
    assert_eq!(failed(report), failed(expected));
    let what = |engine: &Engine| {
        let seen = engine.synced(SCHOOL).unwrap().unwrap().seen;
        let seen = seen.into_iter();
        let seen = seen.map(|seen| (seen.what, seen.year, seen.days, seen.count));
        seen.collect::<Vec<_>>()
    };
    assert_eq!(what(&mirror), what(&clean));
    // The app owns the integrators.
    let own = |engine: &Engine| {
        let mut lines = lines(engine);
        let of_app = ["api_type", "integrator", "client_integration"];
        let of_app = of_app.map(|kind| format!("{{\"type\":\"{kind}\""));
        lines.retain(|line| !of_app.iter().any(|of| line.starts_with(of)));
        lines
    };
    assert_eq!(own(&mirror), own(&clean));
    assert!(mirror.verify().unwrap().is_sound());
    count.add("schools", 1);
    count.add("records", own(&mirror).len() as u64);
}
