//! What watches a store: observers who look and who wait, and followers. What each must have when
//! the writers rest.

use super::writers::Place;
use crate::following::records;
use crate::following::scope::{Learners, Reach};
use crate::following::sent;
use crate::observed::{Asked, Beside};
use rollbook::{Answer, Engine, Error, Feed, LiveFeed, Options};
use rollbook_tests::random::Random;
use std::sync::Mutex;
use std::time::Duration;

/// A store that follows it.
pub(super) struct Follower {
    pub(super) engine: Engine,
    pub(super) reach: Reach,
    /// Feeds that are open and half read.
    pub(super) open: Vec<Feed>,
}

/// Takes a feed, as far as it comes.
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
    let pushed = sent::push(dice, follower, &bytes);
    // A feed that was cut counts up to the last part that has its end.
    match (&outcome, pushed) {
        (Ok(()), pushed) => pushed.unwrap(),
        (Err(_), Ok(()) | Err(Error::BadDataset(_))) => {}
        (Err(_), Err(error)) => panic!("{error}"),
    }
    outcome
}

/// An observer who waits for each answer, and the last that came.
pub(super) struct Waiting {
    pub(super) asked: Asked,
    pub(super) last: Mutex<Option<Result<Answer, Error>>>,
}

/// A follower that asks for a feed when there is one.
pub(super) struct Observing {
    follower: Follower,
    observed: LiveFeed,
}

impl Observing {
    /// Takes the feeds that there are.
    pub(super) fn take_all(&mut self, place: &Place<'_>, dice: &mut Random) {
        loop {
            let after = self.follower.engine.followed().unwrap();
            let outcome = match self.observed.poll(after.as_deref()) {
                None => return,
                Some(feed) => feed.and_then(|feed| take(&self.follower.engine, feed, dice)),
            };
            if outcome.is_err() {
                // A client that was cut off asks again.
                self.observed = place.engine.observe_feed(self.follower.reach.scope());
            }
            place.made("observed feeds", outcome);
        }
    }
}

/// All that watches the store.
pub(super) struct Watching {
    pub(super) polled: Vec<Beside>,
    pub(super) followers: Vec<Follower>,
    pub(super) observing: Vec<Observing>,
}

impl Watching {
    pub(super) fn new(engine: &Engine, asked: Vec<(Asked, bool)>, dice: &mut Random) -> Watching {
        let of = |(asked, is_record)| Beside::new(engine, asked, is_record);
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

    /// All rest: everybody has what there is.
    pub(super) fn check(
        &mut self,
        place: &Place<'_>,
        waiting: &[Waiting],
        dice: &mut Random,
    ) -> Result<(), String> {
        let engine = &place.engine;
        for beside in &mut self.polled {
            beside.check(engine)?;
            place.count.add("observations compared", 1);
        }
        for one in waiting {
            let fresh = Some(one.asked.fresh(engine, false));
            // One that is never told hangs here.
            while *one.last.lock().unwrap() != fresh {
                std::thread::sleep(Duration::from_millis(1));
            }
            place.count.add("waiting observers compared", 1);
        }
        for observing in &mut self.observing {
            observing.take_all(place, dice);
        }
        let lines = records(engine);
        let nobody = Learners::new();
        let is_same = |follower: &Follower| {
            let expected = follower.reach.filter(&lines, &nobody);
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
        for observing in &self.observing {
            is_same(&observing.follower)?;
        }
        for follower in &mut self.followers {
            follower.open.clear();
            let scope = follower.reach.scope();
            sent::bring(dice, engine, &follower.engine, &scope)
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
