//! A disk that counts what is read from it.

use super::disk::Disk;
use redb::StorageBackend;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A disk that counts the reads and the bytes that are read. Its clones share all of this.
#[derive(Clone, Debug)]
pub struct Meter {
    disk: Disk,
    read: Arc<AtomicU64>,
    reads: Arc<AtomicU64>,
}

impl Meter {
    /// Creates a disk that contains these bytes, with counters of 0.
    pub fn on(bytes: Vec<u8>) -> Meter {
        Meter {
            disk: Disk::new(bytes),
            read: Arc::default(),
            reads: Arc::default(),
        }
    }

    /// Returns the number of reads.
    pub fn reads(&self) -> u64 {
        self.reads.load(Ordering::Relaxed)
    }

    /// Returns the number of bytes that were read.
    pub fn read_bytes(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }
}

impl StorageBackend for Meter {
    fn len(&self) -> io::Result<u64> {
        self.disk.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.read.fetch_add(out.len() as u64, Ordering::Relaxed);
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.disk.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.disk.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.disk.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.disk.write(offset, data)
    }
}
