//! Ends a test, or the threads of a test, that would otherwise run forever.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

/// Sets a flag when it is dropped. Threads that run until the flag is set also end when the test
/// that started them panics.
pub struct SetOnDrop<'a>(pub &'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Ends the process unless it is dropped in time.
pub struct Watchdog(#[expect(dead_code, reason = "its end is the signal")] Sender<()>);

impl Watchdog {
    /// Creates a watchdog that ends the process after this time and prints `what`.
    #[expect(clippy::print_stderr, reason = "the process ends here")]
    pub fn over(what: impl Into<String>, limit: Duration) -> Watchdog {
        let what = what.into();
        let (alive, signal) = mpsc::channel::<()>();
        std::thread::spawn(move || {
            if signal.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                eprintln!("hangs: {what}");
                std::process::abort();
            }
        });
        Watchdog(alive)
    }
}
