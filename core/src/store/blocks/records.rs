//! Reads the records of a partition, block by block.

use super::block::Block;
use super::block_index::BlockIndex;
use super::cached_block::CachedBlock;
use super::collection::Layout;
use super::item::Item;
use super::partition::{Key, Partition};
use crate::error::Result;
use redb::AccessGuard;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

/// A function that is called with the key and the value of each row.
pub(crate) type EachRow<'a> = dyn FnMut(&[u8], &[u8]) -> Result<()> + 'a;

/// A function that is called with the key and the value of each row, and returns whether to
/// continue.
pub(crate) type EachInRange<'a> = dyn FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>> + 'a;

/// A source of records: a snapshot, or a write transaction, which sees its own changes.
pub(crate) trait Reader {
    /// Returns the block index of a partition. A partition that does not exist has no blocks.
    fn block_index(&self, partition: Partition) -> Result<Arc<BlockIndex>>;

    /// Reads a block of a partition, without verifying it.
    fn pin(&self, partition: Partition, block: u32) -> Result<PinnedBlock<'_>>;

    /// Reads and verifies the block at a position of its block index.
    fn pin_checked(
        &self,
        partition: Partition,
        block_index: &BlockIndex,
        position: usize,
        block: u32,
    ) -> Result<PinnedBlock<'_>> {
        let pinned = self.pin(partition, block)?;
        block_index.check(partition, position, pinned.bytes())?;
        Ok(pinned)
    }

    /// Returns the partitions between two keys, both included, in order.
    fn partitions(&self, from: Partition, to: Partition) -> Result<Vec<Partition>>;

    /// Reads the rows of integrators between two keys, both included, in ascending or descending
    /// order, until `each` breaks.
    fn integrator_range(
        &self,
        range: (&[u8], &[u8]),
        reverse: bool,
        each: &mut EachInRange<'_>,
    ) -> Result<()>;

    /// Returns one row of the integrators.
    fn integrator_row(&self, key: &[u8]) -> Result<Option<Vec<u8>>>;

    /// Returns the records of a partition.
    fn records(&self, partition: Partition) -> Result<Records<'_>>
    where
        Self: Sized,
    {
        Records::open(self, partition)
    }
}

/// The bytes of one block, which remain valid while this value exists.
pub(crate) struct PinnedBlock<'a> {
    bytes: BlockBytes<'a>,
    layout: Layout,
}

enum BlockBytes<'a> {
    Read(AccessGuard<'a, &'static [u8]>),
    Cached(Arc<CachedBlock>),
}

impl<'a> PinnedBlock<'a> {
    pub(crate) fn read(guard: AccessGuard<'a, &'static [u8]>, layout: Layout) -> PinnedBlock<'a> {
        let bytes = BlockBytes::Read(guard);
        PinnedBlock { bytes, layout }
    }

    #[inline]
    pub(crate) fn cached(block: Arc<CachedBlock>, layout: Layout) -> PinnedBlock<'a> {
        let bytes = BlockBytes::Cached(block);
        PinnedBlock { bytes, layout }
    }

    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.bytes {
            BlockBytes::Read(guard) => guard.value(),
            BlockBytes::Cached(block) => block.bytes(),
        }
    }

    pub(crate) fn block(&self) -> Result<Block<'_>> {
        Block::open(self.bytes(), self.layout)
    }
}

/// A stored record, whose bytes remain valid while this value exists.
pub(crate) struct PinnedRecord<'a> {
    pinned: PinnedBlock<'a>,
    index: usize,
}

impl PinnedRecord<'_> {
    pub(crate) fn key(&self) -> Result<Key> {
        self.block()?.key(self.index)
    }

    /// Returns one filter column, if the record has it.
    pub(crate) fn filter_column(&self, column: usize) -> Result<Option<u64>> {
        self.block()?.filter_column(column, self.index)
    }

    /// Returns the bytes of the record in a column.
    pub(crate) fn column(&self, column: usize) -> Result<&[u8]> {
        self.block()?.record(column, self.index)
    }

    /// Returns all filter columns and columns.
    pub(crate) fn item(&self) -> Result<Item<'_>> {
        self.block()?.item(self.index)
    }

    /// Returns the block that contains the record.
    pub(crate) fn block(&self) -> Result<Block<'_>> {
        self.pinned.block()
    }

    /// Returns the index of the record in its block.
    pub(crate) fn index(&self) -> usize {
        self.index
    }
}

/// The records of one partition.
pub(crate) struct Records<'a> {
    reader: &'a dyn Reader,
    partition: Partition,
    block_index: Arc<BlockIndex>,
}

impl<'a> Records<'a> {
    pub(crate) fn open(reader: &'a dyn Reader, partition: Partition) -> Result<Records<'a>> {
        Ok(Records {
            reader,
            partition,
            block_index: reader.block_index(partition)?,
        })
    }

    /// Returns the number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        self.block_index.entries.len()
    }

    /// Returns the position of the block that contains a key, if any block does.
    pub(crate) fn locate(&self, key: Key) -> usize {
        self.block_index.locate(key)
    }

    /// Returns the first key of the block at a position.
    pub(crate) fn first(&self, position: usize) -> Option<Key> {
        self.block_index
            .entries
            .get(position)
            .map(|entry| entry.first)
    }

    /// Returns the block at a position. It is either the cached block, or read and verified.
    #[inline]
    pub(crate) fn pin(&self, position: usize) -> Result<Option<PinnedBlock<'a>>> {
        let Some(entry) = self.block_index.entries.get(position) else {
            return Ok(None);
        };
        if let Some(cached) = self.block_index.cached(position) {
            let layout = self.partition.collection.layout();
            return Ok(Some(PinnedBlock::cached(cached.clone(), layout)));
        }
        let (partition, block_index) = (self.partition, &self.block_index);
        let pinned = self
            .reader
            .pin_checked(partition, block_index, position, entry.block)?;
        Ok(Some(pinned))
    }

    /// Returns the record with a key, if it exists.
    #[inline]
    pub(crate) fn get(&self, key: Key) -> Result<Option<PinnedRecord<'a>>> {
        let Some(pinned) = self.pin(self.locate(key))? else {
            return Ok(None);
        };
        let found = pinned.block()?.find(key);
        Ok(found.map(|index| PinnedRecord { pinned, index }))
    }

    /// Returns the blocks that contain the records between two keys, both included, with the
    /// indices of these records.
    pub(crate) fn between(
        &self,
        from: Key,
        to: Key,
    ) -> impl Iterator<Item = Result<(PinnedBlock<'a>, Range<usize>)>> {
        let entries = &self.block_index.entries;
        let mut position = self.locate(from);
        std::iter::from_fn(move || {
            if entries.get(position)?.first > to {
                return None;
            }
            position += 1;
            self.part(position - 1, from, to).transpose()
        })
    }

    /// Like [`between`](Self::between), but starts with the last block if `reverse` is true.
    pub(crate) fn toward(
        &self,
        reverse: bool,
        from: Key,
        to: Key,
    ) -> impl Iterator<Item = Result<(PinnedBlock<'a>, Range<usize>)>> {
        let first = self.locate(from);
        let entries = self.block_index.entries.iter().skip(first);
        let count = entries.take_while(|entry| entry.first <= to).count();
        (0..count).filter_map(move |step| {
            let position = if reverse { count - 1 - step } else { step };
            self.part(first + position, from, to).transpose()
        })
    }

    /// Returns the block at a position, with the indices of its records between two keys.
    fn part(
        &self,
        position: usize,
        from: Key,
        to: Key,
    ) -> Result<Option<(PinnedBlock<'a>, Range<usize>)>> {
        let entries = &self.block_index.entries;
        let (Some(entry), Some(pinned)) = (entries.get(position), self.pin(position)?) else {
            return Ok(None);
        };
        // Usually the block index is sufficient, because its counts were verified.
        let begins_within = from <= entry.first;
        let next = entries.get(position + 1);
        let ends_within = to == Key::MAX || next.is_some_and(|next| next.first <= to);
        if begins_within && ends_within {
            return Ok(Some((pinned, 0..entry.count as usize)));
        }
        let block = pinned.block()?;
        if from == to {
            let found = block.find(from).map_or(0..0, |index| index..index + 1);
            return Ok(Some((pinned, found)));
        }
        let first = if begins_within {
            0
        } else {
            block.lower_bound(from)
        };
        let end = if ends_within {
            block.len()
        } else {
            block.end_of(first, to)
        };
        Ok(Some((pinned, first..end)))
    }

    /// Returns a cursor over the records between two keys, both included.
    pub(crate) fn cursor(self, from: Key, to: Key) -> RecordCursor<'a> {
        RecordCursor {
            position: self.locate(from),
            keys: (from, to),
            records: self,
            record: None,
            indices: 0..0,
        }
    }

    /// Returns a cursor over all records.
    pub(crate) fn all(self) -> RecordCursor<'a> {
        self.cursor(Key::MIN, Key::MAX)
    }

    /// Returns the keys of the records between two keys, both included.
    pub(crate) fn keys(&self, from: Key, to: Key) -> Result<Vec<Key>> {
        let mut keys = Vec::new();
        for pinned in self.between(from, to) {
            let (pinned, indices) = pinned?;
            let block = pinned.block()?;
            for index in indices {
                keys.push(block.key(index)?);
            }
        }
        Ok(keys)
    }
}

/// A cursor over records of a partition, in ascending order of their keys. It pins one block at a
/// time.
pub(crate) struct RecordCursor<'a> {
    records: Records<'a>,
    keys: (Key, Key),
    /// The position of the next block.
    position: usize,
    /// The current record.
    record: Option<PinnedRecord<'a>>,
    /// The indices of the remaining records in the block of the current record.
    indices: Range<usize>,
}

impl<'a> RecordCursor<'a> {
    /// Moves to the next record and returns it, or `None` if no record is left.
    pub(crate) fn next(&mut self) -> Result<Option<&PinnedRecord<'a>>> {
        let (from, to) = self.keys;
        let index = loop {
            if let Some(index) = self.indices.next() {
                break index;
            }
            let first = self.records.first(self.position);
            if first.is_none_or(|first| first > to) {
                return Ok(None);
            }
            if let Some((pinned, indices)) = self.records.part(self.position, from, to)? {
                self.record = Some(PinnedRecord { pinned, index: 0 });
                self.indices = indices;
            }
            self.position += 1;
        };
        Ok(self.record.as_mut().map(|record| {
            record.index = index;
            &*record
        }))
    }
}
