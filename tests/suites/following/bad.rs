//! Bytes that are no feed, or one of another kind: an error that has a name, and nothing is
//! changed.

use super::records;
use super::sent::{bring, feed};
use base64ct::{Base64UrlUnpadded, Encoding};
use rollbook::{Engine, Options, Scope};
use rollbook_tests::fuzz::Mutator;
use rollbook_tests::random::Random;
use rollbook_tests::search::extent;

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

/// A follower with a school of its own, and a feed of one part for it.
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

/// The code of what becomes of these bytes, or `ok`.
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
    // Twice is as good as once.
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

/// A position with its first byte, the version, another.
fn of_version(text: &str, version: u8) -> String {
    let mut bytes = Base64UrlUnpadded::decode_vec(text).unwrap();
    bytes[0] = version;
    Base64UrlUnpadded::encode_string(&bytes)
}

#[test]
fn positions_of_newer_versions_and_of_other_stores_are_refused() {
    let (follower, lines) = followed();
    let before = state(&follower);
    let position = follower.followed().unwrap().unwrap();
    let newer = of_version(&position, 2);
    let head = lines[0].replace(&position, &newer);
    assert_ne!(head, lines[0]);
    let feed = [&[head], &lines[1..]].concat().concat();
    assert_eq!(taken(&follower, feed.as_bytes()), "bad_dataset");
    assert_eq!(state(&follower), before);
    let source = Engine::memory(Options::default()).unwrap();
    source.apply(SOURCE.as_bytes()).unwrap();
    for strange in [newer.as_str(), &position, "", "*", &position[1..]] {
        let refused = source.feed(&scope(), Some(strange)).map(drop).unwrap_err();
        assert_eq!(refused.code(), "begin_anew", "{strange}");
    }
    let of_other = bring(&mut Random::new(1), &source, &follower, &scope());
    assert!(of_other.is_ok());
    assert_eq!(taken(&follower, lines.concat().as_bytes()), "out_of_step");
}

/// Many schools that stay until they come, and many that come.
#[test]
fn long_lists_are_taken_as_they_are() {
    let (follower, lines) = followed();
    let many: Vec<String> = (0..100_000).map(|school| school.to_string()).collect();
    let head = lines[0].replace(
        r#""pending":[]"#,
        &format!(r#""pending":[{}]"#, many.join(",")),
    );
    assert_ne!(head, lines[0]);
    let feed = [&[head], &lines[1..]].concat().concat();
    assert_eq!(taken(&follower, feed.as_bytes()), "ok");
    assert!(follower.verify().unwrap().is_sound());
}

#[test]
fn mutated_feeds_do_no_harm() {
    let (_, lines) = followed();
    let bytes = lines.concat().into_bytes();
    let mut mutator = Mutator::new(3);
    let mut codes = std::collections::BTreeMap::new();
    let (mut follower, mut before) = (None, None);
    for _ in 0..extent(2_000, 30_000) {
        let engine = follower.get_or_insert_with(|| {
            let follower = Engine::memory(Options::default()).unwrap();
            let own = r#"{"type":"learner","school_id":77,"id":1,"first_name":"Own"}"#;
            follower.apply(own.as_bytes()).unwrap();
            follower
        });
        let was = before.take().unwrap_or_else(|| state(engine));
        let mut mutated = bytes.clone();
        // It begins anew, so that it is looked at.
        let text = String::from_utf8(mutated).unwrap();
        let (start, rest) = text.split_once(r#""from":""#).unwrap();
        let (_, rest) = rest.split_once("\",").unwrap();
        mutated = format!("{start}{rest}").into_bytes();
        mutator.mutate(&mut mutated, &bytes);
        let code = taken(engine, &mutated);
        *codes.entry(code).or_insert(0) += 1;
        // What comes to its end is kept, whatever comes behind it.
        if code == "ok" || state(engine) != was {
            assert!(engine.verify().unwrap().is_sound());
            let lines = records(engine);
            assert!(
                lines.iter().any(|line| line.contains("Own")),
                "{}",
                String::from_utf8_lossy(&mutated)
            );
            follower = None;
        } else {
            before = Some(was);
        }
    }
    println!("{codes:?}");
    assert!(codes.len() > 1);
}
