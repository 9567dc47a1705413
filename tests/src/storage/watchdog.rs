//! Ends a test that hangs: nothing else would tell where.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

/// Ends the process unless dropped in time.
pub struct Watchdog(#[expect(dead_code, reason = "its end is the signal")] Sender<()>);

impl Watchdog {
    /// Ends the process after this time, with a word on what it was at.
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
