//! Applies bytes that are not a feed, or a feed for another store: each causes an error with a
//! name, and changes nothing.

use super::records;
use super::transfer::{bring, feed};
use base64ct::{Base64UrlUnpadded, Encoding};
use rollbook::{Engine, Options, Scope};
use rollbook_tests::feeds::sealed;
use rollbook_tests::random::Random;

const SOURCE: &str = r#"
{"type":"school","school_id":1,"current_year":2026}
{"type":"school","school_id":2,"current_year":2026}
{"type":"grade","school_id":1,"grade_id":9,"grade":"7"}
{"type":"parent","school_id":1,"id":5,"first_name":"Zoe"}
{"type":"learner","school_id":1,"id":7,"first_name":"Anna","parent1_id":5}
{"type":"learner","school_id":1,"id":8,"first_name":"Ben"}
{"type":"absentee","school_id":1,"id":3,"learner_id":7,"absent_date":"2026-05-04"}
{"type":"mark","school_id":1,"assessment_id":4,"learner_id":7,"mark":"5"}
"#;

const CHANGES: &str = r#"
{"type":"learner","school_id":1,"id":7,"first_name":"Anne","parent1_id":5}
{"type":"absentee","school_id":1,"id":3,"deleted":true}
{"type":"grade","school_id":1,"grade_id":9,"grade":"8"}
"#;

fn scope() -> Scope {
    Scope::default().learners(1, [7])
}

/// Returns a follower that also has a school of its own, and a feed of one segment for it.
fn followed() -> (Engine, Vec<String>) {
    let source = Engine::memory(Options::default()).unwrap();
    source.apply(SOURCE.as_bytes()).unwrap();
    let follower = Engine::memory(Options::default()).unwrap();
    bring(&mut Random::new(1), &source, &follower, &scope()).unwrap();
    let own = r#"{"type":"learner","school_id":77,"id":1,"first_name":"Own"}"#;
    follower.apply(own.as_bytes()).unwrap();
    source.apply(CHANGES.as_bytes()).unwrap();
    let after = follower.followed().unwrap();
    let lines = feed(&source, &scope(), after.as_deref()).unwrap();
    (follower, lines)
}

/// Returns the code of the error when a follower applies these bytes, or `ok`.
fn taken(follower: &Engine, bytes: &[u8]) -> &'static str {
    let mut follow = follower.follow();
    let pushed = bytes
        .chunks(1 << 16)
        .try_for_each(|piece| follow.push(piece));
    let outcome = pushed.and_then(|()| follow.finish().map(drop));
    outcome.map_or_else(|error| error.code(), |()| "ok")
}

fn state(engine: &Engine) -> (Vec<String>, Option<String>) {
    (records(engine), engine.followed().unwrap())
}

#[test]
fn a_feed_that_is_cut_anywhere_changes_nothing() {
    let (follower, lines) = followed();
    let before = state(&follower);
    let bytes = lines.concat().into_bytes();
    assert!(lines.len() > 4);
    for end in 0..bytes.len() - 1 {
        let code = taken(&follower, &bytes[..end]);
        let expected = if end == 0 { "ok" } else { "bad_dataset" };
        assert_eq!(code, expected, "{end}");
        assert_eq!(state(&follower), before, "{end}");
    }
    assert_eq!(taken(&follower, &bytes), "ok");
    assert_ne!(state(&follower), before);
    // Applying a feed twice has the same effect as once.
    let after = state(&follower);
    assert_eq!(taken(&follower, &bytes), "ok");
    assert_eq!(state(&follower), after);
}

#[test]
fn lines_that_are_no_part_of_a_feed_are_refused() {
    let (follower, lines) = followed();
    let before = state(&follower);
    let numbers = |count: usize| vec!["1"; count].join(",");
    let unit = "[1,0,0,0,0,0]";
    let units = vec![unit; 70_000].join(",");
    let mut bad: Vec<String> = [
        r#"{"type":"integrator","username":"a","password":"b"}"#,
        r#"{"type":"client_integration","username":"a","school_id":1,"api_type_id":8,"state":1}"#,
        r#"{"type":"learner","school_id":2,"id":1}"#,
        r#"{"type":"learner","school_id":77,"id":1,"deleted":true}"#,
        r#"{"type":"learner","school_id":1,"id":8}"#,
        r#"{"type":"absentee","school_id":1,"id":9,"learner_id":8,"absent_date":"2026-05-04"}"#,
        r#"{"type":"staff_member","school_id":1,"id":9}"#,
        r#"{"type":"whole","school_id":77}"#,
        r#"{"type":"whole","school_id":2}"#,
        r#"{"type":"whole","school_id":"x"}"#,
        r#"{"type":"complete","school_id":77}"#,
        r#"{"type":"complete"}"#,
        r#"{"type":"seen","school_id":77,"units":[]}"#,
        r#"{"type":"seen","school_id":1,"units":[[1,0,0,0,0]]}"#,
        r#"{"type":"seen","school_id":1,"units":[[999,0,0,0,0,0]]}"#,
        r#"{"type":"seen","school_id":1,"units":7}"#,
        r#"{"type":"seen","school_id":1}"#,
        r#"{"type":"colour","school_id":1}"#,
        r#"{"type":"learner","school_id":1}"#,
        r#"{"type":"ending"}"#,
        r#"{"type":"feed"}"#,
        r#"{"type":"feed","incarnation":1,"sequence":1,"parts":1,"scope":"AA","pending":"AA"}"#,
        r#"{"type":"feed","incarnation":1,"sequence":1,"parts":1,"scope":"*","pending":""}"#,
        r#"{"type":"part","from":"","schools":"AA"}"#,
        "[]",
        "x",
    ]
    .map(str::to_owned)
    .into();
    bad.push(lines[0].clone());
    bad.push(format!(
        r#"{{"type":"seen","school_id":1,"units":[{}]}}"#,
        numbers(400_000)
    ));
    bad.push(format!("{{\"type\":\"seen\",\"school_id\":1,\"units\":[{units}]}}\n").repeat(20));
    bad.push("x".repeat(1 << 21));
    for line in bad {
        let begin: String = line.chars().take(100).collect();
        for place in [0, 1, 2, lines.len() - 1] {
            let mut feed: Vec<&str> = lines.iter().map(String::as_str).collect();
            let line = format!("{line}\n");
            feed.insert(place, &line);
            assert_eq!(
                taken(&follower, feed.concat().as_bytes()),
                "bad_dataset",
                "{begin}"
            );
            assert_eq!(state(&follower), before, "{begin}");
        }
    }
    assert_eq!(taken(&follower, lines.concat().as_bytes()), "ok");
}

/// Replaces the first byte of a token, which is the version.
fn of_version(text: &str, version: u8) -> String {
    let mut bytes = Base64UrlUnpadded::decode_vec(text).unwrap();
    bytes[0] = version;
    Base64UrlUnpadded::encode_string(&bytes)
}

#[test]
fn positions_of_newer_versions_and_of_other_stores_are_refused() {
    let (follower, lines) = followed();
    let position = follower.followed().unwrap().unwrap();
    let newer = of_version(&position, 2);
    let source = Engine::memory(Options::default()).unwrap();
    source.apply(SOURCE.as_bytes()).unwrap();
    for strange in ["", "*", &position[2..]] {
        let refused = source.feed(&scope(), Some(strange)).map(drop).unwrap_err();
        assert_eq!(refused.code(), "resync_required", "{strange}");
    }
    // A token that the source does not recognise, or cannot read, results in a complete feed.
    for strange in [newer.as_str(), &position] {
        let everything = source.feed(&scope(), Some(strange)).unwrap();
        let all = source.feed(&scope(), None).unwrap();
        assert_eq!(everything.count(), all.count());
    }
    let of_other = bring(&mut Random::new(1), &source, &follower, &scope());
    assert!(of_other.is_ok());
    assert_eq!(taken(&follower, lines.concat().as_bytes()), "out_of_sync");
}

/// A scope with many schools that the source does not have.
#[test]
fn long_lists_of_schools_are_accepted() {
    let source = Engine::memory(Options::default()).unwrap();
    source.apply(SOURCE.as_bytes()).unwrap();
    let schools = (100..20_100).fold(scope(), Scope::school);
    let (follower, _) = followed();
    bring(&mut Random::new(1), &source, &follower, &schools).unwrap();
    assert!(follower.synced(20_099).unwrap().is_some());
    assert!(follower.verify().unwrap().is_sound());
    // A list is not written again without a reason.
    let after = follower.followed().unwrap();
    let lines = feed(&source, &schools, after.as_deref()).unwrap();
    assert_eq!(lines, [""; 0]);
    // All these schools leave the scope at once.
    bring(&mut Random::new(1), &source, &follower, &scope()).unwrap();
    assert_eq!(follower.synced(20_099).unwrap(), None);
}

/// Tests segments of a feed with several segments.
#[test]
fn parts_that_are_none_of_the_feed_are_refused() {
    let (follower, _) = followed();
    let source = Engine::memory(Options::default()).unwrap();
    source.apply(SOURCE.as_bytes()).unwrap();
    let both = Scope::default().school(1).school(2);
    let after = follower.followed().unwrap();
    let lines = feed(&source, &both, after.as_deref()).unwrap();
    let heads: Vec<usize> = (0..lines.len())
        .filter(|at| lines[*at].starts_with(r#"{"type":"part""#))
        .collect();
    assert_eq!(heads.len(), 2);
    let before = state(&follower);
    // Segments without the head of the feed, and segments with schools that are not in it.
    let alone = lines[heads[0]..].concat();
    assert_eq!(taken(&follower, alone.as_bytes()), "bad_dataset");
    assert_eq!(state(&follower), before);
    let (first, second) = (&lines[heads[0]], &lines[heads[1]]);
    let (_, schools) = second.split_once(r#""schools":"#).unwrap();
    let (of_first, of_schools) = first.split_once(r#""schools":"#).unwrap();
    for other in [
        first.replace(of_schools, r#""AU0"}"#),
        first.replace(of_schools, r#""AQ"}"#),
        first.replace(of_schools, r#""*"}"#),
        format!(r#"{of_first}"schools":7}}"#),
        first.replace(r#""from""#, r#""form""#),
    ] {
        assert_ne!(other.trim(), first.trim());
        let mut altered = lines.clone();
        altered[heads[0]] = other + "\n";
        let altered = sealed(altered.concat().as_bytes());
        assert_eq!(taken(&follower, &altered), "bad_dataset");
    }
    // If the segments are swapped, the first one does not begin at the position of the follower.
    let swapped = [
        &lines[..heads[0]],
        &lines[heads[1]..],
        &lines[heads[0]..heads[1]],
    ];
    assert!(schools.len() > 3);
    let outcome = taken(&follower, swapped.concat().concat().as_bytes());
    assert!(matches!(outcome, "ok" | "out_of_sync"), "{outcome}");
    assert_eq!(taken(&follower, lines.concat().as_bytes()), "ok");
    assert_eq!(records(&follower).len(), records(&source).len() + 1);
}

/// A segment with a missing, altered, duplicate or moved line stores nothing. The correct feed is
/// applied afterwards.
#[test]
fn a_feed_with_a_line_that_is_missing_or_altered_is_refused() {
    let (follower, lines) = followed();
    let before = state(&follower);
    let mut altered: Vec<Vec<String>> = Vec::new();
    for place in 1..lines.len() - 1 {
        let mut missing = lines.clone();
        missing.remove(place);
        let mut doubled = lines.clone();
        doubled.insert(place, lines[place].clone());
        let mut moved = lines.clone();
        moved.swap(place, place - 1);
        altered.extend(
            [missing, doubled, moved]
                .into_iter()
                .filter(|one| *one != lines),
        );
    }
    let other = lines.iter().map(|line| line.replace("Anne", "Anna"));
    altered.push(other.collect());
    assert!(altered.len() > 6);
    for lines in altered {
        let bytes = lines.concat().into_bytes();
        assert_eq!(taken(&follower, &bytes), "bad_dataset", "{lines:#?}");
        assert_eq!(state(&follower), before);
    }
    assert_eq!(taken(&follower, lines.concat().as_bytes()), "ok");
}
