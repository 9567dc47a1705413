//! Passes one after the other: what comes, changes and goes at the service.

use super::driven::{drive, little_school};
use super::{NOW, SCHOOL, get, has_great_number, reply, source, synced, year_of};
use rollbook::{Credentials, Engine, Step, SyncOptions, SyncReport, Taken, Why};
use rollbook_tests::search::extent;
use rollbook_tests::world::{Action, World, blanked};

/// The worlds to try: their seeds.
pub(super) fn seeds() -> std::ops::Range<u64> {
    let number = |name, otherwise| match std::env::var(name) {
        Ok(number) => number.parse().unwrap(),
        Err(_) => otherwise,
    };
    let first = number("ROLLBOOK_SEED", 0);
    first..first + number("ROLLBOOK_SEQUENCES", extent(25, 240))
}

/// The first instant at which a world is asked.
pub(crate) fn instant(actions: &[Action]) -> i64 {
    let instants = actions.iter().filter_map(|action| match action {
        Action::Request { now, .. } => Some(*now),
        _ => None,
    });
    instants.min().unwrap()
}

/// One more pass of a mirror; nothing if a great number hides the learners.
pub(crate) fn pass(mirror: &Engine, source: &Engine, now: i64) -> Option<SyncReport> {
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    loop {
        match sync.next(now).unwrap() {
            Step::Send(call) => {
                let answer = get(source, &call.target, now);
                let taken = sync.take(call.id, now, &reply(&answer)).unwrap();
                let is_read = matches!(taken, Taken::Kept | Taken::Same);
                let is_kept = is_read || has_great_number(answer.text());
                assert!(is_kept, "{taken:?} {}: {}", call.target, answer.text());
            }
            Step::Done(report) => return Some(report),
            Step::Stop(Why::Incomplete) => return None,
            other => panic!("{other:?}"),
        }
    }
}

/// Asks a mirror and its source each request of a world: the same answer, or that it is not
/// synced.
pub(super) fn compare(seed: u64, actions: &[Action], mirror: &Engine, source: &Engine, now: i64) {
    for action in actions {
        let Action::Request { method, target, .. } = action else {
            continue;
        };
        if method != "GET" || target.contains("cursor") {
            continue;
        }
        let answer = get(mirror, target, now);
        if answer.status.code == 503 {
            assert!(
                answer.text().contains("not synced yet: "),
                "{}",
                answer.text()
            );
            continue;
        }
        let expected = get(source, target, now);
        let [answer, expected] = [answer, expected].map(|of| (of.status.code, blanked(of.text())));
        assert_eq!(answer, expected, "seed {seed}: {target}");
    }
    assert!(mirror.verify().unwrap().is_sound(), "seed {seed}");
}

/// Records come, change and go at the service: after one more pass the mirror has followed.
#[test]
fn one_more_pass_follows_the_service() {
    let mut schools = 0;
    // By 75 a learner leaves whose subjects are asked for no more.
    for seed in seeds().chain([75]) {
        let actions = World::new(seed).actions(120);
        let before = source(&actions[..actions.len() / 2]);
        let (Some(before), Some(after)) = (before, source(&actions)) else {
            continue;
        };
        let now = instant(&actions);
        let Some((mirror, ..)) = synced(&before, now, SyncOptions::default()) else {
            continue;
        };
        // What is given up keeps what it had, which is old.
        let Some(report) = pass(&mirror, &after, now) else {
            continue;
        };
        assert!(report.held.is_empty(), "seed {seed}");
        if !report.given_up.is_empty() {
            continue;
        }
        compare(seed, &actions, &mirror, &after, now);
        // What was seen of a year that is over stays, and is not asked for again.
        if year_of(&before) == year_of(&after) {
            let (again, ..) = synced(&mirror, now, SyncOptions::default()).unwrap();
            assert_eq!(records(&again), records(&mirror), "seed {seed}");
        }
        schools += 1;
    }
    assert!(schools > 0);
}

/// The records of a mirror, but for grades: that a grade had a short name shows nowhere once
/// nobody takes a subject in it.
fn records(engine: &Engine) -> Vec<String> {
    let lines = engine.export(Credentials::LeaveOut).unwrap();
    let lines = lines.map(Result::unwrap);
    lines
        .filter(|line| !line.starts_with(r#"{"type":"grade","#))
        .collect()
}

/// What a mirror says of its source is all that there is to say of the mirror.
#[test]
fn a_mirror_of_a_mirror_is_the_same() {
    for seed in seeds() {
        let actions = World::new(seed).actions(120);
        let Some(source) = source(&actions) else {
            continue;
        };
        let now = instant(&actions);
        let Some((mirror, report, _)) = synced(&source, now, SyncOptions::default()) else {
            continue;
        };
        if !report.given_up.is_empty() {
            continue;
        }
        let (again, ..) = synced(&mirror, now, SyncOptions::default()).unwrap();
        let lines = |engine: &Engine| {
            let lines = engine.export(Credentials::LeaveOut).unwrap();
            lines.map(Result::unwrap).collect::<Vec<String>>()
        };
        assert_eq!(lines(&again), lines(&mirror), "seed {seed}");
    }
}

/// A service that is half up answers short lists.
#[test]
fn what_would_take_away_much_is_held_until_it_is_confirmed() {
    let school = |learners: std::ops::Range<u32>| {
        let source = little_school();
        let learner = |id| format!("{{\"type\":\"learner\",\"school_id\":1000,\"id\":{id}}}\n");
        let learners: String = learners.map(learner).collect();
        source.apply(learners.as_bytes()).unwrap();
        source
    };
    let (whole, half) = (school(10..60), school(10..35));
    let (mirror, ..) = synced(&whole, NOW, SyncOptions::default()).unwrap();
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let held = |step: rollbook::Result<Step>| match step {
        Ok(Step::Done(report)) => report.held,
        other => panic!("{other:?}"),
    };
    let mut left = held(drive(&sync, &half, &|_| None));
    assert!(!left.is_empty());
    let listed = "/api/v1/adminplus/learners/1000";
    assert_eq!(get(&mirror, listed, NOW), get(&whole, listed, NOW));
    assert_eq!(
        sync.confirm("/api/v1/none").unwrap_err().code(),
        "unsupported"
    );
    while let Some(target) = left.first() {
        sync.confirm(target).unwrap();
        let now = held(drive(&sync, &half, &|_| None));
        assert!(now.len() < left.len(), "{now:?}");
        left = now;
    }
    assert_eq!(get(&mirror, listed, NOW), get(&half, listed, NOW));
}
