//! Panics that are expected: counted instead of printed.

use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many panics of redb there were so far.
pub struct Counted(Arc<AtomicUsize>);

/// Silences the panics of redb, which the engine catches, and counts them.
pub fn counted() -> Counted {
    let count = Arc::new(AtomicUsize::new(0));
    let (counter, default) = (count.clone(), panic::take_hook());
    panic::set_hook(Box::new(move |info| {
        let of_redb = info
            .location()
            .is_some_and(|place| place.file().contains("redb"));
        if of_redb {
            counter.fetch_add(1, Ordering::Relaxed);
        } else {
            default(info);
        }
    }));
    Counted(count)
}

impl Counted {
    /// How many there were.
    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}
