//! The observers of a store: live queries that are polled or waited for, and followers; and the
//! checks of them after the writers have stopped.

use super::writers::Place;
use crate::following::records;
use crate::following::scope::{Learners, Reach};
use crate::following::transfer;
use crate::observed::{Asked, CheckedQuery};
use rollbook::{Answer, Engine, Error, Feed, LiveFeed, Options};
use rollbook_tests::random::Random;
use std::sync::Mutex;
use std::time::Duration;

/// A follower of the store.
pub(super) struct Follower {
    pub(super) engine: Engine,
    pub(super) reach: Reach,
    /// Open feeds that were read in part.
    pub(super) open: Vec<Feed>,
}

/// Applies a feed to the follower, up to the first error.
pub(super) fn take(follower: &Engine, feed: Feed, dice: &mut Random) -> Result<(), Error> {
    let mut bytes = Vec::new();
    let mut outcome = Ok(());
    for line in feed {
        match line {
            Ok(line) => bytes.extend((line + "\n").bytes()),
            Err(error) => {
                outcome = Err(error);
                break;
            }
        }
    }
    let pushed = transfer::push(dice, follower, &bytes);
    // A feed that was interrupted is applied up to the last complete segment.
    match (&outcome, pushed) {
        (Ok(()), pushed) => pushed.unwrap(),
        (Err(_), Ok(()) | Err(Error::BadDataset(_))) => {}
        (Err(_), Err(error)) => panic!("{error}"),
    }
    outcome
}

/// A live query that is waited for, and its last answer.
pub(super) struct Waiting {
    pub(super) asked: Asked,
    pub(super) last: Mutex<Option<Result<Answer, Error>>>,
}

/// A follower that polls a live feed.
pub(super) struct Observing {
    follower: Follower,
    observed: LiveFeed,
}

impl Observing {
    /// Applies all feeds that are available.
    pub(super) fn take_all(&mut self, place: &Place<'_>, dice: &mut Random) {
        loop {
            let after = self.follower.engine.followed().unwrap();
            let outcome = match self.observed.poll(after.as_deref()) {
                None => return,
                Some(feed) => feed.and_then(|feed| take(&self.follower.engine, feed, dice)),
            };
            if outcome.is_err() {
                // A client that was disconnected starts again.
                self.observed = place.engine.observe_feed(self.follower.reach.scope());
            }
            let is_unknown = matches!(outcome, Err(Error::NotSynced { .. }));
            place.made("observed feeds", outcome);
            if is_unknown {
                return;
            }
        }
    }
}

/// All observers of the store.
pub(super) struct Watching {
    pub(super) polled: Vec<CheckedQuery>,
    pub(super) followers: Vec<Follower>,
    pub(super) observing: Vec<Observing>,
}

impl Watching {
    pub(super) fn new(engine: &Engine, asked: Vec<(Asked, bool)>, dice: &mut Random) -> Watching {
        let of = |(asked, is_record)| CheckedQuery::new(engine, asked, is_record);
        let mut follower = || Follower {
            engine: Engine::memory(Options::default()).unwrap(),
            reach: Reach::random(dice),
            open: Vec::new(),
        };
        let followers = vec![follower(), follower()];
        let observing = (0..4).map(|_| {
            let follower = follower();
            Observing {
                observed: engine.observe_feed(follower.reach.scope()),
                follower,
            }
        });
        Watching {
            observing: observing.collect(),
            polled: asked.into_iter().map(of).collect(),
            followers,
        }
    }

    /// Checks, after the writers have stopped, that each observer has the current state.
    pub(super) fn check(
        &mut self,
        place: &Place<'_>,
        waiting: &[Waiting],
        dice: &mut Random,
    ) -> Result<(), String> {
        let engine = &place.engine;
        for query in &mut self.polled {
            query.check(engine)?;
            place.count.add("observations compared", 1);
        }
        for one in waiting {
            let fresh = Some(one.asked.fresh(engine, false));
            // A live query that is never notified hangs here.
            while *one.last.lock().unwrap() != fresh {
                std::thread::sleep(Duration::from_millis(1));
            }
            place.count.add("waiting observers compared", 1);
        }
        for observing in &mut self.observing {
            observing.take_all(place, dice);
        }
        let lines = records(engine);
        let no_learners = Learners::new();
        let is_same = |follower: &Follower| {
            let expected = follower.reach.filter(&lines, &no_learners);
            let found = records(&follower.engine);
            place.count.add("followers compared", 1);
            place.count.add("records compared", found.len() as u64);
            let differ = found
                .iter()
                .zip(&expected)
                .find(|(one, other)| one != other);
            let sizes = (found.len(), expected.len());
            (found == expected)
                .then_some(())
                .ok_or_else(|| format!("{:?}: {sizes:?} {differ:?}", follower.reach))
        };
        // The last sync may not have published anything.
        let is_unknown = |follower: &Follower| {
            let feed = engine.feed(&follower.reach.scope(), None);
            matches!(feed, Err(Error::NotSynced { .. }))
        };
        for observing in &self.observing {
            if !is_unknown(&observing.follower) {
                is_same(&observing.follower)?;
            }
        }
        for follower in &mut self.followers {
            follower.open.clear();
            if is_unknown(follower) {
                continue;
            }
            let scope = follower.reach.scope();
            transfer::bring(dice, engine, &follower.engine, &scope)
                .map_err(|error| error.to_string())?;
            is_same(follower)?;
        }
        if place.changes == 1 && dice.chance(95) {
            return Ok(());
        }
        let verified = engine.verify().map_err(|error| error.to_string())?;
        place.count.add("stores verified", 1);
        verified
            .is_sound()
            .then_some(())
            .ok_or_else(|| format!("{:?}", verified.problems))
    }
}
