//! Erases removed data from the bytes of the file.
//!
//! The compaction of redb is not sufficient: it only truncates free pages at the end of the file,
//! and a page that was changed in place before its commit can still end with bytes of removed
//! data.

use crate::error::{Error, Result};
use crate::store::changes::changed_key::JOURNAL;
use crate::store::file::backend::{Handle, SharedBackend};
use crate::store::file::copy_on_write::CopyOnWrite;
use crate::store::maintenance::backup::copy_rows;
use crate::store::rows::table_definitions::{BLOCK_INDEXES, BLOCKS, Definition, INTEGRATORS, META};
use crate::store::transaction::row_set_checksums::DIGESTS;
use redb::{Database, StorageBackend, TableHandle};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

const BLOCK: usize = 4096;

/// The temporary name of a table while it is rewritten.
const FRESH: Definition = Definition::new("fresh");

/// Rewrites every table into pages that contain nothing else.
pub(crate) fn rewrite(database: &Database) -> Result<()> {
    let mut transaction = database.begin_write()?;
    transaction.set_quick_repair(true);
    let tables = transaction.list_tables()?;
    let has_journal = { tables }.any(|table| table.name() == JOURNAL.name());
    let journal = has_journal.then_some(JOURNAL);
    let others = [BLOCKS, BLOCK_INDEXES, INTEGRATORS, META, DIGESTS];
    for table in others.into_iter().chain(journal) {
        {
            let from = transaction.open_table(table)?;
            copy_rows(&from, &mut transaction.open_table(FRESH)?, &|_| true)?;
        }
        transaction.delete_table(table)?;
        transaction.rename_table(FRESH, table)?;
    }
    Ok(transaction.commit()?)
}

/// Overwrites every block that the integrity check of redb does not read with zeros. The database
/// must not be open.
pub(crate) fn clear_unused(backend: &Arc<SharedBackend>, cache_bytes: usize) -> Result<()> {
    let base = Handle(backend.clone());
    let len = base.len()?;
    let reached = reached(backend, cache_bytes, len)?;
    let (mut block, zeros) = ([0; BLOCK], [0; BLOCK]);
    let unreached = (0..).zip(reached).filter(|(_, reached)| !reached);
    for (number, _) in unreached {
        let start: u64 = number * BLOCK as u64;
        let length = usize::try_from(len - start).unwrap_or(BLOCK).min(BLOCK);
        let (Some(block), Some(zeros)) = (block.get_mut(..length), zeros.get(..length)) else {
            continue;
        };
        base.read(start, block)?;
        if block != zeros {
            base.write(start, zeros)?;
        }
    }
    Ok(base.sync_data()?)
}

/// Returns which blocks of the file redb reads during an integrity check.
fn reached(backend: &Arc<SharedBackend>, cache_bytes: usize, len: u64) -> Result<Vec<bool>> {
    let blocks = usize::try_from(len.div_ceil(BLOCK as u64)).unwrap_or(0);
    let reached = Arc::new(Mutex::new(vec![false; blocks]));
    let watched = ReadRecorder {
        view: CopyOnWrite::new(backend.clone())?,
        reached: reached.clone(),
    };
    let mut database = Database::builder()
        .set_cache_size(cache_bytes)
        .create_with_backend(watched)?;
    if !database.check_integrity()? {
        return Err(Error::corrupt("the file fails redb's check"));
    }
    drop(database);
    let mut reached = reached.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut *reached))
}

/// A view of the store that records which blocks are read.
#[derive(Debug)]
struct ReadRecorder {
    view: CopyOnWrite,
    reached: Arc<Mutex<Vec<bool>>>,
}

impl StorageBackend for ReadRecorder {
    fn len(&self) -> io::Result<u64> {
        self.view.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.view.read(offset, out)?;
        let block = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        let first = block(offset / BLOCK as u64);
        let end = block((offset + out.len() as u64).div_ceil(BLOCK as u64));
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        // Blocks beyond the end of the file were added to the view by redb.
        let end = end.min(reached.len());
        reached.get_mut(first..end).unwrap_or_default().fill(true);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.view.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.view.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.view.write(offset, data)
    }
}

#[cfg(test)]
mod tests {
    use crate::store::maintenance::secure_erase::*;
    use redb::backends::InMemoryBackend;

    #[test]
    fn only_blocks_that_are_read_are_recorded() -> Result<()> {
        let base = InMemoryBackend::new();
        base.set_len(5 * BLOCK as u64 + 1)?;
        let backend = SharedBackend::new(Box::new(base));
        let read_blocks = |offset: u64, length: usize| -> Result<Vec<usize>> {
            let watched = ReadRecorder {
                view: CopyOnWrite::new(backend.clone())?,
                reached: Arc::new(Mutex::new(vec![false; 6])),
            };
            watched.read(offset, &mut vec![0; length])?;
            let reached = watched.reached.lock();
            let reached = reached.unwrap_or_else(PoisonError::into_inner);
            let read = reached.iter().enumerate().filter(|(_, reached)| **reached);
            Ok(read.map(|(number, _)| number).collect())
        };
        assert_eq!(read_blocks(0, 320)?, [0]);
        assert_eq!(read_blocks(4096, 4096)?, [1]);
        assert_eq!(read_blocks(4096, 8192)?, [1, 2]);
        assert_eq!(read_blocks(8191, 2)?, [1, 2]);
        assert_eq!(read_blocks(5 * 4096, 1)?, [5]);
        Ok(())
    }

    /// A block that is not in use is cleared, even between two that are in use.
    #[test]
    fn unused_blocks_are_cleared() -> Result<()> {
        let backend = SharedBackend::new(Box::new(InMemoryBackend::new()));
        let cache = 1 << 20;
        let mut database = Database::builder()
            .set_cache_size(cache)
            .create_with_backend(Handle(backend.clone()))?;
        for round in 0..2u8 {
            let mut transaction = database.begin_write()?;
            transaction.set_quick_repair(true);
            let mut table = transaction.open_table(BLOCKS)?;
            for key in 0..40u8 {
                if round == 0 {
                    table.insert([key].as_slice(), vec![b'x'; 5000].as_slice())?;
                } else if key % 2 == 0 {
                    table.remove([key].as_slice())?;
                }
            }
            drop(table);
            transaction.commit()?;
        }
        database.compact()?;
        drop(database);
        let base = Handle(backend.clone());
        let len = base.len()?;
        let reached = reached(&backend, cache, len)?;
        let unused: Vec<u64> = (0..)
            .zip(&reached)
            .filter(|(_, r)| !**r)
            .map(|(n, _)| n)
            .collect();
        assert!(!unused.is_empty() && unused.len() < reached.len());
        for number in &unused {
            base.write(number * BLOCK as u64, &[b'y'; BLOCK])?;
        }
        clear_unused(&backend, cache)?;
        let mut all = vec![0; usize::try_from(len).unwrap_or(0)];
        base.read(0, &mut all)?;
        assert!(all.windows(8).all(|bytes| bytes != b"yyyyyyyy"));
        let mut database = Database::builder().create_with_backend(base)?;
        assert!(database.check_integrity()?);
        Ok(())
    }
}
