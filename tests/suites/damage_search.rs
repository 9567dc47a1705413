//! Damages single bits and bytes of pages that are in use. Each answer, export and change
//! afterwards is an error, or the same as without damage.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

use redb::StorageBackend;
use rollbook::{Answer, Engine};
use rollbook_tests::random::Random;
use rollbook_tests::search::{extent, failures};
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::panics;
use rollbook_tests::storage::read_recorder::{BLOCK, ReadRecorder};
use rollbook_tests::storage::requests::export;
use rollbook_tests::storage::scenario::options;
use rollbook_tests::storage::small::{CHANGES, answers, store};
use std::sync::Mutex;

/// The answers of a store without damage, before and after the changes.
struct Right {
    before: Vec<Answer>,
    export: String,
    after: Vec<Answer>,
}

/// Performs all operations on a store without damage.
fn live(backend: impl StorageBackend) -> Right {
    let engine = Engine::open_with_backend(backend, options()).unwrap();
    let (before, export) = (answers(&engine), export(&engine).unwrap());
    for change in CHANGES {
        change(&engine).unwrap();
    }
    let after = answers(&engine);
    assert!(before.iter().all(|answer| answer.status.code < 400));
    Right {
        before,
        export,
        after,
    }
}

#[derive(Debug, Default)]
struct Tally {
    tried: u64,
    /// The store could not be opened.
    refused: u64,
    /// An answer, the export or a change was an error.
    failed: u64,
    /// The damage had no effect.
    harmless: u64,
}

/// Performs all operations on a damaged store. Fails if a result is wrong without being an error.
fn try_out(file: Vec<u8>, right: &Right, tally: &mut Tally) -> Result<(), String> {
    let is_error = |answer: &Answer| answer.status.code == 500;
    let wrong = |found: &[Answer], right: &[Answer]| {
        let mut pairs = found.iter().zip(right);
        pairs.position(|(found, right)| found != right && !is_error(found))
    };
    tally.tried += 1;
    let Ok(engine) = Engine::open_with_backend(Disk::new(file), options()) else {
        tally.refused += 1;
        return Ok(());
    };
    let (found, exported) = (answers(&engine), export(&engine));
    let mut failed = found.iter().any(is_error) || exported.is_err();
    if let Some(at) = wrong(&found, &right.before) {
        return Err(format!("answer {at}: {}", found[at].text()));
    }
    if exported.is_ok_and(|text| text != right.export) {
        return Err("the export".to_owned());
    }
    let mut all_made = true;
    for change in CHANGES {
        all_made &= change(&engine).is_ok();
    }
    let found = answers(&engine);
    failed |= !all_made || found.iter().any(is_error);
    if let Some(at) = wrong(&found, &right.after).filter(|_| all_made) {
        return Err(format!("answer {at} after the changes"));
    }
    tally.failed += u64::from(failed);
    tally.harmless += u64::from(!failed);
    Ok(())
}

#[test]
fn single_damages() {
    let damages = extent(500, 25_000);
    let whole = store();
    let watched = ReadRecorder::on(whole.clone());
    let right = live(watched.clone());
    let mut used = watched.blocks();
    used.retain(|block| (block + 1) * BLOCK <= whole.len());
    let panics = panics::counted();
    let tally = Mutex::new(Tally::default());
    let failures = failures(damages, |seed| {
        let mut random = Random::new(seed);
        let at = used[random.below(used.len())] * BLOCK + random.below(BLOCK);
        let changed = match seed % 2 {
            0 => 1 << random.below(8),
            _ => u8::try_from(1 + random.below(255)).unwrap(),
        };
        let mut file = whole.clone();
        file[at] ^= changed;
        let mut found = Tally::default();
        let tried = try_out(file, &right, &mut found);
        tally.lock().unwrap().add(&found);
        tried.map_err(|wrong| format!("byte {at} ^ {changed:#04x}: {wrong}"))
    });
    let tally = tally.into_inner().unwrap();
    println!(
        "{} used blocks of {}: {tally:?}; {} panics of redb caught",
        used.len(),
        whole.len() / BLOCK,
        panics.count()
    );
    assert!(
        failures.is_empty(),
        "{}:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert_eq!(panics.of_ours(), 0);
    assert!(tally.refused + tally.failed > tally.tried / 8, "{tally:?}");
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.tried += other.tried;
        self.refused += other.refused;
        self.failed += other.failed;
        self.harmless += other.harmless;
    }
}
