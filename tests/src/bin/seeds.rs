//! Writes the corpus, and the inputs that fuzzers have found, as seeds for the fuzzers: `seeds
//! FOLDER` fills one subfolder for each target.
#![allow(clippy::unwrap_used)]

use rollbook_tests::fuzz::{feed_seeds, found, seeds};
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap());
    let bytes = |seeds: Vec<String>| seeds.into_iter().map(String::into_bytes).collect();
    let targets = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/targets");
    for target in fs::read_dir(targets).unwrap() {
        let target = target.unwrap().path();
        let target = target.file_stem().unwrap().to_str().unwrap();
        let mut seeds = match target {
            "dataset" => bytes(seeds::datasets()),
            "request" => bytes(seeds::requests()),
            "target" => bytes(seeds::targets()),
            "row" => seeds::rows(),
            "feed" => feed_seeds(),
            _ => Vec::new(),
        };
        seeds.extend(found::inputs(target));
        fs::create_dir_all(folder.join(target)).unwrap();
        for (number, seed) in seeds.iter().enumerate() {
            fs::write(folder.join(target).join(number.to_string()), seed).unwrap();
        }
    }
}
