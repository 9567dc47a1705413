//! The bytes of a store, as a backend of redb.

use crate::error::{Error, Failure, Result};
use crate::store::file::opened_path::OpenedPath;
use crate::store::file::owner::Owner;
use crate::store::redb_guard::free_list_check;
use redb::backends::{FileBackend, InMemoryBackend};
use redb::{BackendError, StorageBackend};
use std::io;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

type Range = (Bound<u64>, Bound<u64>);

/// A backend that outlives the database on top of it.
///
/// After an I/O error the database must be dropped and reopened. The backend and its locks remain,
/// so that no other process can open the file meanwhile.
#[derive(Debug)]
pub(crate) struct SharedBackend {
    inner: Box<dyn StorageBackend>,
    pub(crate) owner: Owner,
    opened: Option<OpenedPath>,
    /// The locks that redb has taken and not released.
    locks: Mutex<Vec<Range>>,
    closed: AtomicBool,
    /// The number of syncs that redb may still make. On a damaged file, a compaction may make them
    /// forever.
    syncs_left: AtomicU64,
    /// The message of the first failure. Later, redb only reports that there was an earlier
    /// failure.
    failed: Mutex<Option<String>>,
}

impl SharedBackend {
    pub(crate) fn new(inner: Box<dyn StorageBackend>) -> Arc<SharedBackend> {
        SharedBackend::with_owner(inner, Owner::this_process(), None)
    }

    pub(crate) fn in_memory() -> Arc<SharedBackend> {
        SharedBackend::with_owner(Box::new(InMemoryBackend::new()), Owner::ANY, None)
    }

    pub(crate) fn of_file(file: FileBackend, opened: OpenedPath) -> Arc<SharedBackend> {
        SharedBackend::with_owner(Box::new(file), Owner::this_process(), Some(opened))
    }

    fn with_owner(
        inner: Box<dyn StorageBackend>,
        owner: Owner,
        opened: Option<OpenedPath>,
    ) -> Arc<SharedBackend> {
        Arc::new(SharedBackend {
            inner,
            owner,
            opened,
            locks: Mutex::default(),
            closed: AtomicBool::new(false),
            syncs_left: AtomicU64::new(u64::MAX),
            failed: Mutex::default(),
        })
    }

    /// Releases the locks, even if there are other references to the backend. A forked process
    /// shares the locks with its parent, so it does not release them.
    pub(crate) fn close(&self) -> io::Result<()> {
        if self.closed.swap(true, Ordering::AcqRel) || self.owner.check().is_err() {
            return Ok(());
        }
        self.inner.close()
    }

    /// Makes syncs fail after this number of them.
    pub(crate) fn allow_syncs(&self, most: u64) {
        self.syncs_left.store(most, Ordering::Relaxed);
    }

    pub(crate) fn has_syncs_left(&self) -> bool {
        self.syncs_left.load(Ordering::Relaxed) > 0
    }

    fn take_sync(&self) -> io::Result<()> {
        let left = self.syncs_left.load(Ordering::Relaxed);
        let left = left.checked_sub(1);
        let left = left.ok_or_else(|| io::Error::other("too many syncs"))?;
        self.syncs_left.store(left, Ordering::Relaxed);
        Ok(())
    }

    /// Fails if the path of the store no longer leads to the open file, so that written data would
    /// be lost.
    pub(crate) fn check_path(&self) -> Result<()> {
        self.opened.as_ref().map_or(Ok(()), OpenedPath::check)
    }

    /// Returns the backend. Fails in a process that did not open it, because another process may
    /// change the bytes at any time.
    fn bytes(&self) -> io::Result<&dyn StorageBackend> {
        self.owner.check().map_err(io::Error::other)?;
        Ok(&*self.inner)
    }

    /// Reads bytes without changing page numbers.
    pub(crate) fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.record_failure(self.bytes().and_then(|bytes| bytes.read(offset, out)))
    }

    /// Returns the length of the store in bytes.
    pub(crate) fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }

    /// Records the message of a failure, unless an earlier one is recorded.
    fn record_failure<T>(&self, outcome: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &outcome {
            let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
            failed.get_or_insert_with(|| error.to_string());
        }
        outcome
    }

    /// Returns whether there was a failure that is not yet part of an error.
    pub(crate) fn has_failed(&self) -> bool {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.is_some()
    }

    /// Replaces the message of redb in an error by that of the device.
    pub(crate) fn explain(&self, mut error: Failure) -> Failure {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Error::Io { detail }, Some(first)) = (&mut *error, failed.take()) {
            *detail = first;
        }
        error
    }

    /// Returns whether this backend already has a lock.
    fn has_lock(&self, range: Range) -> bool {
        let locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        locks.contains(&range)
    }

    fn add_lock(&self, range: Range) {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        locks.push(range);
    }
}

impl Drop for SharedBackend {
    fn drop(&mut self) {
        // A failure cannot be reported to any caller. The locks are released with the file.
        let _ = self.close();
    }
}

/// The backend that redb uses. It forwards all calls to the [`SharedBackend`], except that closing
/// it does nothing.
#[derive(Debug)]
pub(crate) struct Handle(pub(crate) Arc<SharedBackend>);

impl StorageBackend for Handle {
    fn len(&self) -> io::Result<u64> {
        self.0.record_failure(self.0.len())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read(offset, out)?;
        free_list_check::bound_pages(out, || self.0.len())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let set = self.0.bytes().and_then(|bytes| bytes.set_len(len));
        self.0.record_failure(set)
    }

    fn sync_data(&self) -> io::Result<()> {
        let bytes = self.0.take_sync().and_then(|()| self.0.bytes());
        let synced = bytes.and_then(StorageBackend::sync_data);
        self.0.record_failure(synced)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let written = self.0.bytes().and_then(|bytes| bytes.write(offset, data));
        self.0.record_failure(written)
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        if self.0.has_lock((start, end)) {
            return Ok(true);
        }
        let locked = self.0.inner.try_lock_range(start, end)?;
        if locked {
            self.0.add_lock((start, end));
        }
        Ok(locked)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        if self.0.has_lock((start, end)) {
            return Ok(true);
        }
        let locked = self.0.inner.try_lock_shared_range(start, end)?;
        if locked {
            self.0.add_lock((start, end));
        }
        Ok(locked)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        if !self.0.has_lock((start, end)) {
            self.0.inner.lock_range(start, end)?;
            self.0.add_lock((start, end));
        }
        Ok(())
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        if !self.0.has_lock((start, end)) {
            self.0.inner.lock_shared_range(start, end)?;
            self.0.add_lock((start, end));
        }
        Ok(())
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.bytes()?.unlock_range(start, end)?;
        let mut locks = self.0.locks.lock().unwrap_or_else(PoisonError::into_inner);
        locks.retain(|range| *range != (start, end));
        Ok(())
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.inner.query_lock_range(start, end)
    }
}

#[cfg(test)]
mod tests {
    use crate::store::file::backend::*;
    use std::sync::atomic::AtomicUsize;

    /// Counts the calls that access the bytes, including `close`.
    #[derive(Debug, Default)]
    struct CountingBackend(Arc<AtomicUsize>);

    impl CountingBackend {
        fn count(&self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    impl StorageBackend for CountingBackend {
        fn len(&self) -> io::Result<u64> {
            Ok(4096)
        }

        fn read(&self, _: u64, out: &mut [u8]) -> io::Result<()> {
            self.count();
            out.fill(1);
            Ok(())
        }

        fn set_len(&self, _: u64) -> io::Result<()> {
            self.count();
            Ok(())
        }

        fn sync_data(&self) -> io::Result<()> {
            self.count();
            Ok(())
        }

        fn write(&self, _: u64, _: &[u8]) -> io::Result<()> {
            self.count();
            Ok(())
        }

        fn close(&self) -> io::Result<()> {
            self.count();
            Ok(())
        }

        fn unlock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
            self.count();
            Ok(())
        }
    }

    /// Returns the number of calls that reached the bytes, and of calls that were refused.
    fn count_calls(owner: Owner) -> (usize, usize) {
        let count = Arc::new(AtomicUsize::new(0));
        let backend =
            SharedBackend::with_owner(Box::new(CountingBackend(count.clone())), owner, None);
        let handle = Handle(backend.clone());
        let calls = [
            handle.read(0, &mut [0]),
            handle.write(0, &[0]),
            handle.set_len(0),
            handle.sync_data(),
            handle
                .unlock_range(Bound::Unbounded, Bound::Unbounded)
                .map_err(|_| io::ErrorKind::Other.into()),
        ];
        assert!(backend.close().is_ok());
        drop(handle);
        drop(backend);
        let refused = calls.iter().filter(|call| call.is_err()).count();
        (count.load(Ordering::Relaxed), refused)
    }

    #[test]
    fn a_forked_process_accesses_no_bytes() {
        assert_eq!(count_calls(Owner::this_process()), (6, 0));
        assert_eq!(count_calls(Owner::ANY), (6, 0));
        assert_eq!(count_calls(Owner::ANOTHER), (0, 5));
    }
}
