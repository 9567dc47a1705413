//! Builds blocks. The module `block` describes their layout.

use super::collection::Layout;
use super::item::Item;
use super::partition::Key;
use crate::error::{Error, Result};

/// A block that is being built.
pub(crate) struct BlockBuilder {
    layout: Layout,
    keys: Vec<u8>,
    presence: Vec<u8>,
    filter_columns: [Vec<u8>; Layout::MAX_FILTER_COLUMNS],
    ends: [Vec<u8>; Layout::MAX_COLUMNS],
    columns: [Vec<u8>; Layout::MAX_COLUMNS],
}

impl BlockBuilder {
    pub(crate) fn new(layout: Layout) -> BlockBuilder {
        BlockBuilder {
            layout,
            keys: Vec::new(),
            presence: Vec::new(),
            filter_columns: std::array::from_fn(|_| Vec::new()),
            ends: std::array::from_fn(|_| Vec::new()),
            columns: std::array::from_fn(|_| Vec::new()),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.presence.len() / 2
    }

    /// Returns the size of the block so far.
    pub(crate) fn bytes(&self) -> usize {
        let columns: usize = self.columns.iter().map(Vec::len).sum();
        let head = 8 + 4 * self.layout.columns.len();
        head + self.len() * Self::fixed(self.layout) + columns
    }

    /// Returns an upper limit for the bytes that a record adds.
    pub(crate) fn cost(&self, item: &Item<'_>) -> usize {
        let columns: usize = item.columns.iter().map(|column| column.len() + 1).sum();
        Self::fixed(self.layout) + columns
    }

    fn fixed(layout: Layout) -> usize {
        Key::BYTES + 4 * layout.columns.len() + 2 + 8 * layout.filter_columns
    }

    /// Adds a record. Its key must be greater than all previous ones.
    pub(crate) fn push(&mut self, key: Key, item: &Item<'_>) -> Result<()> {
        let first = self.len() == 0;
        self.keys.extend_from_slice(&key.0.to_le_bytes());
        self.keys.extend_from_slice(&key.1.to_le_bytes());
        self.presence
            .extend_from_slice(&item.presence.to_le_bytes());
        for (column, number) in self
            .filter_columns
            .iter_mut()
            .zip(item.filter_columns)
            .take(self.layout.filter_columns)
        {
            column.extend_from_slice(&number.to_le_bytes());
        }
        let columns = self.columns.iter_mut().zip(&mut self.ends);
        for ((column, ends), (bytes, separator)) in
            columns.zip(item.columns.into_iter().zip(self.layout.columns))
        {
            if let (Some(separator), false) = (separator, first) {
                column.push(*separator);
            }
            column.extend_from_slice(bytes);
            let end = u32::try_from(column.len())
                .map_err(|_| Error::unsupported("a record of more than 4 GiB"))?;
            ends.extend_from_slice(&end.to_le_bytes());
        }
        Ok(())
    }

    /// Returns the finished block, and empties the builder.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.bytes());
        let word = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes();
        let half = |number: usize| u16::try_from(number).unwrap_or(u16::MAX).to_le_bytes();
        bytes.extend_from_slice(&word(self.len()));
        bytes.extend_from_slice(&half(self.layout.filter_columns));
        bytes.extend_from_slice(&half(self.layout.columns.len()));
        for column in self.columns.iter().take(self.layout.columns.len()) {
            bytes.extend_from_slice(&word(column.len()));
        }
        let parts = std::iter::once(&mut self.keys)
            .chain(&mut self.ends)
            .chain(std::iter::once(&mut self.presence))
            .chain(&mut self.filter_columns)
            .chain(&mut self.columns);
        for part in parts {
            bytes.append(part);
        }
        bytes
    }
}
