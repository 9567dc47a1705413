//! The name index of a school: an index of its learners by a part of their name, and by their
//! day of transfer. Without it, a search for a few learners would scan every block.

use crate::error::{Error, Result};
use crate::record::kinds::learner::TRANSFER_COLUMN;
use crate::record::stored::columns::NAMES;
use crate::store::{Block, Collection, Key, Partition, Reader, Snapshot, Sources};
use memchr::memmem::Finder;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The name index of a school. Learners are numbered in the order of their ids.
#[derive(Default)]
pub(crate) struct NameIndex {
    /// The folded names, each followed by a byte that UTF-8 does not contain.
    names: Vec<u8>,
    /// The position in `names` after each name.
    ends: Vec<u32>,
    /// The number of each block's first learner.
    starts: Vec<u32>,
    /// The days of transfer, each with the number of the learner, in ascending order.
    transfers: Vec<(u32, u32)>,
}

/// The limit in bytes per learner for the memory of the index.
const MAX_BYTES_EACH: usize = 64;

/// Returns the name index of a school, or `None` if it would take too much memory.
pub(crate) fn read(snapshot: &Snapshot, school: u64) -> Result<Arc<Option<NameIndex>>> {
    let learners = Partition::new(school, Collection::Learners);
    snapshot.decoded(0, learners, Sources::new(&[Collection::Learners]), || {
        let name_index = NameIndex::read(snapshot, learners)?;
        let bytes = name_index.as_ref().map_or(0, NameIndex::bytes);
        Ok((name_index, bytes))
    })
}

impl NameIndex {
    fn read(snapshot: &Snapshot, learners: Partition) -> Result<Option<NameIndex>> {
        let learners = snapshot.records(learners)?;
        let mut name_index = NameIndex::default();
        for pinned in learners.between(Key::MIN, Key::MAX) {
            let (pinned, _) = pinned?;
            name_index.add(&pinned.block()?)?;
            if name_index.bytes() > snapshot.most_decoded() {
                return Ok(None);
            }
        }
        name_index.names.shrink_to_fit();
        name_index.ends.shrink_to_fit();
        name_index.transfers.sort_unstable();
        name_index.transfers.shrink_to_fit();
        let most = name_index.ends.len() * MAX_BYTES_EACH + size_of::<NameIndex>();
        Ok(Some(name_index).filter(|name_index| name_index.bytes() <= most))
    }

    fn add(&mut self, block: &Block<'_>) -> Result<()> {
        self.starts.push(narrow(self.ends.len())?);
        let before = self.names.len();
        self.names.extend_from_slice(block.column(NAMES));
        self.names.push(0xff);
        for index in 0..block.len() {
            if let Some(day) = block.filter_column(TRANSFER_COLUMN, index)? {
                self.transfers
                    .push((narrow(day)?, narrow(self.ends.len())?));
            }
            let name = block.span(NAMES, index, index + 1)?;
            self.ends.push(narrow(before + name.end)?);
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        size_of::<NameIndex>()
            + self.names.capacity()
            + self.ends.capacity() * size_of::<u32>()
            + self.starts.capacity() * size_of::<u32>()
            + self.transfers.capacity() * size_of::<(u32, u32)>()
    }

    /// Returns the numbers of the learners whose name contains `part`, in ascending order.
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn named(&self, part: &Finder<'_>) -> Vec<u32> {
        let mut found = Vec::new();
        let mut at = 0;
        let mut ends = self.ends.as_slice();
        while let Some(hit) = self.names.get(at..).and_then(|rest| part.find(rest)) {
            let passed = ends.partition_point(|end| (*end as usize) <= at + hit);
            let Some((end, rest)) = ends.get(passed..).and_then(<[u32]>::split_first) else {
                break;
            };
            found.push(u32::try_from(self.ends.len() - rest.len() - 1).unwrap_or(u32::MAX));
            (at, ends) = (*end as usize, rest);
        }
        found
    }

    /// Returns the numbers of the learners who were transferred on one of these days, in
    /// ascending order.
    pub(crate) fn transferred(&self, days: &RangeInclusive<u64>) -> Vec<u32> {
        let from = |day: u64| move |(of, _): &(u32, u32)| u64::from(*of) < day;
        let first = self.transfers.partition_point(from(*days.start()));
        let end = self
            .transfers
            .partition_point(from(days.end().saturating_add(1)));
        let found = self.transfers.get(first..end).unwrap_or_default();
        let mut found: Vec<u32> = found.iter().map(|(_, learner)| *learner).collect();
        found.sort_unstable();
        found
    }

    /// Returns the position of the block that contains the first of these learners, the number
    /// of the first learner of this block, and how many of these learners the block contains.
    /// The numbers must be in ascending order.
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn next_block(&self, of: &[u32]) -> Option<(usize, u32, usize)> {
        let first = of.first()?;
        let after = self.starts.partition_point(|start| start <= first);
        let position = after.checked_sub(1)?;
        let end = self.starts.get(after).copied().unwrap_or(u32::MAX);
        let count = of.partition_point(|learner| *learner < end);
        Some((position, *self.starts.get(position)?, count))
    }
}

/// Converts a number to 32 bits. Dates and sizes within the limit of memory always fit.
fn narrow(number: impl TryInto<u32>) -> Result<u32> {
    let narrow = number.try_into().ok();
    narrow.ok_or_else(|| Error::corrupt("a name index contains a number that is out of range"))
}
