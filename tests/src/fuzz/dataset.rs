//! Checks and loads bytes as a dataset.

use rollbook::{Credentials, Engine, Error, Options};
use std::hash::{DefaultHasher, Hasher};

thread_local! {
    /// An engine that only checks datasets, and stores nothing.
    static EMPTY: Engine = Engine::memory(Options::default()).unwrap();
}

/// The fraction of the datasets without a fault that are loaded. A load takes a hundred times as
/// long as a check.
const LOADED: u64 = 16;

/// Checks the bytes as a whole and in pieces, whose size the first byte determines, and compares
/// the faults. Loads some of the datasets.
pub fn lines(bytes: &[u8]) {
    let piece = 1 + usize::from(bytes.first().copied().unwrap_or(0));
    let faults = EMPTY.with(|engine| {
        let faults = engine.check(bytes, 3).unwrap();
        let pieces = Pieces { bytes, piece };
        assert_eq!(engine.check(pieces, 3).unwrap(), faults);
        faults
    });
    assert!(faults.len() <= 3 && faults.is_sorted_by_key(|fault| fault.line));
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    if faults.is_empty() && hasher.finish().is_multiple_of(LOADED) {
        dataset(bytes);
    }
}

/// A reader that returns at most `piece` bytes at a time.
struct Pieces<'a> {
    bytes: &'a [u8],
    piece: usize,
}

impl std::io::Read for Pieces<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let length = self.piece.min(out.len()).min(self.bytes.len());
        let (now, later) = self.bytes.split_at(length);
        out[..length].copy_from_slice(now);
        self.bytes = later;
        Ok(length)
    }
}

/// Applies the bytes in pieces, whose size the first byte determines. Either nothing is stored and
/// `check` finds the same first fault, or everything is stored, and an export is the same after it
/// is applied again and in another store. Returns whether it was stored.
pub fn dataset(bytes: &[u8]) -> bool {
    let piece = 1 + usize::from(bytes.first().copied().unwrap_or(0));
    let engine = Engine::memory(Options::default()).unwrap();
    let faults = engine.check(bytes, 3).unwrap();
    let mut load = engine.load();
    let pushed = bytes.chunks(piece).try_for_each(|piece| load.push(piece));
    match pushed.and_then(|()| load.finish()) {
        Err(Error::BadDataset(fault)) => {
            assert_eq!(faults.first(), Some(&fault));
            assert_eq!(export(&engine), "");
            false
        }
        Err(other) => panic!("{other}"),
        Ok(summary) => {
            assert!(faults.is_empty());
            let first = export(&engine);
            let again = engine.apply(first.as_bytes()).unwrap();
            assert_eq!(
                again.total().added + again.total().changed + again.total().removed,
                0
            );
            let copy = Engine::memory(Options::default()).unwrap();
            copy.apply(first.as_bytes()).unwrap();
            assert_eq!(export(&copy), first);
            let found = engine.verify().unwrap();
            assert!(found.is_sound(), "{:?}", found.problems);
            assert_eq!(found.records, summary.total().added);
            true
        }
    }
}

fn export(engine: &Engine) -> String {
    let lines = engine.export(Credentials::Keep).unwrap();
    lines.map(|line| line.unwrap() + "\n").collect()
}
