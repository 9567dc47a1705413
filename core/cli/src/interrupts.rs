//! Interrupts of the program by Ctrl-C.

use std::io;

/// Calls a function at each Ctrl-C, on a thread of its own. Ctrl-C then no longer ends the program.
pub(crate) fn on_interrupt(mut interrupted: impl FnMut() + Send + 'static) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    std::thread::spawn(move || {
        while runtime.block_on(tokio::signal::ctrl_c()).is_ok() {
            interrupted();
        }
    });
    Ok(())
}
