//! Looking up many records of one partition within one answer.

use crate::error::Result;
use crate::store::{Key, PinnedRun, Records, Run};

/// Holds the runs that were read last, since the next record often lies in one
/// of them.
pub(super) struct Lookup<'a> {
    records: Records<'a>,
    pages: Vec<Option<Held<'a>>>,
}

struct Held<'a> {
    place: usize,
    pinned: PinnedRun<'a>,
    /// Where the last record was found, or would have been.
    last: usize,
}

/// How many runs are held at most.
const PAGES: usize = 64;

impl<'a> Lookup<'a> {
    pub(super) fn new(records: Records<'a>) -> Lookup<'a> {
        let pages = records.runs().clamp(1, PAGES);
        Lookup {
            records,
            pages: std::iter::repeat_with(|| None).take(pages).collect(),
        }
    }

    /// The run and the place within it that hold a record.
    pub(super) fn find(&mut self, key: Key) -> Result<Option<(Run<'_>, usize)>> {
        let place = self.records.locate(key);
        let slot = place % self.pages.len().max(1);
        let Some(held) = self.pages.get_mut(slot) else {
            return Ok(None);
        };
        if held.as_ref().is_none_or(|held| held.place != place) {
            let pinned = self.records.pin(place)?;
            *held = pinned.map(|pinned| Held {
                place,
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
