//! A block contains consecutive records of one partition, in order. It is one value of the store.
//!
//! ```text
//! count u32 · filter columns u16 · columns u16 · length of each column u32 …
//! keys        count × 16     ascending
//! ends        columns × count × u32, the end of each record in the column
//! presence    count × u16    bit t: filter column t is present
//! filter columns        filter columns × count × u64
//! columns       the bytes, one column after the other
//! ```
//!
//! All numbers are little-endian. The filter columns and the ends are separate from the
//! bytes, so that a filter reads few cache lines and a range of records is one copy.
//!
//! The numbers of filter columns and columns never change. In a block of an older version, the
//! last ones may be missing, and are then absent and empty. A block with more of them was written
//! by a newer version.

use super::collection::Layout;
use super::item::Item;
use super::partition::Key;
use crate::error::{Error, Failure, Result};
use std::ops::Range;

/// A parsed block, which borrows the bytes of the stored value.
#[derive(Clone, Copy)]
pub(crate) struct Block<'a> {
    count: usize,
    layout: Layout,
    /// The number of filter columns of the block, at most that of the layout.
    filter_column_count: usize,
    column_count: usize,
    keys: &'a [u8],
    ends: &'a [u8],
    presence: &'a [u8],
    filter_columns: &'a [u8],
    columns: [&'a [u8]; Layout::MAX_COLUMNS],
}

impl<'a> Block<'a> {
    /// Parses the header. The position of each record is checked when the record is accessed. The
    /// order of the records is checked only by [`check`](Self::check).
    #[inline]
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn open(bytes: &'a [u8], layout: Layout) -> Result<Block<'a>> {
        Block::parse(bytes, layout).ok_or_else(|| unreadable(bytes, layout))
    }

    fn parse(bytes: &'a [u8], layout: Layout) -> Option<Block<'a>> {
        let ([count, filter_column_count, column_count], mut rest) = head(bytes)?;
        if filter_column_count > layout.filter_columns || column_count > layout.columns.len() {
            return None;
        }
        let mut lengths = [0; Layout::MAX_COLUMNS];
        for length in lengths.iter_mut().take(column_count) {
            let (read, after) = rest.split_first_chunk()?;
            *length = u32::from_le_bytes(*read) as usize;
            rest = after;
        }
        let mut take = |length: Option<usize>| {
            let (taken, after) = rest.split_at_checked(length?)?;
            rest = after;
            Some(taken)
        };
        let block = Block {
            count,
            layout,
            filter_column_count,
            column_count,
            keys: take(count.checked_mul(Key::BYTES))?,
            ends: take(count.checked_mul(4 * column_count))?,
            presence: take(count.checked_mul(2))?,
            filter_columns: take(count.checked_mul(8 * filter_column_count))?,
            columns: {
                let mut columns = [&[] as &[u8]; Layout::MAX_COLUMNS];
                for (column, length) in columns.iter_mut().zip(lengths).take(column_count) {
                    *column = take(Some(length))?;
                }
                columns
            },
        };
        rest.is_empty().then_some(block)
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Checks that the header matches the content: the keys ascend, no filter column outside the
    /// block is marked as present, and the records fill each column without gaps.
    pub(crate) fn check(&self) -> Result<()> {
        let keys = self.keys.as_chunks::<{ Key::BYTES }>().0;
        let ascend = keys.is_sorted_by(|a, b| key_of(a).number() < key_of(b).number());
        let presences = self.presence.as_chunks::<2>().0.iter();
        let presence = presences.fold(0, |all, bits| all | u16::from_le_bytes(*bits));
        let columns = 0..self.column_count;
        if ascend
            && u32::from(presence) >> self.filter_column_count == 0
            && columns.into_iter().all(|column| self.is_filled(column))
        {
            Ok(())
        } else {
            Err(Error::corrupt(
                "the header of a block does not match its content",
            ))
        }
    }

    /// Returns whether the records of a column follow each other up to its end.
    fn is_filled(&self, column: usize) -> bool {
        let bytes = self.column(column);
        let separator = self.layout.columns.get(column).copied().flatten();
        let mut start = 0;
        for (index, end) in self.ends_of(column).iter().enumerate() {
            if let (Some(separator), 1..) = (separator, index) {
                if bytes.get(start) != Some(&separator) {
                    return false;
                }
                start += 1;
            }
            let end = u32::from_le_bytes(*end) as usize;
            if end < start {
                return false;
            }
            start = end;
        }
        start == bytes.len()
    }

    fn ends_of(&self, column: usize) -> &'a [[u8; 4]] {
        let ends = self
            .ends
            .get(column * self.count * 4..(column + 1) * self.count * 4);
        ends.unwrap_or_default().as_chunks().0
    }

    #[inline]
    pub(crate) fn key(&self, index: usize) -> Result<Key> {
        self.keys
            .get(index * Key::BYTES..)
            .and_then(|keys| keys.first_chunk::<{ Key::BYTES }>())
            .map(key_of)
            .ok_or_else(outside)
    }

    /// Returns the keys of all records in ascending order.
    pub(crate) fn keys(&self) -> impl ExactSizeIterator<Item = Key> + use<'a> {
        let (keys, _) = self.keys.as_chunks::<{ Key::BYTES }>();
        keys.iter().map(key_of)
    }

    /// Returns the index of the first record whose key is at least `key`.
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn lower_bound(&self, key: Key) -> usize {
        let (keys, _) = self.keys.as_chunks::<{ Key::BYTES }>();
        keys.partition_point(|at| key_of(at).number() < key.number())
    }

    /// Returns the end of the records from `first` on whose keys are at most `last`. There are
    /// usually few of them, so the search starts at `first`.
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn end_of(&self, first: usize, last: Key) -> usize {
        let (keys, _) = self.keys.as_chunks::<{ Key::BYTES }>();
        let keys = keys.get(first..).unwrap_or_default();
        let is_within = |at: &[u8; Key::BYTES]| key_of(at).number() <= last.number();
        let (mut start, mut end) = (0, 8);
        while keys.get(end).is_some_and(is_within) {
            (start, end) = (end, 2 * end);
        }
        let part = keys.get(start..end.min(keys.len())).unwrap_or_default();
        first + start + part.partition_point(is_within)
    }

    /// Returns the keys of some records in ascending order.
    #[inline]
    pub(crate) fn keys_of(&self, records: Range<usize>) -> impl Iterator<Item = Key> + use<'a> {
        let keys = self.keys.as_chunks().0.get(records);
        keys.unwrap_or_default().iter().map(key_of)
    }

    /// Returns the index of the record with this key.
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn find(&self, key: Key) -> Option<usize> {
        let index = self.lower_bound(key);
        let found = self.keys.as_chunks::<{ Key::BYTES }>().0.get(index)?;
        (key_of(found) == key).then_some(index)
    }

    /// Like [`find`](Self::find), but first tries a likely index, because records are usually
    /// looked up in order.
    #[inline]
    pub(crate) fn find_from(&self, likely: usize, key: Key) -> Option<usize> {
        match self.keys.as_chunks().0.get(likely) {
            Some(at) if key_of(at) == key => Some(likely),
            _ => self.find(key),
        }
    }

    /// Returns one filter column of all records. The number of a record without this value is
    /// meaningless.
    pub(crate) fn filter_column_numbers(&self, column: usize) -> Result<&'a [[u8; 8]]> {
        self.filter_columns
            .get(column * 8 * self.count..(column + 1) * 8 * self.count)
            .map(|column| column.as_chunks().0)
            .ok_or_else(outside)
    }

    /// Returns one filter column of one record, if the record has it.
    #[inline]
    pub(crate) fn filter_column(&self, column: usize, index: usize) -> Result<Option<u64>> {
        if self.presence_of(index)? >> column & 1 == 0 {
            return Ok(None);
        }
        let numbers = self.filter_column_numbers(column)?;
        let number = numbers.get(index).ok_or_else(outside)?;
        Ok(Some(u64::from_le_bytes(*number)))
    }

    #[inline]
    fn presence_of(&self, index: usize) -> Result<u16> {
        let bits = self.presence.as_chunks().0.get(index);
        bits.map(|bits| u16::from_le_bytes(*bits))
            .ok_or_else(outside)
    }

    #[inline]
    fn end(&self, column: usize, index: usize) -> Option<usize> {
        if index >= self.count {
            return None;
        }
        let at = (column * self.count + index) * 4;
        let end = self.ends.get(at..)?.first_chunk()?;
        Some(u32::from_le_bytes(*end) as usize)
    }

    /// Returns the bytes of one record in a column.
    #[inline]
    pub(crate) fn record(&self, column: usize, index: usize) -> Result<&'a [u8]> {
        self.stretch(column, index, index + 1)
    }

    /// Returns the bytes of the records `from..to` in a column, including the separators between
    /// them.
    #[inline]
    pub(crate) fn stretch(&self, column: usize, from: usize, to: usize) -> Result<&'a [u8]> {
        let stretch = || {
            let span = self.ends_between(column, from, to)?;
            self.columns.get(column)?.get(span)
        };
        stretch().ok_or_else(outside)
    }

    /// Returns the range of the bytes of the records `from..to` in a column.
    #[inline]
    pub(crate) fn span(&self, column: usize, from: usize, to: usize) -> Result<Range<usize>> {
        let span = || {
            let span = self.ends_between(column, from, to)?;
            self.columns.get(column)?.get(span.clone())?;
            Some(span)
        };
        span().ok_or_else(outside)
    }

    /// Returns this range according to the stored ends, which are not checked.
    #[inline]
    fn ends_between(&self, column: usize, from: usize, to: usize) -> Option<Range<usize>> {
        if from >= to {
            return Some(0..0);
        }
        let start = match from.checked_sub(1) {
            None => 0,
            Some(before) => {
                let separator = usize::from(self.layout.columns.get(column)?.is_some());
                self.end(column, before)?.checked_add(separator)?
            }
        };
        Some(start..self.end(column, to - 1)?)
    }

    /// Returns a whole column.
    pub(crate) fn column(&self, column: usize) -> &'a [u8] {
        self.columns.get(column).copied().unwrap_or_default()
    }

    /// Returns the index of the record that contains a byte of a column.
    pub(crate) fn record_at(&self, column: usize, byte: usize) -> usize {
        self.ends_of(column)
            .partition_point(|end| u32::from_le_bytes(*end) as usize <= byte)
    }

    /// Returns the filter columns and the columns of one record.
    pub(crate) fn item(&self, index: usize) -> Result<Item<'a>> {
        let mut item = Item {
            presence: self.presence_of(index)?,
            ..Item::default()
        };
        for (column, number) in item
            .filter_columns
            .iter_mut()
            .enumerate()
            .take(self.filter_column_count)
        {
            *number = self.filter_column(column, index)?.unwrap_or(0);
        }
        for (column, bytes) in item.columns.iter_mut().enumerate().take(self.column_count) {
            *bytes = self.record(column, index)?;
        }
        Ok(item)
    }
}

/// Reads the numbers of records, filter columns and columns at the start of a block.
#[inline]
fn head(bytes: &[u8]) -> Option<([usize; 3], &[u8])> {
    let (count, rest) = bytes.split_first_chunk()?;
    let (filter_columns, rest) = rest.split_first_chunk()?;
    let (columns, rest) = rest.split_first_chunk()?;
    let [filter_columns, columns] =
        [filter_columns, columns].map(|number| usize::from(u16::from_le_bytes(*number)));
    Some((
        [u32::from_le_bytes(*count) as usize, filter_columns, columns],
        rest,
    ))
}

#[cold]
fn unreadable(bytes: &[u8], layout: Layout) -> Failure {
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    match head(bytes) {
        Some(([_, filter_columns, _], _)) if filter_columns > layout.filter_columns => {
            Error::newer(
                "filter column",
                number(filter_columns),
                number(layout.filter_columns),
            )
        }
        Some(([_, _, columns], _)) if columns > layout.columns.len() => {
            Error::newer("column", number(columns), number(layout.columns.len()))
        }
        _ => Error::corrupt("a block of records is truncated"),
    }
}

#[inline]
fn key_of(bytes: &[u8; Key::BYTES]) -> Key {
    let number = u128::from_le_bytes(*bytes);
    #[expect(clippy::cast_possible_truncation, reason = "the halves of the number")]
    Key(number as u64, (number >> 64) as u64)
}

fn outside() -> Failure {
    Error::corrupt("a record is outside its block")
}

#[cfg(test)]
mod tests;
