//! Finds free slots of a grade, year and term.

use crate::error::{Error, Result};
use crate::record::address::GradeTerm;
use crate::record::kinds::assessment::{self, SLOT_COLUMN, SLOTS};
use crate::store::{Collection, Key, Reader, Write};
use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, HashMap};

/// The free slots of the current school, for the terms that were requested.
#[derive(Default)]
pub(in crate::dataset::commit) struct FreeSlots {
    school: u64,
    free: HashMap<GradeTerm, Free>,
}

impl FreeSlots {
    /// Takes the lowest free slot.
    pub(in crate::dataset::commit) fn take(
        &mut self,
        write: &Write<'_>,
        school: u64,
        at: GradeTerm,
    ) -> Result<u64> {
        let slot = self.free_mut(write, school, at)?.take();
        slot.ok_or_else(|| {
            Error::unsupported(&format!(
                "a grade has at most {SLOTS} assessments in a term: put some into another grade"
            ))
        })
    }

    /// Fails if two assessments of a grade, year and term share a slot.
    pub(in crate::dataset::commit) fn check(
        &mut self,
        write: &Write<'_>,
        school: u64,
        at: GradeTerm,
    ) -> Result<()> {
        self.free_mut(write, school, at).map(drop)
    }

    pub(in crate::dataset::commit) fn release(
        &mut self,
        write: &Write<'_>,
        school: u64,
        at: GradeTerm,
        slot: u64,
    ) -> Result<()> {
        self.free_mut(write, school, at)?.release(slot);
        Ok(())
    }

    fn free_mut(&mut self, write: &Write<'_>, school: u64, at: GradeTerm) -> Result<&mut Free> {
        // Assessments are processed school by school, so earlier schools are not needed again.
        if self.school != school {
            self.school = school;
            self.free.clear();
        }
        match self.free.entry(at) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => {
                let mut used = Vec::new();
                let partition = at.partition(school, Collection::Assessments);
                let (from, to) = (Key(at.term, 0), Key(at.term, u64::MAX));
                let mut records = write.records(partition)?.cursor(from, to);
                while let Some(record) = records.next()? {
                    used.push(assessment::slot(record.filter_column(SLOT_COLUMN)?)?);
                }
                Ok(entry.insert(Free::except(used)?))
            }
        }
    }
}

/// Free slots, as half-open ranges.
struct Free(BinaryHeap<Reverse<(u64, u64)>>);

impl Free {
    fn except(mut used: Vec<u64>) -> Result<Free> {
        used.sort_unstable();
        let mut ranges = BinaryHeap::new();
        let mut next = 0;
        for slot in used {
            if slot < next {
                return Err(assessment::shared_slot());
            }
            if slot > next {
                ranges.push(Reverse((next, slot)));
            }
            next = slot.saturating_add(1);
        }
        if next < SLOTS as u64 {
            ranges.push(Reverse((next, SLOTS as u64)));
        }
        Ok(Free(ranges))
    }

    fn take(&mut self) -> Option<u64> {
        let Reverse((first, end)) = self.0.pop()?;
        if first + 1 < end {
            self.0.push(Reverse((first + 1, end)));
        }
        Some(first)
    }

    fn release(&mut self, slot: u64) {
        self.0.push(Reverse((slot, slot.saturating_add(1))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(free: &mut Free, count: usize) -> Vec<u64> {
        (0..count).filter_map(|_| free.take()).collect()
    }

    #[test]
    fn the_lowest_free_slot_comes_first() -> Result<()> {
        let mut free = Free::except(vec![5, 0, 2])?;
        assert_eq!(take(&mut free, 4), [1, 3, 4, 6]);
        free.release(3);
        free.release(0);
        assert_eq!(take(&mut free, 3), [0, 3, 7]);
        Ok(())
    }

    #[test]
    fn no_slot_is_shared_and_their_number_is_bounded() -> Result<()> {
        assert!(Free::except(vec![5, 0, 2, 2]).is_err());
        let mut last = Free::except((1..SLOTS as u64).collect())?;
        assert_eq!(take(&mut last, 2), [0]);
        Ok(())
    }

    #[test]
    fn used_slots_take_no_memory() -> Result<()> {
        let mut free = Free::except((0..1000).collect())?;
        assert_eq!(take(&mut free, 1000).last(), Some(&1999));
        assert_eq!(free.0.len(), 1);
        for slot in [500, 0] {
            free.release(slot);
        }
        assert_eq!(free.0.len(), 3);
        assert_eq!(take(&mut free, 3), [0, 500, 2000]);
        assert_eq!(free.0.len(), 1);
        Ok(())
    }
}
