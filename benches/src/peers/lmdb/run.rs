//! A run: consecutive pre-rendered rows in one value.
//!
//! ```text
//! count u32 · bytes of rows u32
//! keys        count × 2 × u64    ascending
//! tags        tags × count × u64
//! row ends    count × u32
//! name ends   count × u32        if there are names
//! rows        joined by commas
//! names       separated by a byte that UTF-8 never contains
//! ```
//!
//! All numbers are little-endian. The data for filters is contiguous, and consecutive rows are
//! copied at once.

use super::shared::{NONE, TAGS};
use crate::peers::rendered::{Row, Table};
use anyhow::{Context, Result};
use std::ops::Range;

/// The key of a row within its partition.
pub(super) type RowKey = (u64, u64);

const NAME_END: u8 = 0xff;

/// A parsed run, which borrows the bytes of the stored value.
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
    pub(super) fn open(bytes: &'a [u8], table: Table) -> Result<Run<'a>> {
        let (tags, named) = match table {
            Table::Learners => (TAGS, 1),
            Table::LearnerSubjects => (1, 0),
            _ => (0, 0),
        };
        let parts = || {
            let (count, rest) = bytes.split_first_chunk()?;
            let (length, rest) = rest.split_first_chunk()?;
            let count = u32::from_le_bytes(*count) as usize;
            let (keys, rest) = rest.split_at_checked(count * 16)?;
            let (tags, rest) = rest.split_at_checked(count * tags * 8)?;
            let (row_ends, rest) = rest.split_at_checked(count * 4)?;
            let (name_ends, rest) = rest.split_at_checked(count * named * 4)?;
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

    /// Returns the key of the last row.
    #[inline]
    pub(super) fn last(&self) -> RowKey {
        self.keys.last().map_or((0, 0), key)
    }

    #[inline]
    pub(super) fn key(&self, index: usize) -> RowKey {
        self.keys.get(index).map_or((0, 0), key)
    }

    /// Returns the rows between two keys, both included.
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

    /// Returns one filter value of every row.
    #[inline]
    pub(super) fn column(&self, tag: usize) -> &'a [[u8; 8]] {
        let count = self.keys.len();
        let column = self.tags.get(tag * count..(tag + 1) * count);
        column.unwrap_or_default()
    }

    /// Returns consecutive rows, joined by commas.
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

    /// Returns the folded names of all rows.
    #[inline]
    pub(super) fn names(&self) -> &'a [u8] {
        self.names
    }

    /// Returns the row whose name contains this byte of the names, and the end of that name.
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

/// A run under construction.
#[derive(Default)]
pub(super) struct RunBuilder {
    last: RowKey,
    keys: Vec<u8>,
    tags: Vec<Vec<u8>>,
    row_ends: Vec<u8>,
    name_ends: Vec<u8>,
    rows: Vec<u8>,
    names: Vec<u8>,
}

impl RunBuilder {
    /// Returns the key of the last row, if there are rows.
    pub(super) fn last(&self) -> Option<RowKey> {
        (!self.keys.is_empty()).then_some(self.last)
    }

    /// Returns the length of the run with one more row.
    pub(super) fn bytes_with(&self, row: &Row<'_>) -> usize {
        let named = usize::from(row.table == Table::Learners);
        let each = 16 + row.tags.len() * 8 + 4 + named * 4;
        let count = self.keys.len() / 16 + 1;
        let texts = self.rows.len() + 1 + row.json.len() + self.names.len() + 1 + row.name.len();
        8 + count * each + texts
    }

    /// Adds a row of the same table. Its key must be greater than all keys before it.
    pub(super) fn push(&mut self, row: &Row<'_>) -> Result<()> {
        if !self.keys.is_empty() {
            self.rows.push(b',');
        }
        let mut key = row.key.iter().copied();
        self.last = (key.next().unwrap_or(0), key.next().unwrap_or(0));
        self.keys.extend_from_slice(&self.last.0.to_le_bytes());
        self.keys.extend_from_slice(&self.last.1.to_le_bytes());
        self.tags.resize_with(row.tags.len(), Vec::new);
        for (column, tag) in self.tags.iter_mut().zip(row.tags) {
            column.extend_from_slice(&tag.unwrap_or(NONE).to_le_bytes());
        }
        self.rows.extend_from_slice(row.json.as_bytes());
        let end = u32::try_from(self.rows.len())?;
        self.row_ends.extend_from_slice(&end.to_le_bytes());
        if row.table == Table::Learners {
            self.names.extend_from_slice(row.name.as_bytes());
            self.names.push(NAME_END);
            let end = u32::try_from(self.names.len())?;
            self.name_ends.extend_from_slice(&end.to_le_bytes());
        }
        Ok(())
    }

    /// Returns the finished run.
    pub(super) fn finish(self) -> Result<Vec<u8>> {
        let count = u32::try_from(self.keys.len() / 16)?;
        let rows = u32::try_from(self.rows.len())?;
        let mut run = [count.to_le_bytes(), rows.to_le_bytes()].concat();
        run.extend(self.keys);
        run.extend(self.tags.into_iter().flatten());
        run.extend(self.row_ends);
        run.extend(self.name_ends);
        run.extend(self.rows);
        run.extend(self.names);
        Ok(run)
    }
}
