//! Sorting more than memory holds: entries gather in one buffer and spill,
//! sorted, into a table of the store itself, the only place that every
//! platform has.

use crate::error::{Error, Failure, Result};
use redb::{ReadableTable, ReadableTableMetadata, Table, TableDefinition, WriteTransaction};
use std::ops::Bound;

type SpillTable<'t> = Table<'t, &'static [u8], &'static [u8]>;

/// Entries by key; those of one key stay in the order of their ranks.
///
/// No key may be the beginning of another.
#[derive(Default)]
pub(crate) struct Sorter {
    batch: Batch,
    /// How many entries were added, and how many before those.
    added: u32,
    added_first: u32,
    spilled: Option<String>,
    /// How many entries the table must hold.
    spilled_entries: u64,
}

/// The lowest rank of an entry that is not added first.
const LATER: u32 = 1 << 31;

/// The rank of one more entry.
fn rank(added: &mut u32) -> Result<u32> {
    let rank = *added;
    *added += 1;
    if rank < LATER {
        Ok(rank)
    } else {
        Err(too_many())
    }
}

impl Sorter {
    /// Adds an entry after all others of its key.
    pub(crate) fn push(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let rank = LATER + rank(&mut self.added)?;
        self.batch.push(key, rank, value)
    }

    /// Adds an entry before those of its key that are not added so, and after
    /// those that are.
    pub(crate) fn push_first(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let rank = rank(&mut self.added_first)?;
        self.batch.push(key, rank, value)
    }

    /// What the entries cost in memory.
    pub(crate) fn bytes(&self) -> usize {
        self.batch.bytes.len() + self.batch.slots.len() * size_of::<Slot>()
    }

    /// The table that holds what was spilled.
    pub(crate) fn spilled(&self) -> Option<&str> {
        self.spilled.as_deref()
    }

    /// Moves all entries into a table of this name.
    pub(crate) fn spill(&mut self, transaction: &WriteTransaction, name: &str) -> Result<()> {
        let mut table: SpillTable<'_> = transaction.open_table(TableDefinition::new(name))?;
        self.batch.sort();
        let mut key = Vec::new();
        for slot in &self.batch.slots {
            let (entry_key, value) = self.batch.entry(slot)?;
            key.clear();
            key.extend_from_slice(entry_key);
            key.extend_from_slice(&slot.rank.to_be_bytes());
            table.insert(key.as_slice(), value)?;
        }
        self.spilled_entries += self.batch.slots.len() as u64;
        self.batch.clear();
        self.spilled = Some(name.to_owned());
        Ok(())
    }

    /// All entries in order.
    pub(crate) fn sorted(mut self, transaction: &WriteTransaction) -> Result<Sorted<'_>> {
        let table = match self.spilled.take() {
            None => None,
            Some(name) => {
                self.spill(transaction, &name)?;
                self.batch = Batch::default();
                let table: SpillTable<'_> = transaction.open_table(TableDefinition::new(&name))?;
                // A table that was not synced is gone when the store was opened
                // anew since, and with it a part of the dataset.
                if table.len()? != self.spilled_entries {
                    return Err(Error::Cancelled.into());
                }
                Some(table)
            }
        };
        self.batch.sort();
        Ok(Sorted {
            batch: self.batch,
            at: 0,
            table,
            last: Vec::new(),
        })
    }
}

fn too_many() -> Failure {
    Error::unsupported("a dataset of more than 2,147,483,648 entries: split it")
}

/// Entries in order, read one after the other.
pub(crate) struct Sorted<'t> {
    batch: Batch,
    at: usize,
    table: Option<SpillTable<'t>>,
    /// The last key read from the table.
    last: Vec<u8>,
}

impl Sorted<'_> {
    /// How many bytes of entries are read from the table at once, about.
    const BATCH_BYTES: usize = 1 << 18;

    /// The entry at hand: its key and value.
    pub(crate) fn current(&mut self) -> Result<Option<(&[u8], &[u8])>> {
        if self.at == self.batch.slots.len() {
            self.refill()?;
        }
        match self.batch.slots.get(self.at) {
            Some(slot) => self.batch.entry(slot).map(Some),
            None => Ok(None),
        }
    }

    pub(crate) fn advance(&mut self) {
        self.at += 1;
    }

    fn refill(&mut self) -> Result<()> {
        let Some(table) = &self.table else {
            return Ok(());
        };
        self.batch.clear();
        self.at = 0;
        let from = match self.last.as_slice() {
            [] => Bound::Unbounded,
            last => Bound::Excluded(last),
        };
        let rows = table.range::<&[u8]>((from, Bound::Unbounded))?;
        let mut read = Vec::new();
        for row in rows {
            let (key, value) = row?;
            let (entry_key, rank) = key
                .value()
                .split_last_chunk::<4>()
                .ok_or_else(|| Error::corrupt("a staged entry is cut"))?;
            let rank = u32::from_be_bytes(*rank);
            self.batch.push(entry_key, rank, value.value())?;
            read.clear();
            read.extend_from_slice(key.value());
            if self.batch.bytes.len() > Self::BATCH_BYTES {
                break;
            }
        }
        if read.is_empty() {
            self.table = None;
        }
        self.last = read;
        Ok(())
    }
}

#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    slots: Vec<Slot>,
}

#[derive(Clone, Copy)]
struct Slot {
    start: u32,
    key: u32,
    value: u32,
    rank: u32,
}

impl Batch {
    fn push(&mut self, key: &[u8], rank: u32, value: &[u8]) -> Result<()> {
        let number = |length: usize| u32::try_from(length).map_err(|_| too_many());
        let slot = Slot {
            start: number(self.bytes.len())?,
            key: number(key.len())?,
            value: number(value.len())?,
            rank,
        };
        reserve(&mut self.bytes, key.len() + value.len());
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value);
        reserve(&mut self.slots, 1);
        self.slots.push(slot);
        Ok(())
    }

    fn entry(&self, slot: &Slot) -> Result<(&[u8], &[u8])> {
        let entry = self.bytes.get(slot.start as usize..);
        let entry = entry.and_then(|bytes| bytes.get(..(slot.key + slot.value) as usize));
        entry
            .and_then(|bytes| bytes.split_at_checked(slot.key as usize))
            .ok_or_else(|| Error::corrupt("a staged entry is cut"))
    }

    #[cfg_attr(module, optimize(speed))]
    fn sort(&mut self) {
        let bytes = &self.bytes;
        let key = |slot: &Slot| {
            let start = slot.start as usize;
            bytes.get(start..start + slot.key as usize)
        };
        // Where the standard library is built for size its unstable sort compares four
        // times as often.
        self.slots
            .sort_by(|a, b| key(a).cmp(&key(b)).then(a.rank.cmp(&b.rank)));
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.slots.clear();
    }
}

/// Makes room for more. A vector that is large already grows by steps instead
/// of doubling, so that the bound on memory holds for what is reserved, too.
fn reserve<T>(vec: &mut Vec<T>, more: usize) {
    const LARGE: usize = 4 << 20;
    const STEP: usize = 1 << 20;
    if vec.capacity() * size_of::<T>() >= LARGE && vec.len() + more > vec.capacity() {
        vec.reserve_exact(more.max(STEP / size_of::<T>()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redb::{Database, backends::InMemoryBackend};

    type Entries = Vec<(Vec<u8>, Vec<u8>)>;

    fn read(mut sorted: Sorted<'_>) -> Result<Entries> {
        let mut entries = Vec::new();
        while let Some((key, value)) = sorted.current()? {
            entries.push((key.to_vec(), value.to_vec()));
            sorted.advance();
        }
        assert_eq!(sorted.current()?, None);
        Ok(entries)
    }

    /// In memory and spilled every few entries, the order is that of a stable
    /// sort.
    #[test]
    fn spilling_changes_nothing() -> Result<()> {
        let database = Database::builder().create_with_backend(InMemoryBackend::new())?;
        for spill_every in [usize::MAX, 3, 5000] {
            let transaction = database.begin_write()?;
            let mut sorter = Sorter::default();
            let mut expected: Entries = Vec::new();
            for number in 0..9000u32 {
                let key = (number.wrapping_mul(2_654_435_761) % 700).to_be_bytes();
                sorter.push(&key, &number.to_le_bytes())?;
                expected.push((key.to_vec(), number.to_le_bytes().to_vec()));
                if sorter.batch.slots.len() >= spill_every {
                    sorter.spill(&transaction, "staged-test")?;
                    assert_eq!(sorter.bytes(), 0);
                }
            }
            // Those pushed first come before the others, in their order, also
            // when they were pushed in between.
            for (index, value) in [b"first", b"after"].into_iter().enumerate() {
                sorter.push_first(&5u32.to_be_bytes(), value)?;
                expected.insert(index, (5u32.to_be_bytes().to_vec(), value.to_vec()));
                if spill_every < usize::MAX {
                    sorter.spill(&transaction, "staged-test")?;
                }
            }
            expected.sort_by(|a, b| a.0.cmp(&b.0));
            assert_eq!(sorter.spilled().is_some(), spill_every < usize::MAX);
            assert_eq!(read(sorter.sorted(&transaction)?)?, expected);
            transaction.abort()?;
        }
        Ok(())
    }
}
