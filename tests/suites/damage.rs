//! Damages files after they were written: no damage causes a panic, an endless loop or the end of
//! the process, and `verify` finds what the check of redb finds.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

use rollbook::{Answer, Credentials, Engine};
use rollbook_tests::random::Random;
use rollbook_tests::search::{extent, failures};
use rollbook_tests::storage::damage::{Damage, is_flagged_by_redb};
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::panics;
use rollbook_tests::storage::requests::{answers, export};
use rollbook_tests::storage::scenario::{SCHOOL, Scenario, options};
use rollbook_tests::storage::tables::{BLOCK_INDEXES, BLOCKS, INTEGRATORS, JOURNAL, rows};
use std::sync::Mutex;

/// Returns the bytes of the file of a closed store after so many steps.
fn store_file(steps: usize) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let engine = Engine::open(&path, options()).unwrap();
    let scenario = Scenario::new(12);
    for step in 0..steps {
        scenario.run(step, &engine).unwrap();
    }
    engine.compact().unwrap();
    engine.close().unwrap();
    std::fs::read(path).unwrap()
}

/// The answers and the export of a store without damage.
struct Right {
    answers: Vec<Answer>,
    export: String,
}

#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    /// The store could not be opened.
    refused: u32,
    /// The store opened, and `verify` found a problem.
    flagged: u32,
    /// At least one answer was an error.
    failed: u32,
    /// An answer or the export was wrong, but not an error.
    wrong: u32,
    /// The check of redb found a problem.
    by_redb: u32,
    /// The damage had no effect.
    harmless: u32,
}

/// Performs all operations on a damaged store.
fn try_out(image: &[u8], right: &Right, tally: &mut Tally) -> Result<(), String> {
    let by_redb = is_flagged_by_redb(image.to_vec());
    tally.by_redb += u32::from(by_redb);
    let Ok(engine) = Engine::open_with_backend(Disk::new(image.to_vec()), options()) else {
        tally.refused += 1;
        return Ok(());
    };
    let sound = engine.verify().is_ok_and(|found| found.is_sound());
    let found = answers(&engine, SCHOOL);
    let exported = export(&engine);
    let failed = found.iter().any(|answer| answer.status.code == 500) || exported.is_err();
    let right_or_refused =
        |(found, right): (&Answer, &Answer)| found == right || found.status.code == 500;
    let wrong = !found.iter().zip(&right.answers).all(right_or_refused)
        || exported.is_ok_and(|text| text != right.export);
    tally.flagged += u32::from(!sound);
    tally.failed += u32::from(failed);
    tally.wrong += u32::from(wrong);
    tally.harmless += u32::from(sound && !wrong && !failed);
    let _ = engine.stats();
    let line = r#"{"type":"learner","school_id":1000,"id":3,"first_name":"New"}"#;
    let _ = engine.apply(line.as_bytes());
    let _ = engine.erase_learner(SCHOOL, 4);
    let folder = tempfile::tempdir().unwrap();
    let _ = engine.backup(folder.path().join("copy"), Credentials::Keep);
    let _ = engine.compact();
    let _ = answers(&engine, SCHOOL);
    if by_redb {
        let _ = engine.close();
    }
    drop(engine);
    match (sound, wrong, by_redb) {
        (true, true, _) => Err("wrong answers, and verify found nothing".to_owned()),
        (true, _, true) => Err("redb's check found something, verify did not".to_owned()),
        _ => Ok(()),
    }
}

/// A file with only a few bytes of the header may be treated as one whose creation was interrupted.
/// Any longer file is not opened as an empty store.
#[test]
fn stumps() {
    let whole = store_file(6);
    let mut found = Vec::new();
    for length in [
        0, 1, 8, 9, 10, 12, 64, 192, 319, 320, 321, 511, 512, 4095, 4096, 4097, 8192,
    ] {
        let stump = whole[..length].to_vec();
        let disk = Disk::new(stump.clone());
        let outcome = match Engine::open_with_backend(disk.clone(), options()) {
            Ok(engine) => {
                assert_eq!(export(&engine).unwrap(), "", "{length} bytes");
                "empty"
            }
            Err(error) => {
                assert_eq!(disk.bytes(), stump, "{length} bytes were changed");
                error.code()
            }
        };
        found.push((length, outcome));
    }
    println!("{found:?}");
    assert!(
        found
            .iter()
            .all(|(length, outcome)| *length <= 9 || *outcome != "empty")
    );
}

#[test]
fn images_of_one_school() {
    images(5);
}

#[test]
fn images_of_two_schools() {
    images(6);
}

fn images(steps: usize) {
    let images = extent(300, 2000);
    let whole = store_file(steps);
    let right = {
        let engine = Engine::open_with_backend(Disk::new(whole.clone()), options()).unwrap();
        Right {
            answers: answers(&engine, SCHOOL),
            export: export(&engine).unwrap(),
        }
    };
    let panics = panics::counted();
    let tally = Mutex::new(Tally::default());
    let failures = failures(images, |seed| {
        let mut image = whole.clone();
        let damage = Damage::nth(seed);
        damage.apply(&mut image, &mut Random::new(seed));
        let mut found = Tally::default();
        let tried = try_out(&image, &right, &mut found);
        tally.lock().unwrap().add(&found);
        tried.map_err(|what| format!("{damage:?}: {what}"))
    });
    let tally = tally.into_inner().unwrap();
    println!(
        "{images} images of {} bytes: {tally:?}; {} panics of redb caught",
        whole.len(),
        panics.count()
    );
    assert!(
        failures.is_empty(),
        "{}:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert_eq!(panics.of_ours(), 0);
    let fourth = u32::try_from(images / 4).unwrap();
    assert!(
        tally.refused > fourth && tally.flagged > fourth,
        "{tally:?}"
    );
    assert!(tally.failed > fourth && tally.by_redb > fourth, "{tally:?}");
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.refused += other.refused;
        self.flagged += other.flagged;
        self.failed += other.failed;
        self.wrong += other.wrong;
        self.by_redb += other.by_redb;
        self.harmless += other.harmless;
    }
}

/// A checksum covers every byte of a block and of the other rows.
#[test]
fn a_changed_byte_of_a_row_is_always_noticed() {
    let whole = store_file(6);
    let mut random = Random::new(5);
    let (mut tried, mut row_count) = (0, 0);
    for table in [BLOCKS, BLOCK_INDEXES, INTEGRATORS, JOURNAL] {
        for (_, value) in rows(whole.clone(), table) {
            let places = memchr::memmem::find_iter(&whole, &value).collect::<Vec<_>>();
            assert!(!places.is_empty(), "a row of {table} is not in the file");
            row_count += 1;
            for _ in 0..4 {
                let at = random.below(value.len());
                let bit = 1 << random.below(8);
                let mut image = whole.clone();
                // The row may also be in a free page, so all copies are changed.
                for place in &places {
                    image[place + at] ^= bit;
                }
                tried += 1;
                match Engine::open_with_backend(Disk::new(image), options()) {
                    Ok(engine) => {
                        let verified = engine.verify().unwrap();
                        assert!(!verified.is_sound(), "{table}, byte {at}");
                    }
                    Err(error) => assert_eq!(error.code(), "corrupt"),
                }
            }
        }
    }
    println!("{tried} bytes of {row_count} rows");
    assert!(tried > 300);
}
