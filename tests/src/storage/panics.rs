//! Counts panics that the engine catches. Panics of redb are expected.

use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The numbers of panics so far.
#[derive(Default)]
pub struct Counted {
    of_redb: Arc<AtomicUsize>,
    of_ours: Arc<AtomicUsize>,
}

/// Counts the panics of redb, which the engine catches, without printing them. Other panics are
/// counted and printed.
pub fn counted() -> Counted {
    let counted = Counted::default();
    let (of_redb, of_ours) = (counted.of_redb.clone(), counted.of_ours.clone());
    let default = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let is_of = |path: &str| info.location().is_some_and(|at| at.file().contains(path));
        if is_of("redb") {
            of_redb.fetch_add(1, Ordering::Relaxed);
            return;
        }
        if is_of("core/src/") || is_of("/rustc/") {
            of_ours.fetch_add(1, Ordering::Relaxed);
        }
        default(info);
    }));
    counted
}

impl Counted {
    /// Returns the number of panics of redb.
    pub fn count(&self) -> usize {
        self.of_redb.load(Ordering::Relaxed)
    }

    /// Returns the number of panics of the engine, or of code that it calls.
    pub fn of_ours(&self) -> usize {
        self.of_ours.load(Ordering::Relaxed)
    }
}
