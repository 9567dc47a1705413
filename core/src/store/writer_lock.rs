//! The lock of the only writer.

use super::watchers::Watchers;
use crate::error::{Error, Failure, Result};
use crate::platform::HAS_THREADS;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A lock for one writer at a time. Without it, redb would wait forever for a second write
/// transaction.
#[derive(Default)]
pub(super) struct WriterLock {
    is_locked: Mutex<bool>,
    released: Condvar,
    /// The watchers of the store. Those that a writer has notified are woken when it releases the
    /// lock.
    pub(super) watchers: Arc<Watchers>,
}

/// The lock, until it is dropped.
pub(super) struct WriterGuard<'a>(&'a WriterLock);

impl WriterLock {
    /// Takes the lock. Waits at most `wait` for another writer to release it. A platform without
    /// threads does not wait, because the other writer could not proceed.
    pub(super) fn take(&self, wait: Duration) -> Result<WriterGuard<'_>> {
        let busy = || {
            Failure::from(Error::Busy {
                what: "another change is being written".into(),
            })
        };
        let mut is_locked = self
            .is_locked
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if *is_locked && !HAS_THREADS {
            return Err(busy());
        }
        if *is_locked {
            let waited = self
                .released
                .wait_timeout_while(is_locked, wait, |is_locked| *is_locked);
            (is_locked, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        if *is_locked {
            return Err(busy());
        }
        *is_locked = true;
        Ok(WriterGuard(self))
    }
}

impl Drop for WriterGuard<'_> {
    fn drop(&mut self) {
        let mut is_locked = self
            .0
            .is_locked
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *is_locked = false;
        drop(is_locked);
        self.0.released.notify_one();
        self.0.watchers.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_writer_waits_and_then_gives_up() -> Result<()> {
        let lock = WriterLock::default();
        let first = lock.take(Duration::ZERO)?;
        let refused = lock.take(Duration::from_millis(5)).err();
        assert_eq!(refused.map(|error| error.code()), Some("busy"));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| lock.take(Duration::from_secs(60)).is_ok());
            std::thread::sleep(Duration::from_millis(5));
            drop(first);
            assert!(matches!(waiting.join(), Ok(true)));
        });
        lock.take(Duration::ZERO).map(drop)
    }
}
