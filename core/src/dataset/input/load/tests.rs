//! Tests of `load`.

use crate::dataset::input::load::*;
use crate::store::{Location, StoreOptions};
use std::path::PathBuf;

fn store(location: Location) -> Result<Arc<Store>> {
    let options = StoreOptions {
        render_version: crate::record::stored::pre_render::RENDER_VERSION,
        ..StoreOptions::for_test()
    };
    Ok(Arc::new(Store::open(location, options)?))
}

/// Returns a load that moves staged records to the store after a few of them.
fn load(store: &Arc<Store>) -> Load {
    let mut load = Load::new(store.clone(), Entropy::System, Mode::Apply, None);
    load.stage.limit = 2000;
    load
}

fn grades(count: u64) -> Vec<u8> {
    let lines = (0..count).map(|id| {
        format!("{{\"type\":\"grade\",\"school_id\":1,\"grade_id\":{id},\"grade\":\"{id}\"}}\n")
    });
    lines.collect::<String>().into_bytes()
}

fn count_records(store: &Store) -> Result<u64> {
    store.read(|snapshot| {
        let totals = snapshot.totals()?;
        Ok(Kind::ALL.map(|kind| totals.get(kind as u8)).iter().sum())
    })
}

#[test]
fn staged_records_are_all_stored_or_none() -> Result<()> {
    let store = store(Location::Memory)?;
    let mut whole = load(&store);
    whole.push(&grades(500))?;
    assert!(whole.stage.name.is_some());
    assert_eq!(whole.finish()?.total().added, 500);

    let mut cancelled = load(&store);
    cancelled.push(&grades(900))?;
    cancelled.cancel();
    let mut faulty = load(&store);
    faulty.push(&grades(900))?;
    assert!(faulty.push(b"x\n").is_err());
    let repeated = faulty.push(b"\n").err().map(|error| error.code());
    assert_eq!(repeated, Some("bad_dataset"));
    assert!(faulty.finish().is_err());
    let mut unchanged = load(&store);
    unchanged.push(&grades(500))?;
    assert_eq!(unchanged.finish()?.total().unchanged, 500);
    assert_eq!(count_records(&store)?, 500);
    Ok(())
}

#[test]
fn a_load_under_an_id_that_is_taken_stages_nothing() -> Result<()> {
    let store = store(Location::Memory)?;
    let under_id = || {
        let mut load = load(&store);
        load.key = Some(IdempotencyKey::new("a", "load", &[]));
        load
    };
    let mut first = under_id();
    first.push(&grades(500))?;
    assert!(first.stage.name.is_some());
    let summary = first.finish()?;
    for (count, expected) in [(500, Ok(summary)), (501, Err(Error::IdReused))] {
        let mut again = under_id();
        again.push(&grades(count))?;
        assert_eq!(
            (&again.stage.name, again.stage.stage.sorter.bytes()),
            (&None, 0)
        );
        assert_eq!(again.progress().lines, count);
        assert_eq!(again.finish(), expected);
    }
    assert_eq!(count_records(&store)?, 500);
    Ok(())
}

#[test]
fn missing_staged_records_cancel_the_load() -> Result<()> {
    let name = format!("rollbook-load-{}.redb", std::process::id());
    let path: PathBuf = std::env::temp_dir().join(name);
    let store = store(Location::File(path.clone()))?;
    let mut load = load(&store);
    load.push(&grades(500))?;
    store.suspend()?;
    assert_eq!(load.push(&grades(500)).err(), Some(Error::Suspended));
    store.resume()?;
    assert!(load.finish().is_err());

    let mut load = self::load(&store);
    load.push(&grades(50))?;
    store.suspend()?;
    store.resume()?;
    load.push(&grades(3))?;
    assert_eq!(load.finish()?.total().added, 50);

    // Another load that stages records removes those of the first.
    let mut load = self::load(&store);
    load.push(&grades(80))?;
    store.suspend()?;
    store.resume()?;
    let mut other = self::load(&store);
    other.push(&grades(60))?;
    other.cancel();
    assert_eq!(load.finish().err(), Some(Error::Cancelled));
    assert_eq!(count_records(&store)?, 50);
    store.close()?;
    Ok(std::fs::remove_file(path)?)
}
