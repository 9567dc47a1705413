//! Kills processes while they create stores or backups: afterwards the path contains nothing, or a
//! complete store.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

use rollbook::{Credentials, Engine};
use rollbook_tests::random::Random;
use rollbook_tests::search::{extent, first_seed};
use rollbook_tests::storage::child;
use rollbook_tests::storage::requests::export;
use rollbook_tests::storage::scenario::{SCHOOL, options, school};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

/// The number of the operation during which a child was killed, and the partial files that remain.
struct Cut {
    last: u64,
    parts: Vec<PathBuf>,
}

/// Starts a child that prints the number of each operation when it begins, and kills it.
fn kill_one(test: &str, folder: &Path, random: &mut Random) -> Cut {
    let mut child = child::start(test, folder.to_str().unwrap());
    let out = child.stdout.take().unwrap();
    let (said, heard) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        child::lines(out).for_each(|line| drop(said.send(line)));
    });
    let mut last = heard.recv_timeout(Duration::from_secs(60)).unwrap();
    std::thread::sleep(Duration::from_micros(random.below(50_000) as u64));
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap();
    last = heard.try_iter().last().unwrap_or(last);
    Cut {
        last: last.parse().unwrap(),
        parts: parts(folder),
    }
}

/// Returns the files that are neither stores nor backups, and checks their names.
fn parts(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().path());
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    let parts: Vec<_> = names
        .filter(|path| !name(path).starts_with("own-"))
        .collect();
    for part in &parts {
        let name = name(part);
        let number = name.strip_prefix("rollbook-");
        let number = number.and_then(|rest| rest.strip_suffix(".part"));
        assert!(number.is_some(), "{name}");
    }
    parts
}

fn own(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("own-{number}"))
}

/// Kills children until enough of them have left a partial file. `judge` checks each path that a
/// child had begun to write, and whether it was finished.
fn kill_many(test: &str, wanted: usize, judge: impl Fn(&Path, bool)) {
    let mut random = Random::new(first_seed() + 5);
    let (mut kills, mut inside) = (0, 0);
    while inside < wanted {
        assert!(kills < 40 * wanted, "{inside} of {kills} kills were inside");
        let folder = tempfile::tempdir().unwrap();
        let cut = kill_one(test, folder.path(), &mut random);
        kills += 1;
        inside += usize::from(!cut.parts.is_empty());
        for number in 0..=cut.last {
            judge(&own(folder.path(), number), number < cut.last);
        }
        // Partial files obstruct no operation, and are not removed.
        assert_eq!(parts(folder.path()), cut.parts);
    }
    println!("{kills} kills, {inside} of them inside");
}

#[test]
fn stores() {
    if let Some(folder) = child::task() {
        for number in 0.. {
            child::say(&number.to_string());
            let engine = Engine::open(own(Path::new(&folder), number), options()).unwrap();
            engine.close().unwrap();
        }
    }
    kill_many("cut_short::stores", extent(4, 40), |path, was_made| {
        assert!(path.exists() || !was_made);
        let engine = Engine::open(path, options()).unwrap();
        assert_eq!(export(&engine).unwrap(), "");
        engine.apply(school(SCHOOL, 2).as_bytes()).unwrap();
        assert!(engine.verify().unwrap().is_sound());
    });
}

#[test]
fn copies() {
    let dataset = school(SCHOOL, 20);
    if let Some(folder) = child::task() {
        let engine = Engine::memory(options()).unwrap();
        engine.apply(dataset.as_bytes()).unwrap();
        for number in 0.. {
            child::say(&number.to_string());
            let path = own(Path::new(&folder), number);
            engine.backup(path, Credentials::Keep).unwrap();
        }
    }
    let engine = Engine::memory(options()).unwrap();
    engine.apply(dataset.as_bytes()).unwrap();
    let whole = export(&engine).unwrap();
    kill_many("cut_short::copies", extent(4, 40), |path, was_made| {
        if !path.exists() {
            assert!(!was_made, "{} is not there", path.display());
            engine.backup(path, Credentials::Keep).unwrap();
        }
        let copy = Engine::open(path, options()).unwrap();
        assert!(
            export(&copy).unwrap() == whole,
            "{} is another store",
            path.display()
        );
    });
}
