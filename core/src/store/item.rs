//! One record as a run holds it: its tags, and its part of each lane.

use super::collection::Layout;

/// One record as a run holds it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Item<'a> {
    /// Bit t: tag t is there. An absent tag is 0 in `tags`.
    pub(crate) presence: u16,
    pub(crate) tags: [u64; Layout::MAX_TAGS],
    pub(crate) lanes: [&'a [u8]; Layout::MAX_LANES],
}

impl Item<'_> {
    pub(crate) fn tag(&self, tag: usize) -> Option<u64> {
        (self.presence >> tag & 1 == 1).then(|| self.tags.get(tag).copied().unwrap_or(0))
    }
}

/// A record being made.
#[derive(Debug, Default)]
pub(crate) struct ItemBuffer {
    presence: u16,
    tags: [u64; Layout::MAX_TAGS],
    pub(crate) lanes: [Vec<u8>; Layout::MAX_LANES],
}

impl ItemBuffer {
    pub(crate) fn clear(&mut self) {
        self.presence = 0;
        self.tags = [0; Layout::MAX_TAGS];
        self.lanes.iter_mut().for_each(Vec::clear);
    }

    pub(crate) fn set_tag(&mut self, tag: usize, number: Option<u64>) {
        if let (Some(slot), Some(number)) = (self.tags.get_mut(tag), number) {
            *slot = number;
            self.presence |= 1 << tag;
        }
    }

    pub(crate) fn item(&self) -> Item<'_> {
        let [a, b, c] = &self.lanes;
        Item {
            presence: self.presence,
            tags: self.tags,
            lanes: [a, b, c],
        }
    }

    pub(crate) fn copy_from(&mut self, item: &Item<'_>) {
        self.clear();
        self.presence = item.presence;
        self.tags = item.tags;
        for (lane, bytes) in self.lanes.iter_mut().zip(item.lanes) {
            lane.extend_from_slice(bytes);
        }
    }
}
