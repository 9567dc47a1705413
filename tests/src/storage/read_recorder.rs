//! A disk that records which blocks are read.

use super::disk::Disk;
use redb::StorageBackend;
use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex};

/// The length of a block in bytes.
pub const BLOCK: usize = 4096;

/// A disk and the blocks that were read. Its clones share both.
#[derive(Debug, Clone)]
pub struct ReadRecorder {
    disk: Disk,
    read: Arc<Mutex<BTreeSet<usize>>>,
}

impl ReadRecorder {
    /// Creates a disk that contains these bytes, of which none was read.
    pub fn on(bytes: Vec<u8>) -> ReadRecorder {
        ReadRecorder {
            disk: Disk::new(bytes),
            read: Arc::default(),
        }
    }

    /// Returns the indexes of the blocks that were read.
    pub fn blocks(&self) -> Vec<usize> {
        self.read.lock().unwrap().iter().copied().collect()
    }
}

impl StorageBackend for ReadRecorder {
    fn len(&self) -> io::Result<u64> {
        self.disk.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let start = usize::try_from(offset).unwrap();
        let blocks = start / BLOCK..(start + out.len()).div_ceil(BLOCK);
        self.read.lock().unwrap().extend(blocks);
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
