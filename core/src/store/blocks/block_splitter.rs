//! Divides consecutive records into blocks.

use super::block::Block;
use super::block_builder::BlockBuilder;
use super::collection::Layout;
use super::item::Item;
use super::partition::Key;
use crate::error::Result;

/// The maximum size of a block. With the header of a leaf page of redb (16 bytes with one entry)
/// and the key, it just fits into a power of two of pages.
pub(crate) const MAX_BLOCK_BYTES: usize = 65_480;

/// A block that results from a merge.
pub(crate) struct BuiltBlock {
    pub(crate) first: Key,
    pub(crate) count: u32,
    pub(crate) bytes: Vec<u8>,
}

/// Divides records into blocks that are as full as possible. A record that is larger than a block
/// gets its own block.
pub(crate) struct BlockSplitter {
    builder: BlockBuilder,
    first: Key,
    pub(crate) done: Vec<BuiltBlock>,
}

impl BlockSplitter {
    pub(crate) fn new(layout: Layout) -> BlockSplitter {
        BlockSplitter {
            builder: BlockBuilder::new(layout),
            first: Key::MIN,
            done: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, key: Key, item: &Item<'_>) -> Result<()> {
        if self.builder.bytes() + self.builder.cost(item) > MAX_BLOCK_BYTES {
            self.finish_block();
        }
        if self.builder.len() == 0 {
            self.first = key;
        }
        self.builder.push(key, item)
    }

    /// Finishes the current block, if it has any records.
    pub(crate) fn finish_block(&mut self) {
        if self.builder.len() > 0 {
            self.done.push(BuiltBlock {
                first: self.first,
                count: u32::try_from(self.builder.len()).unwrap_or(u32::MAX),
                bytes: self.builder.finish(),
            });
        }
    }
}

/// Divides the records of the last two blocks evenly between both.
pub(crate) fn balance_last_two(blocks: &mut Vec<BuiltBlock>, layout: Layout) -> Result<()> {
    let [.., left, right] = blocks.as_slice() else {
        return Ok(());
    };
    if left.bytes.len().max(right.bytes.len()) > MAX_BLOCK_BYTES {
        return Ok(());
    }
    let half = left.bytes.len().midpoint(right.bytes.len());
    let mut splitter = BlockSplitter::new(layout);
    for built in [left, right] {
        let block = Block::open(&built.bytes, layout)?;
        for (index, key) in block.keys().enumerate() {
            splitter.push(key, &block.item(index)?)?;
            if splitter.done.is_empty() && splitter.builder.bytes() >= half {
                splitter.finish_block();
            }
        }
    }
    splitter.finish_block();
    blocks.truncate(blocks.len() - 2);
    blocks.append(&mut splitter.done);
    Ok(())
}
