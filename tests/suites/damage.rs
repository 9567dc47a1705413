//! Files that were damaged after they were written: nothing panics, hangs or
//! ends the process, and verification finds what redb's own check finds.
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
use rollbook_tests::storage::asked::{answers, export};
use rollbook_tests::storage::damage::{Damage, is_flagged_by_redb};
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::panics;
use rollbook_tests::storage::scenario::{SCHOOL, Scenario, options};
use rollbook_tests::storage::tables::{BLOCK_INDEXES, BLOCKS, INTEGRATORS, JOURNAL, rows};
use std::sync::Mutex;

/// A store as it lies in a real file, closed, after so many steps.
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

/// What a store says when it is whole.
struct Right {
    answers: Vec<Answer>,
    export: String,
}

#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    /// Opening was refused.
    refused: u32,
    /// It opened, and verification found something.
    flagged: u32,
    /// Some answer was an error.
    failed: u32,
    /// Some answer or the export was wrong and not an error.
    wrong: u32,
    /// redb's own check found something.
    by_redb: u32,
    /// It changed nothing that is kept.
    harmless: u32,
}

/// Does everything to a damaged store.
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

/// Cut so short that little or nothing of the header is left, a file may be
/// taken for one whose creation was cut short, but for nothing else.
#[test]
fn stumps() {
    let whole = store_file(6);
    let mut found = Vec::new();
    for kept in [
        0, 1, 8, 9, 10, 12, 64, 192, 319, 320, 321, 511, 512, 4095, 4096, 4097, 8192,
    ] {
        let stump = whole[..kept].to_vec();
        let disk = Disk::new(stump.clone());
        let outcome = match Engine::open_with_backend(disk.clone(), options()) {
            Ok(engine) => {
                assert_eq!(export(&engine).unwrap(), "", "{kept} bytes");
                "empty"
            }
            Err(error) => {
                assert_eq!(disk.bytes(), stump, "{kept} bytes were changed");
                error.code()
            }
        };
        found.push((kept, outcome));
    }
    println!("{found:?}");
    assert!(
        found
            .iter()
            .all(|(kept, outcome)| *kept <= 9 || *outcome != "empty")
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
        damage.wreak(&mut image, &mut Random::new(seed));
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

/// Every byte of a run is under a checksum.
#[test]
fn a_byte_of_a_run_is_always_noticed() {
    let whole = store_file(6);
    let mut random = Random::new(5);
    let (mut tried, mut runs) = (0, 0);
    for table in [BLOCKS, BLOCK_INDEXES, INTEGRATORS, JOURNAL] {
        for (_, value) in rows(whole.clone(), table) {
            let places = memchr::memmem::find_iter(&whole, &value).collect::<Vec<_>>();
            assert!(!places.is_empty(), "a row of {table} is not in the file");
            runs += 1;
            for _ in 0..4 {
                let at = random.below(value.len());
                let bit = 1 << random.below(8);
                let mut image = whole.clone();
                // A copy in a page that is free does not count, so all change.
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
    println!("{tried} bytes of {runs} rows");
    assert!(tried > 300);
}
