//! The block index of a partition, which describes which block contains which keys.
//!
//! ```text
//! number of the next new block u32
//! for each block: first key 2 × u64 · number u32 · count of records u32 · checksum u64
//! ```
//!
//! All numbers are little-endian.

use super::block::Block;
use super::cached_block::CachedBlock;
use super::partition::{Key, Partition, block_key};
use crate::error::{Error, Result};
use crate::store::checksum;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The blocks of one partition, in ascending order of their first key.
///
/// It is cached in decoded form, because a search in memory is much faster than one in the store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct BlockIndex {
    pub(crate) entries: Vec<BlockEntry>,
    /// The number of the next new block. No number is used twice while the partition exists.
    pub(crate) next_block: u32,
    known: BlockStates,
}

/// The state of the blocks in memory, by the position of their entry. It is not part of the stored
/// block index.
#[derive(Debug, Default)]
struct BlockStates {
    blocks: Vec<BlockState>,
    /// Whether any block was cached.
    has_cached: AtomicBool,
}

#[derive(Debug, Default)]
struct BlockState {
    /// Whether the block was verified.
    sound: AtomicBool,
    /// The cached block. It was verified before it was cached.
    block: OnceLock<Arc<CachedBlock>>,
}

impl BlockStates {
    fn new(blocks: impl Iterator<Item = BlockState>) -> BlockStates {
        BlockStates {
            blocks: blocks.collect(),
            has_cached: AtomicBool::new(false),
        }
    }
}

impl Clone for BlockStates {
    /// Returns an empty state. A clone of a block index is made in order to be changed, so nothing
    /// is known of its blocks.
    fn clone(&self) -> BlockStates {
        BlockStates::default()
    }
}

impl PartialEq for BlockStates {
    fn eq(&self, _: &BlockStates) -> bool {
        true
    }
}

impl Eq for BlockStates {}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockEntry {
    pub(crate) first: Key,
    pub(crate) block: u32,
    /// The number of records in the block.
    pub(crate) count: u32,
    /// The checksum of the key and the bytes of the block. It is stored here and not in the block,
    /// so that a block that remains from an older commit is detected.
    pub(crate) checksum: u64,
}

const ENTRY_BYTES: usize = Key::BYTES + 16;

impl BlockIndex {
    pub(crate) fn decode(bytes: &[u8]) -> Result<BlockIndex> {
        let damaged = || Error::corrupt("a block index is damaged");
        let (next_block, entries) = bytes.split_first_chunk().ok_or_else(damaged)?;
        let (entries, rest) = entries.as_chunks::<ENTRY_BYTES>();
        if !rest.is_empty() {
            return Err(damaged());
        }
        let entry = |bytes: &[u8; ENTRY_BYTES]| {
            let (high, rest) = bytes.split_first_chunk()?;
            let (low, rest) = rest.split_first_chunk()?;
            let (block, rest) = rest.split_first_chunk()?;
            let (count, rest) = rest.split_first_chunk()?;
            Some(BlockEntry {
                first: Key(u64::from_le_bytes(*high), u64::from_le_bytes(*low)),
                block: u32::from_le_bytes(*block),
                count: u32::from_le_bytes(*count),
                checksum: u64::from_le_bytes(*rest.first_chunk()?),
            })
        };
        let next_block = u32::from_le_bytes(*next_block);
        let entries: Vec<BlockEntry> = entries.iter().filter_map(entry).collect();
        let numbered = entries.iter().all(|e| e.block < next_block && e.count > 0);
        if !numbered || !entries.is_sorted_by(|a, b| a.first < b.first) {
            return Err(damaged());
        }
        let known = BlockStates::new(entries.iter().map(|_| BlockState::default()));
        Ok(BlockIndex {
            entries,
            next_block,
            known,
        })
    }

    /// Returns the block at a position, if it is cached.
    #[inline]
    pub(crate) fn cached(&self, position: usize) -> Option<&Arc<CachedBlock>> {
        self.known.blocks.get(position)?.block.get()
    }

    /// Caches the block at a position, which must be verified. Returns whether it is the first
    /// cached block.
    pub(crate) fn cache(&self, position: usize, block: Arc<CachedBlock>) -> bool {
        let Some(known) = self.known.blocks.get(position) else {
            return false;
        };
        // Another thread may have cached the same block meanwhile.
        let _ = known.block.set(block);
        !self.known.has_cached.swap(true, Ordering::Relaxed)
    }

    /// Returns whether any block is cached.
    pub(crate) fn has_cached(&self) -> bool {
        self.known.has_cached.load(Ordering::Relaxed)
    }

    /// Returns a copy of the block index without cached blocks.
    pub(crate) fn emptied(&self) -> BlockIndex {
        let known = self.known.blocks.iter().map(|known| BlockState {
            sound: AtomicBool::new(known.sound.load(Ordering::Relaxed)),
            block: OnceLock::new(),
        });
        BlockIndex {
            entries: self.entries.clone(),
            next_block: self.next_block,
            known: BlockStates::new(known),
        }
    }

    /// Checks that `bytes` are the block that the entry at this position describes, and that its
    /// header matches its content. Each block is verified only once.
    #[inline]
    pub(crate) fn check(&self, partition: Partition, position: usize, bytes: &[u8]) -> Result<()> {
        match self.known.blocks.get(position) {
            Some(known) if known.sound.load(Ordering::Relaxed) => Ok(()),
            _ => self.check_now(partition, position, bytes),
        }
    }

    #[cold]
    fn check_now(&self, partition: Partition, position: usize, bytes: &[u8]) -> Result<()> {
        let another = || Error::corrupt("a block is not the one that its block index names");
        let entry = self.entries.get(position).ok_or_else(another)?;
        if checksum::compute(&block_key(partition, entry.block), bytes) != entry.checksum {
            return Err(another());
        }
        let block = Block::open(bytes, partition.collection.layout())?;
        block.check()?;
        let next = self.entries.get(position + 1);
        let fits = block.len() == entry.count as usize && block.keys().next() == Some(entry.first);
        let last = block.len().checked_sub(1).map(|last| block.key(last));
        let before = |next: &BlockEntry| matches!(&last, Some(Ok(last)) if *last < next.first);
        if !fits || !next.is_none_or(before) {
            return Err(another());
        }
        self.set_sound(position);
        Ok(())
    }

    fn set_sound(&self, position: usize) {
        if let Some(known) = self.known.blocks.get(position) {
            known.sound.store(true, Ordering::Relaxed);
        }
    }

    /// Takes over from the previous block index which blocks were verified, if neither their entry
    /// nor the next one has changed.
    pub(crate) fn inherit(&self, before: &BlockIndex) {
        for (position, entry) in self.entries.iter().enumerate() {
            let first = |entry: &BlockEntry| entry.first.number();
            let Ok(then) = before.entries.binary_search_by_key(&first(entry), first) else {
                continue;
            };
            let known = before.known.blocks.get(then);
            let same = |at: usize, then: usize| self.entries.get(at) == before.entries.get(then);
            if known.is_some_and(|known| known.sound.load(Ordering::Relaxed))
                && same(position, then)
                && same(position + 1, then + 1)
            {
                self.set_sound(position);
            }
        }
    }

    /// Returns the number for a new block.
    pub(crate) fn number_block(&mut self) -> Result<u32> {
        let fresh = self.next_block;
        let next = fresh.checked_add(1);
        self.next_block =
            next.ok_or_else(|| Error::corrupt("a block index counts too many blocks"))?;
        Ok(fresh)
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = self.next_block.to_le_bytes().to_vec();
        for entry in &self.entries {
            bytes.extend_from_slice(&entry.first.0.to_le_bytes());
            bytes.extend_from_slice(&entry.first.1.to_le_bytes());
            bytes.extend_from_slice(&entry.block.to_le_bytes());
            bytes.extend_from_slice(&entry.count.to_le_bytes());
            bytes.extend_from_slice(&entry.checksum.to_le_bytes());
        }
        bytes
    }

    /// Returns the position of the entry whose block contains the key, if any block does.
    #[inline]
    pub(crate) fn locate(&self, key: Key) -> usize {
        self.entries
            .partition_point(|entry| entry.first.number() <= key.number())
            .saturating_sub(1)
    }

    /// Returns the number of records of the partition.
    pub(crate) fn records(&self) -> u64 {
        self.entries.iter().map(|e| u64::from(e.count)).sum()
    }

    /// Returns the memory used by the decoded block index, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<BlockIndex>()
            + self.entries.capacity() * size_of::<BlockEntry>()
            + self.known.blocks.capacity() * size_of::<BlockState>()
    }
}

#[cfg(test)]
mod tests {
    use crate::store::blocks::block_index::*;

    #[test]
    fn a_block_index_is_decoded_and_finds_its_blocks() {
        let entry = |first, block| BlockEntry {
            first: Key(first, 7),
            block,
            count: 3,
            checksum: first * 3,
        };
        let block_index = BlockIndex {
            entries: vec![entry(10, 5), entry(20, 2), entry(30, 9)],
            next_block: 10,
            known: BlockStates::default(),
        };
        assert_eq!(
            BlockIndex::decode(&block_index.encode()),
            Ok(block_index.clone())
        );
        for (key, position) in [(0, 0), (10, 0), (19, 0), (21, 1), (u64::MAX, 2)] {
            assert_eq!(block_index.locate(Key(key, 7)), position, "{key}");
        }
        assert_eq!(block_index.records(), 9);
        assert_eq!(BlockIndex::default().locate(Key::MIN), 0);
        assert!(BlockIndex::decode(&[0; 5]).is_err());
    }

    #[test]
    fn unchanged_blocks_are_not_verified_again() -> Result<()> {
        let of = |checksums: [u64; 4]| {
            let entry = |(block, checksum): (u32, u64)| BlockEntry {
                first: Key::one(u64::from(block) * 10),
                block,
                count: 1,
                checksum,
            };
            let block_index = BlockIndex {
                entries: (0..).zip(checksums).map(entry).collect(),
                next_block: 4,
                known: BlockStates::default(),
            };
            BlockIndex::decode(&block_index.encode())
        };
        let sound = |block_index: &BlockIndex| {
            let known = block_index.known.blocks.iter();
            known
                .map(|known| known.sound.load(Ordering::Relaxed))
                .collect::<Vec<_>>()
        };
        let before = of([1, 2, 3, 4])?;
        (0..3).for_each(|position| before.set_sound(position));
        // The block before the changed one must be verified again, because its keys are compared
        // with the first key of the changed one.
        let after = of([1, 2, 9, 4])?;
        after.inherit(&before);
        assert_eq!(sound(&after), [true, false, false, false]);
        let after = of([1, 2, 3, 4])?;
        after.inherit(&before);
        assert_eq!(sound(&after), [true, true, true, false]);
        Ok(())
    }

    #[test]
    fn entries_out_of_order_and_impossible_blocks_are_refused() {
        let of = |entries: &[(u64, u32, u32)], next_block| {
            let entry = |(first, block, count): &(u64, u32, u32)| BlockEntry {
                first: Key::one(*first),
                block: *block,
                count: *count,
                checksum: 0,
            };
            let block_index = BlockIndex {
                entries: entries.iter().map(entry).collect(),
                next_block,
                known: BlockStates::default(),
            };
            BlockIndex::decode(&block_index.encode()).is_ok()
        };
        assert!(of(&[(10, 5, 1), (20, 2, 1)], 6));
        assert!(!of(&[(10, 5, 1), (20, 2, 1)], 5));
        assert!(!of(&[(20, 5, 1), (10, 2, 1)], 6));
        assert!(!of(&[(10, 5, 1), (10, 2, 1)], 6));
        assert!(!of(&[(10, 5, 0)], 6));
        let mut last = BlockIndex {
            next_block: u32::MAX,
            ..BlockIndex::default()
        };
        assert!(last.number_block().is_err());
    }
}
