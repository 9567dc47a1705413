//! Tests the contents of the journal and the limits of its size.

use super::place::Place;
use super::{Since, USUAL, change_position, changed_key, knows, reported, since};
use crate::Engine;
use crate::dataset::replication::stored_coverage::{self, CoverageAddition};
use crate::error::{Error, Result};
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::store::{self, ChangedKey, LogPartition};
use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition, TableError};
use std::collections::BTreeMap;

const SCHOOL: LogPartition = LogPartition::School(1);
const MARK: u8 = 16;
const ABSENTEE: u8 = 13;

/// Returns a mark whose assessment does not exist yet.
fn mark(assessment: u64, learner: u64, mark: u64) -> String {
    let key = format!(r#""school_id":1,"assessment_id":{assessment},"learner_id":{learner}"#);
    format!("{{\"type\":\"mark\",{key},\"mark\":{mark}}}\n")
}

fn apply(engine: &Engine, lines: &str) -> Result<()> {
    engine.apply(lines.as_bytes())?;
    Ok(())
}

type Rows = TableDefinition<'static, &'static [u8], &'static [u8]>;
const JOURNAL: Rows = TableDefinition::new("journal");

/// Returns the size of the journal's rows, with 32 bytes for each key.
fn bytes(place: &Place) -> Result<Option<usize>> {
    let database = Database::builder().create_with_backend(place.copy()?)?;
    let journal = match database.begin_read()?.open_table(JOURNAL) {
        Err(TableError::TableDoesNotExist(_)) => return Ok(None),
        journal => journal?,
    };
    let mut bytes = 0;
    for row in journal.iter()? {
        let (key, row) = row?;
        if !is_head(key.value()) {
            bytes += row.value().len() + 32;
        }
    }
    Ok(Some(bytes))
}

fn is_head(key: &[u8]) -> bool {
    key.ends_with(&[0; 8])
}

/// Repeated changes of one record use no additional space, and are still reported to the oldest
/// follower.
#[test]
fn repeated_changes_of_a_record_are_merged() -> Result<()> {
    let place = Place::default();
    let engine = place.open(2000)?;
    apply(&engine, &mark(1, 1, 1))?;
    let first = change_position(&engine)?;
    apply(&engine, &mark(1, 2, 1))?;
    let second = change_position(&engine)?;
    for round in 0..200 {
        apply(&engine, &mark(1, 3, round))?;
        assert!(bytes(&place)?.is_some_and(|bytes| bytes <= 2000), "{round}");
    }
    let of = |learner| changed_key(MARK, [1, learner, 0, 0]);
    assert_eq!(since(&engine, SCHOOL, first)?, reported([of(2), of(3)]));
    assert_eq!(since(&engine, SCHOOL, second)?, reported([of(3)]));
    assert_eq!(
        since(&engine, SCHOOL, change_position(&engine)?)?,
        reported([])
    );
    Ok(())
}

/// Entries beyond the limit are removed, the oldest first. Another school is not affected.
#[test]
fn removed_entries_are_reported_as_a_change_of_everything() -> Result<()> {
    let place = Place::default();
    let engine = place.open(2000)?;
    apply(&engine, &mark(1, 1, 1))?;
    apply(&engine, r#"{"type":"grade","school_id":2,"grade_id":1}"#)?;
    let mut change_positions = vec![change_position(&engine)?];
    for learner in 2..=200 {
        apply(&engine, &mark(1, learner, 1))?;
        change_positions.push(change_position(&engine)?);
        assert!(bytes(&place)?.is_some_and(|bytes| bytes <= 2000 + 100));
    }
    let (mut whole, mut reported) = (0, 0);
    for (change_position, learner) in change_positions.iter().zip(2..) {
        assert!(knows(&engine, *change_position)?);
        assert_eq!(
            since(&engine, LogPartition::School(2), *change_position)?,
            super::reported([])
        );
        match since(&engine, SCHOOL, *change_position)? {
            Since::Whole => {
                assert_eq!(reported, 0, "an older position has a report of records");
                whole += 1;
            }
            Since::Records { changed_keys, .. } => {
                let since =
                    (learner..=200).map(|learner| super::changed_key(MARK, [1, learner, 0, 0]));
                assert!(changed_keys.into_iter().eq(since));
                reported += 1;
            }
        }
    }
    // A row for one mark takes at most 40 bytes.
    assert!(
        whole > 100 && reported >= 2000 / 4 * 3 / 45,
        "{whole} {reported}"
    );
    Ok(())
}

/// Changed keys are read in windows of any size, in order, and only those that match the filter.
/// The size of the entries is reported too.
#[test]
fn changed_keys_are_read_in_windows() -> Result<()> {
    let engine = Place::default().open(USUAL)?;
    apply(&engine, &mark(1, 1, 1))?;
    let before = change_position(&engine)?;
    for round in 0..40 {
        let marks: String = (0..5)
            .map(|n| mark(n, (n * 7 + round * 3) % 50, round))
            .collect();
        apply(&engine, &marks)?;
    }
    let is_wanted = |one: &ChangedKey| one.words[1].is_multiple_of(2);
    let Since::Records { changed_keys, .. } = since(&engine, SCHOOL, before)? else {
        return Err(Error::Cancelled.into());
    };
    let all: Vec<ChangedKey> = changed_keys.into_iter().filter(is_wanted).collect();
    assert!(all.len() > 50, "{}", all.len());
    engine.store.read(|snapshot| {
        for most in [1, 2, 7, 50, all.len(), 1000] {
            let (mut found, mut from): (Vec<ChangedKey>, _) = (Vec::new(), None);
            loop {
                let window = snapshot.changed_keys(SCHOOL, before, from, most, &mut |one| {
                    assert!(Some(*one) > from);
                    Ok(is_wanted(one))
                })?;
                assert!(window.len() <= most);
                found.extend(&window);
                from = window.last().copied();
                if window.len() < most {
                    break;
                }
            }
            assert_eq!(found, all, "{most}");
        }
        let store::ChangesSince::Listed { bytes, .. } = snapshot.since(SCHOOL, before)? else {
            return Err(Error::Cancelled.into());
        };
        // Each commit has a row with five marks.
        assert!((40 * 40..40 * 60).contains(&bytes), "{bytes}");
        Ok(())
    })
}

/// The limits are 32,768 records of one school in a commit, and 65,536 records in total.
#[test]
fn a_large_commit_is_reported_as_a_change_of_everything() -> Result<()> {
    let place = Place::default();
    let engine = place.open(USUAL)?;
    apply(&engine, &mark(1, 1, 1))?;
    let before = change_position(&engine)?;
    let marks = |count: u64, value| -> String {
        (0..count).map(|n| mark(n / 500, n % 500, value)).collect()
    };
    apply(&engine, &marks(32_768, 2))?;
    match since(&engine, SCHOOL, before)? {
        Since::Records { changed_keys, .. } => assert_eq!(changed_keys.len(), 32_768),
        Since::Whole => return Err(Error::Cancelled.into()),
    }
    // The learners are consecutive, so that each key takes the position that differs, and the
    // difference.
    assert!(bytes(&place)?.is_some_and(|bytes| bytes < 3 * 32_768));
    apply(&engine, &marks(32_769, 3))?;
    assert_eq!(since(&engine, SCHOOL, before)?, Since::Whole);
    assert_eq!(
        since(&engine, SCHOOL, change_position(&engine)?)?,
        reported([])
    );
    assert_eq!(bytes(&place)?, Some(0));
    Ok(())
}

#[test]
fn a_commit_of_many_schools_reports_the_records_of_small_ones() -> Result<()> {
    let engine = Place::default().open(USUAL)?;
    let grades = |school: u64, count: u64| -> String {
        let line =
            |id| format!(r#"{{"type":"grade","school_id":{school},"grade_id":{id}}}"#) + "\n";
        (0..count).map(line).collect()
    };
    // A school without records would be reported as changed completely.
    for school in [9, 1, 2, 3, 4] {
        let other = format!(r#"{{"type":"subject","school_id":{school},"subject_id":1}}"#);
        apply(&engine, &other)?;
    }
    let before = change_position(&engine)?;
    let dataset: String = (1..=3).map(|school| grades(school, 30_000)).collect();
    apply(&engine, &(dataset + &grades(4, 2)))?;
    let changes_of = |school| since(&engine, LogPartition::School(school), before);
    let whole = (1..=3).filter(|school| matches!(changes_of(*school), Ok(Since::Whole)));
    assert!((1..3).contains(&whole.count()));
    assert_eq!(
        changes_of(4)?,
        super::reported([changed_key(6, [0, 0, 0, 0]), changed_key(6, [1, 0, 0, 0])])
    );
    Ok(())
}

/// An unchanged record is not reported. A record that moves to another learner is reported for both
/// learners.
#[test]
fn exactly_the_changed_records_are_reported() -> Result<()> {
    let engine = Place::default().open(USUAL)?;
    let assessment = |term: u64| {
        format!(
            "{{\"type\":\"assessment\",\"school_id\":1,\"assessment_id\":1,\"grade_id\":9,\"year\":2026,\"term\":{term},\"subject_id\":3,\"learning_outcome_id\":5,\"assessment_date\":\"2026-02-03\",\"weight\":10}}\n"
        )
    };
    let absent = |learner: u64| {
        format!(
            r#"{{"type":"absentee","school_id":1,"id":5,"learner_id":{learner},"absent_date":"2026-05-04"}}"#
        ) + "\n"
    };
    let all = [assessment(1), mark(1, 7, 5), mark(1, 8, 5), absent(7)].concat();
    apply(&engine, &all)?;
    let before = change_position(&engine)?;
    apply(&engine, &all)?;
    assert_eq!(change_position(&engine)?, before);
    // Marks are not reported when their assessment moves.
    apply(
        &engine,
        &[assessment(2), mark(1, 7, 5), mark(1, 8, 6)].concat(),
    )?;
    let moved = changed_key(15, [1, 0, 0, 0]);
    let marked = changed_key(MARK, [1, 8, 0, 0]);
    assert_eq!(since(&engine, SCHOOL, before)?, reported([moved, marked]));
    let before = change_position(&engine)?;
    apply(&engine, &absent(8))?;
    let of = |learner| changed_key(ABSENTEE, [5, learner, 0, 0]);
    assert_eq!(since(&engine, SCHOOL, before)?, reported([of(7), of(8)]));
    Ok(())
}

#[test]
fn changes_of_the_coverage_are_reported() -> Result<()> {
    let engine = Place::default().open(USUAL)?;
    apply(&engine, &mark(1, 1, 1))?;
    let cover = |as_of| {
        let covered = [CoverageAddition::Whole(CoverageKey::new(
            CoverageKind::CurrentLearners,
        ))];
        engine
            .store
            .write(|write| stored_coverage::add_coverage(write, 1, &covered, as_of))
    };
    let coverage = |change_position| -> Result<bool> {
        match since(&engine, SCHOOL, change_position)? {
            Since::Records {
                coverage,
                changed_keys,
            } => Ok(coverage && changed_keys.is_empty()),
            Since::Whole => Ok(false),
        }
    };
    let before = change_position(&engine)?;
    // A school can be synced before anything was fetched.
    engine
        .store
        .write(|write| stored_coverage::add_coverage(write, 1, &[], 1))?;
    assert!(coverage(before)?);
    let before = change_position(&engine)?;
    cover(1)?;
    assert!(coverage(before)?);
    let covered = change_position(&engine)?;
    cover(1)?;
    assert!(!coverage(covered)?);
    cover(2)?;
    assert!(coverage(covered)?);
    let synced = change_position(&engine)?;
    engine.forget_sync(1)?;
    assert!(coverage(synced)?);
    Ok(())
}

/// The id of an erased learner identifies the learner, so it must not remain in the journal: also
/// after an earlier removal, and with the journal disabled. Another school is not affected.
#[test]
fn the_id_of_an_erased_learner_is_removed_from_the_journal() -> Result<()> {
    for (journal_bytes, is_removed_before) in [(USUAL, false), (USUAL, true), (0, true)] {
        let place = Place::default();
        let engine = place.open(USUAL)?;
        apply(&engine, &mark(1, 7, 1))?;
        apply(&engine, r#"{"type":"grade","school_id":2,"grade_id":1}"#)?;
        let before = change_position(&engine)?;
        apply(&engine, r#"{"type":"grade","school_id":2,"grade_id":2}"#)?;
        if is_removed_before {
            let removed = mark(1, 7, 1).replace(r#""mark":1"#, r#""deleted":true"#);
            apply(&engine, &removed)?;
        }
        let other = since(&engine, LogPartition::School(2), before)?;
        engine.close()?;
        let engine = place.open(journal_bytes)?;
        engine.erase_learner(1, 7)?;
        assert_eq!(since(&engine, SCHOOL, before)?, Since::Whole);
        if journal_bytes > 0 {
            assert_eq!(since(&engine, LogPartition::School(2), before)?, other);
        }
        assert!(engine.verify()?.is_sound());
        engine.close()?;
        alter(&place, |rows| {
            let of_school = |key: &&Vec<u8>| key.get(8) == Some(&1) && !is_head(key);
            assert_eq!(rows.keys().filter(of_school).count(), 0);
        })?;
    }
    Ok(())
}

#[test]
fn without_a_journal_nothing_is_written() -> Result<()> {
    let place = Place::default();
    let engine = place.open(0)?;
    apply(&engine, &mark(1, 1, 1))?;
    engine.compact()?;
    engine.close()?;
    assert_eq!(bytes(&place)?, None);
    let copy = place.bytes()?;
    for name in ["journal", "incarnations"] {
        assert!(
            !copy
                .windows(name.len())
                .any(|bytes| bytes == name.as_bytes())
        );
    }
    Ok(())
}

/// A missing or changed row is detected as an error, so that no change is missed.
#[test]
fn damage_is_detected() -> Result<()> {
    type Damage = fn(&mut BTreeMap<Vec<u8>, Vec<u8>>, &[u8]) -> Option<Vec<u8>>;
    let damages: [Damage; 5] = [
        |rows, last| rows.remove(last),
        |rows, last| rows.insert(last.to_vec(), vec![0, MARK, 2, 1, 0, 1, 9]),
        |rows, last| rows.insert([last, &[1]].concat(), vec![0]),
        |rows, _| rows.pop_first().map(|(_, head)| head),
        |rows, _| {
            rows.clear();
            None
        },
    ];
    for (number, damage) in damages.into_iter().enumerate() {
        let place = Place::default();
        let engine = place.open(USUAL)?;
        apply(&engine, &mark(1, 1, 1))?;
        let before = change_position(&engine)?;
        apply(&engine, &mark(1, 2, 1))?;
        apply(&engine, &mark(1, 3, 1))?;
        engine.close()?;
        alter(&place, |rows| {
            let last = rows.keys().next_back().cloned().unwrap_or_default();
            damage(rows, &last);
        })?;
        let engine = place.open(USUAL)?;
        let code = |result: Result<()>| result.map_or_else(|error| error.code(), |()| "ok");
        let asked = since(&engine, SCHOOL, before).map(drop);
        assert_eq!(code(asked), "corrupt", "{number}");
        assert!(!engine.verify()?.is_sound(), "{number}");
        // Nothing is written over the damage.
        let written = apply(&engine, &mark(1, 5, 1));
        assert_eq!(code(written), "corrupt", "{number}");
    }
    Ok(())
}

/// Changes the rows of the journal directly in the file.
fn alter(place: &Place, change: impl FnOnce(&mut BTreeMap<Vec<u8>, Vec<u8>>)) -> Result<()> {
    let database = Database::builder().create_with_backend(place.clone())?;
    let mut transaction = database.begin_write()?;
    transaction.set_quick_repair(true);
    let mut journal = transaction.open_table(JOURNAL)?;
    let mut rows = BTreeMap::new();
    for row in journal.iter()? {
        let (key, row) = row?;
        rows.insert(key.value().to_vec(), row.value().to_vec());
    }
    for key in rows.keys() {
        journal.remove(key.as_slice())?;
    }
    change(&mut rows);
    for (key, row) in &rows {
        journal.insert(key.as_slice(), row.as_slice())?;
    }
    drop(journal);
    Ok(transaction.commit()?)
}
