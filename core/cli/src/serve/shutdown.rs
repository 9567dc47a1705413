//! The signals that stop the server: SIGTERM and Ctrl-C.

use std::io;

/// The signals that stop the server. Signals that arrive after the creation are noticed, even
/// before `next` is polled.
#[cfg(unix)]
pub(super) struct StopSignals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl StopSignals {
    pub(super) fn new() -> io::Result<StopSignals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(StopSignals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next signal.
    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(not(unix))]
pub(super) struct StopSignals;

#[cfg(not(unix))]
impl StopSignals {
    #[allow(clippy::unnecessary_wraps, reason = "on Unix it may fail")]
    pub(super) fn new() -> io::Result<StopSignals> {
        Ok(StopSignals)
    }

    #[allow(clippy::unused_self, reason = "on Unix it has signals")]
    pub(super) async fn next(&mut self) {
        // If the signal is not available, the server runs until it is killed.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
