//! Walking a collection page by page (section 9, item 3), in the order of its
//! records or against it.

use super::window::Window;
use crate::error::Result;
use crate::record::varint;
use crate::store::{Key, PinnedRun, Records};
use std::ops::Range;

/// What a question is, in bytes that are the same on every machine and for good.
#[derive(Default)]
pub(crate) struct Identity(Vec<u8>);

impl Identity {
    pub(crate) fn of(collection: &str) -> Identity {
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

    pub(super) fn window(&mut self, window: Option<Window>) {
        if let Some(Window { from, to }) = window {
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

/// Where a record stands in the order of its collection: numbers that sort as
/// the records do, those that the collection does not need being 0.
pub(crate) type Position = [u64; 7];

/// A walk along a collection, by a page.
#[derive(Debug)]
pub(crate) struct Walk {
    reverse: bool,
    limit: usize,
    after: Option<Position>,
    /// It is for one record and not for a collection.
    is_for_one: bool,
    count: usize,
    last: Option<Position>,
    has_more: bool,
}

impl Walk {
    /// A page of at most so many records behind a position.
    pub(crate) fn page(reverse: bool, limit: usize, after: Option<Position>) -> Walk {
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

    /// All records at once.
    pub(crate) fn whole() -> Walk {
        Walk::page(false, usize::MAX, None)
    }

    /// One record, which the question names.
    pub(crate) fn one() -> Walk {
        Walk {
            is_for_one: true,
            ..Walk::page(false, 1, None)
        }
    }

    pub(super) fn is_for_one(&self) -> bool {
        self.is_for_one
    }

    /// How many records the page has.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The position of the page's last record, if there are records behind it.
    pub(crate) fn next(&self) -> Option<Position> {
        self.last.filter(|_| self.has_more)
    }

    /// Takes the next record; says that it is to be written, and not that the
    /// page is full without it.
    #[inline]
    pub(super) fn take(&mut self, position: Position) -> bool {
        if self.count == self.limit {
            self.has_more = true;
            return false;
        }
        self.count += 1;
        self.last = Some(position);
        true
    }

    /// Whether all records whose positions begin so lie before the page.
    pub(super) fn is_past(&self, start: &[u64]) -> bool {
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

    /// Whether a record lies behind the position at which the page begins.
    pub(super) fn is_ahead(&self, position: &Position) -> bool {
        match &self.after {
            None => true,
            Some(after) if self.reverse => position < after,
            Some(after) => position > after,
        }
    }

    /// Those of things in order that lie behind the position at which the page
    /// begins.
    pub(super) fn ahead<'a, T>(
        &self,
        things: &'a [T],
        position: impl Fn(&T) -> Position,
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

    /// What is left of the keys from one to another; `key` is the one of the
    /// position behind which the page begins. Nothing if there is nothing left.
    pub(super) fn rest(
        &self,
        from: Key,
        to: Key,
        key: impl FnOnce(&Position) -> Key,
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

    /// As [`rest`](Self::rest), where the record of the key itself may have
    /// more to tell, and where the position may lie outside of these keys.
    pub(super) fn onward(
        &self,
        from: Key,
        to: Key,
        key: impl FnOnce(&Position) -> Option<Key>,
    ) -> Option<(Key, Key)> {
        let (from, to) = match self.after.as_ref().and_then(key) {
            None => (from, to),
            Some(at) if self.reverse => (from, to.min(at)),
            Some(at) => (from.max(at), to),
        };
        (from <= to).then_some((from, to))
    }

    /// The runs that hold records from one key to another, with the indices of
    /// those records, in the walk's direction.
    pub(super) fn runs<'r, 'a>(
        &self,
        records: &'r Records<'a>,
        (from, to): (Key, Key),
    ) -> impl Iterator<Item = Result<(PinnedRun<'a>, Range<usize>)>> + use<'r, 'a> {
        records.toward(self.reverse, from, to)
    }

    /// Things that are in order, in the walk's direction.
    pub(super) fn along<'a, T>(&self, things: &'a [T]) -> impl Iterator<Item = &'a T> + use<'a, T> {
        let indices = self.in_order(0..things.len());
        indices.filter_map(|index| things.get(index))
    }

    /// Indices in the walk's direction.
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

    fn at(first: u64, second: u64) -> Position {
        [first, second, 0, 0, 0, 0, 0]
    }

    fn key([first, second, ..]: &Position) -> Key {
        Key(*first, *second)
    }

    #[test]
    fn a_page_says_whether_more_follows() {
        let mut walk = Walk::page(false, 2, None);
        assert!(walk.take(at(1, 0)) && walk.take(at(2, 0)));
        assert_eq!((walk.count(), walk.next()), (2, None));
        assert!(!walk.take(at(3, 0)));
        assert_eq!((walk.count(), walk.next()), (2, Some(at(2, 0))));
    }

    #[test]
    fn what_is_left_behind_a_position() {
        let all = (Key(1, 0), Key(9, u64::MAX));
        let rest = |reverse, after: Option<Position>| {
            Walk::page(reverse, 5, after).rest(all.0, all.1, key)
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
    fn what_lies_before_and_behind() {
        let forwards = Walk::page(false, 5, Some(at(4, 7)));
        let backwards = Walk::page(true, 5, Some(at(4, 7)));
        for (start, past) in [(3, true), (4, false), (5, false)] {
            assert_eq!(forwards.is_past(&[start]), past);
        }
        for (start, past) in [(3, false), (4, false), (5, true)] {
            assert_eq!(backwards.is_past(&[start]), past);
        }
        assert!(forwards.is_ahead(&at(4, 8)) && !forwards.is_ahead(&at(4, 7)));
        assert!(backwards.is_ahead(&at(4, 6)) && !backwards.is_ahead(&at(4, 7)));
        assert!(Walk::whole().is_ahead(&at(0, 0)) && !Walk::whole().is_past(&[0]));
        let seconds = [6, 7, 8];
        let ahead = |walk: &Walk| walk.ahead(&seconds, |second| at(4, *second)).to_vec();
        assert_eq!(ahead(&forwards), [8]);
        assert_eq!(ahead(&backwards), [6]);
        assert_eq!(ahead(&Walk::whole()), seconds);
        assert!(backwards.along(&[1, 2, 3]).eq(&[3, 2, 1]));
        assert!(forwards.along(&[1, 2, 3]).eq(&[1, 2, 3]));
    }
}
