//! Nothing that was removed stays in the bytes of the file.
//!
//! redb's compaction alone would leave much: it trims free pages at the end of
//! the file only, and a page that was changed in place before it was committed
//! still ends in bytes of what went from it.

use super::backend::{Handle, Keeper};
use super::backup::copy_rows;
use super::overlay::Overlay;
use super::tables::{DIRECTORIES, Definition, INTEGRATORS, META, RUNS};
use crate::{Error, Result};
use redb::{Database, StorageBackend};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

const BLOCK: usize = 4096;

/// A table while it is written anew.
const FRESH: Definition = Definition::new("fresh");

/// Writes every table anew, into pages that hold nothing else.
pub(super) fn rewrite(database: &Database) -> Result<()> {
    let mut transaction = database.begin_write()?;
    transaction.set_quick_repair(true);
    for table in [RUNS, DIRECTORIES, INTEGRATORS, META] {
        {
            let from = transaction.open_table(table)?;
            copy_rows(&from, &mut transaction.open_table(FRESH)?, &|_| true)?;
        }
        transaction.delete_table(table)?;
        transaction.rename_table(FRESH, table)?;
    }
    Ok(transaction.commit()?)
}

/// Zeroes every block that redb's check does not reach. Nobody may have the
/// database open.
pub(super) fn clear_unused(keeper: &Arc<Keeper>, cache_bytes: usize) -> Result<()> {
    let base = Handle(keeper.clone());
    let len = base.len()?;
    let reached = reached(keeper, cache_bytes, len)?;
    let (mut block, zeros) = ([0; BLOCK], [0; BLOCK]);
    for (number, reached) in (0..).zip(reached) {
        let start = number * BLOCK as u64;
        let length = usize::try_from(len - start).unwrap_or(BLOCK).min(BLOCK);
        let (Some(block), Some(zeros)) = (block.get_mut(..length), zeros.get(..length)) else {
            continue;
        };
        if reached {
            continue;
        }
        base.read(start, block)?;
        if block != zeros {
            base.write(start, zeros)?;
        }
    }
    Ok(base.sync_data()?)
}

/// Which blocks of the file redb reads when it checks all of it.
fn reached(keeper: &Arc<Keeper>, cache_bytes: usize, len: u64) -> Result<Vec<bool>> {
    let blocks = usize::try_from(len.div_ceil(BLOCK as u64)).unwrap_or(0);
    let reached = Arc::new(Mutex::new(vec![false; blocks]));
    let watched = Watched {
        view: Overlay::new(keeper.clone())?,
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

/// A view of the store that notes which blocks are read.
#[derive(Debug)]
struct Watched {
    view: Overlay,
    reached: Arc<Mutex<Vec<bool>>>,
}

impl StorageBackend for Watched {
    fn len(&self) -> io::Result<u64> {
        self.view.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        let block = |offset: u64| usize::try_from(offset / BLOCK as u64).unwrap_or(usize::MAX);
        let blocks = block(offset)..=block(offset.saturating_add(out.len() as u64));
        let noted = reached.iter_mut().enumerate().skip(*blocks.start());
        for (_, reached) in noted.take_while(|(number, _)| blocks.contains(number)) {
            *reached = true;
        }
        self.view.read(offset, out)
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
