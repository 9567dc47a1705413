//! Pagination of a collection (section 9, item 3), in the order of its records or in reverse.

use crate::error::Result;
use crate::query::parameters::date_window::DateWindow;
use crate::store::{Key, PinnedBlock, Records};
use crate::varint;
use std::ops::Range;

/// An encoding of a question. It is the same on every machine and in every version.
#[derive(Default)]
pub(crate) struct Identity(Vec<u8>);

impl Identity {
    pub(crate) fn new(collection: &str) -> Identity {
        let mut identity = Identity(Vec::with_capacity(256));
        identity.bytes_of("", collection.as_bytes());
        identity
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn bytes_of(&mut self, name: &str, value: &[u8]) {
        for part in [name.as_bytes(), value] {
            varint::push_bytes(&mut self.0, part);
        }
    }

    pub(super) fn number(&mut self, name: &str, number: Option<u64>) {
        if let Some(number) = number {
            self.bytes_of(name, &number.to_le_bytes());
        }
    }

    pub(super) fn window(&mut self, window: Option<DateWindow>) {
        if let Some(DateWindow { from, to }) = window {
            self.number("from", Some(from.number()));
            self.number("to", Some(to.number()));
        }
    }

    pub(crate) fn flag(&mut self, name: &str, is_set: bool) {
        if is_set {
            self.bytes_of(name, b"");
        }
    }
}

/// The position of a record in the order of its collection. Positions sort as the records do.
/// Numbers that the collection does not need are 0.
pub(crate) type RecordPosition = [u64; 7];

/// One page of a walk through a collection.
#[derive(Debug)]
pub(crate) struct Walk {
    reverse: bool,
    limit: usize,
    after: Option<RecordPosition>,
    /// Whether the walk returns one record, which the question names, and not a collection.
    is_for_one: bool,
    count: usize,
    last: Option<RecordPosition>,
    has_more: bool,
}

impl Walk {
    /// Creates a walk for a page of at most `limit` records after a position.
    pub(crate) fn page(reverse: bool, limit: usize, after: Option<RecordPosition>) -> Walk {
        Walk {
            reverse,
            limit,
            after,
            is_for_one: false,
            count: 0,
            last: None,
            has_more: false,
        }
    }

    /// Creates a walk for all records at once.
    pub(crate) fn whole() -> Walk {
        Walk::page(false, usize::MAX, None)
    }

    /// Creates a walk for one record, which the question names.
    pub(crate) fn one() -> Walk {
        Walk {
            is_for_one: true,
            ..Walk::page(false, 1, None)
        }
    }

    pub(super) fn is_for_one(&self) -> bool {
        self.is_for_one
    }

    /// Returns true if the walk is in the reverse order of the records.
    pub(super) fn is_reverse(&self) -> bool {
        self.reverse
    }

    /// Returns the number of records of the page.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Returns the position of the page's last record if more records follow it.
    pub(crate) fn next(&self) -> Option<RecordPosition> {
        self.last.filter(|_| self.has_more)
    }

    /// Adds the next record to the page. Returns true if the record is to be written, and false
    /// if the page is already full.
    #[inline]
    pub(super) fn take(&mut self, position: RecordPosition) -> bool {
        if self.count == self.limit {
            self.has_more = true;
            return false;
        }
        self.count += 1;
        self.last = Some(position);
        true
    }

    /// Returns true if all records whose positions begin with `start` precede the page.
    pub(super) fn precedes_page(&self, start: &[u64]) -> bool {
        let Some(after) = self
            .after
            .as_ref()
            .and_then(|after| after.get(..start.len()))
        else {
            return false;
        };
        if self.reverse {
            start > after
        } else {
            start < after
        }
    }

    /// Returns true if a record follows the position after which the page begins.
    pub(super) fn is_after_cursor(&self, position: &RecordPosition) -> bool {
        match &self.after {
            None => true,
            Some(after) if self.reverse => position < after,
            Some(after) => position > after,
        }
    }

    /// Returns the part of an ordered slice that follows the position after which the page
    /// begins.
    pub(super) fn ahead<'a, T>(
        &self,
        things: &'a [T],
        position: impl Fn(&T) -> RecordPosition,
    ) -> &'a [T] {
        let Some(after) = &self.after else {
            return things;
        };
        let rest = if self.reverse {
            0..things.partition_point(|thing| position(thing) < *after)
        } else {
            things.partition_point(|thing| position(thing) <= *after)..things.len()
        };
        things.get(rest).unwrap_or_default()
    }

    /// Limits a range of keys to those that follow the position after which the page begins;
    /// `key` converts this position to a key. Returns `None` if no keys remain.
    pub(super) fn slice_after_cursor(
        &self,
        from: Key,
        to: Key,
        key: impl FnOnce(&RecordPosition) -> Key,
    ) -> Option<(Key, Key)> {
        let Some(after) = self.after.as_ref().map(key) else {
            return Some((from, to));
        };
        let (from, to) = if self.reverse {
            (from, to.min(after.before()?))
        } else {
            (from.max(after.next()?), to)
        };
        (from <= to).then_some((from, to))
    }

    /// Limits a range of keys like [`slice_after_cursor`](Self::slice_after_cursor), but includes
    /// the key of the position itself, because its row may contain more records. `key` returns
    /// `None` if the position is outside of the range.
    pub(super) fn keys_from_cursor(
        &self,
        from: Key,
        to: Key,
        key: impl FnOnce(&RecordPosition) -> Option<Key>,
    ) -> Option<(Key, Key)> {
        let (from, to) = match self.after.as_ref().and_then(key) {
            None => (from, to),
            Some(at) if self.reverse => (from, to.min(at)),
            Some(at) => (from.max(at), to),
        };
        (from <= to).then_some((from, to))
    }

    /// Returns the blocks that contain records of a range of keys, with the indices of those
    /// records, in the walk's direction.
    pub(super) fn blocks<'r, 'a>(
        &self,
        records: &'r Records<'a>,
        (from, to): (Key, Key),
    ) -> impl Iterator<Item = Result<(PinnedBlock<'a>, Range<usize>)>> + use<'r, 'a> {
        records.toward(self.reverse, from, to)
    }

    /// Iterates over an ordered slice in the walk's direction.
    pub(super) fn along<'a, T>(&self, things: &'a [T]) -> impl Iterator<Item = &'a T> + use<'a, T> {
        let indices = self.in_order(0..things.len());
        indices.filter_map(|index| things.get(index))
    }

    /// Iterates over indices in the walk's direction.
    pub(super) fn in_order(&self, indices: Range<usize>) -> impl Iterator<Item = usize> + use<> {
        let reverse = self.reverse;
        (0..indices.len()).map(move |step| {
            if reverse {
                indices.end - 1 - step
            } else {
                indices.start + step
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(first: u64, second: u64) -> RecordPosition {
        [first, second, 0, 0, 0, 0, 0]
    }

    fn key([first, second, ..]: &RecordPosition) -> Key {
        Key(*first, *second)
    }

    #[test]
    fn a_page_shows_whether_more_records_follow() {
        let mut walk = Walk::page(false, 2, None);
        assert!(walk.take(at(1, 0)) && walk.take(at(2, 0)));
        assert_eq!((walk.count(), walk.next()), (2, None));
        assert!(!walk.take(at(3, 0)));
        assert_eq!((walk.count(), walk.next()), (2, Some(at(2, 0))));
    }

    #[test]
    fn the_keys_that_follow_a_position() {
        let all = (Key(1, 0), Key(9, u64::MAX));
        let rest = |reverse, after: Option<RecordPosition>| {
            Walk::page(reverse, 5, after).slice_after_cursor(all.0, all.1, key)
        };
        assert_eq!(rest(false, None), Some(all));
        assert_eq!(rest(false, Some(at(4, 7))), Some((Key(4, 8), all.1)));
        assert_eq!(rest(false, Some(at(4, u64::MAX))), Some((Key(5, 0), all.1)));
        assert_eq!(rest(true, Some(at(4, 0))), Some((all.0, Key(3, u64::MAX))));
        assert_eq!(rest(false, Some(at(0, 7))), Some(all));
        assert_eq!(rest(false, Some(at(u64::MAX, u64::MAX))), None);
        assert_eq!(rest(false, Some(at(9, u64::MAX))), None);
        assert_eq!(rest(true, Some(at(0, 0))), None);
        assert_eq!(rest(true, Some(at(1, 0))), None);
    }

    #[test]
    fn positions_before_and_after_the_cursor() {
        let forwards = Walk::page(false, 5, Some(at(4, 7)));
        let backwards = Walk::page(true, 5, Some(at(4, 7)));
        for (start, past) in [(3, true), (4, false), (5, false)] {
            assert_eq!(forwards.precedes_page(&[start]), past);
        }
        for (start, past) in [(3, false), (4, false), (5, true)] {
            assert_eq!(backwards.precedes_page(&[start]), past);
        }
        assert!(forwards.is_after_cursor(&at(4, 8)) && !forwards.is_after_cursor(&at(4, 7)));
        assert!(backwards.is_after_cursor(&at(4, 6)) && !backwards.is_after_cursor(&at(4, 7)));
        assert!(Walk::whole().is_after_cursor(&at(0, 0)) && !Walk::whole().precedes_page(&[0]));
        let seconds = [6, 7, 8];
        let ahead = |walk: &Walk| walk.ahead(&seconds, |second| at(4, *second)).to_vec();
        assert_eq!(ahead(&forwards), [8]);
        assert_eq!(ahead(&backwards), [6]);
        assert_eq!(ahead(&Walk::whole()), seconds);
        assert!(backwards.along(&[1, 2, 3]).eq(&[3, 2, 1]));
        assert!(forwards.along(&[1, 2, 3]).eq(&[1, 2, 3]));
    }
}
