//! A run being made; `run` tells what it looks like.

use super::collection::Layout;
use super::item::Item;
use super::partition::Key;
use crate::error::{Error, Result};

/// A run being made.
pub(crate) struct RunBuilder {
    layout: Layout,
    keys: Vec<u8>,
    presence: Vec<u8>,
    tags: [Vec<u8>; Layout::MAX_TAGS],
    ends: [Vec<u8>; Layout::MAX_LANES],
    lanes: [Vec<u8>; Layout::MAX_LANES],
}

impl RunBuilder {
    pub(crate) fn new(layout: Layout) -> RunBuilder {
        RunBuilder {
            layout,
            keys: Vec::new(),
            presence: Vec::new(),
            tags: std::array::from_fn(|_| Vec::new()),
            ends: std::array::from_fn(|_| Vec::new()),
            lanes: std::array::from_fn(|_| Vec::new()),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.presence.len() / 2
    }

    /// How many bytes the run would have now.
    pub(crate) fn bytes(&self) -> usize {
        let lanes: usize = self.lanes.iter().map(Vec::len).sum();
        let head = 8 + 4 * self.layout.lanes.len();
        head + self.len() * Self::fixed(self.layout) + lanes
    }

    /// How many bytes this record would add at most.
    pub(crate) fn cost(&self, item: &Item<'_>) -> usize {
        let lanes: usize = item.lanes.iter().map(|lane| lane.len() + 1).sum();
        Self::fixed(self.layout) + lanes
    }

    fn fixed(layout: Layout) -> usize {
        Key::BYTES + 4 * layout.lanes.len() + 2 + 8 * layout.tags
    }

    /// Adds a record; its key must be above all before it.
    pub(crate) fn push(&mut self, key: Key, item: &Item<'_>) -> Result<()> {
        let first = self.len() == 0;
        self.keys.extend_from_slice(&key.0.to_le_bytes());
        self.keys.extend_from_slice(&key.1.to_le_bytes());
        self.presence
            .extend_from_slice(&item.presence.to_le_bytes());
        for (column, number) in self.tags.iter_mut().zip(item.tags).take(self.layout.tags) {
            column.extend_from_slice(&number.to_le_bytes());
        }
        let lanes = self.lanes.iter_mut().zip(&mut self.ends);
        for ((lane, ends), (bytes, separator)) in
            lanes.zip(item.lanes.into_iter().zip(self.layout.lanes))
        {
            if let (Some(separator), false) = (separator, first) {
                lane.push(*separator);
            }
            lane.extend_from_slice(bytes);
            let end = u32::try_from(lane.len())
                .map_err(|_| Error::unsupported("a record of more than 4 GiB"))?;
            ends.extend_from_slice(&end.to_le_bytes());
        }
        Ok(())
    }

    /// The finished run; the builder is empty again.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.bytes());
        let word = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes();
        let half = |number: usize| u16::try_from(number).unwrap_or(u16::MAX).to_le_bytes();
        bytes.extend_from_slice(&word(self.len()));
        bytes.extend_from_slice(&half(self.layout.tags));
        bytes.extend_from_slice(&half(self.layout.lanes.len()));
        for lane in self.lanes.iter().take(self.layout.lanes.len()) {
            bytes.extend_from_slice(&word(lane.len()));
        }
        let parts = std::iter::once(&mut self.keys)
            .chain(&mut self.ends)
            .chain(std::iter::once(&mut self.presence))
            .chain(&mut self.tags)
            .chain(&mut self.lanes);
        for part in parts {
            bytes.append(part);
        }
        bytes
    }
}
