//! A disk that writes down everything that changes it.

use super::disk::Disk;
use redb::StorageBackend;
use std::io;
use std::sync::{Arc, Mutex};

/// What was done to the disk.
#[derive(Clone)]
pub enum Event {
    /// Bytes were written.
    Write {
        /// Where they begin.
        offset: u64,
        /// The bytes.
        data: Arc<[u8]>,
    },
    /// The disk was made longer or shorter.
    SetLen(u64),
    /// All before this is durable.
    Sync,
}

/// An event and what had been asked of the engine by then.
#[derive(Clone)]
pub struct Entry {
    /// What was done.
    pub event: Event,
    /// How many operations had begun.
    pub begun: usize,
    /// How many had returned.
    pub returned: usize,
}

#[derive(Default)]
struct Log {
    entries: Vec<Entry>,
    begun: usize,
    returned: usize,
}

/// A disk and the log of its changes; clones share both.
#[derive(Clone, Default)]
pub struct Recorder {
    disk: Disk,
    log: Arc<Mutex<Log>>,
}

impl Recorder {
    /// Starts from what a disk holds.
    pub fn on(bytes: Vec<u8>) -> Recorder {
        Recorder {
            disk: Disk::new(bytes),
            log: Arc::default(),
        }
    }

    /// Runs one operation of the engine, so that the log knows which changes
    /// fall into it.
    pub fn operation<T>(&self, work: impl FnOnce() -> T) -> T {
        self.log.lock().unwrap().begun += 1;
        let outcome = work();
        self.log.lock().unwrap().returned += 1;
        outcome
    }

    /// The log so far.
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
