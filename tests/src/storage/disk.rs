//! A disk in memory that remains when the engine that uses it is closed.

use redb::StorageBackend;
use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex, MutexGuard};

/// A disk of bytes. Its clones share them.
#[derive(Clone, Default)]
pub struct Disk(Arc<Mutex<Vec<u8>>>);

impl Disk {
    /// Creates a disk that contains these bytes.
    pub fn new(bytes: Vec<u8>) -> Disk {
        Disk(Arc::new(Mutex::new(bytes)))
    }

    /// Returns a copy of the current bytes.
    pub fn bytes(&self) -> Vec<u8> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap()
    }
}

impl std::fmt::Debug for Disk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Disk of {} bytes", self.lock().len())
    }
}

/// Returns the range of a write or read, if it is within the bytes.
fn within(offset: u64, length: usize, whole: usize) -> io::Result<std::ops::Range<usize>> {
    let start = usize::try_from(offset).ok();
    let end = start.and_then(|start| start.checked_add(length));
    match (start, end) {
        (Some(start), Some(end)) if end <= whole => Ok(start..end),
        _ => Err(ErrorKind::UnexpectedEof.into()),
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.lock().len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let bytes = self.lock();
        let range = within(offset, out.len(), bytes.len())?;
        out.copy_from_slice(&bytes[range]);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let len = usize::try_from(len).map_err(|_| ErrorKind::StorageFull)?;
        self.lock().resize(len, 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut bytes = self.lock();
        let range = within(offset, data.len(), bytes.len())?;
        bytes[range].copy_from_slice(data);
        Ok(())
    }
}
