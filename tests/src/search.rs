//! Searches: how far they go, and what they find.

use crate::storage::watchdog::Watchdog;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The sample, or the whole where `ROLLBOOK_SEARCH` is `whole`, as in `tests/run long`.
pub fn extent<T>(sample: T, whole: T) -> T {
    match std::env::var("ROLLBOOK_SEARCH").as_deref() {
        Ok("whole") => whole,
        _ => sample,
    }
}

/// The failures among so many attempts, each with its seed, made by two threads: a panic
/// is one too. An attempt that hangs ends the process.
pub fn failures(attempts: u64, attempt: impl Fn(u64) -> Result<(), String> + Sync) -> Vec<String> {
    let next = AtomicU64::new(0);
    let failures = Mutex::new(Vec::new());
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= attempts {
                return;
            }
            let _dog = Watchdog::over(format!("attempt {seed}"), Duration::from_secs(60));
            let failure = match catch_unwind(AssertUnwindSafe(|| attempt(seed))) {
                Ok(Ok(())) => continue,
                Ok(Err(what)) => what,
                Err(_) => "it panicked".to_owned(),
            };
            let failure = format!("attempt {seed}: {failure}");
            failures.lock().unwrap().push(failure);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    failures.into_inner().unwrap()
}
