//! A backend around redb's own backend for files, as an app might write one.

use redb::backends::FileBackend;
use redb::{BackendError, StorageBackend};
use std::fs::OpenOptions;
use std::io;
use std::ops::Bound;
use std::path::Path;

/// A backend that forwards everything to the file, and calls `before_write` before each write.
pub struct Wrapping<F> {
    file: FileBackend,
    before_write: F,
}

impl<F: Fn() + Send + Sync + 'static> Wrapping<F> {
    /// Opens a file, and creates it if it does not exist.
    pub fn open(path: &Path, before_write: F) -> Wrapping<F> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true);
        let file = options.open(path).unwrap();
        Wrapping {
            file: FileBackend::new(file).unwrap(),
            before_write,
        }
    }
}

impl<F> std::fmt::Debug for Wrapping<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Wrapping")
    }
}

impl<F: Fn() + Send + Sync + 'static> StorageBackend for Wrapping<F> {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        (self.before_write)();
        self.file.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.query_lock_range(start, end)
    }
}
