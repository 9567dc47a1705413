//! The writers of a store: datasets, state updates, erasures, compactions and passes of a sync; and
//! the readers that run at the same time.

use super::watching::{Follower, take};
use crate::sync::{SCHOOL, get, reply};
use rollbook::{Credentials, Engine, Error, SetState, Step, SyncOptions};
use rollbook_tests::random::Random;
use rollbook_tests::search::Counts;
use rollbook_tests::world::{Action, World};
use serde_json::Value;

/// A store, and what its writers share.
pub(super) struct Place<'a> {
    pub(super) engine: Engine,
    /// The states of the service, between which it changes.
    pub(super) service: Vec<Engine>,
    pub(super) now: i64,
    /// The number of changes that each writer makes in a round.
    pub(super) changes: usize,
    pub(super) count: &'a Counts,
}

/// Returns whether the app may change a line: all records except those of the synced school.
fn is_of_app(line: &str) -> bool {
    let Ok(record) = serde_json::from_str::<Value>(line) else {
        return false;
    };
    let school = match &record["school_id"] {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    school != Some(SCHOOL)
}

/// Returns whether an error can be caused by other threads. While the first pass of a sync has
/// published nothing, there is no feed with the school.
fn is_of_others(error: &Error) -> bool {
    matches!(
        error,
        Error::Busy { .. } | Error::ReaderEnded | Error::NotSynced { .. }
    )
}

impl Place<'_> {
    pub(super) fn made(&self, what: &'static str, outcome: Result<(), Error>) {
        match outcome {
            Ok(()) => self.count.add(what, 1),
            Err(error) if is_of_others(&error) => self.count.add("refused because of others", 1),
            Err(Error::BadDataset(_)) => self.count.add("faulty datasets", 1),
            Err(error) => panic!("{what}: {error}"),
        }
    }

    /// Applies datasets.
    pub(super) fn apply(&self, world: &mut World) {
        let mut left = self.changes;
        while left > 0 {
            let (school, lines) = match world.action() {
                Action::Apply(lines) => (None, lines),
                Action::ReplaceSchool(school, lines) => (Some(school), lines),
                Action::RemoveSchool(school) if school != SCHOOL => {
                    let removed = self.engine.remove_school(school);
                    self.made("schools removed", removed.map(drop));
                    left -= 1;
                    continue;
                }
                action @ Action::Request { .. } => {
                    self.update(&action);
                    continue;
                }
                _ => continue,
            };
            let lines: Vec<String> = lines.into_iter().filter(|line| is_of_app(line)).collect();
            if lines.is_empty() {
                continue;
            }
            left -= 1;
            let lines = lines.join("\n");
            let applied = match school.filter(|school| *school != SCHOOL) {
                Some(school) => self.engine.replace_school(school, lines.as_bytes()),
                None => self.engine.apply(lines.as_bytes()),
            };
            self.made("datasets applied", applied.map(drop));
        }
    }

    /// Sends a state update as a request.
    fn update(&self, action: &Action) {
        if matches!(action, Action::Request { method, .. } if method == "GET") {
            return;
        }
        let answer = action.ask(&self.engine, None).unwrap();
        let text = answer.text();
        let is_busy = text.contains("Failed to update the integration state");
        assert!(answer.status.code < 500 || is_busy, "{action:?}: {text}");
        self.count
            .add("refused because of others", u64::from(is_busy));
    }

    /// Updates states, turning them on and off.
    pub(super) fn update_states(&self, dice: &mut Random) {
        for number in 0..self.changes {
            let updated = self.engine.set_state(&SetState {
                username: "own",
                school: u64::MAX,
                api_type_id: 4445,
                state: (number + usize::from(dice.chance(50))) % 2 == 0,
            });
            match updated.map(|answer| answer.status.code) {
                Ok(200) => self.count.add("states updated", 1),
                // The state is already set, or the school does not exist.
                Ok(204 | 401 | 404) => {}
                Ok(code) => panic!("{code}"),
                Err(error) => self.made("states updated", Err(error)),
            }
        }
    }

    /// Erases learners and compacts the store.
    pub(super) fn erase_and_compact(&self, dice: &mut Random) {
        for _ in 0..self.changes.div_ceil(2) {
            if dice.chance(70) {
                let school = dice.pick(&[SCHOOL, u64::MAX, 0]);
                let learner = dice.pick(&[2, 10, 1, 40, 7, u64::MAX]);
                let erased = self.engine.erase_learner(school, learner);
                self.made("erasures", erased.map(drop));
            } else {
                self.made("compactions", self.engine.compact());
            }
        }
    }

    /// Syncs the school while the service changes.
    pub(super) fn sync(&self, dice: &mut Random) {
        let sync = self.engine.sync(SCHOOL, SyncOptions::default());
        let sync = match sync {
            Ok(sync) => sync,
            Err(error) => return self.made("passes", Err(error)),
        };
        let mut state = dice.below(self.service.len());
        let mut now = self.now;
        loop {
            let step = match sync.next(now) {
                Ok(Step::Send(call)) => {
                    if dice.chance(5) {
                        state = dice.below(self.service.len());
                    }
                    let answer = get(&self.service[state], &call.target, self.now);
                    self.count.add("calls", 1);
                    sync.handle_reply(call.id, now, &reply(&answer)).map(drop)
                }
                // An answer with an older year than another answer is requested again.
                Ok(Step::Wait { until }) => {
                    now = until;
                    Ok(())
                }
                Ok(Step::Done(_)) => return self.count.add("passes", 1),
                Ok(Step::Stop { .. }) => return self.count.add("passes that stopped", 1),
                Ok(other) => panic!("{other:?}"),
                Err(error) => Err(error),
            };
            if let Err(error) = step {
                // Nothing was lost, and the call is repeated.
                assert!(is_of_others(&error), "{error}");
                self.count.add("refused because of others", 1);
            }
        }
    }

    /// Exports, and abandons some exports before their end.
    pub(super) fn read(&self, dice: &mut Random) {
        for _ in 0..self.changes.div_ceil(2) {
            let mut export = match self.engine.export(Credentials::LeaveOut) {
                Ok(export) => export,
                Err(error) => {
                    self.made("exports", Err(error));
                    continue;
                }
            };
            let most = dice.pick(&[3, 10_000]);
            let outcome = export
                .by_ref()
                .take(most)
                .try_for_each(|line| line.map(drop));
            self.made("exports", outcome);
        }
    }

    /// Updates a follower from the store repeatedly.
    pub(super) fn follow(&self, follower: &mut Follower, dice: &mut Random) {
        for _ in 0..self.changes {
            if dice.chance(20) {
                follower.reach = follower.reach.changed(dice);
            }
            let after = follower.engine.followed().unwrap();
            let feed = self.engine.feed(&follower.reach.scope(), after.as_deref());
            let mut feed = match feed {
                Ok(feed) => feed,
                Err(error) => {
                    self.made("feeds", Err(error));
                    continue;
                }
            };
            if dice.chance(25) {
                // This feed remains open after a part of it was read.
                let outcome = feed.by_ref().take(2).try_for_each(|line| line.map(drop));
                self.made("feeds left open", outcome);
                follower.open.push(feed);
                follower.open.truncate(3);
                continue;
            }
            self.made("feeds", take(&follower.engine, feed, dice));
        }
        // A feed that was left open can be read to its end; it contains no newer changes.
        if let Some(mut feed) = follower.open.pop() {
            let rest = feed.try_for_each(|line| line.map(drop));
            self.made("old feeds read", rest);
        }
    }
}
