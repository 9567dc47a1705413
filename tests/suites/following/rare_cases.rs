//! Cases that random lives seldom reach.

use super::transfer::{bring, feed};
use super::{open, records};
use rollbook::{Credentials, Engine, Error, Options, Scope};
use rollbook_tests::random::Random;
use rollbook_tests::storage::disk::Disk;

const SOURCE: &str = r#"
{"type":"school","school_id":1,"current_year":2026}
{"type":"api_type","api_type_id":8,"family":"administration"}
{"type":"parent","school_id":1,"id":5,"first_name":"Zoe"}
{"type":"learner","school_id":1,"id":7,"first_name":"Anna","parent1_id":5}
{"type":"learner","school_id":1,"id":8,"first_name":"Ben","parent1_id":5}
{"type":"absentee","school_id":1,"id":3,"learner_id":8,"absent_date":"2026-05-04"}
{"type":"school","school_id":2,"current_year":2026}
{"type":"learner","school_id":2,"id":9,"first_name":"Cem"}
"#;

fn memory(lines: &str) -> Engine {
    let engine = Engine::memory(Options::default()).unwrap();
    engine.apply(lines.as_bytes()).unwrap();
    engine
}

fn followed(source: &Engine, scope: &Scope) -> Engine {
    let follower = memory("");
    follow(source, &follower, scope);
    follower
}

fn follow(source: &Engine, follower: &Engine, scope: &Scope) {
    bring(&mut Random::new(1), source, follower, scope).unwrap();
}

/// Returns the first names of all records.
fn names(engine: &Engine) -> Vec<String> {
    let lines = records(engine).into_iter();
    let name = |line: String| {
        let (_, rest) = line.split_once(r#""first_name":""#)?;
        Some(rest.split('"').next().unwrap().to_owned())
    };
    lines.filter_map(name).collect()
}

#[test]
fn removing_a_school_removes_its_client_integrations() {
    let source = memory(SOURCE);
    let scope = Scope::default().school(1).school(2);
    for is_line in [false, true] {
        let follower = followed(&source, &scope);
        let own = r#"{"type":"integrator","username":"a","password":"b"}
{"type":"client_integration","username":"a","school_id":2,"api_type_id":8,"state":1}"#;
        follower.apply(own.as_bytes()).unwrap();
        if is_line {
            let removal = r#"{"type":"school","school_id":2,"deleted":true}"#;
            source.apply(removal.as_bytes()).unwrap();
        } else {
            source.remove_school(2).unwrap();
        }
        follow(&source, &follower, &scope);
        let lines = follower.export(Credentials::LeaveOut).unwrap();
        let lines: Vec<String> = lines.map(Result::unwrap).collect();
        assert_eq!(lines, records(&source));
        source.apply(SOURCE.as_bytes()).unwrap();
    }
}

/// The source is replaced by an older copy and nothing was written since, so that its history is a
/// prefix of the old one.
#[test]
fn a_source_that_was_restored_from_a_copy_is_followed() {
    let disk = Disk::default();
    let source = open(&disk);
    source.apply(SOURCE.as_bytes()).unwrap();
    let copy = disk.bytes();
    let line = r#"{"type":"learner","school_id":1,"id":7,"first_name":"Other"}"#;
    source.apply(line.as_bytes()).unwrap();
    let scope = Scope::default().school(1);
    let follower = followed(&source, &scope);
    assert_eq!(names(&follower), ["Zoe", "Other", "Ben"]);
    let source = open(&Disk::new(copy));
    follow(&source, &follower, &scope);
    assert_eq!(names(&follower), ["Zoe", "Anna", "Ben"]);
    // The same for another scope at the same change position.
    follow(&source, &follower, &Scope::default().learners(1, [8]));
    assert_eq!(names(&follower), ["Zoe", "Ben"]);
}

/// A feed that arrives late or twice changes nothing: not the first feed, not a feed of an earlier
/// opening of the source, and not a feed from before the follower received everything again.
#[test]
fn feeds_that_arrive_late_or_twice_change_nothing() {
    let disk = Disk::default();
    let mut source = open(&disk);
    source.apply(SOURCE.as_bytes()).unwrap();
    let scope = Scope::default().school(1);
    let follower = memory("");
    let mut sent = Vec::new();
    for round in 0..6 {
        let after = follower.followed().unwrap();
        // A feed for a follower without a token is delayed, too.
        sent.push(feed(&source, &scope, None).unwrap());
        sent.push(feed(&source, &scope, after.as_deref()).unwrap());
        follow(&source, &follower, &scope);
        let line =
            format!(r#"{{"type":"learner","school_id":1,"id":7,"first_name":"Name {round}"}}"#);
        source.apply(line.as_bytes()).unwrap();
        follow(&source, &follower, &scope);
        if round == 2 {
            drop(source);
            source = open(&disk);
        }
        let before = (records(&follower), follower.followed().unwrap());
        for lines in &sent {
            let mut late = follower.follow();
            let outcome = late.push(lines.concat().as_bytes());
            assert!(
                matches!(outcome, Ok(()) | Err(Error::OutOfSync)),
                "{outcome:?}"
            );
            drop(late);
            let after = (records(&follower), follower.followed().unwrap());
            assert_eq!(after, before, "round {round}");
        }
    }
    assert_eq!(sent.len(), 12);
}

/// The scope changes back and forth while the source does not change, so a follower may have the
/// same scope at an earlier and a later token.
#[test]
fn a_feed_of_an_earlier_scope_that_arrives_twice_changes_nothing() {
    let source = memory(SOURCE);
    let scopes = [
        Scope::default().school(1),
        Scope::default().school(1).school(2),
        Scope::default().learners(1, [7]),
    ];
    let follower = followed(&source, &scopes[0]);
    let mut sent = Vec::new();
    for round in 0..3 {
        for scope in scopes.iter().skip(1).chain(&scopes[..1]) {
            let after = follower.followed().unwrap();
            sent.push(feed(&source, scope, after.as_deref()).unwrap());
            follow(&source, &follower, scope);
            let before = (records(&follower), follower.followed().unwrap());
            for lines in &sent {
                let mut late = follower.follow();
                drop(late.push(lines.concat().as_bytes()));
                drop(late);
                let after = (records(&follower), follower.followed().unwrap());
                assert_eq!(after, before, "round {round}");
            }
        }
    }
    assert_eq!(sent.len(), 9);
}

#[test]
fn a_learner_erased_while_a_segment_is_applied_is_not_added_again() {
    let source = memory(SOURCE);
    let scope = Scope::default().school(1);
    let follower = followed(&source, &scope);
    let line = r#"{"type":"learner","school_id":1,"id":7,"first_name":"Other"}"#;
    source.apply(line.as_bytes()).unwrap();
    let after = follower.followed().unwrap();
    let lines = feed(&source, &scope, after.as_deref()).unwrap();
    let (end, lines) = lines.split_last().unwrap();
    let mut segment = follower.follow();
    segment.push(lines.concat().as_bytes()).unwrap();
    follower.erase_learner(1, 7).unwrap();
    assert_eq!(segment.push(end.as_bytes()), Err(Error::OutOfSync));
    follow(&source, &follower, &scope);
    assert_eq!(names(&follower), ["Zoe", "Ben"]);
    // A record that is assigned to the erased learner is not added either.
    let line =
        r#"{"type":"absentee","school_id":1,"id":3,"learner_id":7,"absent_date":"2026-05-04"}"#;
    source.apply(line.as_bytes()).unwrap();
    follow(&source, &follower, &scope);
    assert!(
        records(&follower)
            .iter()
            .all(|line| !line.contains("absentee"))
    );
}

/// The device erases a learner while the school is not followed, or belongs to the app.
#[test]
fn a_learner_erased_between_feeds_is_not_added_again() {
    let source = memory(SOURCE);
    let scope = Scope::default().school(1).school(2);
    let other = Scope::default().school(2);
    for is_forgotten in [false, true] {
        let follower = followed(&source, &scope);
        if is_forgotten {
            follower.forget_sync(1).unwrap();
        } else {
            follow(&source, &follower, &other);
        }
        follower.erase_learner(1, 7).unwrap();
        follow(&source, &follower, &scope);
        assert_eq!(names(&follower), ["Zoe", "Ben", "Cem"], "{is_forgotten}");
    }
    // The feed that brings the school has begun.
    let follower = followed(&source, &other);
    let after = follower.followed().unwrap();
    let lines = feed(&source, &scope, after.as_deref()).unwrap();
    let (end, lines) = lines.split_last().unwrap();
    let mut part = follower.follow();
    part.push(lines.concat().as_bytes()).unwrap();
    follower.erase_learner(1, 7).unwrap();
    assert_eq!(part.push(end.as_bytes()), Err(Error::OutOfSync));
    follow(&source, &follower, &scope);
    assert_eq!(names(&follower), ["Zoe", "Ben", "Cem"]);
}

/// A school may leave the scope before its segment was applied; until then its old records were
/// retained.
#[test]
fn a_school_that_leaves_before_its_segment_is_removed() {
    let source = memory(SOURCE);
    let follower = followed(&source, &Scope::default().school(1).school(2));
    let scope = Scope::default().school(1).learners(2, [9]);
    let after = follower.followed().unwrap();
    let lines = feed(&source, &scope, after.as_deref()).unwrap();
    let is_end = |line: &String| line.starts_with(r#"{"type":"end""#);
    let end = lines.iter().position(is_end).unwrap();
    assert!(end + 1 < lines.len());
    let mut cut = follower.follow();
    cut.push(lines[..=end].concat().as_bytes()).unwrap();
    cut.finish().unwrap();
    assert_eq!(names(&follower), ["Zoe", "Anna", "Ben", "Cem"]);
    // A follower of this follower does not receive the school until its segment was applied.
    let refused = follower.feed(&Scope::default().school(2), None).map(drop);
    assert_eq!(refused.map_err(|error| error.code()), Err("unsupported"));
    follow(&source, &follower, &Scope::default().school(1));
    assert_eq!(names(&follower), ["Zoe", "Anna", "Ben"]);
    assert_eq!(follower.synced(2).unwrap(), None);
}

#[test]
fn a_deleted_parent_named_by_a_new_learner_is_removed() {
    let source = memory(SOURCE);
    let follower = followed(&source, &Scope::default().learners(1, [7]));
    assert_eq!(names(&follower), ["Zoe", "Anna"]);
    let removal = r#"{"type":"parent","school_id":1,"id":5,"deleted":true}"#;
    source.apply(removal.as_bytes()).unwrap();
    follow(&source, &follower, &Scope::default().learners(1, [8]));
    assert_eq!(names(&follower), ["Ben"]);
}

#[test]
fn a_scope_without_learners_has_no_people_named_by_learners() {
    let source = memory(SOURCE);
    let scope = Scope::default().learners(1, [8]);
    let scope = scope.only(["parent", "absentee"]).unwrap();
    let follower = followed(&source, &scope);
    let export = source.export_scope(&scope).unwrap();
    let export: Vec<String> = export.map(Result::unwrap).collect();
    assert_eq!(records(&follower), export);
    assert!(names(&follower).is_empty());
    assert!(export.iter().any(|line| line.contains("absentee")));
}

/// A source without a journal still reports whether anything changed, so that a follower does not
/// receive the same feed repeatedly.
#[test]
fn a_source_without_a_journal_is_followed() {
    let options = Options {
        journal_bytes: 0,
        ..Options::default()
    };
    let source = Engine::memory(options).unwrap();
    source.apply(SOURCE.as_bytes()).unwrap();
    let scope = Scope::default().school(1);
    let follower = followed(&source, &scope);
    let lines = |after: Option<String>| {
        let feed = source.feed(&scope, after.as_deref());
        feed.map(|feed| (feed.has_changes(), feed.count()))
    };
    assert_eq!(lines(follower.followed().unwrap()), Ok((false, 0)));
    let other = r#"{"type":"learner","school_id":1,"id":7,"first_name":"Other"}"#;
    source.apply(other.as_bytes()).unwrap();
    let all = source.feed(&scope, None).unwrap().count();
    assert_eq!(lines(follower.followed().unwrap()), Ok((true, all)));
    follow(&source, &follower, &scope);
    assert_eq!(names(&follower), names(&source)[..3]);
    assert_eq!(lines(follower.followed().unwrap()), Ok((false, 0)));
}
