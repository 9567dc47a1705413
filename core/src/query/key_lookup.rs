//! Looking up many records of one partition within one answer.

use crate::error::Result;
use crate::store::{Key, PinnedRun, Records, Run};

/// Holds the runs that were read last, since the next record often lies in one
/// of them.
pub(super) struct KeyLookup<'a> {
    records: Records<'a>,
    held: Vec<Option<HeldRun<'a>>>,
}

struct HeldRun<'a> {
    position: usize,
    pinned: PinnedRun<'a>,
    /// Where the last record was found, or would have been.
    last: usize,
}

/// How many runs are held at most.
const MOST_HELD: usize = 64;

impl<'a> KeyLookup<'a> {
    pub(super) fn new(records: Records<'a>) -> KeyLookup<'a> {
        let most = records.runs().clamp(1, MOST_HELD);
        KeyLookup {
            records,
            held: std::iter::repeat_with(|| None).take(most).collect(),
        }
    }

    /// The run that holds a record, and its index there.
    #[cfg_attr(module, optimize(speed))]
    pub(super) fn find(&mut self, key: Key) -> Result<Option<(Run<'_>, usize)>> {
        let position = self.records.locate(key);
        let slot = position % self.held.len().max(1);
        let Some(held) = self.held.get_mut(slot) else {
            return Ok(None);
        };
        if held.as_ref().is_none_or(|held| held.position != position) {
            let pinned = self.records.pin(position)?;
            *held = pinned.map(|pinned| HeldRun {
                position,
                pinned,
                last: 0,
            });
        }
        let Some(held) = held else {
            return Ok(None);
        };
        let run = held.pinned.run()?;
        // Records are mostly looked up in their order.
        let found = [held.last, held.last + 1]
            .into_iter()
            .find(|index| run.key(*index).is_ok_and(|at| at == key))
            .or_else(|| run.find(key));
        held.last = found.unwrap_or(held.last);
        Ok(found.map(|index| (run, index)))
    }
}
