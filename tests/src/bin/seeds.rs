//! Writes the corpus as seeds for the fuzzers: `seeds FOLDER` fills one subfolder per fuzzer.
#![allow(clippy::unwrap_used)]

use rollbook_tests::fuzz::{feed_seeds, seeds};
use std::fs;
use std::path::PathBuf;

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap());
    let bytes = |seeds: Vec<String>| seeds.into_iter().map(String::into_bytes).collect();
    for (target, seeds) in [
        ("dataset", bytes(seeds::datasets())),
        ("request", bytes(seeds::requests())),
        ("target", bytes(seeds::targets())),
        ("row", seeds::rows()),
        ("feed", feed_seeds()),
    ] {
        fs::create_dir_all(folder.join(target)).unwrap();
        for (number, seed) in seeds.iter().enumerate() {
            fs::write(folder.join(target).join(number.to_string()), seed).unwrap();
        }
    }
}
