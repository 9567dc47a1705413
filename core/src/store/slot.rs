//! The one place for a writer.

use crate::error::{Error, Failure, Result};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Held by one writer at a time, so that redb is never asked for a second
/// write transaction, for which it would wait without end.
#[derive(Debug, Default)]
pub(super) struct WriterSlot {
    taken: Mutex<bool>,
    freed: Condvar,
}

/// The slot, held until dropped.
#[derive(Debug)]
pub(super) struct WriterGuard<'a>(&'a WriterSlot);

impl WriterSlot {
    /// Takes the slot, waiting so long for another writer to leave it. A
    /// platform without threads does not wait: the other one could not leave.
    pub(super) fn take(&self, wait: Duration) -> Result<WriterGuard<'_>> {
        let busy = || {
            Failure::from(Error::Busy {
                what: "another change is being written".into(),
            })
        };
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if *taken && cfg!(all(target_family = "wasm", target_os = "unknown")) {
            return Err(busy());
        }
        if *taken {
            let waited = self.freed.wait_timeout_while(taken, wait, |taken| *taken);
            (taken, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        if *taken {
            return Err(busy());
        }
        *taken = true;
        Ok(WriterGuard(self))
    }
}

impl Drop for WriterGuard<'_> {
    fn drop(&mut self) {
        let mut taken = self.0.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = false;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_writer_waits_and_then_gives_up() -> Result<()> {
        let slot = WriterSlot::default();
        let first = slot.take(Duration::ZERO)?;
        let refused = slot.take(Duration::from_millis(5)).err();
        assert_eq!(refused.map(|error| error.code()), Some("busy"));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| slot.take(Duration::from_secs(60)).is_ok());
            std::thread::sleep(Duration::from_millis(5));
            drop(first);
            assert!(matches!(waiting.join(), Ok(true)));
        });
        slot.take(Duration::ZERO).map(drop)
    }
}
