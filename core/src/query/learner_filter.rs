//! What learners must be to be answered, and the stretches of a run in which all are.

use super::roll::Roll;
use crate::error::Result;
use crate::record::lanes::NAMES;
use crate::record::learner::{FAMILY_TAG, GRADE_TAG, STATUS_TAG, TRANSFER_TAG};
use crate::store::{Records, Run};
use memchr::memmem::Finder;
use std::ops::{Range, RangeInclusive};

/// What a learner must be to be answered.
pub(super) struct Filter<'a> {
    pub(super) status: u64,
    /// Transfer dates as numbers.
    pub(super) window: Option<RangeInclusive<u64>>,
    pub(super) grades: &'a [u64],
    pub(super) family: Option<u64>,
    pub(super) name: Option<Finder<'a>>,
}

/// What takes a run and a stretch of its learners that all pass.
type EachStretch<'a> = dyn FnMut(&Run<'_>, Range<usize>) -> Result<()> + 'a;

/// The longest stretches of learners, which come one by one.
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

impl Filter<'_> {
    /// Whether a roll finds those who may pass.
    pub(super) fn is_of_few(&self) -> bool {
        self.name.is_some() || self.window.is_some()
    }

    /// Hands on the longest stretches of learners that all pass, as a roll finds them.
    #[cfg_attr(module, optimize(speed))]
    pub(super) fn each_found(
        &self,
        roll: &Roll,
        learners: &Records<'_>,
        each: &mut EachStretch<'_>,
    ) -> Result<()> {
        let found = match (&self.name, &self.window) {
            (Some(name), _) => roll.named(name),
            (None, Some(days)) => roll.transferred(days),
            (None, None) => return Ok(()),
        };
        let mut found = found.as_slice();
        while let Some((position, first, count)) = roll.next_run(found) {
            let (here, others) = found.split_at_checked(count).unwrap_or((found, &[]));
            found = others;
            let Some(pinned) = learners.pin(position)? else {
                continue;
            };
            let run = pinned.run()?;
            let mut each = |stretch| each(&run, stretch);
            let mut stretches = Stretches::to(&mut each);
            for number in here {
                let index = (number - first) as usize;
                if self.passes(&run, index)? {
                    stretches.take(index)?;
                }
            }
            stretches.end()?;
        }
        Ok(())
    }

    /// The same of learners of a run, all of which are looked at.
    #[cfg_attr(module, optimize(speed))]
    pub(super) fn each_stretch(
        &self,
        run: &Run<'_>,
        indices: Range<usize>,
        each: &mut dyn FnMut(Range<usize>) -> Result<()>,
    ) -> Result<()> {
        let mut stretches = Stretches::to(each);
        if let Some(name) = &self.name {
            let names = run.lane(NAMES);
            let mut at = 0;
            while let Some(hit) = names.get(at..).and_then(|rest| name.find(rest)) {
                let index = run.record_at(NAMES, at + hit);
                at = end_of(run, index)?;
                if indices.contains(&index) && self.passes(run, index)? {
                    stretches.take(index)?;
                }
            }
        } else {
            let statuses = run.tag_column(STATUS_TAG)?;
            let wanted = self.status.to_le_bytes();
            let only_status =
                self.window.is_none() && self.grades.is_empty() && self.family.is_none();
            for index in indices {
                if statuses.get(index) == Some(&wanted)
                    && (only_status || self.passes(run, index)?)
                {
                    stretches.take(index)?;
                }
            }
        }
        stretches.end()
    }

    /// Everything but the name.
    #[cfg_attr(module, optimize(speed))]
    fn passes(&self, run: &Run<'_>, index: usize) -> Result<bool> {
        let tag = |tag| run.tag(tag, index);
        Ok(tag(STATUS_TAG)? == Some(self.status)
            && match &self.window {
                Some(window) => tag(TRANSFER_TAG)?.is_some_and(|date| window.contains(&date)),
                None => true,
            }
            && (self.grades.is_empty()
                || tag(GRADE_TAG)?.is_some_and(|grade| self.grades.contains(&grade)))
            && (self.family.is_none() || tag(FAMILY_TAG)? == self.family))
    }
}

/// Where the next record's folded name may begin.
fn end_of(run: &Run<'_>, index: usize) -> Result<usize> {
    Ok(run.stretch(NAMES, 0, index + 1)?.len())
}
