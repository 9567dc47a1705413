//! A snapshot that outlives the call that took it.

use super::lifecycle::Store;
use super::panics::{catch_panic, caught};
use super::snapshot::Snapshot;
use crate::error::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A snapshot held by an export or a backup.
pub(crate) struct Lease {
    /// Gone only while it is dropped.
    snapshot: Option<Arc<Snapshot>>,
    /// The store stays open as long, whoever else lets go of it.
    store: Arc<Store>,
}

impl Store {
    /// The newest snapshot, for an export or a backup that outlives the call.
    pub(crate) fn lease(self: &Arc<Self>) -> Result<Lease> {
        self.read(|snapshot| Ok(Lease::new(snapshot.clone(), self.clone())))
    }
}

impl Lease {
    fn new(snapshot: Arc<Snapshot>, store: Arc<Store>) -> Lease {
        store.live.fetch_add(1, Ordering::AcqRel);
        Lease {
            snapshot: Some(snapshot),
            store,
        }
    }

    /// Reads from the snapshot.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Snapshot) -> Result<T>) -> Result<T> {
        let Some(snapshot) = &self.snapshot else {
            return Err(Error::Closed.into());
        };
        let read = caught("reading it", || work(snapshot));
        if read.is_err() {
            self.store.owner.check()?;
        }
        read
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let snapshot = self.snapshot.take();
        // redb may well stumble over what broke it.
        let _ = catch_panic(|| drop(snapshot));
        self.store.live.fetch_sub(1, Ordering::AcqRel);
    }
}
