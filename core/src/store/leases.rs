//! All leases of a store, and exclusive access for callers that need the store without them.

use super::redb_guard::panic_guard::catch_panic;
use crate::error::{Error, Result};
use crate::platform::HAS_THREADS;
use crate::store::transaction::snapshot::Snapshot;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::Duration;

/// The snapshot of a lease.
#[derive(Default)]
pub(super) struct LeaseSlot {
    /// It is locked while it is read.
    state: Mutex<LeaseState>,
    /// The error with which the lease ends after the read that is in progress.
    pub(super) ending: OnceLock<Error>,
}

#[derive(Default)]
pub(super) enum LeaseState {
    /// The lease is registered, but has no snapshot yet.
    #[default]
    Starting,
    Snapshot(Arc<Snapshot>),
    /// The snapshot was dropped. The lease returns this error from now on.
    Ended(Error),
}

/// All leases of a store, and the callers that wait for their end.
#[derive(Default)]
pub(super) struct Leases {
    list: Mutex<LeaseList>,
    pub(super) changed: Condvar,
}

#[derive(Default)]
pub(super) struct LeaseList {
    pub(super) live: Vec<Arc<LeaseSlot>>,
    /// The number of callers that wait for all leases to end. New leases let one of them go first.
    pub(super) waiting: usize,
    /// Whether a caller has exclusive access.
    pub(super) is_taken: bool,
    /// The number of times that exclusive access has ended.
    turn: u64,
}

/// Exclusive access to the store, without leases. New leases can start when it is dropped.
pub(super) struct ExclusiveAccess<'a>(pub(super) &'a Leases);

impl LeaseSlot {
    pub(super) fn lock(&self) -> MutexGuard<'_, LeaseState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Leases {
    pub(super) fn lock(&self) -> MutexGuard<'_, LeaseList> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is no lease and no caller has exclusive access. Without threads, it would
    /// wait for itself, so that it does not wait.
    fn wait<'a>(
        &'a self,
        list: MutexGuard<'a, LeaseList>,
        wait: Duration,
    ) -> MutexGuard<'a, LeaseList> {
        if !HAS_THREADS {
            return list;
        }
        let waited = self
            .changed
            .wait_timeout_while(list, wait, |list| !list.is_free());
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Returns exclusive access, during which there are no leases. Waits for `wait` until all leases
    /// have ended. Then leases that are not being read are ended, so that a slow reader cannot delay
    /// an erasure, and reads that are in progress have the same time again to finish. Without
    /// threads, no one could read meanwhile, so that leases are ended at once. Without `wait`, the
    /// call neither waits nor ends leases.
    pub(super) fn take_exclusive_access(
        &self,
        wait: Option<Duration>,
    ) -> Result<ExclusiveAccess<'_>> {
        let mut list = self.lock();
        if let Some(wait) = wait
            && !list.is_free()
        {
            list.waiting += 1;
            list = self.wait(list, wait);
            list.end(&Error::ReaderEnded);
            list = self.wait(list, wait);
            list.waiting -= 1;
        }
        if !list.is_free() {
            drop(list);
            self.changed.notify_all();
            return Err(Error::Busy {
                what: "an export, feed or backup is being read".to_owned(),
            }
            .into());
        }
        list.is_taken = true;
        drop(list);
        Ok(ExclusiveAccess(self))
    }

    /// Adds a lease. If callers already wait for all leases to end, one of them goes first, but
    /// only one, so that neither side waits forever.
    pub(super) fn register(&self) -> Arc<LeaseSlot> {
        let mut list = self.lock();
        let turn = list.turn;
        while list.is_taken || list.waiting > 0 && list.turn == turn {
            let waited = self.changed.wait(list);
            list = waited.unwrap_or_else(PoisonError::into_inner);
        }
        let slot = Arc::new(LeaseSlot::default());
        list.live.push(slot.clone());
        slot
    }

    /// Ends all leases that are not being read with the error `closed`.
    pub(super) fn close(&self) {
        self.lock().end(&Error::Closed);
        self.changed.notify_all();
    }
}

impl LeaseList {
    pub(super) fn is_free(&self) -> bool {
        self.live.is_empty() && !self.is_taken
    }

    /// Ends all leases except those that have no snapshot yet. Those that are being read end after
    /// the read.
    pub(super) fn end(&mut self, error: &Error) {
        self.live.retain(|slot| {
            let mut leased = match slot.state.try_lock() {
                Ok(leased) => leased,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    let _ = slot.ending.set(error.clone());
                    return true;
                }
            };
            if let LeaseState::Starting = *leased {
                return true;
            }
            let ended = std::mem::replace(&mut *leased, LeaseState::Ended(error.clone()));
            // After a fault, redb may panic again when the snapshot is dropped.
            let _ = catch_panic(|| drop(ended));
            false
        });
    }
}

impl Drop for ExclusiveAccess<'_> {
    fn drop(&mut self) {
        let mut list = self.0.lock();
        list.is_taken = false;
        list.turn += 1;
        drop(list);
        self.0.changed.notify_all();
    }
}
