//! Tests which change positions a store recognises: its own, unless a later commit was not
//! recorded.

use super::place::Place;
use super::{Since, USUAL, backup, change_position, changed_key, knows, reported, since};
use crate::error::Result;
use crate::store::{ChangePosition, LogPartition};
use crate::{Credentials, Engine};

const GENDER: u8 = 19;

/// Changes the name of a gender, which belongs to no school.
fn name(engine: &Engine, id: u64, name: &str) -> Result<()> {
    let line = format!(r#"{{"type":"gender","id":{id},"name":"{name}"}}"#);
    engine.apply(line.as_bytes())?;
    Ok(())
}

#[test]
fn a_change_position_is_recognised_after_reopening() -> Result<()> {
    let place = Place::default();
    let engine = place.open(USUAL)?;
    let new = change_position(&engine)?;
    assert!(knows(&engine, new)?);
    name(&engine, 1, "a")?;
    let first = change_position(&engine)?;
    assert!(!knows(&engine, new)? && knows(&engine, first)?);
    engine.close()?;
    let engine = place.open(USUAL)?;
    assert_eq!(change_position(&engine)?, first);
    name(&engine, 2, "b")?;
    let second = change_position(&engine)?;
    assert_eq!(second.sequence, first.sequence + 1);
    assert_ne!(second.incarnation, first.incarnation);
    assert_eq!(
        since(&engine, LogPartition::Global, first)?,
        reported([changed_key(GENDER, [2, 0, 0, 0])])
    );
    // Positions of other incarnations and of future commits are not recognised.
    for change_position in [
        ChangePosition {
            incarnation: second.incarnation,
            ..first
        },
        ChangePosition {
            incarnation: first.incarnation,
            ..second
        },
        ChangePosition {
            sequence: second.sequence + 1,
            ..second
        },
        ChangePosition {
            sequence: u64::MAX,
            ..second
        },
    ] {
        assert!(!knows(&engine, change_position)?, "{change_position:?}");
        assert_eq!(
            since(&engine, LogPartition::Global, change_position)?,
            Since::Whole
        );
    }
    Ok(())
}

/// The copy continues with numbers that followers of the original have already seen.
#[test]
fn a_restored_copy_is_not_mistaken_for_the_original() -> Result<()> {
    let place = Place::default();
    let engine = place.open(USUAL)?;
    name(&engine, 1, "a")?;
    let common = change_position(&engine)?;
    let copy = place.copy()?;
    name(&engine, 2, "b")?;
    name(&engine, 3, "c")?;
    let lost = change_position(&engine)?;
    engine.close()?;

    let engine = copy.open(USUAL)?;
    assert!(knows(&engine, common)? && !knows(&engine, lost)?);
    for id in 4..8 {
        name(&engine, id, "d")?;
        assert!(knows(&engine, common)? && !knows(&engine, lost)?);
    }
    assert!(change_position(&engine)?.sequence > lost.sequence);
    Ok(())
}

/// The same happens within one engine, because the file at the path may be replaced while it is
/// suspended.
#[test]
fn a_copy_restored_while_suspended_is_not_mistaken_for_the_original() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("rollbook-pause-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let (path, copy) = (folder.join("store"), folder.join("copy"));
    let engine = Engine::open(&path, crate::Options::default())?;
    name(&engine, 1, "a")?;
    engine.suspend()?;
    std::fs::copy(&path, &copy)?;
    engine.resume()?;
    name(&engine, 2, "b")?;
    let lost = change_position(&engine)?;
    engine.suspend()?;
    std::fs::rename(&copy, &path)?;
    engine.resume()?;
    name(&engine, 3, "c")?;
    assert_eq!(change_position(&engine)?.sequence, lost.sequence);
    assert!(!knows(&engine, lost)?);
    engine.close()?;
    Ok(std::fs::remove_dir_all(folder)?)
}

/// Without the journal nothing is recorded, but followers do not miss the changes that are made
/// meanwhile.
#[test]
fn unrecorded_commits_invalidate_earlier_change_positions() -> Result<()> {
    let place = Place::default();
    let engine = place.open(USUAL)?;
    name(&engine, 1, "a")?;
    let before = change_position(&engine)?;
    engine.close()?;

    let engine = place.open(0)?;
    assert!(knows(&engine, before)?);
    name(&engine, 2, "b")?;
    let unrecorded = change_position(&engine)?;
    assert!(!knows(&engine, before)? && knows(&engine, unrecorded)?);
    let other = ChangePosition {
        incarnation: unrecorded.incarnation ^ 1,
        ..unrecorded
    };
    assert!(!knows(&engine, other)?);
    engine.close()?;

    let engine = place.open(USUAL)?;
    name(&engine, 3, "c")?;
    assert!(!knows(&engine, before)? && !knows(&engine, unrecorded)?);
    let recorded = ChangePosition {
        sequence: unrecorded.sequence,
        ..before
    };
    assert!(!knows(&engine, recorded)?);
    let now = change_position(&engine)?;
    assert!(knows(&engine, now)?);
    name(&engine, 4, "d")?;
    let since = since(&engine, LogPartition::Global, now)?;
    assert_eq!(since, reported([changed_key(GENDER, [4, 0, 0, 0])]));
    Ok(())
}

/// A backup that lacks records counts as another store than the original.
#[test]
fn a_backup_recognises_change_positions_unless_it_lacks_records() -> Result<()> {
    let place = Place::default();
    let engine = place.open(USUAL)?;
    engine.apply(br#"{"type":"integrator","username":"a","password":"b"}"#.as_slice())?;
    name(&engine, 1, "a")?;
    let now = change_position(&engine)?;
    let whole = backup(&engine, Credentials::Keep)?.open(USUAL)?;
    assert_eq!(change_position(&whole)?, now);
    assert!(knows(&whole, now)?);
    let lacking = backup(&engine, Credentials::LeaveOut)?.open(USUAL)?;
    assert_ne!(change_position(&lacking)?, now);
    // By then, the last number of the backup belongs to another commit.
    name(&engine, 2, "b")?;
    assert_eq!(
        change_position(&lacking)?.sequence,
        change_position(&engine)?.sequence
    );
    assert!(!knows(&lacking, change_position(&engine)?)?);
    assert!(lacking.verify()?.is_sound());
    Ok(())
}

#[test]
fn the_oldest_of_many_openings_are_forgotten() -> Result<()> {
    let place = Place::default();
    let mut change_positions = Vec::new();
    for id in 1..=70 {
        let engine = place.open(USUAL)?;
        name(&engine, id, "a")?;
        change_positions.push(change_position(&engine)?);
        engine.close()?;
    }
    let engine = place.open(USUAL)?;
    let mut known = 0;
    for (number, change_position) in change_positions.iter().enumerate() {
        let is_known = knows(&engine, *change_position)?;
        assert_eq!(is_known, number >= 70 - 64, "{number}");
        known += usize::from(is_known);
    }
    assert_eq!(known, 64);
    Ok(())
}
