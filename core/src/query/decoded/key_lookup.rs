//! Look-ups of many records of one partition for one answer.

use crate::error::Result;
use crate::store::{Block, Key, PinnedBlock, Records};

/// A reader that caches recently used blocks, because the next record is often in one of them.
pub(crate) struct KeyLookup<'a> {
    records: Records<'a>,
    cached: Vec<Option<LookupBlock<'a>>>,
}

struct LookupBlock<'a> {
    position: usize,
    pinned: PinnedBlock<'a>,
    /// The index at which the last record was found. It is unchanged if a record was not found.
    last: usize,
}

/// The limit for the number of cached blocks.
const MAX_CACHED: usize = 64;

impl<'a> KeyLookup<'a> {
    pub(crate) fn new(records: Records<'a>) -> KeyLookup<'a> {
        let most = records.blocks().clamp(1, MAX_CACHED);
        KeyLookup {
            records,
            cached: std::iter::repeat_with(|| None).take(most).collect(),
        }
    }

    /// Returns the block that contains a record, and the index of the record in it.
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn find(&mut self, key: Key) -> Result<Option<(Block<'_>, usize)>> {
        let position = self.records.locate(key);
        let slot = position % self.cached.len().max(1);
        let Some(cached) = self.cached.get_mut(slot) else {
            return Ok(None);
        };
        if cached
            .as_ref()
            .is_none_or(|cached| cached.position != position)
        {
            let pinned = self.records.pin(position)?;
            *cached = pinned.map(|pinned| LookupBlock {
                position,
                pinned,
                last: 0,
            });
        }
        let Some(cached) = cached else {
            return Ok(None);
        };
        let block = cached.pinned.block()?;
        // Records are usually looked up in ascending order.
        let found = [cached.last, cached.last + 1]
            .into_iter()
            .find(|index| block.key(*index).is_ok_and(|at| at == key))
            .or_else(|| block.find(key));
        cached.last = found.unwrap_or(cached.last);
        Ok(found.map(|index| (block, index)))
    }
}
