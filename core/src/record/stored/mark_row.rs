//! A mark row: the subjects and the marks of a learner in one grade, year and term.
//!
//! ```text
//! count of subjects · the subjects enrolled in, as ascending differences
//! one mark or a zero byte for each slot, in order, up to the last mark
//! ```
//!
//! A slot belongs to one assessment of the grade, year and term. The assessments determine the
//! order of the slots in an answer, so adding an assessment changes no row. A row contains a
//! byte for each empty slot before its last mark; therefore the number of slots is limited.

use crate::error::{Error, Failure, Result};
use crate::record::kinds::assessment::SLOTS;
use crate::record::kinds::mark;
use crate::varint;

/// The limit for the bytes of all slots of a row.
const MAX_BYTES: usize = SLOTS * mark::MAX_BYTES;

/// A stored mark row.
#[derive(Clone, Default)]
pub(crate) struct MarkRow<'a> {
    subjects: RowSubjects<'a>,
    slots: &'a [u8],
}

impl<'a> MarkRow<'a> {
    /// Opens a row and checks that its subjects ascend. The slots are checked when they are
    /// read.
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn open(bytes: &'a [u8]) -> Result<MarkRow<'a>> {
        let mut rest = bytes;
        let left = varint::take(&mut rest)?;
        let subjects = RowSubjects {
            left,
            last: 0,
            bytes: rest,
        };
        let mut last = None;
        for _ in 0..left {
            let step = varint::take(&mut rest)?;
            last = match last {
                None => Some(step),
                Some(last) if step > 0 => Some(u64::checked_add(last, step).ok_or_else(cut)?),
                Some(_) => return Err(cut()),
            };
        }
        if rest.len() > MAX_BYTES {
            return Err(cut());
        }
        Ok(MarkRow {
            subjects,
            slots: rest,
        })
    }

    /// Returns the subjects that the learner takes, in ascending order.
    pub(crate) fn subjects(&self) -> RowSubjects<'a> {
        self.subjects.clone()
    }

    /// Returns the marks of the row with their slots, in the order of the slots.
    pub(crate) fn marks(&self) -> impl Iterator<Item = Result<(u64, &'a [u8])>> + use<'a> {
        let slots = (0..).zip(self.slots());
        slots.filter_map(|(slot, mark)| match mark {
            Ok(mark) => is_mark(mark).then_some(Ok((slot, mark))),
            Err(error) => Some(Err(error)),
        })
    }

    /// Returns the mark in a slot, if there is one.
    pub(crate) fn mark(&self, slot: u64) -> Result<Option<&'a [u8]>> {
        for mark in self.marks() {
            let (at, mark) = mark?;
            if at >= slot {
                return Ok((at == slot).then_some(mark));
            }
        }
        Ok(None)
    }

    /// Returns the bytes of each slot, in order.
    pub(crate) fn slots(&self) -> Slots<'a> {
        Slots { rest: self.slots }
    }
}

/// The positions of the slots of several rows, for random access to the slots.
///
/// The position of a slot depends on the length of the slot before it. Several rows are
/// therefore processed together, so that the processor waits for the memory of all of them at
/// the same time.
#[derive(Default)]
pub(crate) struct SlotStarts(Vec<[u32; SlotStarts::ROWS]>);

impl SlotStarts {
    /// The number of rows that are processed together.
    pub(crate) const ROWS: usize = 4;

    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn read(&mut self, rows: &[MarkRow<'_>; Self::ROWS]) -> Result<()> {
        self.0.clear();
        let mut at = [0; Self::ROWS];
        loop {
            self.0.push(at);
            let mut ended = true;
            for (at, row) in at.iter_mut().zip(rows) {
                if let Some(flags) = row.slots.get(*at as usize) {
                    *at += mark::length(*flags);
                    ended = false;
                }
            }
            if ended {
                break;
            }
        }
        let mut rows = at.iter().zip(rows);
        if rows.all(|(at, row)| *at as usize == row.slots.len()) {
            Ok(())
        } else {
            Err(cut())
        }
    }

    /// Returns one of the rows that were read.
    #[inline]
    pub(crate) fn row<'a>(
        &'a self,
        rows: &'a [MarkRow<'a>],
        index: usize,
    ) -> Option<IndexedRow<'a>> {
        Some(IndexedRow {
            row: rows.get(index)?,
            starts: &self.0,
            index,
        })
    }
}

/// A row with random access to its slots.
pub(crate) struct IndexedRow<'a> {
    row: &'a MarkRow<'a>,
    starts: &'a [[u32; SlotStarts::ROWS]],
    index: usize,
}

impl<'a> IndexedRow<'a> {
    /// Returns the subjects that the learner takes, in ascending order.
    pub(crate) fn subjects(&self) -> RowSubjects<'a> {
        self.row.subjects()
    }

    /// Returns the rest of the row from the mark in a slot on, which is empty if the slot is
    /// empty.
    #[inline]
    pub(crate) fn mark(&self, slot: usize) -> &'a [u8] {
        let start = self
            .starts
            .get(slot)
            .and_then(|starts| starts.get(self.index));
        let rest = start.and_then(|start| self.row.slots.get(*start as usize..));
        rest.filter(|rest| is_mark(rest)).unwrap_or_default()
    }
}

pub(crate) fn cut() -> Failure {
    Error::corrupt("a row of marks is damaged")
}

/// Returns true if a slot contains a mark.
#[inline]
pub(crate) fn is_mark(slot: &[u8]) -> bool {
    slot.first().is_some_and(|flags| *flags != 0)
}

/// The subjects of an opened row.
#[derive(Clone, Default)]
pub(crate) struct RowSubjects<'a> {
    left: u64,
    last: u64,
    bytes: &'a [u8],
}

impl Iterator for RowSubjects<'_> {
    type Item = u64;

    #[inline]
    #[cfg_attr(module, optimize(speed))]
    fn next(&mut self) -> Option<u64> {
        self.left = self.left.checked_sub(1)?;
        self.last += varint::take(&mut self.bytes).ok()?;
        Some(self.last)
    }
}

pub(crate) struct Slots<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Slots<'a> {
    type Item = Result<&'a [u8]>;

    #[inline]
    fn next(&mut self) -> Option<Result<&'a [u8]>> {
        #[cfg(test)]
        steps::count();
        let flags = self.rest.first()?;
        match self.rest.split_at_checked(mark::length(*flags) as usize) {
            Some((slot, rest)) => {
                self.rest = rest;
                Some(Ok(slot))
            }
            None => {
                self.rest = &[];
                Some(Err(cut()))
            }
        }
    }
}

/// The number of slots that this thread has read, which tests check instead of the time.
#[cfg(test)]
pub(crate) mod steps {
    use std::cell::Cell;

    thread_local! {
        static STEPS: Cell<u64> = const { Cell::new(0) };
    }

    pub(crate) fn count() {
        STEPS.set(STEPS.get() + 1);
    }

    /// Returns the number of steps that a piece of work takes.
    pub(crate) fn count_steps<T>(work: impl FnOnce() -> T) -> (u64, T) {
        let before = STEPS.get();
        let done = work();
        (STEPS.get() - before, done)
    }
}

#[cfg(test)]
mod tests {
    use crate::record::kinds::mark::Mark;
    use crate::record::stored::edited_row::EditedRow;
    use crate::record::stored::mark_row::*;

    fn mark(captured: bool) -> Vec<u8> {
        let mark = Mark {
            captured,
            absent: false,
            dtime: None,
            mark: None,
            percentage: None,
        };
        let mut bytes = Vec::new();
        mark.encode(&mut bytes);
        bytes
    }

    #[test]
    fn subjects_and_slots_are_decoded_unchanged() -> Result<()> {
        let mut row = EditedRow::default();
        for subject in [101, 7, u64::MAX] {
            row.enrol(subject)?;
        }
        assert!(row.enrol(101).is_err() && row.leave(8).is_err());
        row.set(3, &mark(true))?;
        row.set(1, &mark(false))?;
        let mut bytes = Vec::new();
        row.encode(&mut bytes);

        let open = MarkRow::open(&bytes)?;
        assert_eq!(open.subjects().collect::<Vec<_>>(), [7, 101, u64::MAX]);
        assert_eq!(open.mark(1)?, Some(mark(false).as_slice()));
        for empty in [0, 2, 9, u64::MAX] {
            assert_eq!(open.mark(empty)?, None);
        }
        let marks = open.marks().collect::<Result<Vec<_>>>()?;
        let (first, second) = (mark(false), mark(true));
        assert_eq!(marks, [(1, first.as_slice()), (3, second.as_slice())]);
        assert_eq!(open.slots().count(), 4);
        assert_eq!(EditedRow::open(&bytes)?.mark(3), mark(true));

        row.set(3, &[])?;
        row.leave(101)?;
        let mut shorter = Vec::new();
        row.encode(&mut shorter);
        assert_eq!(MarkRow::open(&shorter)?.slots().count(), 2);
        row.set(1, &[])?;
        row.leave(7)?;
        row.leave(u64::MAX)?;
        assert!(row.is_empty());
        Ok(())
    }

    #[test]
    fn rows_processed_together_equal_single_rows() -> Result<()> {
        let mut rows: [Vec<u8>; SlotStarts::ROWS] = Default::default();
        for (bytes, slots) in rows.iter_mut().zip([0_usize, 1, 9, 4]) {
            let mut row = EditedRow::default();
            row.enrol(7)?;
            for slot in (0..slots).filter(|slot| slot % 3 != 1) {
                row.set(slot, &mark(slot % 2 == 0))?;
            }
            row.encode(bytes);
        }
        let mut starts = SlotStarts::default();
        for count in 1..=rows.len() {
            let mut open: [MarkRow<'_>; SlotStarts::ROWS] = Default::default();
            for (open, row) in open.iter_mut().zip(&rows).take(count) {
                *open = MarkRow::open(row)?;
            }
            starts.read(&open)?;
            for (index, row) in open.iter().enumerate().take(count) {
                for number in 0..12_usize {
                    let alone = row.mark(number as u64)?.unwrap_or_default();
                    let walked = starts.row(&open, index);
                    let taken = walked.map_or(&[] as &[u8], |row| row.mark(number));
                    assert!(taken.starts_with(alone) && taken.is_empty() == alone.is_empty());
                }
            }
        }
        let cut = MarkRow::open(&[0, 0x11])?;
        let rows = [
            MarkRow::default(),
            cut,
            MarkRow::default(),
            MarkRow::default(),
        ];
        assert!(starts.read(&rows).is_err());
        Ok(())
    }

    #[test]
    fn a_cut_row_is_an_error() {
        for cut in [&[] as &[u8], &[2, 1], &[0xff], &[0, 0x11]] {
            let read = EditedRow::open(cut);
            assert!(read.is_err(), "{cut:?}");
        }
    }

    #[test]
    fn subjects_that_do_not_ascend_are_an_error() -> Result<()> {
        let mut wrapping = vec![2, 7];
        varint::push(&mut wrapping, u64::MAX);
        for subjects in [vec![2, 7, 0], wrapping] {
            assert!(EditedRow::open(&subjects).is_err(), "{subjects:?}");
        }
        let none = [1, 0];
        let first: Vec<_> = MarkRow::open(&none)?.subjects().collect();
        assert_eq!(first, [0]);
        Ok(())
    }

    #[test]
    fn the_number_of_slots_is_limited() -> Result<()> {
        let mut row = EditedRow::default();
        row.set(SLOTS - 1, &mark(true))?;
        for slot in [SLOTS, 1 << 27, usize::MAX] {
            assert!(row.set(slot, &mark(true)).is_err() && row.set(slot, &[]).is_err());
        }
        let mut bytes = Vec::new();
        row.encode(&mut bytes);
        assert_eq!(EditedRow::open(&bytes)?, row);
        bytes.push(0);
        assert!(EditedRow::open(&bytes).is_err());
        bytes.resize(bytes.len() + MAX_BYTES, 0);
        assert!(MarkRow::open(&bytes).is_err());
        Ok(())
    }
}
