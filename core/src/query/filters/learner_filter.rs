//! The conditions by which questions select learners, and the ranges of a block that satisfy
//! them.

use crate::error::Result;
use crate::query::decoded::name_index::NameIndex;
use crate::record::kinds::learner::{FAMILY_COLUMN, GRADE_COLUMN, STATUS_COLUMN, TRANSFER_COLUMN};
use crate::record::stored::columns::NAMES;
use crate::store::{Block, Records};
use memchr::memmem::Finder;
use std::ops::{Range, RangeInclusive};

/// The conditions that a learner must satisfy.
pub(crate) struct LearnerFilter<'a> {
    pub(crate) status: u64,
    /// The transfer dates, as numbers.
    pub(crate) window: Option<RangeInclusive<u64>>,
    pub(crate) grades: &'a [u64],
    pub(crate) family: Option<u64>,
    pub(crate) name: Option<Finder<'a>>,
}

/// A callback that receives a block and a range of its learners, all of which match.
type EachStretch<'a> = dyn FnMut(&Block<'_>, Range<usize>) -> Result<()> + 'a;

/// Merges the indices of learners, added one by one in ascending order, into the longest
/// ranges.
struct Stretches<'a, 'b> {
    stretch: Range<usize>,
    each: &'a mut (dyn FnMut(Range<usize>) -> Result<()> + 'b),
}

impl<'a, 'b> Stretches<'a, 'b> {
    fn to(each: &'a mut (dyn FnMut(Range<usize>) -> Result<()> + 'b)) -> Stretches<'a, 'b> {
        Stretches {
            stretch: 0..0,
            each,
        }
    }

    #[inline]
    fn take(&mut self, index: usize) -> Result<()> {
        if self.stretch.end == index {
            self.stretch.end = index + 1;
            return Ok(());
        }
        let full = std::mem::replace(&mut self.stretch, index..index + 1);
        if full.is_empty() {
            Ok(())
        } else {
            (self.each)(full)
        }
    }

    fn end(self) -> Result<()> {
        if self.stretch.is_empty() {
            Ok(())
        } else {
            (self.each)(self.stretch)
        }
    }
}

impl LearnerFilter<'_> {
    /// Returns true if the name index can find the learners that may match.
    pub(crate) fn is_of_few(&self) -> bool {
        self.name.is_some() || self.window.is_some()
    }

    /// Passes the longest ranges of matching learners to `each`, using the name index.
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn each_found(
        &self,
        name_index: &NameIndex,
        learners: &Records<'_>,
        each: &mut EachStretch<'_>,
    ) -> Result<()> {
        let found = match (&self.name, &self.window) {
            (Some(name), _) => name_index.named(name),
            (None, Some(days)) => name_index.transferred(days),
            (None, None) => return Ok(()),
        };
        let mut found = found.as_slice();
        while let Some((position, first, count)) = name_index.next_block(found) {
            let (here, others) = found.split_at_checked(count).unwrap_or((found, &[]));
            found = others;
            let Some(pinned) = learners.pin(position)? else {
                continue;
            };
            let block = pinned.block()?;
            let mut each = |stretch| each(&block, stretch);
            let mut stretches = Stretches::to(&mut each);
            for number in here {
                let index = (number - first) as usize;
                if self.passes(&block, index)? {
                    stretches.take(index)?;
                }
            }
            stretches.end()?;
        }
        Ok(())
    }

    /// Passes the longest ranges of matching learners in a part of a block to `each`. Without a
    /// name, it checks each learner.
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn each_stretch(
        &self,
        block: &Block<'_>,
        indices: Range<usize>,
        each: &mut dyn FnMut(Range<usize>) -> Result<()>,
    ) -> Result<()> {
        let mut stretches = Stretches::to(each);
        if let Some(name) = &self.name {
            let names = block.column(NAMES);
            let mut at = 0;
            while let Some(hit) = names.get(at..).and_then(|rest| name.find(rest)) {
                let index = block.record_at(NAMES, at + hit);
                at = end_of(block, index)?;
                if indices.contains(&index) && self.passes(block, index)? {
                    stretches.take(index)?;
                }
            }
        } else {
            let statuses = block.filter_column_numbers(STATUS_COLUMN)?;
            let wanted = self.status.to_le_bytes();
            let only_status =
                self.window.is_none() && self.grades.is_empty() && self.family.is_none();
            for index in indices {
                if statuses.get(index) == Some(&wanted)
                    && (only_status || self.passes(block, index)?)
                {
                    stretches.take(index)?;
                }
            }
        }
        stretches.end()
    }

    /// Checks all conditions except the name.
    #[cfg_attr(module, optimize(speed))]
    fn passes(&self, block: &Block<'_>, index: usize) -> Result<bool> {
        let filter_column = |column| block.filter_column(column, index);
        Ok(filter_column(STATUS_COLUMN)? == Some(self.status)
            && match &self.window {
                Some(window) => {
                    filter_column(TRANSFER_COLUMN)?.is_some_and(|date| window.contains(&date))
                }
                None => true,
            }
            && (self.grades.is_empty()
                || filter_column(GRADE_COLUMN)?.is_some_and(|grade| self.grades.contains(&grade)))
            && (self.family.is_none() || filter_column(FAMILY_COLUMN)? == self.family))
    }
}

/// Returns the position at which the next record's folded name begins.
fn end_of(block: &Block<'_>, index: usize) -> Result<usize> {
    Ok(block.stretch(NAMES, 0, index + 1)?.len())
}
