//! Random lives of a source, of a store that follows it, and of one that follows that.

use super::asked;
use super::scope::{LEARNERS, Learners, Reach, SCHOOLS};
use super::sent::{self, Lines};
use super::source::Source;
use super::{open, records};
use rollbook::{Engine, Error};
use rollbook_tests::random::Random;
use rollbook_tests::search::extent;
use rollbook_tests::storage::disk::Disk;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A store that follows another one.
struct Follower {
    disk: Disk,
    engine: Option<Engine>,
    reach: Reach,
    /// Who was erased here.
    erased: Learners,
    /// Somebody was erased since it followed last.
    has_erased: bool,
    /// Schools that are its own, or were when they left the scope.
    own: BTreeSet<u64>,
    /// Feeds that it was given before.
    sent: Vec<Lines>,
}

#[derive(Debug, Default)]
struct Tally {
    changes: u64,
    feeds: u64,
    bytes: usize,
    asked: u64,
    found: u64,
}

impl Follower {
    fn new(reach: Reach) -> Follower {
        let disk = Disk::default();
        Follower {
            engine: Some(open(&disk)),
            disk,
            reach,
            erased: Learners::new(),
            has_erased: false,
            own: BTreeSet::new(),
            sent: Vec::new(),
        }
    }

    fn engine(&self) -> &Engine {
        self.engine.as_ref().unwrap()
    }

    /// Something becomes of it.
    fn live(&mut self, dice: &mut Random, may_erase: bool) {
        let school = dice.pick(&SCHOOLS);
        match dice.below(24) {
            0 => {
                self.engine = None;
                self.engine = Some(open(&self.disk));
            }
            1 => self.engine().compact().unwrap(),
            2 if may_erase && dice.chance(30) => {
                let learner = dice.pick(&LEARNERS);
                let is_synced = self.engine().synced(school).unwrap().is_some();
                self.engine().erase_learner(school, learner).unwrap();
                self.has_erased = true;
                if is_synced {
                    self.erased.entry(school).or_default().insert(learner);
                }
            }
            3 => {
                self.engine().remove_school(school).unwrap();
                self.erased.remove(&school);
            }
            4 => {
                self.engine().forget_sync(school).unwrap();
                // The app's own now.
                let own = format!(
                    "{{\"type\":\"school\",\"school_id\":{school},\"current_year\":1999}}\n\
                     {{\"type\":\"learner\",\"school_id\":{school},\"id\":2,\"deleted\":true}}\n\
                     {{\"type\":\"parent\",\"school_id\":{school},\"id\":40,\"first_name\":\"Own\"}}\n\
                     {{\"type\":\"absentee\",\"school_id\":{school},\"id\":77,\"learner_id\":5,\"absent_date\":\"2026-01-01\"}}\n\
                     {{\"type\":\"staff_member\",\"school_id\":{school},\"id\":555}}\n"
                );
                self.engine().apply(own.as_bytes()).unwrap();
                self.own.insert(school);
            }
            5 => {
                let own = format!("{{\"type\":\"learner\",\"school_id\":{school},\"id\":3}}\n");
                self.engine()
                    .replace_school(school, own.as_bytes())
                    .unwrap();
                self.erased.remove(&school);
                self.own.insert(school);
            }
            6 if self.engine().synced(school).unwrap().is_some() => {
                let own = format!("{{\"type\":\"learner\",\"school_id\":{school},\"id\":3}}\n");
                let refused = self.engine().apply(own.as_bytes()).unwrap_err();
                assert_eq!(refused.code(), "synced");
            }
            7..11 => {
                self.reach = self.reach.changed(dice);
                let reach = &self.reach;
                // Who leaves with the school may come back with it.
                self.erased
                    .retain(|school, _| reach.schools.contains_key(school));
            }
            _ => {}
        }
    }

    /// Brings it to where its source is, and compares. Nothing if its source has no such
    /// part.
    fn follow(&mut self, dice: &mut Random, source: &Engine, tally: &mut Tally) -> Option<()> {
        let scope = self.reach.scope();
        let follower = self.engine.as_ref().unwrap();
        if dice.chance(30) {
            let after = follower.followed().unwrap();
            if let Ok(lines) = sent::feed(source, &scope, after.as_deref()) {
                sent::mangled(dice, follower, &lines);
                self.sent.push(lines);
            }
        }
        if let Some(late) = self.sent.get(dice.below(self.sent.len().max(1)))
            && dice.chance(10)
        {
            sent::mangled(dice, follower, late);
        }
        match sent::bring(dice, source, follower, &scope) {
            Err(Error::Unsupported { .. }) => return None,
            bytes => tally.bytes += bytes.unwrap(),
        }
        tally.feeds += 1;
        let lines = records(source);
        let nobody = Learners::new();
        let export = source.export_scope(&scope).unwrap();
        let export: Vec<String> = export.map(Result::unwrap).collect();
        same(
            &export,
            &self.reach.of(&lines, &nobody),
            "exported at the source",
        );
        let held = &self.reach.schools;
        self.own.retain(|school| !held.contains_key(school));
        let is_own = |line: &String| {
            let of = |school: &u64| line.contains(&format!(r#","school_id":{school},"#));
            self.own.iter().any(of)
        };
        let mut found = records(follower);
        found.retain(|line| !is_own(line));
        same(
            &found,
            &self.reach.of(&lines, &self.erased),
            "at the follower",
        );
        let after = follower.followed().unwrap();
        let mut again = source.feed(&scope, after.as_deref()).unwrap();
        assert!(!again.has_changes());
        assert!(again.next().is_none());
        if dice.chance(10) {
            let verified = follower.verify().unwrap();
            assert!(verified.is_sound(), "{:?}", verified.problems);
        }
        Some(())
    }
}

fn same(found: &[String], expected: &[String], what: &str) {
    if found != expected {
        let more: Vec<_> = found
            .iter()
            .filter(|line| !expected.contains(line))
            .collect();
        let less: Vec<_> = expected
            .iter()
            .filter(|line| !found.contains(line))
            .collect();
        panic!("{what}: not expected {more:#?}, lacking {less:#?}");
    }
}

fn lead(seed: u64, rounds: usize, tally: &mut Tally) {
    let mut dice = Random::new(!seed);
    let mut source = Source::new(seed);
    let reach = if dice.chance(30) {
        Reach::of_all()
    } else {
        Reach::random(&mut dice)
    };
    let mut near = Follower::new(reach);
    let mut far = Follower::new(Reach::random(&mut dice));
    for round in 0..rounds {
        for _ in 0..dice.weighted(&[(3, 1), (3, 5), (1, 20)]) {
            source.live(&mut dice);
        }
        near.live(&mut dice, true);
        if std::mem::take(&mut near.has_erased) {
            // Whom the erased one alone named goes with the next part.
            let news = format!(r#"{{"type":"gender","id":77,"name":"{round}"}}"#);
            source.engine().apply(news.as_bytes()).unwrap();
        }
        if dice.chance(5) {
            near.reach = Reach::of_all();
        }
        near.follow(&mut dice, source.engine(), tally).unwrap();
        if round % 4 == 3 {
            Source::grant(source.engine());
            near.follow(&mut dice, source.engine(), tally).unwrap();
            Source::grant_on(near.engine());
            let (asked, found) = asked::compare(
                &mut dice,
                (source.engine(), near.engine()),
                &near.reach,
                &near.erased,
                &source.gets,
            );
            tally.asked += asked;
            tally.found += found;
        }
        if dice.chance(30) {
            far.live(&mut dice, false);
            far.follow(&mut dice, near.engine(), tally);
        }
    }
    let verified = source.engine().verify().unwrap();
    assert!(verified.is_sound(), "{:?}", verified.problems);
    tally.changes += source.changes;
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |number| number.parse().unwrap())
}

#[test]
fn a_follower_has_its_scope_and_answers_as_its_source() {
    let lives = number("ROLLBOOK_SEQUENCES", extent(30, 400));
    let first = number("ROLLBOOK_SEED", 0);
    let rounds = usize::try_from(number("ROLLBOOK_ROUNDS", 40)).unwrap();
    let mut tally = Tally::default();
    let mut failed = Vec::new();
    for seed in first..first + lives {
        let life = catch_unwind(AssertUnwindSafe(|| lead(seed, rounds, &mut tally)));
        if life.is_err() {
            println!("seed {seed}");
            failed.push(seed);
        }
    }
    println!("{lives} lives: {tally:?}");
    assert_eq!(failed, [0; 0]);
    assert!(tally.found * 3 > tally.asked);
}
