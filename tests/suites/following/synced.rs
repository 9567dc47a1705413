//! Followers of a source that is itself synced: a follower gives the answers of its source, and
//! also refuses what its source refuses because it was not fetched.

use super::questions::of_learner;
use super::records;
use super::scope::{LEARNERS, Learners, Reach};
use super::transfer::bring;
use crate::erased::portrait::{Needle, found, id_needles};
use crate::sync::passes::{instant, pass};
use crate::sync::{ACCESS, NOW, SCHOOL, get, reply, source, synced};
use rollbook::{Compaction, Engine, Options, Scope, Step, SyncOptions};
use rollbook_tests::random::Random;
use rollbook_tests::search::{Counts, extent, search, seeds};
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::scenario::school;
use rollbook_tests::world::{Action, World, blanked};
use std::collections::BTreeSet;

const ONE: u64 = 0x5eed_c0de_9b3d_01e7;

const OTHER_SCHOOL: &str = r#"
{"type":"school","school_id":2,"current_year":2026,"school_name":"Second"}
{"type":"grade","school_id":2,"grade_id":9,"grade":"7"}
"#;

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

/// A follower of a source whose first pass is not complete gives the answers of its source, and
/// refuses what was not fetched yet.
#[test]
fn a_follower_of_a_school_in_its_first_pass_refuses_the_rest() {
    let count = Counts::default();
    let worlds = search(
        seeds(extent(4, 40)),
        |seed| World::new(seed).actions(80),
        |seed, actions| {
            follow_the_first_pass(seed, actions, &count);
            Ok(())
        },
    );
    println!("{worlds} worlds: {count}");
    count.at_least("publications", worlds);
    count.at_least("found", worlds);
    count.at_least("refused", 4 * worlds);
}

fn follow_the_first_pass(seed: u64, actions: &[Action], count: &Counts) {
    let mut dice = Random::new(seed);
    let now = instant(actions);
    let Some(source) = source(actions) else {
        return;
    };
    let mirror = Engine::memory(Options::default()).unwrap();
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let follower = Engine::memory(Options::default()).unwrap();
    let scope = Scope::default().school(SCHOOL);
    let mut before = None;
    while let Step::Send(call) = sync.next(now).unwrap() {
        let answer = get(&source, &call.target, now);
        sync.handle_reply(call.id, now, &reply(&answer)).unwrap();
        let coverage = mirror.synced(SCHOOL).unwrap();
        if coverage.is_none() || coverage == before {
            continue;
        }
        if before.is_none() {
            mirror.apply(ACCESS.as_bytes()).unwrap();
        }
        before = coverage;
        bring(&mut dice, &mirror, &follower, &scope).unwrap();
        grant(&follower);
        compare(&mirror, &follower, actions, now, count);
        count.add("publications", 1);
    }
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

/// Returns what is searched for in the file of a device about a learner of a school, the service
/// that has the school, and a mirror of it.
fn mirror_of_a_portrait() -> (Vec<Needle>, Engine, Engine) {
    let service = Engine::memory(Options::default()).unwrap();
    service.apply(school(SCHOOL, 12).as_bytes()).unwrap();
    service.apply(ACCESS.as_bytes()).unwrap();
    let line = format!(
        r#"{{"type":"learner","school_id":{SCHOOL},"id":{ONE},"first_name":"Anna","status":"current","grade_id":4}}"#
    );
    service.apply(line.as_bytes()).unwrap();
    let (mirror, ..) = synced(&service, NOW, SyncOptions::default());
    (id_needles(ONE), service, mirror)
}

/// The coverage of a synced school names its learners.
#[test]
fn coverage_does_not_name_a_learner_whom_the_device_erased() {
    let (needles, service, mirror) = mirror_of_a_portrait();
    let disk = Disk::default();
    let options = || Options {
        compaction: Compaction::Manual,
        ..Options::default()
    };
    let device = Engine::open_with_backend(disk.clone(), options()).unwrap();
    let scope = Scope::default().school(SCHOOL);
    let follow = || bring(&mut Random::new(1), &mirror, &device, &scope).unwrap();
    let coverage = follow().concat();
    assert!(coverage.contains(&ONE.to_string()), "{coverage}");
    device.erase_learner(SCHOOL, ONE).unwrap();
    assert_eq!(found(&disk.bytes(), &needles), [""; 0]);
    let erased = device.synced(SCHOOL).unwrap();
    // A learner who enters the school changes its coverage.
    let line = format!(
        r#"{{"type":"learner","school_id":{SCHOOL},"id":99,"first_name":"Ben","status":"current","grade_id":4}}"#
    );
    service.apply(line.as_bytes()).unwrap();
    pass(&mirror, &service, NOW);
    assert!(follow().concat().contains(&ONE.to_string()));
    assert_ne!(device.synced(SCHOOL).unwrap(), erased);
    assert!(records(&device).concat().contains("Ben"));
    assert_eq!(found(&disk.bytes(), &needles), [""; 0]);
}

/// The schools of a device may be complete at its source, or synced.
#[test]
fn all_schools_are_answered_although_only_some_are_synced() {
    let (_, _, mirror) = mirror_of_a_portrait();
    mirror.apply(OTHER_SCHOOL.as_bytes()).unwrap();
    let device = Engine::memory(Options::default()).unwrap();
    let scope = Scope::default().school(SCHOOL).school(2);
    bring(&mut Random::new(1), &mirror, &device, &scope).unwrap();
    for engine in [&mirror, &device] {
        grant(engine);
        let own = r#"{"type":"client_integration","username":"sync","school_id":2,"api_type_id":4444,"state":1}"#;
        engine.apply(own.as_bytes()).unwrap();
    }
    let schools = "/api/v1/finplus/debtmanagement/schools";
    let [answer, expected] = [&device, &mirror].map(|engine| {
        let answer = get(engine, schools, NOW);
        (answer.status.code, answer.text().to_owned())
    });
    assert_eq!(answer, expected);
    assert!(answer.0 == 200 && answer.1.contains("Second"), "{answer:?}");
}

/// While the first pass of a sync has published nothing, nothing is known about the school. A device
/// that follows it must not conclude that it is empty.
#[test]
fn a_school_whose_first_pass_runs_is_in_no_feed() {
    let (_, service, mirror) = mirror_of_a_portrait();
    let scope = Scope::default().school(SCHOOL);
    let device = Engine::memory(Options::default()).unwrap();
    let follow = |source: &Engine| {
        let fed = bring(&mut Random::new(1), source, &device, &scope);
        fed.map(drop).map_err(|error| error.code())
    };
    assert_eq!(follow(&mirror), Ok(()));
    let before = records(&device);
    // The store of the server was lost, and is filled again.
    let fresh = Engine::memory(Options::default()).unwrap();
    let sync = fresh.sync(SCHOOL, SyncOptions::default()).unwrap();
    assert!(matches!(sync.next(NOW), Ok(Step::Send(_))));
    assert_eq!(follow(&fresh), Err("not_synced"));
    assert_eq!(records(&device), before);
    pass(&fresh, &service, NOW);
    fresh.apply(ACCESS.as_bytes()).unwrap();
    assert_eq!(follow(&fresh), Ok(()));
    assert_eq!(records(&device), before);
}

/// The lists of a store that follows another one belong to its source, although the store syncs a
/// school of its own.
#[test]
fn a_sync_of_another_school_leaves_the_lists_of_the_source() {
    let (_, service, _) = mirror_of_a_portrait();
    let lists = r#"{"type":"gender","id":1,"name":"Of the service"}"#;
    service.apply(lists.as_bytes()).unwrap();
    let source = Engine::memory(Options::default()).unwrap();
    source.apply(OTHER_SCHOOL.as_bytes()).unwrap();
    let lists = r#"{"type":"gender","id":1,"name":"Of the source"}
{"type":"gender","id":2,"name":"Of the source"}"#;
    source.apply(lists.as_bytes()).unwrap();
    let store = Engine::memory(Options::default()).unwrap();
    let scope = Scope::default().school(2);
    bring(&mut Random::new(1), &source, &store, &scope).unwrap();
    let genders = || {
        let lines = records(&store).into_iter();
        lines
            .filter(|line| line.contains(r#""type":"gender""#))
            .collect::<Vec<_>>()
    };
    let before = genders();
    assert_eq!(before.len(), 2);
    for _ in 0..2 {
        pass(&store, &service, NOW);
        assert_eq!(genders(), before);
    }
    assert!(records(&store).concat().contains("Anna"));
}

/// A sync that was started before the school was followed does not take it over.
#[test]
fn a_sync_does_not_take_over_a_school_that_is_followed() {
    let (_, service, mirror) = mirror_of_a_portrait();
    let store = Engine::memory(Options::default()).unwrap();
    let sync = store.sync(SCHOOL, SyncOptions::default()).unwrap();
    let scope = Scope::default().school(SCHOOL);
    bring(&mut Random::new(1), &mirror, &store, &scope).unwrap();
    let before = (records(&store), store.followed().unwrap());
    let outcome = loop {
        match sync.next(NOW) {
            Ok(Step::Send(call)) => {
                let answer = get(&service, &call.target, NOW);
                if let Err(error) = sync.handle_reply(call.id, NOW, &reply(&answer)) {
                    break error.code();
                }
            }
            Ok(Step::Done(_) | Step::Stop { .. }) => break "over",
            Ok(_) => {}
            Err(error) => break error.code(),
        }
    };
    assert_eq!(outcome, "unsupported");
    assert_eq!((records(&store), store.followed().unwrap()), before);
}
