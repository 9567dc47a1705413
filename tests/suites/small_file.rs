//! A store with a small school in a file of its own.
#![allow(clippy::unwrap_used)]

use rollbook::{Engine, Result};
use rollbook_tests::storage::scenario::{SCHOOL, options, school};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub(crate) fn open(path: &Path) -> Result<Engine> {
    Engine::open(path, options())
}

/// Makes a store. Returns its folder, its path, and the engine that has it open.
pub(crate) fn store() -> (TempDir, PathBuf, Engine) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let engine = open(&path).unwrap();
    engine.apply(school(SCHOOL, 5).as_bytes()).unwrap();
    (folder, path, engine)
}

/// Returns the names of the files in a folder in order.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
