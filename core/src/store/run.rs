//! A run: records of one partition in order, in one value of the store.
//!
//! ```text
//! count u32 · tags u16 · lanes u16 · length of each lane u32 …
//! keys        count × 16     ascending
//! ends        lanes × count × u32, the end of each record in the lane
//! presence    count × u16    bit t: tag t is there
//! tags        tags × count × u64
//! lanes       the bytes, one lane after the other
//! ```
//!
//! All numbers little-endian. Tags and ends stand apart from the bytes, so
//! that a filter reads few cache lines and a stretch of records is one copy.
//!
//! Tags and lanes are numbered for good. A run of an older version may lack the last
//! ones: there they are absent and empty. One with more is of a newer version.

use super::collection::Layout;
use super::item::Item;
use super::partition::Key;
use crate::error::{Error, Failure, Result};
use std::ops::Range;

/// A run as it lies in the store.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    count: usize,
    layout: Layout,
    /// How many tags and lanes it has: no more than the layout.
    tagged: usize,
    laned: usize,
    keys: &'a [u8],
    ends: &'a [u8],
    presence: &'a [u8],
    tags: &'a [u8],
    lanes: [&'a [u8]; Layout::MAX_LANES],
}

impl<'a> Run<'a> {
    /// Reads the head. Where each record lies is checked as it is taken, whether
    /// the records are in order by [`check`](Self::check).
    #[inline]
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn open(bytes: &'a [u8], layout: Layout) -> Result<Run<'a>> {
        Run::parse(bytes, layout).ok_or_else(|| unreadable(bytes, layout))
    }

    fn parse(bytes: &'a [u8], layout: Layout) -> Option<Run<'a>> {
        let ([count, tagged, laned], mut rest) = head(bytes)?;
        if tagged > layout.tags || laned > layout.lanes.len() {
            return None;
        }
        let mut lengths = [0; Layout::MAX_LANES];
        for length in lengths.iter_mut().take(laned) {
            let (read, after) = rest.split_first_chunk()?;
            *length = u32::from_le_bytes(*read) as usize;
            rest = after;
        }
        let mut take = |length: Option<usize>| {
            let (taken, after) = rest.split_at_checked(length?)?;
            rest = after;
            Some(taken)
        };
        let run = Run {
            count,
            layout,
            tagged,
            laned,
            keys: take(count.checked_mul(Key::BYTES))?,
            ends: take(count.checked_mul(4 * laned))?,
            presence: take(count.checked_mul(2))?,
            tags: take(count.checked_mul(8 * tagged))?,
            lanes: {
                let mut lanes = [&[] as &[u8]; Layout::MAX_LANES];
                for (lane, length) in lanes.iter_mut().zip(lengths).take(laned) {
                    *lane = take(Some(length))?;
                }
                lanes
            },
        };
        rest.is_empty().then_some(run)
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Whether every number of the head fits what it tells of: the keys ascend, no
    /// tag is there that the layout lacks, and the records fill each lane one
    /// after the other.
    pub(crate) fn check(&self) -> Result<()> {
        let keys = self.keys.as_chunks::<{ Key::BYTES }>().0;
        let ascend = keys.is_sorted_by(|a, b| key_of(a).number() < key_of(b).number());
        let presences = self.presence.as_chunks::<2>().0.iter();
        let presence = presences.fold(0, |all, bits| all | u16::from_le_bytes(*bits));
        let lanes = 0..self.laned;
        if ascend
            && u32::from(presence) >> self.tagged == 0
            && lanes.into_iter().all(|lane| self.is_filled(lane))
        {
            Ok(())
        } else {
            Err(Error::corrupt("the head of a run does not fit it"))
        }
    }

    /// Whether the records of a lane lie one after the other up to its end.
    fn is_filled(&self, lane: usize) -> bool {
        let bytes = self.lane(lane);
        let separator = self.layout.lanes.get(lane).copied().flatten();
        let mut start = 0;
        for (index, end) in self.ends_of(lane).iter().enumerate() {
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

    fn ends_of(&self, lane: usize) -> &'a [[u8; 4]] {
        let ends = self
            .ends
            .get(lane * self.count * 4..(lane + 1) * self.count * 4);
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

    /// The keys of all records, ascending.
    pub(crate) fn keys(&self) -> impl ExactSizeIterator<Item = Key> + use<'a> {
        let (keys, _) = self.keys.as_chunks::<{ Key::BYTES }>();
        keys.iter().map(key_of)
    }

    /// The first record whose key is not below this one.
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn lower_bound(&self, key: Key) -> usize {
        let (keys, _) = self.keys.as_chunks::<{ Key::BYTES }>();
        keys.partition_point(|at| key_of(at).number() < key.number())
    }

    /// The end of the records from this one on whose keys are not above that one. They
    /// are mostly few, so the search begins near.
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

    /// The keys of some records, ascending.
    #[inline]
    pub(crate) fn keys_of(&self, records: Range<usize>) -> impl Iterator<Item = Key> + use<'a> {
        let keys = self.keys.as_chunks().0.get(records);
        keys.unwrap_or_default().iter().map(key_of)
    }

    /// Where the record of this key is.
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn find(&self, key: Key) -> Option<usize> {
        let index = self.lower_bound(key);
        let found = self.keys.as_chunks::<{ Key::BYTES }>().0.get(index)?;
        (key_of(found) == key).then_some(index)
    }

    /// The same, where it mostly is this one: records are looked up in their order.
    #[inline]
    pub(crate) fn find_from(&self, likely: usize, key: Key) -> Option<usize> {
        match self.keys.as_chunks().0.get(likely) {
            Some(at) if key_of(at) == key => Some(likely),
            _ => self.find(key),
        }
    }

    /// One tag of every record; where it is absent the number means nothing.
    pub(crate) fn tag_column(&self, tag: usize) -> Result<&'a [[u8; 8]]> {
        self.tags
            .get(tag * 8 * self.count..(tag + 1) * 8 * self.count)
            .map(|column| column.as_chunks().0)
            .ok_or_else(outside)
    }

    /// One tag of one record, if it has it.
    #[inline]
    pub(crate) fn tag(&self, tag: usize, index: usize) -> Result<Option<u64>> {
        if self.presence_of(index)? >> tag & 1 == 0 {
            return Ok(None);
        }
        let column = self.tag_column(tag)?;
        let number = column.get(index).ok_or_else(outside)?;
        Ok(Some(u64::from_le_bytes(*number)))
    }

    #[inline]
    fn presence_of(&self, index: usize) -> Result<u16> {
        let bits = self.presence.as_chunks().0.get(index);
        bits.map(|bits| u16::from_le_bytes(*bits))
            .ok_or_else(outside)
    }

    #[inline]
    fn end(&self, lane: usize, index: usize) -> Option<usize> {
        if index >= self.count {
            return None;
        }
        let at = (lane * self.count + index) * 4;
        let end = self.ends.get(at..)?.first_chunk()?;
        Some(u32::from_le_bytes(*end) as usize)
    }

    /// One record's part of a lane.
    #[inline]
    pub(crate) fn record(&self, lane: usize, index: usize) -> Result<&'a [u8]> {
        self.stretch(lane, index, index + 1)
    }

    /// The part of a lane that the records `from..to` fill, with what stands
    /// between them.
    #[inline]
    pub(crate) fn stretch(&self, lane: usize, from: usize, to: usize) -> Result<&'a [u8]> {
        let stretch = || {
            let span = self.ends_between(lane, from, to)?;
            self.lanes.get(lane)?.get(span)
        };
        stretch().ok_or_else(outside)
    }

    /// Where in a lane that part lies.
    #[inline]
    pub(crate) fn span(&self, lane: usize, from: usize, to: usize) -> Result<Range<usize>> {
        let span = || {
            let span = self.ends_between(lane, from, to)?;
            self.lanes.get(lane)?.get(span.clone())?;
            Some(span)
        };
        span().ok_or_else(outside)
    }

    /// What the ends say of it, which may be anything.
    #[inline]
    fn ends_between(&self, lane: usize, from: usize, to: usize) -> Option<Range<usize>> {
        if from >= to {
            return Some(0..0);
        }
        let start = match from.checked_sub(1) {
            None => 0,
            Some(before) => {
                let separator = usize::from(self.layout.lanes.get(lane)?.is_some());
                self.end(lane, before)?.checked_add(separator)?
            }
        };
        Some(start..self.end(lane, to - 1)?)
    }

    /// A whole lane.
    pub(crate) fn lane(&self, lane: usize) -> &'a [u8] {
        self.lanes.get(lane).copied().unwrap_or_default()
    }

    /// The record that holds this byte of a lane.
    pub(crate) fn record_at(&self, lane: usize, byte: usize) -> usize {
        self.ends_of(lane)
            .partition_point(|end| u32::from_le_bytes(*end) as usize <= byte)
    }

    /// Everything kept of one record.
    pub(crate) fn item(&self, index: usize) -> Result<Item<'a>> {
        let mut item = Item {
            presence: self.presence_of(index)?,
            ..Item::default()
        };
        for (tag, number) in item.tags.iter_mut().enumerate().take(self.tagged) {
            *number = self.tag(tag, index)?.unwrap_or(0);
        }
        for (lane, bytes) in item.lanes.iter_mut().enumerate().take(self.laned) {
            *bytes = self.record(lane, index)?;
        }
        Ok(item)
    }
}

/// The counts of records, tags and lanes that a run begins with.
#[inline]
fn head(bytes: &[u8]) -> Option<([usize; 3], &[u8])> {
    let (count, rest) = bytes.split_first_chunk()?;
    let (tags, rest) = rest.split_first_chunk()?;
    let (lanes, rest) = rest.split_first_chunk()?;
    let [tags, lanes] = [tags, lanes].map(|number| usize::from(u16::from_le_bytes(*number)));
    Some(([u32::from_le_bytes(*count) as usize, tags, lanes], rest))
}

#[cold]
fn unreadable(bytes: &[u8], layout: Layout) -> Failure {
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    match head(bytes) {
        Some(([_, tags, _], _)) if tags > layout.tags => {
            Error::newer("tag", number(tags), number(layout.tags))
        }
        Some(([_, _, lanes], _)) if lanes > layout.lanes.len() => {
            Error::newer("lane", number(lanes), number(layout.lanes.len()))
        }
        _ => Error::corrupt("a run of records is cut"),
    }
}

#[inline]
fn key_of(bytes: &[u8; Key::BYTES]) -> Key {
    let number = u128::from_le_bytes(*bytes);
    #[expect(clippy::cast_possible_truncation, reason = "the halves of the number")]
    Key(number as u64, (number >> 64) as u64)
}

fn outside() -> Failure {
    Error::corrupt("a record lies outside its run")
}

#[cfg(test)]
mod tests {
    use super::super::collection::Collection;
    use super::super::item::ItemBuffer;
    use super::super::run_builder::RunBuilder;
    use super::*;

    const LEARNERS: Layout = Collection::Learners.layout();

    fn run_of(count: u64) -> Result<Vec<u8>> {
        let mut builder = RunBuilder::new(LEARNERS);
        let mut buffer = ItemBuffer::default();
        for id in 0..count {
            buffer.clear();
            buffer.set_tag(0, Some(id * 3));
            buffer.set_tag(2, (id % 2 == 0).then_some(u64::MAX - id));
            let [rendering, facts, name] = &mut buffer.lanes;
            rendering.extend_from_slice(format!("{{\"id\":\"{id}\"}}").as_bytes());
            facts.extend(std::iter::repeat_n(7, usize::try_from(id).unwrap_or(0)));
            name.extend_from_slice(b"ann smith");
            let expected = builder.bytes() + builder.cost(&buffer.item());
            builder.push(Key::one(id * 10), &buffer.item())?;
            assert!(builder.bytes() <= expected);
        }
        let size = builder.bytes();
        let bytes = builder.finish();
        assert_eq!((bytes.len(), builder.len()), (size, 0));
        Ok(bytes)
    }

    #[test]
    fn what_goes_in_comes_out() -> Result<()> {
        let bytes = run_of(9)?;
        let run = Run::open(&bytes, LEARNERS)?;
        assert_eq!((run.len(), run.keys().len()), (9, 9));
        assert_eq!(run.find(Key::one(40)), Some(4));
        assert_eq!(run.find(Key::one(41)), None);
        assert_eq!(run.lower_bound(Key::one(41)), 5);
        assert_eq!(run.lower_bound(Key::MAX), 9);
        for (first, last) in (0..9).flat_map(|first| (first * 10..100).map(move |at| (first, at))) {
            let first = usize::try_from(first).unwrap_or(0);
            assert_eq!(
                run.end_of(first, Key::one(last)),
                run.lower_bound(Key(last, 1))
            );
        }
        assert!(run.keys_of(2..4).eq([Key::one(20), Key::one(30)]));
        assert_eq!(run.tag(0, 4)?, Some(12));
        assert_eq!(run.tag(2, 4)?, Some(u64::MAX - 4));
        assert_eq!(run.tag(2, 5)?, None);
        assert_eq!(run.record(0, 8)?, br#"{"id":"8"}"#);
        assert_eq!(run.stretch(0, 2, 4)?, br#"{"id":"2"},{"id":"3"}"#);
        assert_eq!(run.stretch(0, 4, 4)?, b"");
        assert_eq!(run.record(1, 3)?, [7, 7, 7]);
        assert_eq!(memchr::memchr_iter(0xff, run.lane(2)).count(), 8);
        assert_eq!(run.record_at(2, 0), 0);
        assert_eq!(run.record_at(2, 10), 1);
        assert_eq!(run.item(5)?.tag(2), None);
        assert_eq!(run.item(6)?.tag(2), Some(u64::MAX - 6));
        assert!(run.key(9).is_err() && run.record(0, 9).is_err() && run.item(9).is_err());
        Ok(())
    }

    /// Where the numbers of the head lie that tell of the records, by their size.
    fn numbers(count: usize) -> impl Iterator<Item = (usize, usize)> {
        let lanes = LEARNERS.lanes.len();
        let keys = 8 + 4 * lanes;
        let ends = keys + Key::BYTES * count;
        let counts = [(0, 4), (4, 2), (6, 2)].into_iter();
        let lengths = counts.chain((0..lanes).map(|lane| (8 + 4 * lane, 4)));
        lengths.chain((0..lanes * count).map(move |index| (ends + 4 * index, 4)))
    }

    #[test]
    fn no_number_of_the_head_says_more_than_there_is() -> Result<()> {
        let whole = run_of(5)?;
        Run::open(&whole, LEARNERS)?.check()?;
        for (at, size) in numbers(5) {
            let before = whole.get(at..at + size).unwrap_or_default().to_vec();
            let flipped = (0..8 * size).map(|bit| {
                let mut bytes = before.clone();
                bytes
                    .iter_mut()
                    .skip(bit / 8)
                    .take(1)
                    .for_each(|byte| *byte ^= 1 << (bit % 8));
                bytes
            });
            let set = [0, 1, u32::MAX]
                .map(|number: u32| number.to_le_bytes().into_iter().take(size).collect());
            for bytes in flipped.chain(set).filter(|bytes| *bytes != before) {
                let mut altered = whole.clone();
                altered.splice(at..at + size, bytes);
                let Ok(run) = Run::open(&altered, LEARNERS) else {
                    continue;
                };
                // Nothing stands between the records of the lane of facts.
                let mut facts = numbers(5).skip(6 + 5).take(5);
                let of_facts = facts.any(|(fact, _)| fact == at);
                assert!(of_facts || run.check().is_err(), "{at}");
                for lane in 0..LEARNERS.lanes.len() {
                    for index in 0..=run.len() {
                        let span = run.span(lane, index, index + 1);
                        let within = |span: &Range<usize>| {
                            span.start <= span.end && span.end <= run.lane(lane).len()
                        };
                        assert!(span.as_ref().is_ok_and(within) || span.is_err(), "{at}");
                    }
                }
            }
        }
        Ok(())
    }

    #[test]
    fn keys_out_of_order_and_tags_that_no_layout_has_are_seen() -> Result<()> {
        let whole = run_of(5)?;
        let keys = 8 + 4 * LEARNERS.lanes.len();
        let presence = keys + 5 * (Key::BYTES + 4 * LEARNERS.lanes.len());
        for (at, byte) in [
            (keys, 200),
            (keys + 3 * Key::BYTES, 0),
            (presence + 2 * 2, 0x80),
            (presence + 2 * 2 + 1, 0x80),
        ] {
            let mut altered = whole.clone();
            altered
                .iter_mut()
                .skip(at)
                .take(1)
                .for_each(|at| *at = byte);
            assert!(Run::open(&altered, LEARNERS)?.check().is_err(), "{at}");
        }
        Ok(())
    }

    /// A version with one more tag and one more lane reads what one without wrote, and
    /// writes it as its own; the other way round is refused.
    #[test]
    fn tags_and_lanes_that_came_later() -> Result<()> {
        const OLDER: Layout = Layout::new(6, &[Some(b','), None]);
        let mut builder = RunBuilder::new(OLDER);
        let mut buffer = ItemBuffer::default();
        for id in 0..3 {
            buffer.clear();
            buffer.set_tag(5, Some(id + 7));
            buffer.lanes[0].push(b'x');
            builder.push(Key::one(id), &buffer.item())?;
        }
        let older = builder.finish();
        let run = Run::open(&older, LEARNERS)?;
        run.check()?;
        let mut builder = RunBuilder::new(LEARNERS);
        for (index, key) in run.keys().enumerate() {
            let item = run.item(index)?;
            assert_eq!((item.tag(5), item.tag(6)), (Some(key.0 + 7), None));
            assert_eq!(item.lanes, [b"x" as &[u8], b"", b""]);
            builder.push(key, &item)?;
        }
        let newer = builder.finish();
        Run::open(&newer, LEARNERS)?.check()?;
        let refused = Run::open(&newer, OLDER).map(|run| run.len());
        let refused = refused.map_err(|error| error.code());
        assert_eq!(refused, Err("newer_format"));
        Ok(())
    }

    #[test]
    fn an_empty_run() -> Result<()> {
        let bytes = run_of(0)?;
        let run = Run::open(&bytes, LEARNERS)?;
        assert_eq!((run.len(), run.lower_bound(Key::MIN)), (0, 0));
        Ok(())
    }

    #[test]
    fn a_cut_or_altered_run_never_panics() -> Result<()> {
        let whole = run_of(5)?;
        for length in 0..whole.len() {
            let cut = whole.get(..length).unwrap_or_default();
            assert!(Run::open(cut, LEARNERS).is_err(), "{length}");
        }
        for at in 0..whole.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut altered = whole.clone();
                if let Some(byte) = altered.get_mut(at) {
                    *byte = value;
                }
                let Ok(run) = Run::open(&altered, LEARNERS) else {
                    continue;
                };
                if run.check().is_ok() {
                    let stretches = (0..run.len()).map(|index| run.record(0, index));
                    assert!(stretches.flatten().count() == run.len());
                }
                for index in 0..=run.len().min(8) {
                    let _ = (run.item(index), run.key(index), run.stretch(0, 0, index));
                }
                let _ = (run.find(Key::one(20)), run.record_at(2, 30));
            }
        }
        Ok(())
    }
}
