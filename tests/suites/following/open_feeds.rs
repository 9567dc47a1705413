//! The cost of feeds: memory while they are read, bytes for resume tokens and scopes, and work for
//! many schools.

use super::records;
use super::transfer::{bring, feed, push};
use rollbook::{Engine, Options, Scope};
use rollbook_tests::random::Random;
use std::ops::Range;

/// The maximum length of a URL that HTTP servers accept, minus what is not the token.
const ADDRESS: usize = 8000 - 500;

fn learners(school: u64, ids: Range<u64>) -> String {
    let school_line = format!(r#"{{"type":"school","school_id":{school},"current_year":2026}}"#);
    let lines = ids.map(|id| {
        format!(
            "\n{{\"type\":\"learner\",\"school_id\":{school},\"id\":{id},\"first_name\":\"N{id}\"}}"
        )
    });
    school_line + &lines.collect::<String>() + "\n"
}

/// Returns ids that are far apart, so that each takes several bytes.
fn ids(count: u64) -> impl Iterator<Item = u64> {
    (1..=count).map(|number| number * 1_000_003)
}

fn follow(source: &Engine, follower: &Engine, scope: &Scope) {
    bring(&mut Random::new(1), source, follower, scope).unwrap();
}

/// A change of one record costs little in either direction, even if the scope contains many
/// learners.
#[test]
fn a_long_list_of_learners_is_sent_when_it_changes_and_never_in_an_address() {
    for (schools, count) in [(1, 1_000), (1, 10_000), (10, 1_000)] {
        let source = Engine::memory(Options::default()).unwrap();
        let mut scope = Scope::default();
        for school in 1..=schools {
            source.apply(learners(school, 1..20).as_bytes()).unwrap();
            scope = scope.learners(school, ids(count).chain(1..=5));
        }
        let follower = Engine::memory(Options::default()).unwrap();
        let first = feed(&source, &scope, None).unwrap();
        // Each id takes three bytes, which are four characters in Base64.
        let list = usize::try_from(schools * count).unwrap() * 4;
        let bytes: usize = first.iter().map(String::len).sum();
        assert!((list..list + 20_000).contains(&bytes), "{bytes} {list}");
        push(&mut Random::new(1), &follower, first.concat().as_bytes()).unwrap();
        for round in 0..3 {
            let after = follower.followed().unwrap().unwrap();
            assert!(after.len() <= ADDRESS, "{}", after.len());
            let asked = source.feed(&scope, Some(&after)).unwrap();
            assert!(asked.position().len() <= ADDRESS);
            assert!(asked.has_changes() == (round > 0));
            let bytes: usize = asked.map(|line| line.unwrap().len() + 1).sum();
            assert!(bytes < 2_000, "{bytes}");
            follow(&source, &follower, &scope);
            let line = format!(
                r#"{{"type":"learner","school_id":1,"id":2,"first_name":"Round {round}"}}"#
            );
            source.apply(line.as_bytes()).unwrap();
        }
        // One more learner, one less, and another school.
        let mut other = scope.clone().learners(1, [7]);
        for _ in 0..2 {
            follow(&source, &follower, &other);
            let export = source.export_scope(&other).unwrap();
            assert!(
                records(&follower)
                    .into_iter()
                    .eq(export.map(Result::unwrap))
            );
            other = Scope::default()
                .learners(1, ids(count).chain(2..=5))
                .school(7);
        }
    }
}

/// Twice as many schools take twice as many bytes, in whatever form the scope is given, and an
/// interrupted feed costs at most a part of them.
#[test]
fn the_heads_of_a_feed_grow_with_its_schools_and_no_faster() {
    let bytes = |schools: u64| {
        let source = Engine::memory(Options::default()).unwrap();
        let mut lines = String::new();
        let mut scope = Scope::default();
        for school in 1..=schools {
            let line = format!(r#"{{"type":"learner","school_id":{school},"id":1}}"#);
            lines += &(line + "\n");
            scope = scope.learners(school, [1, 2]);
        }
        source.apply(lines.as_bytes()).unwrap();
        let all = feed(&source, &scope, None).unwrap();
        let bytes: usize = all.iter().map(String::len).sum();
        let parts = all
            .iter()
            .filter(|line| line.starts_with(r#"{"type":"end""#));
        let parts = parts.count();
        assert!(parts >= 40, "{parts}");
        // The feed continues after an interruption at any line.
        let follower = Engine::memory(Options::default()).unwrap();
        let mut sent = 0;
        for share in [3, 2, 1] {
            let after = follower.followed().unwrap();
            assert!(after.as_ref().is_none_or(|after| after.len() <= ADDRESS));
            let rest = feed(&source, &scope, after.as_deref()).unwrap();
            let lines = &rest[..rest.len() / share];
            sent += lines.iter().map(String::len).sum::<usize>();
            let pushed = push(&mut Random::new(1), &follower, lines.concat().as_bytes());
            assert_eq!(pushed.is_ok(), share == 1, "{pushed:?}");
        }
        assert_eq!(records(&follower), records(&source));
        assert!(sent < bytes * 3 / 2, "{sent} {bytes}");
        bytes
    };
    let (some, twice) = (bytes(1_000), bytes(2_000));
    assert!(twice < some * 5 / 2, "{some} {twice}");
}

/// Opens many feeds at once, and reads each to its end.
#[cfg(target_os = "linux")]
mod memory {
    use super::{follow, ids};
    use crate::memory::Child;
    use rollbook::{Engine, Feed, Scope};
    use rollbook_tests::sample::SampleSchool;
    use rollbook_tests::search::extent;
    use rollbook_tests::storage::child;
    use rollbook_tests::storage::scenario::{SCHOOL, options};
    use std::path::Path;

    const LEARNERS: u32 = 1_000;

    /// The number of ids in the scope that names many learners.
    const MANY: u64 = 50_000;

    /// The kinds of feeds, by what they contain.
    const FEEDS: [&str; 4] = [
        "learners by id",
        "a school",
        "many ids",
        "changes of many ids",
    ];

    fn feeds() -> u64 {
        extent(15, 50)
    }

    fn scope(what: &str) -> Scope {
        let learners = 1..=u64::from(LEARNERS);
        match what {
            "learners by id" => Scope::default().learners(SCHOOL, learners),
            "a school" => Scope::default().school(SCHOOL),
            _ => Scope::default().learners(SCHOOL, learners.chain(ids(MANY))),
        }
    }

    /// Makes the store in a file. A child reads it, so that it cannot reuse memory that the load
    /// has freed. Returns the position of a follower of many ids, whose next feed contains changes
    /// of many records, and checksums.
    fn make(path: &Path) -> String {
        let sample = SampleSchool {
            learners: LEARNERS,
            ..SampleSchool::default()
        };
        let engine = Engine::open(path, options()).unwrap();
        let mut load = engine.load();
        for line in sample.lines() {
            load.push(format!("{line}\n").as_bytes()).unwrap();
        }
        load.finish().unwrap();
        let follower = Engine::memory(options()).unwrap();
        let scope = scope("many ids");
        follow(&engine, &follower, &scope);
        let of = format!(r#""school_id":{SCHOOL}"#);
        let grades = (1..=20_000).map(|id| format!(r#"{{"type":"grade",{of},"grade_id":{id}}}"#));
        let learners = (1..=100)
            .map(|id| format!(r#"{{"type":"learner",{of},"id":{id},"first_name":"New"}}"#));
        // The feed after a change of a sixteenth of the records contains checksums.
        let lines: Vec<String> = grades.collect();
        engine.apply(lines.join("\n").as_bytes()).unwrap();
        follow(&engine, &follower, &scope);
        let lines: Vec<String> = learners.collect();
        engine.apply(lines.join("\n").as_bytes()).unwrap();
        engine.close().unwrap();
        follower.followed().unwrap().unwrap()
    }

    fn read(task: &str) {
        let [what, after, path] = task.split('|').collect::<Vec<_>>()[..] else {
            panic!("{task}");
        };
        let engine = Engine::open(path, options()).unwrap();
        let scope = scope(what);
        let after = Some(after).filter(|_| what.starts_with("changes"));
        let open = || engine.feed(&scope, after).unwrap();
        // Reading a whole feed fills the caches.
        let lines: Vec<String> = open().map(Result::unwrap).collect();
        let bytes: usize = lines.iter().map(String::len).sum();
        let sums = lines
            .iter()
            .filter(|line| line.starts_with(r#"{"type":"sum""#));
        match after {
            Some(_) => assert!(sums.count() == 2 && bytes < 1_000_000, "{bytes}"),
            None => assert!(bytes > 10_000_000, "{bytes}"),
        }
        drop(lines);
        let mut child = Child::new();
        child.step(what, || {
            let mut feeds: Vec<Feed> = (0..feeds()).map(|_| open()).collect();
            // Each feed is read a little further than the one before it.
            let mut is_left = true;
            while is_left {
                is_left = false;
                for (number, feed) in feeds.iter_mut().enumerate() {
                    is_left |= feed.take(900 + number).count() > 0;
                }
            }
        });
    }

    #[test]
    fn an_open_feed_takes_less_than_a_megabyte() {
        if let Some(task) = child::task() {
            return read(&task);
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let after = make(&path);
        let test = "following::open_feeds::memory::an_open_feed_takes_less_than_a_megabyte";
        for what in FEEDS {
            let mut child = child::start(test, &format!("{what}|{after}|{}", path.display()));
            let said: Vec<String> = child::lines(child.stdout.take().unwrap()).collect();
            assert!(child.wait().unwrap().success(), "{said:?}");
            let [_, peak, _] = said[0].split('|').collect::<Vec<_>>()[..] else {
                panic!("{said:?}");
            };
            let each = peak.parse::<u64>().unwrap() / feeds();
            println!("a feed of {what} takes {each} bytes");
            // The lower limit shows that the memory of a step was measured. The upper one notices a
            // copy of the ids, which would still fit into a megabyte.
            assert!((1_000..200_000).contains(&each), "{what}: {each}");
        }
    }
}
