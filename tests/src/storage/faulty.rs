//! A disk that fails when it is told to.

use super::disk::Disk;
use redb::StorageBackend;
use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex};

/// What is done to a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Reading bytes.
    Read,
    /// Writing bytes. A write that fails has left half of them behind.
    Write,
    /// Making it longer or shorter.
    SetLen,
    /// Making all durable.
    Sync,
}

impl Deed {
    /// All that can fail.
    pub const ALL: [Deed; 4] = [Deed::Read, Deed::Write, Deed::SetLen, Deed::Sync];
}

/// What is to fail.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// Deeds of this kind,
    pub deed: Deed,
    /// from this one on, counted from 0,
    pub from: usize,
    /// or this one alone.
    pub once: bool,
}

impl Fault {
    /// Faults of a deed that was done so many times, at most so many of them, evenly spread: each
    /// once, and from there on until the disk is put in order.
    pub fn spread(deed: Deed, done: usize, most: usize) -> Vec<Fault> {
        let places = (0..done).step_by(done.div_ceil(most).max(1));
        let faults = |from| [true, false].map(|once| Fault { deed, from, once });
        places.flat_map(faults).collect()
    }
}

#[derive(Default)]
struct State {
    fault: Option<Fault>,
    /// How often each deed was done since the fault was planned.
    done: [usize; 4],
    /// How often it failed.
    failed: usize,
    capacity: Option<u64>,
}

/// A disk and its faults; clones share both.
#[derive(Clone, Default)]
pub struct Faulty {
    disk: Disk,
    state: Arc<Mutex<State>>,
}

impl Faulty {
    /// A disk that holds these bytes, and is in order.
    pub fn on(bytes: Vec<u8>) -> Faulty {
        Faulty {
            disk: Disk::new(bytes),
            state: Arc::default(),
        }
    }

    /// Plans a fault, or puts the disk in order. Counts from 0 again.
    pub fn plan(&self, fault: Option<Fault>) {
        let mut state = self.state.lock().unwrap();
        state.fault = fault;
        state.done = [0; 4];
        state.failed = 0;
    }

    /// Refuses to become longer than so many bytes, if any.
    pub fn limit(&self, capacity: Option<u64>) {
        self.state.lock().unwrap().capacity = capacity;
    }

    /// How often this was done since the last plan.
    pub fn done(&self, deed: Deed) -> usize {
        self.state.lock().unwrap().done[deed as usize]
    }

    /// How many deeds have failed since the last plan.
    pub fn failed(&self) -> usize {
        self.state.lock().unwrap().failed
    }

    /// What is on it now.
    pub fn bytes(&self) -> Vec<u8> {
        self.disk.bytes()
    }

    fn attempt(&self, deed: Deed) -> io::Result<()> {
        let mut state = self.state.lock().unwrap();
        let number = state.done[deed as usize];
        state.done[deed as usize] += 1;
        let fails = state.fault.is_some_and(|fault| {
            fault.deed == deed && number >= fault.from && (number == fault.from || !fault.once)
        });
        if fails {
            state.failed += 1;
            return Err(io::Error::other("the disk fails as planned"));
        }
        Ok(())
    }
}

impl std::fmt::Debug for Faulty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Faulty")
    }
}

impl StorageBackend for Faulty {
    fn len(&self) -> io::Result<u64> {
        self.disk.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.attempt(Deed::Read)?;
        self.disk.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.attempt(Deed::SetLen)?;
        let capacity = self.state.lock().unwrap().capacity;
        if capacity.is_some_and(|capacity| len > capacity.max(self.disk.len().unwrap_or(0))) {
            return Err(ErrorKind::StorageFull.into());
        }
        self.disk.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.attempt(Deed::Sync)?;
        self.disk.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        if let Err(error) = self.attempt(Deed::Write) {
            let half = data.get(..data.len() / 2).unwrap_or_default();
            self.disk.write(offset, half)?;
            return Err(error);
        }
        self.disk.write(offset, data)
    }
}
