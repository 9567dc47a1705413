//! Random lives of a source, of a follower, and of a follower of the follower.

use super::questions::Pair;
use super::scope::{LEARNERS, Learners, Reach, SCHOOLS};
use super::source::{Event, Events, Source};
use super::transfer::{self, Lines};
use super::{open, records};
use rollbook::{Engine, Error};
use rollbook_tests::random::Random;
use rollbook_tests::search::{Counts, extent, search, seeds};
use rollbook_tests::shrink::{Change, Part};
use rollbook_tests::storage::disk::Disk;
use std::collections::BTreeSet;

/// A store that follows another one.
struct Follower {
    disk: Disk,
    engine: Option<Engine>,
    reach: Reach,
    /// The learners that were erased here.
    erased: Learners,
    /// The schools that the app owns, or owned when they left the scope.
    own: BTreeSet<u64>,
    /// Feeds that were made for this follower before.
    sent: Vec<Lines>,
}

/// What happens in a world. The number of an event is the seed of its random choices.
#[derive(Clone, Debug)]
enum Happening {
    Source(Event),
    /// An operation at the follower.
    Near(u64),
    /// The scope of the follower becomes all of the source.
    All,
    /// The follower applies a feed of its source.
    Follow(u64),
    /// The follower and its source are asked the same questions.
    Ask(u64),
    /// An operation at the follower of the follower.
    Far(u64),
    /// The follower of the follower applies a feed.
    FollowFar(u64),
}

impl Change for Happening {
    fn retain(&mut self, part: Part, stays: &mut dyn FnMut() -> bool) {
        if let Happening::Source(event) = self {
            event.retain(part, stays);
        }
    }
}

fn happenings(seed: u64, rounds: usize) -> Vec<Happening> {
    let mut dice = Random::new(!seed);
    let mut events = Events::new(seed);
    let mut all = vec![Happening::Source(events.next(&mut dice))];
    for round in 0..rounds {
        for _ in 0..dice.weighted(&[(3, 1), (3, 5), (1, 20)]) {
            all.push(Happening::Source(events.next(&mut dice)));
        }
        all.push(Happening::Near(dice.number()));
        if dice.chance(5) {
            all.push(Happening::All);
        }
        all.push(Happening::Follow(dice.number()));
        if round % 4 == 3 {
            all.push(Happening::Ask(dice.number()));
        }
        if dice.chance(30) {
            all.push(Happening::Far(dice.number()));
            all.push(Happening::FollowFar(dice.number()));
        }
    }
    all
}

impl Follower {
    fn new(reach: Reach) -> Follower {
        let disk = Disk::default();
        Follower {
            engine: Some(open(&disk)),
            disk,
            reach,
            erased: Learners::new(),
            own: BTreeSet::new(),
            sent: Vec::new(),
        }
    }

    fn engine(&self) -> &Engine {
        self.engine.as_ref().unwrap()
    }

    /// Makes a random operation.
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
                let follows = self.engine().followed().unwrap().is_some();
                self.engine().erase_learner(school, learner).unwrap();
                if follows {
                    self.erased.entry(school).or_default().insert(learner);
                }
            }
            3 => {
                self.engine().remove_school(school).unwrap();
                self.erased.remove(&school);
            }
            4 => {
                self.engine().forget_sync(school).unwrap();
                // The app owns the school now.
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
            7..11 => self.reach = self.reach.changed(dice),
            _ => {}
        }
    }

    /// Applies a feed of the source and compares the two stores. Returns `None` if the source
    /// cannot make a feed of this scope.
    fn follow(&mut self, dice: &mut Random, source: &Engine, count: &Counts) -> Option<()> {
        let scope = self.reach.scope();
        let follower = self.engine.as_ref().unwrap();
        if dice.chance(30) {
            let after = follower.followed().unwrap();
            if let Ok(lines) = transfer::feed(source, &scope, after.as_deref()) {
                transfer::mangled(dice, follower, &lines);
                self.sent.push(lines);
            }
        }
        if let Some(late) = self.sent.get(dice.below(self.sent.len().max(1)))
            && dice.chance(10)
        {
            let before = (records(follower), follower.followed().unwrap());
            if rollbook_tests::feeds::is_late(late, before.1.as_deref()) {
                transfer::mangled(dice, follower, late);
                let after = (records(follower), follower.followed().unwrap());
                assert!(after == before, "a late feed changed something");
                count.add("late feeds", 1);
            }
        }
        let sent = match transfer::bring(dice, source, follower, &scope) {
            Err(Error::Unsupported { .. }) => return None,
            sent => sent.unwrap(),
        };
        let bytes: usize = sent.iter().map(String::len).sum();
        count.add("bytes", bytes as u64);
        let is_sum = |line: &&String| line.starts_with(r#"{"type":"sum""#);
        count.add("sums", sent.iter().filter(is_sum).count() as u64);
        count.add("feeds", 1);
        let lines = records(source);
        let no_learners = Learners::new();
        let export = source.export_scope(&scope).unwrap();
        let export: Vec<String> = export.map(Result::unwrap).collect();
        same(
            &export,
            &self.reach.filter(&lines, &no_learners),
            "exported at the source",
        );
        let in_scope = &self.reach.schools;
        self.own.retain(|school| !in_scope.contains_key(school));
        let is_own = |line: &String| {
            let of = |school: &u64| line.contains(&format!(r#","school_id":{school},"#));
            self.own.iter().any(of)
        };
        let mut found = records(follower);
        found.retain(|line| !is_own(line));
        same(
            &found,
            &self.reach.filter(&lines, &self.erased),
            "at the follower",
        );
        let after = follower.followed().unwrap();
        let mut again = source.feed(&scope, after.as_deref()).unwrap();
        assert!(!again.has_changes());
        assert!(again.next().is_none());
        if dice.chance(10) {
            let verified = follower.verify().unwrap();
            assert!(verified.is_sound(), "{:?}", verified.problems);
            count.add("verified", 1);
        }
        count.add("records compared", found.len() as u64);
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

fn lead(seed: u64, happenings: &[Happening], count: &Counts) {
    let mut dice = Random::new(!seed);
    let mut source = Source::new(seed);
    let reach = if dice.chance(30) {
        Reach::of_all()
    } else {
        Reach::random(&mut dice)
    };
    let mut near = Follower::new(reach);
    let mut far = Follower::new(Reach::random(&mut dice));
    for happening in happenings {
        match happening {
            Happening::Source(event) => source.live(event),
            Happening::Near(number) => near.live(&mut Random::new(*number), true),
            Happening::All => near.reach = Reach::of_all(),
            Happening::Follow(number) => {
                near.follow(&mut Random::new(*number), source.engine(), count)
                    .unwrap();
            }
            Happening::Ask(number) => ask(*number, &source, &mut near, count),
            Happening::Far(number) => far.live(&mut Random::new(*number), false),
            Happening::FollowFar(number) => {
                let followed = far.follow(&mut Random::new(*number), near.engine(), count);
                count.add("feeds of a follower", u64::from(followed.is_some()));
            }
        }
    }
    let verified = source.engine().verify().unwrap();
    assert!(verified.is_sound(), "{:?}", verified.problems);
    count.add("changes", source.changes);
}

/// Brings the follower up to date and asks it and its source the same questions.
fn ask(number: u64, source: &Source, near: &mut Follower, count: &Counts) {
    let mut dice = Random::new(number);
    Source::grant(source.engine());
    near.follow(&mut dice, source.engine(), count).unwrap();
    Source::grant_on(near.engine());
    let pair = Pair {
        source: source.engine(),
        follower: near.engine(),
        reach: &near.reach,
        erased: &near.erased,
        count,
    };
    pair.compare(&mut dice, &source.gets);
}

#[test]
fn a_follower_has_its_scope_and_answers_as_its_source() {
    let count = Counts::default();
    let lives = search(
        seeds(extent(10, 150)),
        |seed| happenings(seed, 40),
        |seed, happenings| {
            lead(seed, happenings, &count);
            Ok(())
        },
    );
    println!("{lives} lives: {count}");
    let asked = count.get("asked");
    for (what, floor) in [
        ("changes", 300 * lives),
        ("feeds", 40 * lives),
        ("feeds of a follower", 3 * lives),
        ("records compared", 2_000 * lives),
        ("late feeds", 2 * lives),
        ("sums", 10 * lives),
        ("verified", 3 * lives),
        ("asked", 1_000 * lives),
        ("found", asked / 3),
        ("refusals predicted", 300 * lives),
        ("outsiders asked", 10 * lives),
    ] {
        count.at_least(what, floor);
    }
}
