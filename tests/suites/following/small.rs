//! A feed is small, and contains nothing about people outside the scope.

use super::transfer::{bring, feed};
use super::{open, records};
use crate::erased::portrait::{Portrait, found, id_needles};
use rollbook::{Engine, Options, Scope};
use rollbook_tests::random::Random;
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::scenario::{SCHOOL, school};

/// Returns a line that changes a mark of a learner.
fn marked(source: &Engine, learner: u64) -> String {
    let of = format!(r#","learner_id":{learner},"mark":""#);
    let lines = records(source);
    let mark = lines.iter().find(|line| line.contains(&of)).unwrap();
    let (before, after) = mark.split_once(r#""mark":""#).unwrap();
    let (_, rest) = after.split_once('"').unwrap();
    format!(r#"{before}"mark":"1.25"{rest}"#)
}

#[test]
fn one_mark_is_a_small_feed() {
    let mut dice = Random::new(1);
    for scope in [
        Scope::default().learners(SCHOOL, [7]),
        Scope::default().school(SCHOOL),
    ] {
        let source = Engine::memory(Options::default()).unwrap();
        source.apply(school(SCHOOL, 60).as_bytes()).unwrap();
        let follower = Engine::memory(Options::default()).unwrap();
        bring(&mut dice, &source, &follower, &scope).unwrap();
        source.apply(marked(&source, 7).as_bytes()).unwrap();
        let after = follower.followed().unwrap();
        let lines = feed(&source, &scope, after.as_deref()).unwrap();
        let marks = lines
            .iter()
            .filter(|line| line.contains(r#""type":"mark""#));
        assert_eq!(marks.count(), 1);
        let bytes: usize = lines.iter().map(String::len).sum();
        println!("{bytes} bytes: {lines:#?}");
        assert!(bytes <= 1024, "{bytes}: {lines:#?}");
        // A mark of another learner is not reported to a follower of this learner.
        bring(&mut dice, &source, &follower, &scope).unwrap();
        if scope == Scope::default().learners(SCHOOL, [7]) {
            source.apply(marked(&source, 8).as_bytes()).unwrap();
            let after = follower.followed().unwrap();
            let other = source.feed(&scope, after.as_deref()).unwrap();
            assert!(!other.has_changes());
            for line in other {
                assert!(!line.unwrap().contains("mark"));
            }
        }
    }
}

/// Two learners with unique texts and numbers, and their parents.
const ONE: u64 = 0x5eed_c0de_9b3d_01e7;
const OTHER: u64 = 0x5eed_c0de_9b3d_77aa;

/// Makes a learner with records of all kinds, and a second learner who names a parent and a payer.
fn family(id: u64, life: u8) -> (Portrait, String) {
    let portrait = Portrait::new(id, life, &[880_000_001]);
    let (more, person) = (id + 1, 700_000 + u64::from(life));
    let people = format!(
        "{{\"type\":\"learner\",\"school_id\":{SCHOOL},\"id\":{more},\"parent1_id\":{person},\"accountable_person_id\":{person}}}\n\
         {{\"type\":\"parent\",\"school_id\":{SCHOOL},\"id\":{person},\"first_name\":\"ELTER {life}\"}}\n\
         {{\"type\":\"accountable_person\",\"school_id\":{SCHOOL},\"accountable_person_id\":{person},\"last_name\":\"ZAHLER {life}\"}}\n"
    );
    let lines = people + &portrait.lines;
    (portrait, lines)
}

/// Returns what is found of a learner and of the people the learner names.
fn left(bytes: &[u8], (portrait, id, life): (&Portrait, u64, u8)) -> Vec<String> {
    let ids = id_needles(id);
    let all = portrait.needles.iter().chain(&ids);
    let mut left: Vec<String> = found(bytes, all).into_iter().map(str::to_owned).collect();
    for text in [format!("ELTER {life}"), format!("ZAHLER {life}")] {
        if memchr::memmem::find(bytes, text.as_bytes()).is_some() {
            left.push(text);
        }
    }
    left
}

#[test]
fn nothing_of_others_is_sent_and_nothing_of_removed_learners_remains() {
    let mut dice = Random::new(2);
    let source = Engine::memory(Options::default()).unwrap();
    source.apply(school(SCHOOL, 12).as_bytes()).unwrap();
    let (one, lines) = family(ONE, 1);
    source.apply(lines.as_bytes()).unwrap();
    let (other, lines) = family(OTHER, 2);
    source.apply(lines.as_bytes()).unwrap();
    let disk = Disk::default();
    let follower = open(&disk);
    let mut sent = Vec::new();
    let mut follow = |scope: &Scope| {
        let after = follower.followed().unwrap();
        sent.extend(feed(&source, scope, after.as_deref()).unwrap());
        bring(&mut dice, &source, &follower, scope).unwrap();
    };
    let alone = Scope::default().learners(SCHOOL, [ONE, ONE + 1]);
    follow(&alone);
    // The learner outside the scope changes, and gets another parent.
    let (changed, lines) = family(OTHER, 3);
    source.apply(lines.as_bytes()).unwrap();
    follow(&alone);
    let sent_bytes = sent.concat().into_bytes();
    let all = one.needles.len() + 2;
    let here = [&sent_bytes, &disk.bytes()].map(|bytes| left(bytes, (&one, ONE, 1)).len());
    println!("{all} texts and numbers of the one, {here:?} are there");
    assert!(here.iter().all(|here| *here > one.needles.len() / 2));
    for bytes in [&sent_bytes, &disk.bytes()] {
        assert_eq!(left(bytes, (&other, OTHER, 2)), [""; 0]);
        assert_eq!(left(bytes, (&changed, OTHER, 3)), [""; 0]);
    }
    let mut follow = |scope: &Scope| {
        bring(&mut dice, &source, &follower, scope).unwrap();
    };
    follow(&Scope::default().learners(SCHOOL, [OTHER, OTHER + 1]));
    follower.compact().unwrap();
    assert!(!left(&disk.bytes(), (&changed, OTHER, 3)).is_empty());
    assert_eq!(left(&disk.bytes(), (&one, ONE, 1)), [""; 0]);
    // The same when the school leaves the scope.
    follow(&Scope::default());
    follower.compact().unwrap();
    assert_eq!(left(&disk.bytes(), (&changed, OTHER, 3)), [""; 0]);
}
