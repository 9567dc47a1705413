//! Merges sorted edits into a partition. Inserting, replacing and removing records, and splitting
//! and joining blocks, are done in one pass over the blocks that the edits affect.

use crate::error::Result;
use crate::store::blocks::block::Block;
use crate::store::blocks::block_builder::BlockBuilder;
use crate::store::blocks::block_index::{BlockEntry, BlockIndex};
use crate::store::blocks::block_splitter::{
    BlockSplitter, BuiltBlock, MAX_BLOCK_BYTES, balance_last_two,
};
use crate::store::blocks::item::{Item, ItemBuffer};
use crate::store::blocks::partition::{Key, Partition};
use crate::store::blocks::records::Reader;
use crate::store::transaction::write::Write;

/// The effect of an edit on a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The record remains unchanged, or still does not exist.
    Unchanged,
    /// The record becomes the content of the buffer.
    Put,
    /// The record is removed.
    Remove,
}

/// Edits of records, in ascending order of their keys.
pub(crate) trait Edits {
    /// Returns the key of the next record to edit, if there is one.
    fn next_key(&mut self) -> Result<Option<Key>>;

    /// Edits this record, and moves to the next one.
    fn edit(&mut self, old: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Decision>;
}

impl Write<'_> {
    /// Applies the edits. Blocks without a change are not written.
    pub(crate) fn merge_into(&mut self, partition: Partition, edits: &mut dyn Edits) -> Result<()> {
        let before = self.block_index(partition)?;
        let mut block_index = (*before).clone();
        while let Some(key) = edits.next_key()? {
            let position = block_index.locate(key);
            self.merge_block(partition, &mut block_index, position, edits)?;
        }
        if *before != block_index {
            self.put_block_index(partition, &block_index)?;
        }
        Ok(())
    }

    /// Applies the edits of the block at a position of the block index.
    fn merge_block(
        &mut self,
        partition: Partition,
        block_index: &mut BlockIndex,
        position: usize,
        edits: &mut dyn Edits,
    ) -> Result<()> {
        let layout = partition.collection.layout();
        let entry = block_index.entries.get(position).copied();
        let until = block_index.entries.get(position + 1).map(|next| next.first);
        let old = match entry {
            Some(_) => self.read_block_for_rewrite(partition, block_index, position)?,
            None => BlockBuilder::new(layout).finish(),
        };
        let mut splitter = BlockSplitter::new(layout);
        let mut written = Vec::new();
        let block = Block::open(&old, layout)?;
        let changed = merge_items(&block, until, edits, &mut |key, item| {
            splitter.push(key, item)?;
            // A first load adds a whole partition at once. All blocks are written at once, except
            // the last two, which may still be balanced.
            while splitter.done.len() > 2 {
                let built = splitter.done.remove(0);
                written.push(self.put_built_block(partition, block_index, None, &built)?);
            }
            Ok(())
        })?;
        if !changed {
            return Ok(());
        }
        splitter.finish_block();
        let mut done = splitter.done;
        // Records that are added at the end fill one block after another. Records that are added
        // in the middle leave free space in both blocks.
        if until.is_some() {
            balance_last_two(&mut done, layout)?;
        }
        let mut reused = entry.map(|entry| entry.block);
        for built in &done {
            written.push(self.put_built_block(partition, block_index, reused.take(), built)?);
        }
        if let Some(unused) = reused {
            self.remove_block(partition, unused)?;
        }
        let replaced =
            position..(position + usize::from(entry.is_some())).min(block_index.entries.len());
        let small = matches!(&*done, [only] if only.bytes.len() < MAX_BLOCK_BYTES / 4);
        block_index.entries.splice(replaced, written);
        if small && entry.is_some() {
            self.join(partition, block_index, position)?;
        }
        Ok(())
    }

    pub(crate) fn put_built_block(
        &mut self,
        partition: Partition,
        block_index: &mut BlockIndex,
        block: Option<u32>,
        built: &BuiltBlock,
    ) -> Result<BlockEntry> {
        let block = match block {
            Some(block) => block,
            None => block_index.number_block()?,
        };
        Ok(BlockEntry {
            first: built.first,
            block,
            count: built.count,
            checksum: self.put_block(partition, block, &built.bytes)?,
        })
    }

    /// Joins a small block with a neighbour, if both fit well into one block.
    fn join(
        &mut self,
        partition: Partition,
        block_index: &mut BlockIndex,
        position: usize,
    ) -> Result<()> {
        let layout = partition.collection.layout();
        for left in position.saturating_sub(1)..=position {
            let pair = block_index
                .entries
                .get(left..)
                .and_then(|pair| pair.first_chunk());
            let Some(&[first, second]) = pair else {
                continue;
            };
            let head = self.read_block_for_rewrite(partition, block_index, left)?;
            let tail = self.read_block_for_rewrite(partition, block_index, left + 1)?;
            if head.len() + tail.len() > MAX_BLOCK_BYTES * 3 / 4 {
                continue;
            }
            let mut builder = BlockBuilder::new(layout);
            for bytes in [&head, &tail] {
                let block = Block::open(bytes, layout)?;
                for (index, key) in block.keys().enumerate() {
                    builder.push(key, &block.item(index)?)?;
                }
            }
            let count = u32::try_from(builder.len()).unwrap_or(u32::MAX);
            let checksum = self.put_block(partition, first.block, &builder.finish())?;
            self.remove_block(partition, second.block)?;
            let joined = BlockEntry {
                count,
                checksum,
                ..first
            };
            block_index.entries.splice(left..left + 2, [joined]);
            return Ok(());
        }
        Ok(())
    }
}

/// Merges a block with the edits before `until`, and passes each resulting record to `emit`, or
/// none if nothing was changed. Returns whether anything was changed.
fn merge_items(
    old: &Block<'_>,
    until: Option<Key>,
    edits: &mut dyn Edits,
    emit: &mut dyn FnMut(Key, &Item<'_>) -> Result<()>,
) -> Result<bool> {
    let mut changed = false;
    let mut buffer = ItemBuffer::default();
    let mut index = 0;
    loop {
        let edited = edits
            .next_key()?
            .filter(|key| until.is_none_or(|until| *key < until));
        let stored = if index < old.len() {
            Some(old.key(index)?)
        } else {
            None
        };
        let key = match (edited, stored) {
            (None, None) => return Ok(changed),
            (Some(edited), None) => edited,
            (None, Some(stored)) => stored,
            (Some(edited), Some(stored)) => edited.min(stored),
        };
        let item = if stored == Some(key) {
            index += 1;
            Some(old.item(index - 1)?)
        } else {
            None
        };
        let decision = if edited == Some(key) {
            buffer.clear();
            edits.edit(item, &mut buffer)?
        } else {
            Decision::Unchanged
        };
        let changes = decision == Decision::Put || decision == Decision::Remove && item.is_some();
        if changes && !changed {
            changed = true;
            for before in 0..index - usize::from(item.is_some()) {
                emit(old.key(before)?, &old.item(before)?)?;
            }
        }
        match (decision, item) {
            (Decision::Unchanged, Some(item)) if changed => emit(key, &item)?,
            (Decision::Put, _) => emit(key, &buffer.item())?,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::store::blocks::collection::Collection;
    use crate::store::transaction::block_merge::*;
    use crate::store::{Location, Store, StoreOptions};
    use std::collections::BTreeMap;

    const LEARNERS: Partition = Partition::new(7, Collection::Learners);

    type Model = BTreeMap<Key, Vec<u8>>;

    /// Edits that store or remove whole records, in order.
    struct EditBatch(
        std::vec::IntoIter<(Key, Option<Vec<u8>>)>,
        Option<(Key, Option<Vec<u8>>)>,
    );

    impl EditBatch {
        fn new(edits: BTreeMap<Key, Option<Vec<u8>>>) -> EditBatch {
            let mut edits: std::vec::IntoIter<_> =
                edits.into_iter().collect::<Vec<_>>().into_iter();
            let first = edits.next();
            EditBatch(edits, first)
        }
    }

    impl Edits for EditBatch {
        fn next_key(&mut self) -> Result<Option<Key>> {
            Ok(self.1.as_ref().map(|(key, _)| *key))
        }

        fn edit(&mut self, old: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Decision> {
            let edit = self.1.take().and_then(|(_, edit)| edit);
            self.1 = self.0.next();
            let Some(bytes) = edit else {
                return Ok(Decision::Remove);
            };
            new.columns[0].extend_from_slice(&bytes);
            let same = old.is_some_and(|old| old.columns[0] == bytes);
            Ok(if same {
                Decision::Unchanged
            } else {
                Decision::Put
            })
        }
    }

    fn store() -> Result<Store> {
        Store::open(Location::Memory, StoreOptions::for_test())
    }

    /// Checks that the partition is equal to the model, that its blocks are neither empty nor too
    /// large, and that they match the block index. Returns the number of blocks.
    fn check(store: &Store, model: &Model) -> Result<usize> {
        store.read(|snapshot| {
            let block_index = snapshot.block_index(LEARNERS)?;
            let mut found = Model::new();
            let mut live = 0;
            for entry in &block_index.entries {
                let pinned = snapshot.pin(LEARNERS, entry.block)?;
                let block = pinned.block()?;
                assert_eq!(
                    (block.len(), block.key(0)?),
                    (entry.count as usize, entry.first)
                );
                let mut builder = BlockBuilder::new(LEARNERS.collection.layout());
                for (index, key) in block.keys().enumerate() {
                    found.insert(key, block.record(0, index)?.to_vec());
                    builder.push(key, &block.item(index)?)?;
                }
                assert!(builder.bytes() <= MAX_BLOCK_BYTES || block.len() == 1);
                live += crate::store::rows::table_definitions::page_bytes(builder.bytes());
            }
            assert!(block_index.entries.is_sorted_by(|a, b| a.first < b.first));
            if !block_index.entries.is_empty() {
                live +=
                    crate::store::rows::table_definitions::page_bytes(block_index.encode().len());
            }
            assert!(found == *model);
            assert_eq!(block_index.records(), model.len() as u64);
            assert_eq!(snapshot.totals()?.live, live);
            Ok(block_index.entries.len())
        })
    }

    #[test]
    fn random_batches_agree_with_a_map() -> Result<()> {
        let mut seed = 1u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        let store = store()?;
        let mut model = Model::new();
        let (mut most, mut shrunk) = (0, 0);
        for round in 0..300u64 {
            // The batches grow, shrink and change the partition a little, in turn.
            let (edits, removals) = match round / 8 % 4 {
                0 => (200, 1),
                1 => (200, 9),
                2 => (1, 5),
                _ => (30, 5),
            };
            let mut batch = BTreeMap::new();
            for _ in 0..=random(edits) {
                let key = Key(random(40), random(40));
                let length = match random(100) {
                    0 => 150_000,
                    1..20 => random(20_000),
                    _ => random(1500),
                };
                let byte = b'a' + u8::try_from(random(4)).unwrap_or(0);
                let bytes = vec![byte; usize::try_from(length).unwrap_or(0)];
                batch.insert(key, (random(10) >= removals).then_some(bytes));
            }
            for (key, edit) in &batch {
                match edit {
                    Some(bytes) => model.insert(*key, bytes.clone()),
                    None => model.remove(key),
                };
            }
            store.write(|write| write.merge(LEARNERS, &mut EditBatch::new(batch)))?;
            let blocks = check(&store, &model)?;
            shrunk += usize::from(blocks < most);
            most = most.max(blocks);
        }
        assert!(most > 20 && shrunk > 50);
        let all = model.keys().map(|key| (*key, None)).collect();
        store.write(|write| write.merge(LEARNERS, &mut EditBatch::new(all)))?;
        assert_eq!(check(&store, &Model::new())?, 0);
        Ok(())
    }

    #[test]
    fn records_added_in_order_fill_their_blocks() -> Result<()> {
        let store = store()?;
        let record = vec![b'x'; 700];
        let all: BTreeMap<_, _> = (0..2000)
            .map(|id| (Key::one(id), Some(record.clone())))
            .collect();
        store.write(|write| write.merge(LEARNERS, &mut EditBatch::new(all)))?;
        let model: Model = (0..2000).map(|id| (Key::one(id), record.clone())).collect();
        let blocks = check(&store, &model)?;
        let bytes = 2000 * (700 + 16 + 12 + 1 + 56 + 2);
        assert!(blocks <= bytes / MAX_BLOCK_BYTES + 2, "{blocks}");
        Ok(())
    }

    #[test]
    fn edits_without_a_change_are_not_written() -> Result<()> {
        let store = store()?;
        let batch = || {
            (0..500)
                .map(|id| (Key::one(id), Some(vec![b'x'; 300])))
                .collect()
        };
        store.write(|write| write.merge(LEARNERS, &mut EditBatch::new(batch())))?;
        let before = store.read(|snapshot| snapshot.sequence())?;
        store.write(|write| write.merge(LEARNERS, &mut EditBatch::new(batch())))?;
        assert_eq!(store.read(|snapshot| snapshot.sequence())?, before);
        Ok(())
    }
}
