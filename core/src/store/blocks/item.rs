//! One record as it is stored in a block: its filter columns, and its part of each column.

use super::collection::Layout;

/// One record as it is stored in a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Item<'a> {
    /// Bit t is set if filter column t is present. If it is absent, its value in `filter_columns`
    /// is 0.
    pub(crate) presence: u16,
    pub(crate) filter_columns: [u64; Layout::MAX_FILTER_COLUMNS],
    pub(crate) columns: [&'a [u8]; Layout::MAX_COLUMNS],
}

impl Item<'_> {
    pub(crate) fn filter_column(&self, column: usize) -> Option<u64> {
        (self.presence >> column & 1 == 1)
            .then(|| self.filter_columns.get(column).copied().unwrap_or(0))
    }
}

/// A record that is being built.
#[derive(Debug, Default)]
pub(crate) struct ItemBuffer {
    presence: u16,
    filter_columns: [u64; Layout::MAX_FILTER_COLUMNS],
    pub(crate) columns: [Vec<u8>; Layout::MAX_COLUMNS],
}

impl ItemBuffer {
    pub(crate) fn clear(&mut self) {
        self.presence = 0;
        self.filter_columns = [0; Layout::MAX_FILTER_COLUMNS];
        self.columns.iter_mut().for_each(Vec::clear);
    }

    pub(crate) fn set_filter_column(&mut self, column: usize, number: Option<u64>) {
        if let (Some(slot), Some(number)) = (self.filter_columns.get_mut(column), number) {
            *slot = number;
            self.presence |= 1 << column;
        }
    }

    pub(crate) fn item(&self) -> Item<'_> {
        let [a, b, c] = &self.columns;
        Item {
            presence: self.presence,
            filter_columns: self.filter_columns,
            columns: [a, b, c],
        }
    }

    pub(crate) fn copy_from(&mut self, item: &Item<'_>) {
        self.clear();
        self.presence = item.presence;
        self.filter_columns = item.filter_columns;
        for (column, bytes) in self.columns.iter_mut().zip(item.columns) {
            column.extend_from_slice(bytes);
        }
    }
}
