//! Where the bytes of a store lie.

use crate::Error;
use redb::{BackendError, StorageBackend};
use std::io;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

type Range = (Bound<u64>, Bound<u64>);

/// A backend that outlives the database on top of it.
///
/// After an I/O error redb must be dropped and opened anew; the backend and
/// its locks stay, so that no other process slips in between.
#[derive(Debug)]
pub(crate) struct Keeper {
    inner: Box<dyn StorageBackend>,
    held: Mutex<Vec<Range>>,
    closed: AtomicBool,
    /// What failed first: redb tells later that something did before.
    failed: Mutex<Option<String>>,
}

impl Keeper {
    pub(crate) fn new(inner: Box<dyn StorageBackend>) -> Arc<Keeper> {
        Arc::new(Keeper {
            inner,
            held: Mutex::default(),
            closed: AtomicBool::new(false),
            failed: Mutex::default(),
        })
    }

    /// Gives the locks back, whoever still holds a reference.
    pub(crate) fn close(&self) -> io::Result<()> {
        if self.closed.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        self.inner.close()
    }

    /// Empties a file whose creation was cut short, which redb would refuse
    /// for ever: it writes its magic number last, over a file of zeros. Says
    /// whether it was one.
    pub(crate) fn reset_if_half_created(&self) -> io::Result<bool> {
        const MAGIC: &[u8; 9] = b"redb\x1a\x0a\xa9\x0d\x0a";
        const HEADER: u64 = 4096;
        /// The size of a new file.
        const LONGEST: u64 = 16 << 20;
        let len = self.inner.len()?;
        if len > LONGEST {
            return Ok(false);
        }
        let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
        self.inner.read(0, &mut bytes)?;
        let magic = bytes
            .iter()
            .zip(MAGIC)
            .all(|(byte, magic)| *byte == 0 || byte == magic);
        let rest = bytes.iter().skip(usize::try_from(HEADER).unwrap_or(0));
        if !magic || rest.copied().any(|byte| byte != 0) {
            return Ok(false);
        }
        self.inner.set_len(0)?;
        Ok(true)
    }

    /// How many bytes the store has.
    pub(crate) fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }

    /// Notes what failed, unless something did before.
    fn noted<T>(&self, outcome: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &outcome {
            let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
            failed.get_or_insert_with(|| error.to_string());
        }
        outcome
    }

    /// The error with what the device said, and not what redb says of it.
    pub(crate) fn explain(&self, mut error: Box<Error>) -> Box<Error> {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Error::Io { detail }, Some(first)) = (&mut *error, failed.take()) {
            *detail = first;
        }
        error
    }

    /// Whether this lock is ours already.
    fn holds(&self, range: Range) -> bool {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.contains(&range)
    }

    fn keep(&self, range: Range) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.push(range);
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // Nobody is left to report a failure to; the locks go with the file.
        let _ = self.close();
    }
}

/// What redb gets: all goes to the [`Keeper`], but closing keeps it open.
#[derive(Debug)]
pub(crate) struct Handle(pub(crate) Arc<Keeper>);

impl StorageBackend for Handle {
    fn len(&self) -> io::Result<u64> {
        self.0.noted(self.0.inner.len())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.noted(self.0.inner.read(offset, out))
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.noted(self.0.inner.set_len(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.noted(self.0.inner.sync_data())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.noted(self.0.inner.write(offset, data))
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        if self.0.holds((start, end)) {
            return Ok(true);
        }
        let locked = self.0.inner.try_lock_range(start, end)?;
        if locked {
            self.0.keep((start, end));
        }
        Ok(locked)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        if self.0.holds((start, end)) {
            return Ok(true);
        }
        let locked = self.0.inner.try_lock_shared_range(start, end)?;
        if locked {
            self.0.keep((start, end));
        }
        Ok(locked)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        if !self.0.holds((start, end)) {
            self.0.inner.lock_range(start, end)?;
            self.0.keep((start, end));
        }
        Ok(())
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        if !self.0.holds((start, end)) {
            self.0.inner.lock_shared_range(start, end)?;
            self.0.keep((start, end));
        }
        Ok(())
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.inner.unlock_range(start, end)?;
        let mut held = self.0.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|range| *range != (start, end));
        Ok(())
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.inner.query_lock_range(start, end)
    }
}
