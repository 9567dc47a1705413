//! The learners of a school as two filters find them: by a part of the name, and by the
//! day they left. Without it every run would be looked through for a few of them.

use crate::error::{Error, Result};
use crate::record::lanes::NAMES;
use crate::record::learner::TRANSFER_TAG;
use crate::store::{Collection, Partition, Reader, Run, Snapshot, Sources};
use memchr::memmem::Finder;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Learners are numbered in the order of their ids.
#[derive(Default)]
pub(super) struct Roll {
    /// Their folded names, each followed by a byte that UTF-8 never has.
    names: Vec<u8>,
    /// Where each name ends.
    ends: Vec<u32>,
    /// The number of each run's first learner.
    starts: Vec<u32>,
    /// Those who have a day of transfer, by that day.
    transfers: Vec<(u32, u32)>,
}

/// What it may cost of memory for each learner.
const MOST_BYTES_EACH: usize = 64;

/// The roll of a school, unless it would take too much memory.
pub(super) fn of(snapshot: &Snapshot, school: u64) -> Result<Arc<Option<Roll>>> {
    let learners = Partition::of(school, Collection::Learners);
    snapshot.decoded(0, learners, Sources::of(&[Collection::Learners]), || {
        let roll = Roll::read(snapshot, learners)?;
        let bytes = roll.as_ref().map_or(0, Roll::bytes);
        Ok((roll, bytes))
    })
}

impl Roll {
    fn read(snapshot: &Snapshot, learners: Partition) -> Result<Option<Roll>> {
        let learners = snapshot.records(learners)?;
        let mut roll = Roll::default();
        for pinned in learners.all() {
            let (pinned, _) = pinned?;
            roll.add(&pinned.run()?)?;
            if roll.bytes() > snapshot.most_decoded() {
                return Ok(None);
            }
        }
        roll.names.shrink_to_fit();
        roll.ends.shrink_to_fit();
        roll.transfers.sort_unstable();
        roll.transfers.shrink_to_fit();
        let most = roll.ends.len() * MOST_BYTES_EACH + size_of::<Roll>();
        Ok(Some(roll).filter(|roll| roll.bytes() <= most))
    }

    fn add(&mut self, run: &Run<'_>) -> Result<()> {
        self.starts.push(narrow(self.ends.len())?);
        let before = self.names.len();
        self.names.extend_from_slice(run.lane(NAMES));
        self.names.push(0xff);
        for index in 0..run.len() {
            if let Some(day) = run.tag(TRANSFER_TAG, index)? {
                self.transfers
                    .push((narrow(day)?, narrow(self.ends.len())?));
            }
            let name = run.span(NAMES, index, index + 1)?;
            self.ends.push(narrow(before + name.end)?);
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        size_of::<Roll>()
            + self.names.capacity()
            + self.ends.capacity() * size_of::<u32>()
            + self.starts.capacity() * size_of::<u32>()
            + self.transfers.capacity() * size_of::<(u32, u32)>()
    }

    /// Those in whose name this is, ascending.
    #[cfg_attr(module, optimize(speed))]
    pub(super) fn named(&self, part: &Finder<'_>) -> Vec<u32> {
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

    /// Those who were transferred on one of these days, ascending.
    pub(super) fn transferred(&self, days: &RangeInclusive<u64>) -> Vec<u32> {
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

    /// Of learners, ascending: the position of the first one's run, the number of the
    /// first learner there, and how many of these lie there too.
    #[cfg_attr(module, optimize(speed))]
    pub(super) fn next_run(&self, of: &[u32]) -> Option<(usize, u32, usize)> {
        let first = of.first()?;
        let after = self.starts.partition_point(|start| start <= first);
        let position = after.checked_sub(1)?;
        let end = self.starts.get(after).copied().unwrap_or(u32::MAX);
        let count = of.partition_point(|learner| *learner < end);
        Some((position, *self.starts.get(position)?, count))
    }
}

/// A date fits, and so does whatever memory is bounded for.
fn narrow(number: impl TryInto<u32>) -> Result<u32> {
    let narrow = number.try_into().ok();
    narrow.ok_or_else(|| Error::corrupt("a learner was transferred on no day"))
}
