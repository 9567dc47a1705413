//! A copy-on-write view of the bytes of a store. Everything that is written to it remains in
//! memory. Therefore the integrity check of redb, which also repairs, does not change the store,
//! and neither does opening a file that turns out not to be a store.

use crate::store::file::backend::{Handle, SharedBackend};
use crate::store::redb_guard::free_list_check;
use redb::{BackendError, StorageBackend};
use std::collections::BTreeMap;
use std::io;
use std::ops::Bound;
use std::sync::{Arc, Mutex, PoisonError};

const BLOCK: usize = 4096;

#[derive(Debug)]
pub(crate) struct CopyOnWrite {
    base: Handle,
    written: Mutex<Written>,
}

#[derive(Debug)]
struct Written {
    len: u64,
    /// The length of the part of the base that is visible. Bytes that were truncated are zero if
    /// the view grows again.
    base_len: u64,
    blocks: BTreeMap<u64, Box<[u8; BLOCK]>>,
}

impl CopyOnWrite {
    pub(crate) fn new(base: Arc<SharedBackend>) -> io::Result<CopyOnWrite> {
        let len = base.len()?;
        Ok(CopyOnWrite {
            base: Handle(base),
            written: Mutex::new(Written {
                len,
                base_len: len,
                blocks: BTreeMap::new(),
            }),
        })
    }

    fn read_base(&self, base_len: u64, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let within = usize::try_from(base_len.saturating_sub(offset)).unwrap_or(usize::MAX);
        let (visible, beyond) = out.split_at_mut(within.min(out.len()));
        beyond.fill(0);
        if visible.is_empty() {
            return Ok(());
        }
        self.base.0.read(offset, visible)
    }
}

/// Returns the blocks that a range of bytes overlaps: the number of the block, the range within
/// the block, and the offset of this part in the whole range.
fn blocks(offset: u64, len: usize) -> impl Iterator<Item = (u64, std::ops::Range<usize>, usize)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done >= len {
            return None;
        }
        let at = offset + done as u64;
        let start = usize::try_from(at % BLOCK as u64).unwrap_or(0);
        let taken = (BLOCK - start).min(len - done);
        let before = done;
        done += taken;
        Some((at / BLOCK as u64, start..start + taken, before))
    })
}

fn beyond_the_end() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "beyond the end of the store")
}

impl StorageBackend for CopyOnWrite {
    fn len(&self) -> io::Result<u64> {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(written.len)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if offset
            .checked_add(out.len() as u64)
            .is_none_or(|end| end > written.len)
        {
            return Err(beyond_the_end());
        }
        self.read_base(written.base_len, offset, out)?;
        for (number, within, before) in blocks(offset, out.len()) {
            let Some(block) = written.blocks.get(&number) else {
                continue;
            };
            let target = out.get_mut(before..before + within.len());
            if let (Some(target), Some(source)) = (target, block.get(within)) {
                target.copy_from_slice(source);
            }
        }
        free_list_check::bound_pages(out, || Ok(written.len))
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if len < written.len {
            let first_removed = len.div_ceil(BLOCK as u64);
            written.blocks.split_off(&first_removed);
            if let Some(block) = written.blocks.get_mut(&(len / BLOCK as u64)) {
                let remaining = usize::try_from(len % BLOCK as u64).unwrap_or(0);
                block.iter_mut().skip(remaining).for_each(|byte| *byte = 0);
            }
            written.base_len = written.base_len.min(len);
        }
        written.len = len;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if offset
            .checked_add(data.len() as u64)
            .is_none_or(|end| end > written.len)
        {
            return Err(beyond_the_end());
        }
        let base_len = written.base_len;
        for (number, within, before) in blocks(offset, data.len()) {
            let block = match written.blocks.entry(number) {
                std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
                std::collections::btree_map::Entry::Vacant(entry) => {
                    let mut block = Box::new([0; BLOCK]);
                    self.read_base(base_len, number * BLOCK as u64, block.as_mut_slice())?;
                    entry.insert(block)
                }
            };
            let source = data.get(before..before + within.len());
            if let (Some(target), Some(source)) = (block.get_mut(within), source) {
                target.copy_from_slice(source);
            }
        }
        Ok(())
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.base.try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.base.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.base.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.base.lock_shared_range(start, end)
    }

    /// Does nothing, because the locks belong to the store below, which remains open.
    fn unlock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.base.query_lock_range(start, end)
    }
}

#[cfg(test)]
mod tests {
    use crate::store::file::copy_on_write::*;
    use redb::backends::InMemoryBackend;

    /// Compares the view with a plain copy during a few thousand operations.
    #[test]
    fn reads_what_was_written_and_leaves_the_base_alone() -> io::Result<()> {
        let base = InMemoryBackend::new();
        base.set_len(20_000)?;
        base.write(0, &vec![1; 20_000])?;
        let backend = SharedBackend::new(Box::new(base));
        let view = CopyOnWrite::new(backend.clone())?;
        let mut copy = vec![1u8; 20_000];
        let mut seed = 7u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(seed >> 33).unwrap_or(0) % below
        };
        for step in 0..4000u32 {
            match random(8) {
                0 => {
                    let len = random(30_000);
                    view.set_len(len as u64)?;
                    copy.resize(len, 0);
                }
                1..=4 if !copy.is_empty() => {
                    let at = random(copy.len());
                    let data = vec![step.to_le_bytes()[0]; random(copy.len() - at + 1).min(9000)];
                    view.write(at as u64, &data)?;
                    copy.splice(at..at + data.len(), data.iter().copied());
                }
                _ => {}
            }
            let at = random(copy.len() + 1);
            let len = random(copy.len() - at + 1);
            let mut read = vec![9; len];
            view.read(at as u64, &mut read)?;
            assert_eq!(Some(read.as_slice()), copy.get(at..at + len));
            assert!(view.read(copy.len() as u64, &mut [0]).is_err());
            assert!(view.write(copy.len() as u64, &[0]).is_err());
        }
        let mut untouched = vec![0; 20_000];
        Handle(backend).read(0, &mut untouched)?;
        assert!(untouched.iter().all(|byte| *byte == 1));
        Ok(())
    }
}
