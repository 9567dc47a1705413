//! A run: rendered rows that follow one another, in one value.
//!
//! ```text
//! count u32 · bytes of rows u32
//! keys        count × 2 × u64    ascending
//! tags        tags × count × u64
//! row ends    count × u32
//! name ends   count × u32        if there are names
//! rows        joined by commas
//! names       parted by a byte that UTF-8 never has
//! ```
//!
//! All numbers little-endian. What a filter reads stands together, and rows
//! that are wanted one after the other are copied at once.

use super::shared::{NONE, TAGS};
use anyhow::{Context, Result};
use std::ops::Range;

/// The key of a row within its runs.
pub(super) type RowKey = (u64, u64);

/// What the rows of a table have beside their bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub(super) tags: usize,
    pub(super) names: bool,
}

/// Rows without anything beside them.
pub(super) const ROWS: Layout = Layout {
    tags: 0,
    names: false,
};
/// Learners: their facts and folded names.
pub(super) const LEARNERS: Layout = Layout {
    tags: TAGS,
    names: true,
};
/// The subjects of learners: the learner's status.
pub(super) const LEARNER_SUBJECTS: Layout = Layout {
    tags: 1,
    names: false,
};

const NAME_END: u8 = 0xff;

/// A run as it lies in the store.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    keys: &'a [[u8; 16]],
    tags: &'a [[u8; 8]],
    row_ends: &'a [[u8; 4]],
    name_ends: &'a [[u8; 4]],
    rows: &'a [u8],
    names: &'a [u8],
}

impl<'a> Run<'a> {
    #[inline]
    pub(super) fn open(bytes: &'a [u8], layout: Layout) -> Result<Run<'a>> {
        let parts = || {
            let (count, rest) = bytes.split_first_chunk()?;
            let (length, rest) = rest.split_first_chunk()?;
            let count = u32::from_le_bytes(*count) as usize;
            let (keys, rest) = rest.split_at_checked(count * 16)?;
            let (tags, rest) = rest.split_at_checked(count * layout.tags * 8)?;
            let (row_ends, rest) = rest.split_at_checked(count * 4)?;
            let names = if layout.names { count * 4 } else { 0 };
            let (name_ends, rest) = rest.split_at_checked(names)?;
            let (rows, names) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            Some(Run {
                keys: keys.as_chunks().0,
                tags: tags.as_chunks().0,
                row_ends: row_ends.as_chunks().0,
                name_ends: name_ends.as_chunks().0,
                rows,
                names,
            })
        };
        parts().context("a run is cut")
    }

    /// The key of its last row.
    #[inline]
    pub(super) fn last(&self) -> RowKey {
        self.keys.last().map_or((0, 0), key)
    }

    #[inline]
    pub(super) fn key(&self, index: usize) -> RowKey {
        self.keys.get(index).map_or((0, 0), key)
    }

    /// The rows between two keys, both included.
    #[inline]
    pub(super) fn between(&self, from: RowKey, to: RowKey) -> Range<usize> {
        let start = self.keys.partition_point(|at| key(at) < from);
        let end = self.keys.partition_point(|at| key(at) <= to);
        start..end
    }

    #[inline]
    pub(super) fn tag(&self, tag: usize, index: usize) -> u64 {
        let number = self.column(tag).get(index);
        number.copied().map_or(NONE, u64::from_le_bytes)
    }

    /// One tag of every row.
    #[inline]
    pub(super) fn column(&self, tag: usize) -> &'a [[u8; 8]] {
        let count = self.keys.len();
        let column = self.tags.get(tag * count..(tag + 1) * count);
        column.unwrap_or_default()
    }

    /// Rows that follow one another, joined by commas.
    #[inline]
    pub(super) fn rows(&self, indices: Range<usize>) -> &'a [u8] {
        let end = |index: usize| {
            let end = self.row_ends.get(index).copied();
            end.map_or(0, u32::from_le_bytes) as usize
        };
        let start = match indices.start.checked_sub(1) {
            Some(before) => end(before) + 1,
            None => 0,
        };
        let end = indices.end.checked_sub(1).map_or(0, end);
        self.rows.get(start..end).unwrap_or_default()
    }

    /// The folded names of all rows.
    #[inline]
    pub(super) fn names(&self) -> &'a [u8] {
        self.names
    }

    /// The row whose name holds this byte of the names, and where that name
    /// ends.
    #[inline]
    pub(super) fn named_at(&self, byte: usize) -> (usize, usize) {
        let end = |end: &[u8; 4]| u32::from_le_bytes(*end) as usize;
        let index = self.name_ends.partition_point(|at| end(at) <= byte);
        (index, self.name_ends.get(index).map_or(byte, end))
    }
}

#[inline]
fn key(bytes: &[u8; 16]) -> RowKey {
    let number = u128::from_le_bytes(*bytes);
    #[expect(clippy::cast_possible_truncation, reason = "the halves of the number")]
    (number as u64, (number >> 64) as u64)
}

/// A run being made.
pub(super) struct RunBuilder {
    layout: Layout,
    last: RowKey,
    keys: Vec<u8>,
    tags: Vec<Vec<u8>>,
    row_ends: Vec<u8>,
    name_ends: Vec<u8>,
    rows: Vec<u8>,
    names: Vec<u8>,
}

impl RunBuilder {
    pub(super) fn new(layout: Layout) -> RunBuilder {
        RunBuilder {
            layout,
            last: (0, 0),
            keys: Vec::new(),
            tags: vec![Vec::new(); layout.tags],
            row_ends: Vec::new(),
            name_ends: Vec::new(),
            rows: Vec::new(),
            names: Vec::new(),
        }
    }

    /// The key of the last row, if there are rows.
    pub(super) fn last(&self) -> Option<RowKey> {
        (!self.keys.is_empty()).then_some(self.last)
    }

    /// How many bytes the run would have with one more row.
    pub(super) fn bytes_with(&self, row: &str, name: &str) -> usize {
        let each = 16 + self.layout.tags * 8 + 4 + if self.layout.names { 4 } else { 0 };
        let count = self.keys.len() / 16 + 1;
        8 + count * each + self.rows.len() + 1 + row.len() + self.names.len() + 1 + name.len()
    }

    /// Adds a row; its key must be above all before it.
    pub(super) fn push(&mut self, key: RowKey, tags: &[u64], row: &str, name: &str) -> Result<()> {
        if !self.keys.is_empty() {
            self.rows.push(b',');
        }
        self.last = key;
        self.keys.extend_from_slice(&key.0.to_le_bytes());
        self.keys.extend_from_slice(&key.1.to_le_bytes());
        for (column, tag) in self.tags.iter_mut().zip(tags) {
            column.extend_from_slice(&tag.to_le_bytes());
        }
        self.rows.extend_from_slice(row.as_bytes());
        let end = u32::try_from(self.rows.len())?;
        self.row_ends.extend_from_slice(&end.to_le_bytes());
        if self.layout.names {
            self.names.extend_from_slice(name.as_bytes());
            self.names.push(NAME_END);
            let end = u32::try_from(self.names.len())?;
            self.name_ends.extend_from_slice(&end.to_le_bytes());
        }
        Ok(())
    }

    /// The finished run; the builder is empty again.
    pub(super) fn finish(&mut self) -> Result<Vec<u8>> {
        let mut run = Vec::new();
        let count = u32::try_from(self.keys.len() / 16)?;
        run.extend_from_slice(&count.to_le_bytes());
        run.extend_from_slice(&u32::try_from(self.rows.len())?.to_le_bytes());
        run.append(&mut self.keys);
        for column in &mut self.tags {
            run.append(column);
        }
        run.append(&mut self.row_ends);
        run.append(&mut self.name_ends);
        run.append(&mut self.rows);
        run.append(&mut self.names);
        Ok(run)
    }
}
