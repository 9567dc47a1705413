//! A disk with planned faults.

use super::disk::Disk;
use redb::StorageBackend;
use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex};

/// An operation of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskOperation {
    /// Reads bytes.
    Read,
    /// Writes bytes. A write that fails has written half of them.
    Write,
    /// Changes the length.
    SetLen,
    /// Makes everything durable.
    Sync,
}

impl DiskOperation {
    /// All operations that can fail.
    pub const ALL: [DiskOperation; 4] = [
        DiskOperation::Read,
        DiskOperation::Write,
        DiskOperation::SetLen,
        DiskOperation::Sync,
    ];
}

/// A planned fault.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// The kind of operation that fails.
    pub operation: DiskOperation,
    /// The number of the first operation of this kind that fails, counted from 0.
    pub from: usize,
    /// Whether only this operation fails, and not the ones after it.
    pub once: bool,
}

impl Fault {
    /// Returns at most about `most` faults of each kind, evenly spread over an operation that is
    /// done `done` times. One kind fails once, the other fails until the fault is removed.
    pub fn spread(deed: DiskOperation, done: usize, most: usize) -> Vec<Fault> {
        let places = (0..done).step_by(done.div_ceil(most).max(1));
        let faults = |from| {
            [true, false].map(|once| Fault {
                operation: deed,
                from,
                once,
            })
        };
        places.flat_map(faults).collect()
    }
}

#[derive(Default)]
struct State {
    fault: Option<Fault>,
    /// The number of times that each operation was done since the fault was planned.
    done: [usize; 4],
    /// The number of operations that have failed.
    failed: usize,
    capacity: Option<u64>,
}

/// A disk and its faults. Its clones share both.
#[derive(Clone, Default)]
pub struct Faulty {
    disk: Disk,
    state: Arc<Mutex<State>>,
}

impl Faulty {
    /// Creates a disk that contains these bytes, without faults.
    pub fn on(bytes: Vec<u8>) -> Faulty {
        Faulty {
            disk: Disk::new(bytes),
            state: Arc::default(),
        }
    }

    /// Plans a fault, or removes it, and resets the counters.
    pub fn plan(&self, fault: Option<Fault>) {
        let mut state = self.state.lock().unwrap();
        state.fault = fault;
        state.done = [0; 4];
        state.failed = 0;
    }

    /// Limits the length of the disk to this number of bytes, if any.
    pub fn limit(&self, capacity: Option<u64>) {
        self.state.lock().unwrap().capacity = capacity;
    }

    /// Returns how often an operation was done since the last call of `plan`.
    pub fn done(&self, deed: DiskOperation) -> usize {
        self.state.lock().unwrap().done[deed as usize]
    }

    /// Returns how many operations have failed since the last call of `plan`.
    pub fn failed(&self) -> usize {
        self.state.lock().unwrap().failed
    }

    /// Returns a copy of the current bytes.
    pub fn bytes(&self) -> Vec<u8> {
        self.disk.bytes()
    }

    fn attempt(&self, deed: DiskOperation) -> io::Result<()> {
        let mut state = self.state.lock().unwrap();
        let number = state.done[deed as usize];
        state.done[deed as usize] += 1;
        let fails = state.fault.is_some_and(|fault| {
            fault.operation == deed && number >= fault.from && (number == fault.from || !fault.once)
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
        self.attempt(DiskOperation::Read)?;
        self.disk.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.attempt(DiskOperation::SetLen)?;
        let capacity = self.state.lock().unwrap().capacity;
        if capacity.is_some_and(|capacity| len > capacity.max(self.disk.len().unwrap_or(0))) {
            return Err(ErrorKind::StorageFull.into());
        }
        self.disk.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.attempt(DiskOperation::Sync)?;
        self.disk.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        if let Err(error) = self.attempt(DiskOperation::Write) {
            let half = data.get(..data.len() / 2).unwrap_or_default();
            self.disk.write(offset, half)?;
            return Err(error);
        }
        self.disk.write(offset, data)
    }
}
