//! A service and a network that fail in every way, by a seed and under a clock that only
//! this test moves: the end is the same.

use super::driven::lines;
use super::{NOW, SCHOOL, get, source, synced};
use rollbook::{Engine, NoReply, Options, Reply, Step, Sync, SyncOptions, SyncReport};
use rollbook_tests::random::Random;
use rollbook_tests::search::{extent, failures};
use rollbook_tests::world::World;

/// How a call goes.
#[derive(Clone, Copy)]
enum Way {
    Well,
    TooMany,
    TooManyFor(&'static str),
    Unwell(u16),
    Login,
    Short,
    None(NoReply),
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
    (2, Way::None(NoReply::Timeout)),
    (2, Way::None(NoReply::Cut)),
    (2, Way::None(NoReply::Offline)),
    (1, Way::Lost),
];

/// A reply on its way.
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
        sync.take(self.call, now, &reply).unwrap();
    }
}

/// A pass over all that; it is left and gone on with now and then.
fn pass(mirror: &Engine, source: &Engine, random: &mut Random) -> SyncReport {
    let start = || mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let (mut sync, mut now) = (start(), NOW);
    let mut on_the_way: Vec<Post> = Vec::new();
    loop {
        if random.chance(2) {
            sync = start();
        }
        if !on_the_way.is_empty() && random.chance(40) {
            let post = on_the_way.swap_remove(random.below(on_the_way.len()));
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
                let (status, retry_after, body) = match random.weighted(&WAYS) {
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
                        sync.fail(call.id, now, why).unwrap();
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
                assert!(until > now);
                match on_the_way.pop() {
                    Some(post) if random.chance(90) => post.hand_in(&sync, now),
                    _ => now = until,
                }
            }
            Step::Done(report) => return report,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn whatever_fails_the_end_is_the_same() {
    let failures = failures(extent(12, 400), |seed| {
        let Some(source) = source(&World::new(seed).actions(80)) else {
            return Ok(());
        };
        let Some((clean, report, _)) = synced(&source, NOW, SyncOptions::default()) else {
            return Ok(());
        };
        if !report.given_up.is_empty() {
            return Ok(());
        }
        let mirror = Engine::memory(Options::default()).unwrap();
        let report = pass(&mirror, &source, &mut Random::new(seed));
        assert_eq!((report.given_up, report.unsettled), (vec![], vec![]));
        let what = |engine: &Engine| {
            let seen = engine.synced(SCHOOL).unwrap().unwrap().seen;
            let seen = seen.into_iter();
            let seen = seen.map(|seen| (seen.what, seen.year, seen.days, seen.count));
            seen.collect::<Vec<_>>()
        };
        assert_eq!(what(&mirror), what(&clean));
        // Integrators are the app's.
        let own = |engine: &Engine| {
            let mut lines = lines(engine);
            let of_app = ["api_type", "integrator", "client_integration"];
            let of_app = of_app.map(|kind| format!("{{\"type\":\"{kind}\""));
            lines.retain(|line| !of_app.iter().any(|of| line.starts_with(of)));
            lines
        };
        assert_eq!(own(&mirror), own(&clean));
        assert!(mirror.verify().unwrap().is_sound());
        Ok(())
    });
    assert!(failures.is_empty(), "{failures:#?}");
}
