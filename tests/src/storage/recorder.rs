//! A disk that records every change.

use super::disk::Disk;
use redb::StorageBackend;
use std::io;
use std::sync::{Arc, Mutex};

/// A change of the disk.
#[derive(Clone)]
pub enum Event {
    /// Bytes were written.
    Write {
        /// The position of the first byte.
        offset: u64,
        /// The bytes.
        data: Arc<[u8]>,
    },
    /// The length of the disk was changed.
    SetLen(u64),
    /// All changes before this one are durable.
    Sync,
}

/// An event and the operations of the engine at that moment.
#[derive(Clone)]
pub struct Entry {
    /// The change.
    pub event: Event,
    /// The number of operations that had begun.
    pub begun: usize,
    /// The number of operations that had returned.
    pub returned: usize,
}

#[derive(Default)]
struct Log {
    entries: Vec<Entry>,
    begun: usize,
    returned: usize,
}

/// A disk and the log of its changes. Its clones share both.
#[derive(Clone, Default)]
pub struct Recorder {
    disk: Disk,
    log: Arc<Mutex<Log>>,
}

impl Recorder {
    /// Creates a disk that contains these bytes.
    pub fn on(bytes: Vec<u8>) -> Recorder {
        Recorder {
            disk: Disk::new(bytes),
            log: Arc::default(),
        }
    }

    /// Runs one operation of the engine, so that the log shows which changes belong to it.
    pub fn operation<T>(&self, work: impl FnOnce() -> T) -> T {
        self.log.lock().unwrap().begun += 1;
        let outcome = work();
        self.log.lock().unwrap().returned += 1;
        outcome
    }

    /// Returns the log so far.
    pub fn entries(&self) -> Vec<Entry> {
        self.log.lock().unwrap().entries.clone()
    }

    fn note(&self, event: Event) {
        let mut log = self.log.lock().unwrap();
        let (begun, returned) = (log.begun, log.returned);
        log.entries.push(Entry {
            event,
            begun,
            returned,
        });
    }
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Recorder")
    }
}

impl StorageBackend for Recorder {
    fn len(&self) -> io::Result<u64> {
        self.disk.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.disk.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.note(Event::SetLen(len));
        self.disk.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.note(Event::Sync);
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.note(Event::Write {
            offset,
            data: data.into(),
        });
        self.disk.write(offset, data)
    }
}
