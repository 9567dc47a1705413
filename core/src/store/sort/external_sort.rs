//! Sorting more entries than fit in memory. Entries are collected in a buffer, and spilled in
//! sorted runs to a table of the store, which is the only storage that every platform has.

use super::spill::{Merge, Runs};
use super::spilled_run::{Entry, SpillTable, cut, prefix, too_many};
use crate::error::Result;
use redb::{TableDefinition, WriteTransaction};

/// Sorts entries by key. Entries with the same key are ordered by rank.
///
/// No key may be a prefix of another.
#[derive(Default)]
pub(crate) struct Sorter {
    batch: EntryBatch,
    /// The number of entries that were added with [`push`](Self::push).
    added: u32,
    /// The number of entries that were added with [`push_first`](Self::push_first).
    added_first: u32,
    /// The table that contains the runs.
    spilled: Option<String>,
    runs: Runs,
}

/// The lowest rank of an entry that is added with `push`.
const LATER: u32 = 1 << 31;

/// Returns the next rank.
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
    /// Adds an entry after all others with its key.
    pub(crate) fn push(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let rank = LATER + rank(&mut self.added)?;
        self.batch.push(key, rank, value)
    }

    /// Adds an entry after those with its key that were added by this function, and before the
    /// others.
    pub(crate) fn push_first(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let rank = rank(&mut self.added_first)?;
        self.batch.push(key, rank, value)
    }

    /// Returns the memory used by the entries, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.batch.bytes.len() + self.batch.slots.len() * size_of::<Slot>()
    }

    /// Returns the name of the table that contains the spilled entries.
    pub(crate) fn spilled(&self) -> Option<&str> {
        self.spilled.as_deref()
    }

    /// Moves all entries from memory into a table.
    pub(crate) fn spill(&mut self, transaction: &WriteTransaction, name: &str) -> Result<()> {
        let mut table: SpillTable<'_> = transaction.open_table(TableDefinition::new(name))?;
        self.batch.sort();
        self.runs.write(&mut table, self.batch.entries())?;
        self.batch.clear();
        self.spilled = Some(name.to_owned());
        Ok(())
    }

    /// Returns all entries in order.
    pub(crate) fn sorted(mut self, transaction: &WriteTransaction) -> Result<Sorted<'_>> {
        self.batch.sort();
        let spilled = match self.spilled.take() {
            Some(name) => {
                let table = transaction.open_table(TableDefinition::new(&name))?;
                Some((self.runs.merged(&table)?, table))
            }
            None => None,
        };
        Ok(Sorted {
            batch: self.batch,
            at: 0,
            spilled,
            next: None,
        })
    }
}

/// Reads entries in order, both those in memory and those in the store.
pub(crate) struct Sorted<'t> {
    batch: EntryBatch,
    /// The position in `batch`.
    at: usize,
    spilled: Option<(Merge, SpillTable<'t>)>,
    /// The source of the current entry, once it was determined.
    next: Option<EntrySource>,
}

#[derive(Clone, Copy)]
enum EntrySource {
    Batch,
    Spilled,
}

impl Sorted<'_> {
    /// Returns the key and the value of the current entry.
    pub(crate) fn current(&mut self) -> Result<Option<(&[u8], &[u8])>> {
        let from = match self.next {
            Some(from) => from,
            None => self.find()?,
        };
        self.next = Some(from);
        let entry = match (from, &mut self.spilled) {
            (EntrySource::Spilled, Some((merge, table))) => merge.current(table)?,
            _ => self.batch.at(self.at)?,
        };
        Ok(entry.map(|(key, _, value)| (key, value)))
    }

    fn find(&mut self) -> Result<EntrySource> {
        let Some((merge, table)) = &mut self.spilled else {
            return Ok(EntrySource::Batch);
        };
        let rank = |(key, rank, _)| (key, rank);
        let spilled = merge.current(table)?.map(rank);
        Ok(match (spilled, self.batch.at(self.at)?.map(rank)) {
            (Some(spilled), Some(in_memory)) if in_memory < spilled => EntrySource::Batch,
            (Some(_), _) => EntrySource::Spilled,
            (None, _) => EntrySource::Batch,
        })
    }

    pub(crate) fn advance(&mut self) {
        match (self.next.take(), &mut self.spilled) {
            (Some(EntrySource::Spilled), Some((merge, _))) => merge.advance(),
            _ => self.at += 1,
        }
    }
}

/// The entries in memory.
#[derive(Default)]
struct EntryBatch {
    bytes: Vec<u8>,
    slots: Vec<Slot>,
}

#[derive(Clone, Copy)]
struct Slot {
    /// The first bytes of the key.
    prefix: u128,
    start: u32,
    key: u32,
    value: u32,
    rank: u32,
}

impl EntryBatch {
    fn push(&mut self, key: &[u8], rank: u32, value: &[u8]) -> Result<()> {
        let number = |length: usize| u32::try_from(length).map_err(|_| too_many());
        let slot = Slot {
            prefix: prefix(key),
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

    fn entry(&self, slot: &Slot) -> Result<Entry<'_>> {
        let entry = self.bytes.get(slot.start as usize..);
        let entry = entry.and_then(|bytes| bytes.get(..(slot.key + slot.value) as usize));
        let entry = entry.and_then(|bytes| bytes.split_at_checked(slot.key as usize));
        let (key, value) = entry.ok_or_else(cut)?;
        Ok((key, slot.rank, value))
    }

    /// Returns the entry at a position in the sorted order. The entries must be sorted.
    fn at(&self, place: usize) -> Result<Option<Entry<'_>>> {
        let slot = self.slots.get(place);
        slot.map(|slot| self.entry(slot)).transpose()
    }

    fn entries(&self) -> impl Iterator<Item = Result<Entry<'_>>> {
        self.slots.iter().map(|slot| self.entry(slot))
    }

    #[cfg_attr(module, optimize(speed))]
    fn sort(&mut self) {
        let bytes = &self.bytes;
        let key = |slot: &Slot| {
            let start = slot.start as usize;
            bytes.get(start..start + slot.key as usize)
        };
        // If the standard library is optimised for size, its unstable sort makes four times as
        // many comparisons.
        self.slots.sort_by(|a, b| {
            let order = a.prefix.cmp(&b.prefix);
            let order = order.then_with(|| key(a).cmp(&key(b)));
            order.then(a.rank.cmp(&b.rank))
        });
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.slots.clear();
    }
}

/// Reserves space for `more` elements. A vector that is already large grows in steps instead of
/// doubling, so that the limit on memory also applies to its capacity.
fn reserve<T>(vec: &mut Vec<T>, more: usize) {
    const LARGE: usize = 4 << 20;
    const STEP: usize = 1 << 20;
    if vec.capacity() * size_of::<T>() >= LARGE && vec.len() + more > vec.capacity() {
        vec.reserve_exact(more.max(STEP / size_of::<T>()));
    }
}

#[cfg(test)]
mod tests {
    use crate::store::sort::external_sort::*;
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

    /// The order is that of a stable sort, whether entries are spilled or not.
    #[test]
    fn spilling_changes_nothing() -> Result<()> {
        let database = Database::builder().create_with_backend(InMemoryBackend::new())?;
        for spill_every in [usize::MAX, 3, 5000] {
            let transaction = database.begin_write()?;
            let mut sorter = Sorter {
                runs: Runs::merged_by(4),
                ..Sorter::default()
            };
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
            // Entries that are pushed first precede the others, in the order in which they were
            // pushed, even if other entries were pushed in between.
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
