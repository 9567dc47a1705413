//! Snapshots that outlive the call that created them.

use super::leases::{LeaseSlot, LeaseState};
use super::lifecycle::{Store, StoreState};
use super::redb_guard::panic_guard::{catch_panic, caught};
use crate::error::{Error, Failure, Result};
use crate::store::transaction::snapshot::Snapshot;
use std::sync::Arc;

/// A snapshot for an export, a feed or a backup.
pub(crate) struct Lease {
    slot: Arc<LeaseSlot>,
    /// The store stays open until the lease is dropped, even if the engine is dropped before.
    store: Arc<Store>,
    /// The number of the opening that the snapshot belongs to.
    opening: u64,
}

impl Store {
    /// Returns a lease of the newest snapshot, for an export, a feed or a backup that outlives the
    /// call. Waits while the store is compacted. If other callers wait for all leases to end, one
    /// of them goes first.
    pub(crate) fn lease(self: &Arc<Self>) -> Result<Lease> {
        self.owner.check()?;
        let mut lease = Lease {
            slot: self.leases.register(),
            store: self.clone(),
            opening: 0,
        };
        let snapshot = self.read(|snapshot| Ok(snapshot.clone()))?;
        // If the store was reopened in between, a fault of this lease reopens it once more than
        // necessary.
        lease.opening = self.state().open()?.1;
        let mut leased = lease.slot.lock();
        if let LeaseState::Starting = *leased {
            *leased = LeaseState::Snapshot(snapshot);
        }
        drop(leased);
        Ok(lease)
    }
}

impl Lease {
    /// The limit of the journal of a log partition, in bytes.
    pub(crate) fn journal_bytes(&self) -> u64 {
        self.store.options.journal_bytes
    }

    /// Reads from the snapshot. Fails as `reader_ended` if the lease was ended, and as
    /// `closed` if the store was closed.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Snapshot) -> Result<T>) -> Result<T> {
        let mut leased = self.slot.lock();
        let snapshot = match &*leased {
            LeaseState::Snapshot(snapshot) => snapshot,
            LeaseState::Ended(error) => return Err(error.clone().into()),
            LeaseState::Starting => return Err(Error::Closed.into()),
        };
        let read = caught("reading it", || work(snapshot));
        // An exclusive caller could not end the lease while it was being read.
        if let Some(error) = self.slot.ending.get() {
            let ended = std::mem::replace(&mut *leased, LeaseState::Ended(error.clone()));
            drop(leased);
            self.release(ended);
        } else {
            drop(leased);
        }
        read.map_err(|error| self.explain(error))
    }

    /// Drops the snapshot, and removes the lease from the list.
    fn release(&self, leased: LeaseState) {
        // After a fault, redb may panic again when the snapshot is dropped.
        let _ = catch_panic(|| drop(leased));
        // A thread of the parent process may have locked the list when this process was forked.
        if self.store.owner.check().is_err() {
            return;
        }
        let leases = &self.store.leases;
        let is_other = |slot: &Arc<LeaseSlot>| !Arc::ptr_eq(slot, &self.slot);
        leases.lock().live.retain(is_other);
        leases.changed.notify_all();
    }

    /// Returns the cause of an error that redb reports when its file is closed under a reader.
    /// After a fault of the device the store is reopened, so that the next lease can be read.
    fn explain(&self, error: Failure) -> Failure {
        if let Err(forked) = self.store.owner.check() {
            return forked;
        }
        if let StoreState::Closed = &*self.store.state() {
            return Error::Closed.into();
        }
        self.store.recover(self.opening, error)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let leased = std::mem::take(&mut *self.slot.lock());
        self.release(leased);
    }
}

#[cfg(test)]
mod tests {
    use crate::error::{Error, Result};
    use crate::store::lifecycle::{Location, Store};
    use crate::store::store_options::StoreOptions;
    use std::sync::Arc;

    #[test]
    fn a_lease_that_is_being_read_is_ended_afterwards() -> Result<()> {
        let store = Arc::new(Store::open(Location::Memory, StoreOptions::for_test())?);
        let lease = store.lease()?;
        let leases = &store.leases;
        lease.read(|_| {
            leases.lock().end(&Error::ReaderEnded);
            assert!(!leases.lock().is_free());
            Ok(())
        })?;
        assert!(leases.lock().is_free());
        let next = lease.read(|_| Ok(()));
        assert!(next.is_err_and(|error| matches!(*error, Error::ReaderEnded)));
        Ok(())
    }
}
