//! Live queries at a follower, compared with the same questions asked again, while its source, its
//! scope and its records change: the last answer of a live query is always the current one.

use super::records;
use super::scope::{LEARNERS, Reach, SCHOOLS};
use super::source::{Event, Events, Source};
use super::transfer::{bring, push};
use crate::observed::{CheckedQuery, questions};
use rollbook::{Engine, Feed, Options, Scope};
use rollbook_tests::random::Random;
use rollbook_tests::search::{Counts, extent, search, seeds};
use rollbook_tests::shrink::{Change, Part};

/// What happens in a world. The number of an event is the seed of its random choices.
#[derive(Clone, Debug)]
enum Happening {
    Source(Event),
    RemoveSchool(u64),
    ForgetSync(u64),
    EraseLearner(u64, u64),
    Scope(Reach),
    /// The follower applies a feed of its source.
    Follow(u64),
    /// Each live query is compared with the same question.
    Check,
}

impl Change for Happening {
    fn retain(&mut self, part: Part, stays: &mut dyn FnMut() -> bool) {
        if let Happening::Source(event) = self {
            event.retain(part, stays);
        }
    }
}

fn happenings(seed: u64) -> Vec<Happening> {
    let mut dice = Random::new(!seed);
    let mut events = Events::new(seed);
    let mut all = vec![Happening::Source(events.next(&mut dice))];
    let mut reach = Reach::random(&mut dice);
    all.push(Happening::Scope(reach.clone()));
    for _ in 0..20 {
        let school = dice.pick(&SCHOOLS);
        match dice.below(12) {
            0 => all.push(Happening::RemoveSchool(school)),
            1 => all.push(Happening::ForgetSync(school)),
            2 => all.push(Happening::EraseLearner(school, dice.pick(&LEARNERS))),
            3..6 => {
                for _ in 0..dice.between(1, 10) {
                    all.push(Happening::Source(events.next(&mut dice)));
                }
            }
            number => {
                reach = match number {
                    6 => Reach::default(),
                    _ => reach.changed(&mut dice),
                };
                all.push(Happening::Scope(reach.clone()));
            }
        }
        if dice.chance(80) {
            all.push(Happening::Follow(dice.number()));
        }
        all.push(Happening::Check);
    }
    all
}

#[test]
fn observers_at_a_follower_see_each_change_of_scope() {
    let count = Counts::default();
    let worlds = search(seeds(extent(24, 300)), happenings, |seed, happenings| {
        run(seed, happenings, &count)
    });
    println!("{worlds} worlds: {count}");
    for (what, floor) in [
        ("changes", 10 * worlds),
        ("feeds", 10 * worlds),
        ("polls", 100 * worlds),
        ("answers", 10 * worlds),
        ("answers that found something", worlds),
        ("answers not_synced", 2 * worlds),
    ] {
        count.at_least(what, floor);
    }
}

fn run(seed: u64, happenings: &[Happening], count: &Counts) -> Result<(), String> {
    let mut source = Source::new(seed);
    let follower = Engine::memory(Options::default()).unwrap();
    let mut observed: Vec<CheckedQuery> = questions(seed)
        .into_iter()
        .map(|(asked, is_record)| CheckedQuery::new(&follower, asked, is_record))
        .collect();
    let mut reach = Reach::default();
    for (place, happening) in happenings.iter().enumerate() {
        match happening {
            Happening::Source(event) => source.live(event),
            Happening::RemoveSchool(school) => {
                follower.remove_school(*school).unwrap();
            }
            Happening::ForgetSync(school) => follower.forget_sync(*school).unwrap(),
            Happening::EraseLearner(school, learner) => {
                follower.erase_learner(*school, *learner).unwrap();
            }
            Happening::Scope(other) => reach = other.clone(),
            Happening::Follow(number) => {
                let dice = &mut Random::new(*number);
                bring(dice, source.engine(), &follower, &reach.scope()).unwrap();
                count.add("feeds", 1);
            }
            Happening::Check => {
                for query in &mut observed {
                    let is_new = query.check(&follower);
                    let is_new = is_new.map_err(|what| format!("at {place}: {what}"))?;
                    let is_error = query.last.as_ref().is_some_and(Result::is_err);
                    let has_found = query.has_found();
                    count.add("polls", 1);
                    count.add("answers", u64::from(is_new));
                    count.add(
                        "answers that found something",
                        u64::from(is_new && has_found),
                    );
                    count.add("answers not_synced", u64::from(is_new && is_error));
                }
            }
        }
    }
    count.add("changes", source.changes);
    Ok(())
}

const SCHOOL: &str = r#"
{"type":"school","school_id":1,"current_year":2026}
{"type":"learner","school_id":1,"id":7,"first_name":"Anna"}
"#;

fn rename(source: &Engine, name: &str) {
    let line = format!(r#"{{"type":"learner","school_id":1,"id":7,"first_name":"{name}"}}"#);
    source.apply(line.as_bytes()).unwrap();
}

fn apply(follower: &Engine, feed: Feed) {
    let lines = feed.map(|line| line.unwrap() + "\n").collect::<String>();
    push(&mut Random::new(1), follower, lines.as_bytes()).unwrap();
}

/// A server may remember the position of the feed that it sent last. The follower may want a
/// comparison by then, which such a server does not know.
#[test]
fn each_feed_may_begin_at_the_position_of_the_previous_one() {
    let source = Engine::memory(Options::default()).unwrap();
    source.apply(SCHOOL.as_bytes()).unwrap();
    let follower = Engine::memory(Options::default()).unwrap();
    let mut feeds = source.observe_feed(Scope::default().school(1));
    let mut position = None;
    for round in 0..5 {
        let feed = feeds.poll(position.as_deref()).unwrap().unwrap();
        position = Some(feed.position());
        apply(&follower, feed);
        assert_eq!(records(&follower), records(&source), "{round}");
        rename(&source, &format!("Name {round}"));
    }
}

/// A feed that was cut, or that the follower refused, is made again if the same position is polled
/// again, although nothing was changed meanwhile.
#[test]
fn a_feed_that_was_lost_is_made_again() {
    let source = Engine::memory(Options::default()).unwrap();
    source.apply(SCHOOL.as_bytes()).unwrap();
    let follower = Engine::memory(Options::default()).unwrap();
    let mut feeds = source.observe_feed(Scope::default().school(1));
    drop(feeds.poll(None).unwrap().unwrap());
    apply(&follower, feeds.poll(None).unwrap().unwrap());
    let first = follower.followed().unwrap().unwrap();
    assert!(feeds.poll(Some(&first)).is_none());
    rename(&source, "Other");
    drop(feeds.poll(Some(&first)).unwrap().unwrap());
    apply(&follower, feeds.poll(Some(&first)).unwrap().unwrap());
    let second = follower.followed().unwrap().unwrap();
    assert!(feeds.poll(Some(&second)).is_none());
    // Also for the position of a follower that was restored from a copy, or has removed its data.
    assert!(feeds.poll(Some(&first)).is_some());
    assert!(feeds.poll(None).is_some());
    assert!(feeds.poll(Some(&second)).is_none());
}

/// The tables that belong to no school are part of every scope, even of an empty one.
#[test]
fn a_feed_of_an_empty_scope_is_observed() {
    let source = Engine::memory(Options::default()).unwrap();
    let mut feeds = source.observe_feed(Scope::default());
    let first = feeds.poll(None).unwrap().unwrap().position();
    assert!(feeds.poll(Some(&first)).is_none());
    let gender = r#"{"type":"gender","id":1,"name":"Other"}"#;
    source.apply(gender.as_bytes()).unwrap();
    assert!(feeds.poll(Some(&first)).is_some());
}
