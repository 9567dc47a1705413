//! Runs writers of every kind at the same time, together with the journal, open feeds and live
//! queries. When the writers have stopped, each live query must have returned the current answer,
//! and each follower must have exactly the records that a filter of its source finds.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    missing_docs
)]

mod watching;
mod writers;

use crate::observed::questions;
use crate::sync::passes::instant;
use crate::sync::source;
use rollbook::{Clock, Engine, Options};
use rollbook_tests::login::quick;
use rollbook_tests::random::Random;
use rollbook_tests::search::{Counts, extent, failing, seeds};
use rollbook_tests::world::World;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::scope;
use std::time::Duration;
use watching::{Waiting, Watching};
use writers::Place;

/// The number of rounds, and of changes by each writer in a round. After short rounds, a missed
/// change is not hidden by the next change.
const ROUNDS: [(usize, usize); 3] = [(4, 12), (40, 1), (40, 1)];

const OWN: &str = r#"
{"type":"api_type","api_type_id":4445,"api_type":"Own API","family":["administration"]}
{"type":"integrator","username":"own","password":"own"}
{"type":"school","school_id":18446744073709551615,"current_year":2026}
{"type":"client_integration","username":"own","school_id":18446744073709551615,"api_type_id":4445,"state":1}
"#;

fn run(seed: u64, count: &Counts) -> Result<(), String> {
    let mut dice = Random::new(!seed);
    let actions = World::new(seed).actions(120);
    let states = (1..=3).filter_map(|third| source(&actions[..actions.len() * third / 3]));
    let service: Vec<Engine> = states.collect();
    if service.is_empty() {
        return Ok(());
    }
    let now = instant(&actions);
    let (rounds, changes) = dice.pick(&ROUNDS);
    let options = Options {
        clock: Clock::Fixed(now),
        writer_wait: Duration::from_millis(100),
        // The journal is sometimes too short for followers that poll seldom.
        journal_bytes: dice.pick(&[1 << 20, 1 << 20, 2_000]),
        ..Options::default()
    };
    let place = Place {
        engine: Engine::memory(options).unwrap(),
        service,
        now,
        changes,
        count,
    };
    let engine = &place.engine;
    engine.apply(quick(OWN).as_bytes()).unwrap();
    let asked = questions(seed);
    let waiting: Vec<Waiting> = asked
        .iter()
        .filter(|(_, is_record)| !is_record)
        .step_by(8)
        .map(|(asked, _)| Waiting {
            asked: asked.clone(),
            last: Mutex::default(),
        })
        .collect();
    let mut watching = Watching::new(engine, asked, &mut dice);
    count.add("worlds", 1);
    scope(|threads| {
        let _end = Ending(engine);
        for one in &waiting {
            let observation = engine.observe(one.asked.clone());
            threads.spawn(move || {
                for answer in observation {
                    *one.last.lock().unwrap() = Some(answer);
                }
            });
        }
        (0..rounds).try_for_each(|round| {
            let worlds = [1, 2].map(|number| World::new(seed ^ (number << 40) ^ (round as u64)));
            work(&place, &mut watching, worlds, &mut dice);
            let checked = watching.check(&place, &waiting, &mut dice);
            checked.map_err(|what| format!("after round {round}: {what}"))
        })
    })
}

/// Closes the store when a run ends for any reason, so that no waiting thread hangs.
struct Ending<'a>(&'a Engine);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        let _ = self.0.close();
    }
}

/// Reports the end of the round, even if a writer panics.
struct Resting<'a>(&'a AtomicBool);

impl Drop for Resting<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// Runs one round: all writers and readers, until each writer has made its changes.
fn work(place: &Place<'_>, watching: &mut Watching, worlds: [World; 2], dice: &mut Random) {
    let is_long = place.changes > 1;
    let [has_erasures, has_passes] = [20, 5].map(|percent| is_long || dice.chance(percent));
    let mut next = || Random::new(dice.number());
    let mut dice = [(); 7].map(|()| next());
    let [updating, erasing, syncing, reading, first, second, taking] = &mut dice;
    let Watching {
        polled,
        followers,
        observing,
    } = watching;
    let [near, far] = &mut followers[..] else {
        panic!("two follow");
    };
    let are_at_work = AtomicBool::new(true);
    scope(|threads| {
        threads.spawn(|| {
            while are_at_work.load(Ordering::Relaxed) {
                for query in polled.iter_mut() {
                    let is_new = query.poll().unwrap();
                    place.count.add("answers observed", u64::from(is_new));
                }
            }
        });
        threads.spawn(|| {
            while are_at_work.load(Ordering::Relaxed) {
                for observing in observing.iter_mut() {
                    observing.take_all(place, taking);
                }
            }
        });
        let _rest = Resting(&are_at_work);
        scope(|threads| {
            for mut world in worlds {
                threads.spawn(move || place.apply(&mut world));
            }
            threads.spawn(|| place.update_states(updating));
            if has_erasures {
                threads.spawn(|| place.erase_and_compact(erasing));
            }
            if has_passes {
                threads.spawn(|| place.sync(syncing));
            }
            threads.spawn(|| place.read(reading));
            threads.spawn(|| place.follow(near, first));
            threads.spawn(|| place.follow(far, second));
        });
    });
}

#[test]
fn when_writers_rest_observers_and_followers_have_what_there_is() {
    let count = Counts::default();
    let seeds: Vec<u64> = seeds(extent(6, 100)).collect();
    let worlds = seeds.len() as u64;
    // The order of threads does not depend on the seed, so that failures cannot be shrunk.
    let failed = failing(&seeds, |seed| run(*seed, &count));
    println!("{worlds} worlds: {count}");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    for (what, floor) in [
        ("worlds", worlds * 3 / 4),
        ("datasets applied", 20 * worlds),
        ("states updated", worlds / 3),
        ("erasures", 2 * worlds),
        ("compactions", worlds),
        ("passes", worlds),
        ("exports", 8 * worlds),
        ("feeds", 20 * worlds),
        ("feeds left open", 5 * worlds),
        ("observed feeds", 30 * worlds),
        ("answers observed", 20 * worlds),
        ("observations compared", 100 * worlds),
        ("waiting observers compared", 10 * worlds),
        ("followers compared", 50 * worlds),
        ("records compared", 2_000 * worlds),
        ("stores verified", worlds),
    ] {
        count.at_least(what, floor);
    }
}
