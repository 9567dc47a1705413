//! A disk that becomes full during a load: the old data is complete and is answered, and the load
//! succeeds when there is space again.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

use rollbook::{Compaction, Engine, Options};
use rollbook_tests::search::extent;
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::faulty::{DiskOperation, Fault, Faulty};
use rollbook_tests::storage::requests::{answers, export};
use rollbook_tests::storage::scenario::{
    OTHER, SCHOOL, WAITING, long_learners, options, school, set_state,
};
use rollbook_tests::storage::watchdog::Watchdog;
use std::time::Duration;

/// Options without automatic compaction, so that the file of a finished load has the size that the
/// load needed.
fn manual() -> Options {
    Options {
        compaction: Compaction::Manual,
        ..options()
    }
}

/// A store with one school, and a load into it.
struct Load {
    base: Vec<u8>,
    dataset: String,
    /// The export after the load.
    loaded: String,
    /// The size of the file after the load.
    needed: u64,
}

impl Load {
    fn new(dataset: String) -> Load {
        let disk = Disk::default();
        let engine = Engine::open_with_backend(disk.clone(), manual()).unwrap();
        engine.apply(school(SCHOOL, 20).as_bytes()).unwrap();
        engine.close().unwrap();
        let base = disk.bytes();
        let engine = Engine::open_with_backend(disk.clone(), manual()).unwrap();
        engine.apply(dataset.as_bytes()).unwrap();
        Load {
            base,
            dataset,
            loaded: export(&engine).unwrap(),
            needed: engine.stats().unwrap().bytes,
        }
    }

    /// Checks a load while the disk fails, and again after the fault. Returns whether the first
    /// load succeeded.
    fn tried(&self, spoil: impl Fn(&Faulty), mend: impl Fn(&Faulty)) -> Result<bool, String> {
        let disk = Faulty::on(self.base.clone());
        let text = |e: rollbook::Error| e.to_string();
        let engine = Engine::open_with_backend(disk.clone(), manual()).map_err(text)?;
        let (before, right) = (export(&engine).map_err(text)?, answers(&engine, SCHOOL));
        spoil(&disk);
        let first = engine.apply(self.dataset.as_bytes());
        let loaded = first.is_ok();
        if let Err(error) = first
            && error.code() != "io"
        {
            return Err(format!("the load failed as {}", error.code()));
        }
        if !loaded && export(&engine).map_err(text)? != before {
            return Err("a load that failed changed something".to_owned());
        }
        if !loaded && answers(&engine, SCHOOL) != right {
            return Err("a load that failed changed answers".to_owned());
        }
        mend(&disk);
        if !loaded {
            let again = engine.apply(self.dataset.as_bytes());
            again.map_err(|e| format!("with room: {e}"))?;
        }
        if export(&engine).map_err(text)? != self.loaded {
            return Err("the load had another result".to_owned());
        }
        let verified = engine.verify().map_err(text)?;
        if !verified.is_sound() {
            return Err(format!("unsound: {:?}", verified.problems));
        }
        Ok(loaded)
    }

    /// Loads into disks of sizes between too small and large enough.
    fn on_disks(&self, sizes: u64) {
        let len = self.base.len() as u64;
        let (mut full, mut failures) = (0, Vec::new());
        for size in 0..=sizes {
            let capacity = len + (self.needed - len) * size / sizes;
            let _dog = Watchdog::over(format!("{capacity} bytes"), Duration::from_secs(60));
            match self.tried(|disk| disk.limit(Some(capacity)), |disk| disk.limit(None)) {
                Ok(loaded) => full += u32::from(!loaded),
                Err(why) => failures.push(format!("{capacity} bytes: {why}")),
            }
        }
        println!(
            "{} disks of {len} to {} bytes, {full} of them too small",
            sizes + 1,
            self.needed
        );
        assert!(failures.is_empty(), "{}", failures.join("\n"));
        assert!(full > 0);
    }
}

#[test]
fn a_load_fails_and_then_succeeds() {
    Load::new(school(OTHER, 200)).on_disks(extent(8, 24));
}

/// A load that is too large for memory is staged in the store, for which there is no space.
#[test]
fn a_load_that_waits_in_the_store() {
    let load = Load::new(long_learners(0..WAITING));
    load.on_disks(extent(3, 8));
    // The same for other faults while it is staged.
    let disk = Faulty::on(load.base.clone());
    let engine = Engine::open_with_backend(disk.clone(), manual()).unwrap();
    disk.plan(None);
    engine.apply(load.dataset.as_bytes()).unwrap();
    let mut failures = Vec::new();
    let mut tried = 0;
    for deed in [
        DiskOperation::Write,
        DiskOperation::SetLen,
        DiskOperation::Sync,
    ] {
        let done = disk.done(deed);
        for from in (0..done).step_by(done.div_ceil(8).max(1)) {
            let fault = Fault {
                operation: deed,
                from,
                once: true,
            };
            tried += 1;
            if let Err(why) = load.tried(|disk| disk.plan(Some(fault)), |disk| disk.plan(None)) {
                failures.push(format!("{fault:?}: {why}"));
            }
        }
    }
    println!("{tried} faults");
    assert!(tried > 15, "{tried}");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// On a full disk, a small change is made or refused.
#[test]
fn a_state_update_on_a_full_disk() {
    let load = Load::new(school(OTHER, 50));
    let disk = Faulty::on(load.base.clone());
    let engine = Engine::open_with_backend(disk.clone(), manual()).unwrap();
    disk.limit(Some(load.base.len() as u64));
    let before = export(&engine).unwrap();
    assert!(engine.apply(load.dataset.as_bytes()).is_err());
    let (mut set, mut refused) = (0, 0);
    for round in 0..20u64 {
        let previous = export(&engine).unwrap();
        match set_state(&engine, 8, round % 2) {
            Ok(200) => set += 1,
            Ok(status) => assert_eq!(status, 204),
            Err(error) => {
                assert_eq!(error.code(), "io");
                assert_eq!(export(&engine).unwrap(), previous);
                refused += 1;
            }
        }
    }
    println!("{set} state updates had room, {refused} had none");
    assert!(set + refused > 9, "{set} {refused}");
    // The last state equals the first one, whichever updates were made.
    assert_eq!(export(&engine).unwrap(), before);
    disk.limit(None);
    assert_eq!(set_state(&engine, 8, 0).unwrap(), 200);
}
