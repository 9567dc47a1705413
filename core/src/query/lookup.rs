//! Looking up many records of one partition within one answer.

use crate::Result;
use crate::store::{Key, Page, Records};

/// Holds the runs that were read last, since the next record often lies in one
/// of them.
pub(super) struct Lookup<'a> {
    records: Records<'a>,
    pages: Vec<Option<(usize, Page<'a>)>>,
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
    pub(super) fn find(&mut self, key: Key) -> Result<Option<(&Page<'a>, usize)>> {
        let place = self.records.locate(key);
        let slot = place % self.pages.len().max(1);
        let Some(held) = self.pages.get_mut(slot) else {
            return Ok(None);
        };
        if held.as_ref().is_none_or(|(held, _)| *held != place) {
            *held = self.records.page(place)?.map(|page| (place, page));
        }
        let Some((_, page)) = held else {
            return Ok(None);
        };
        let found = page.run()?.find(key);
        Ok(found.map(|index| (&*page, index)))
    }
}
