//! Which moments a store knows: its own, as long as nothing went by unnoted.

use super::place::Place;
use super::{USUAL, backup, knows, moment, since, told, touched};
use crate::error::Result;
use crate::store::{Area, Moment, Since};
use crate::{Credentials, Engine};

const GENDER: u8 = 19;

/// Names a gender: a change of no school.
fn name(engine: &Engine, id: u64, name: &str) -> Result<()> {
    let line = format!(r#"{{"type":"gender","id":{id},"name":"{name}"}}"#);
    engine.apply(line.as_bytes())?;
    Ok(())
}

#[test]
fn a_moment_stays_known_when_the_store_is_opened_again() -> Result<()> {
    let place = Place::default();
    let engine = place.open(USUAL)?;
    let new = moment(&engine)?;
    assert!(knows(&engine, new)?);
    name(&engine, 1, "a")?;
    let first = moment(&engine)?;
    assert!(!knows(&engine, new)? && knows(&engine, first)?);
    engine.close()?;
    let engine = place.open(USUAL)?;
    assert_eq!(moment(&engine)?, first);
    name(&engine, 2, "b")?;
    let second = moment(&engine)?;
    assert_eq!(second.sequence, first.sequence + 1);
    assert_ne!(second.generation, first.generation);
    assert_eq!(
        since(&engine, Area::Global, first)?,
        told([touched(GENDER, [2, 0, 0, 0])])
    );
    // Neither of another generation nor of what is to come.
    for moment in [
        Moment {
            generation: second.generation,
            ..first
        },
        Moment {
            generation: first.generation,
            ..second
        },
        Moment {
            sequence: second.sequence + 1,
            ..second
        },
        Moment {
            sequence: u64::MAX,
            ..second
        },
    ] {
        assert!(!knows(&engine, moment)?, "{moment:?}");
        assert_eq!(since(&engine, Area::Global, moment)?, Since::Whole);
    }
    Ok(())
}

/// The copy goes on with numbers that the followers of the other saw already.
#[test]
fn a_copy_put_back_is_not_taken_for_what_went_on() -> Result<()> {
    let place = Place::default();
    let engine = place.open(USUAL)?;
    name(&engine, 1, "a")?;
    let common = moment(&engine)?;
    let copy = place.copy()?;
    name(&engine, 2, "b")?;
    name(&engine, 3, "c")?;
    let lost = moment(&engine)?;
    engine.close()?;

    let engine = copy.open(USUAL)?;
    assert!(knows(&engine, common)? && !knows(&engine, lost)?);
    for id in 4..8 {
        name(&engine, id, "d")?;
        assert!(knows(&engine, common)? && !knows(&engine, lost)?);
    }
    assert!(moment(&engine)?.sequence > lost.sequence);
    Ok(())
}

/// The same while an engine lives: what is at the path may be another file after a pause.
#[test]
fn a_copy_put_back_during_a_pause_is_not_taken_for_what_went_on() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("rollbook-pause-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let (path, copy) = (folder.join("store"), folder.join("copy"));
    let engine = Engine::open(&path, crate::Options::default())?;
    name(&engine, 1, "a")?;
    engine.suspend()?;
    std::fs::copy(&path, &copy)?;
    engine.resume()?;
    name(&engine, 2, "b")?;
    let lost = moment(&engine)?;
    engine.suspend()?;
    std::fs::rename(&copy, &path)?;
    engine.resume()?;
    name(&engine, 3, "c")?;
    assert_eq!(moment(&engine)?.sequence, lost.sequence);
    assert!(!knows(&engine, lost)?);
    engine.close()?;
    Ok(std::fs::remove_dir_all(folder)?)
}

/// Without the journal nothing of it is written, and what went by meanwhile is not missed.
#[test]
fn what_goes_by_unnoted_ends_what_is_known() -> Result<()> {
    let place = Place::default();
    let engine = place.open(USUAL)?;
    name(&engine, 1, "a")?;
    let before = moment(&engine)?;
    engine.close()?;

    let engine = place.open(0)?;
    assert!(knows(&engine, before)?);
    name(&engine, 2, "b")?;
    let unnoted = moment(&engine)?;
    assert!(!knows(&engine, before)? && knows(&engine, unnoted)?);
    let other = Moment {
        generation: unnoted.generation ^ 1,
        ..unnoted
    };
    assert!(!knows(&engine, other)?);
    engine.close()?;

    let engine = place.open(USUAL)?;
    name(&engine, 3, "c")?;
    assert!(!knows(&engine, before)? && !knows(&engine, unnoted)?);
    let noted = Moment {
        sequence: unnoted.sequence,
        ..before
    };
    assert!(!knows(&engine, noted)?);
    let now = moment(&engine)?;
    assert!(knows(&engine, now)?);
    name(&engine, 4, "d")?;
    let since = since(&engine, Area::Global, now)?;
    assert_eq!(since, told([touched(GENDER, [4, 0, 0, 0])]));
    Ok(())
}

/// What a backup lacks makes it another store than the one that it was made of.
#[test]
fn a_backup_knows_what_it_was_made_of_unless_it_lacks_some() -> Result<()> {
    let place = Place::default();
    let engine = place.open(USUAL)?;
    engine.apply(br#"{"type":"integrator","username":"a","password":"b"}"#.as_slice())?;
    name(&engine, 1, "a")?;
    let now = moment(&engine)?;
    let whole = backup(&engine, Credentials::Keep)?.open(USUAL)?;
    assert_eq!(moment(&whole)?, now);
    assert!(knows(&whole, now)?);
    let lacking = backup(&engine, Credentials::LeaveOut)?.open(USUAL)?;
    assert_ne!(moment(&lacking)?, now);
    // The number that it ends with is another commit's by then.
    name(&engine, 2, "b")?;
    assert_eq!(moment(&lacking)?.sequence, moment(&engine)?.sequence);
    assert!(!knows(&lacking, moment(&engine)?)?);
    assert!(lacking.verify()?.is_sound());
    Ok(())
}

#[test]
fn the_oldest_of_many_openings_are_forgotten() -> Result<()> {
    let place = Place::default();
    let mut moments = Vec::new();
    for id in 1..=70 {
        let engine = place.open(USUAL)?;
        name(&engine, id, "a")?;
        moments.push(moment(&engine)?);
        engine.close()?;
    }
    let engine = place.open(USUAL)?;
    let mut known = 0;
    for (number, moment) in moments.iter().enumerate() {
        let is_known = knows(&engine, *moment)?;
        assert_eq!(is_known, number >= 70 - 64, "{number}");
        known += usize::from(is_known);
    }
    assert_eq!(known, 64);
    Ok(())
}
