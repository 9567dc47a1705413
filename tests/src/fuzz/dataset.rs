//! Bytes that claim to be a dataset.

use rollbook::{Credentials, Engine, Error, Options};

/// Applies the bytes in pieces of a size that they choose themselves. Either
/// nothing is kept and `check` finds the same first fault, or everything is, and
/// comes out and in again the same.
pub fn dataset(bytes: &[u8]) {
    let piece = 1 + usize::from(bytes.first().copied().unwrap_or(0));
    let engine = Engine::memory(Options::default()).unwrap();
    let faults = engine.check(bytes, 3).unwrap();
    let mut load = engine.load();
    let pushed = bytes.chunks(piece).try_for_each(|piece| load.push(piece));
    match pushed.and_then(|()| load.finish()) {
        Err(Error::BadDataset(fault)) => {
            assert_eq!(faults.first(), Some(&fault));
            assert_eq!(export(&engine), "");
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
        }
    }
}

fn export(engine: &Engine) -> String {
    let lines = engine.export(Credentials::Keep).unwrap();
    lines.map(|line| line.unwrap() + "\n").collect()
}
