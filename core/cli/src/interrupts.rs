//! The signals that stop the program: Ctrl-C, SIGTERM, and SIGHUP of a terminal that is closed.

use std::io;

/// The signals that stop the program. Signals that arrive after the creation are noticed, even
/// before `next` is polled.
#[cfg(unix)]
pub(crate) struct StopSignals([tokio::signal::unix::Signal; 3]);

#[cfg(unix)]
impl StopSignals {
    /// Begins to notice the signals, which then no longer end the program. Must be called within a
    /// runtime.
    pub(crate) fn new() -> io::Result<StopSignals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(StopSignals([
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
            signal(SignalKind::hangup())?,
        ]))
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

#[cfg(not(unix))]
pub(crate) struct StopSignals;

#[cfg(not(unix))]
impl StopSignals {
    #[allow(clippy::unnecessary_wraps, reason = "on Unix it may fail")]
    pub(crate) fn new() -> io::Result<StopSignals> {
        Ok(StopSignals)
    }

    #[allow(clippy::unused_self, reason = "on Unix it has signals")]
    pub(crate) async fn next(&mut self) {
        // If the signal is not available, the program runs until it is killed.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Calls a function at each signal, on a thread of its own. The signals then no longer end the
/// program.
pub(crate) fn on_interrupt(mut interrupted: impl FnMut() + Send + 'static) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut signals = {
        let _runtime = runtime.enter();
        StopSignals::new()?
    };
    std::thread::spawn(move || {
        loop {
            runtime.block_on(signals.next());
            interrupted();
        }
    });
    Ok(())
}
