//! A snapshot that outlives the call that took it.

use super::panics::{caught, outcome};
use super::snapshot::Snapshot;
use crate::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A snapshot held by an export or a backup.
pub(crate) struct Lease {
    /// Gone only while it is dropped.
    snapshot: Option<Arc<Snapshot>>,
    /// Counts the leases of the store.
    live: Arc<AtomicUsize>,
}

impl Lease {
    pub(super) fn new(snapshot: Arc<Snapshot>, live: Arc<AtomicUsize>) -> Lease {
        live.fetch_add(1, Ordering::AcqRel);
        Lease {
            snapshot: Some(snapshot),
            live,
        }
    }

    /// Reads from the snapshot.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Snapshot) -> Result<T>) -> Result<T> {
        let snapshot = self.snapshot.as_ref().ok_or(Error::Closed)?;
        caught("reading it", || work(snapshot))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let snapshot = self.snapshot.take();
        // redb may well stumble over what broke it.
        let _ = outcome(|| drop(snapshot));
        self.live.fetch_sub(1, Ordering::AcqRel);
    }
}
