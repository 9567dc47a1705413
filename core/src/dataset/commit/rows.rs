//! Mark rows: enrolments and marks are put into them and taken out.

use super::Commit;
use super::deferred::{Deferred, InOrder};
use super::seats;
use crate::dataset::summary::{Fate, Summary};
use crate::error::{Error, Result};
use crate::record::{Kind, mark_row::OpenRow, varint};
use crate::store::{Collection, Edits, Item, ItemBuffer, Key, Outcome, Partition};

/// The learner takes a subject.
pub(super) const ENROL: u8 = 0;
/// The learner takes a subject no more.
pub(super) const LEAVE: u8 = 1;
/// A mark that is kept already comes here.
pub(super) const PLACE: u8 = 2;
/// A mark that stays kept leaves here.
pub(super) const LIFT: u8 = 3;
/// The dataset gives a mark.
pub(super) const SET: u8 = 4;
/// The dataset removes a mark.
pub(super) const CLEAR: u8 = 5;

/// An edit of a row: what to do with a subject, or with the mark of a slot.
pub(super) fn row_edit(operation: u8, subject_or_slot: u64, mark: &[u8]) -> Vec<u8> {
    let mut edit = vec![operation];
    varint::push(&mut edit, subject_or_slot);
    edit.extend_from_slice(mark);
    edit
}

fn split(edit: &[u8]) -> Result<(u8, u64, &[u8])> {
    let damaged = || Error::corrupt("an edit of marks is damaged");
    let (operation, mut rest) = edit.split_first().ok_or_else(damaged)?;
    let number = varint::take(&mut rest)?;
    Ok((*operation, number, rest))
}

impl Commit<'_, '_> {
    /// Carries out the edits of rows and waiting marks, then of the seats that
    /// tell where a learner has rows.
    pub(super) fn merge_rows(&mut self) -> Result<()> {
        let mut edits = self.rows.sorted(self.write)?;
        let mut seats = Deferred::new("seats", super::SEATS_BYTES);
        while let Some((partition, _)) = edits.place()? {
            if partition.collection == Collection::WaitingMarks {
                let mut waiting = WaitingEdits {
                    edits: &mut edits,
                    summary: &mut self.summary,
                    partition,
                };
                self.write.merge(partition, &mut waiting)?;
                continue;
            }
            let mut rows = RowEdits {
                edits: &mut edits,
                summary: &mut self.summary,
                seats: &mut seats,
                partition,
            };
            self.write.merge(partition, &mut rows)?;
            seats.spill(self.write)?;
        }
        seats::merge(self.write, &mut seats)
    }
}

struct RowEdits<'a, 't> {
    edits: &'a mut InOrder<'t>,
    summary: &'a mut Summary,
    seats: &'a mut Deferred,
    partition: Partition,
}

impl Edits for RowEdits<'_, '_> {
    fn next_key(&mut self) -> Result<Option<Key>> {
        if self.seats.is_full() {
            return Ok(None);
        }
        self.edits.key_in(self.partition)
    }

    fn edit(&mut self, old: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Outcome> {
        let Some(Key(term, learner)) = self.next_key()? else {
            return Ok(Outcome::Keep);
        };
        let mut row = match &old {
            Some(old) => OpenRow::of(old.lanes[0])?,
            None => OpenRow::default(),
        };
        let summary = &mut *self.summary;
        self.edits.each(|edit| {
            let (operation, number, mark) = split(edit)?;
            let slot = usize::try_from(number).unwrap_or(usize::MAX);
            match operation {
                ENROL => row.enrol(number)?,
                LEAVE => row.leave(number)?,
                PLACE | LIFT => row.set(slot, mark)?,
                _ => {
                    summary.count(Kind::Mark, fate(row.mark(slot), operation, mark));
                    row.set(slot, mark)?;
                }
            }
            Ok(())
        })?;
        if old.is_some() == row.is_empty() {
            let Partition {
                school,
                a: grade,
                b: year,
                ..
            } = self.partition;
            let place = Partition::of_year(school, Collection::MarkSeats, year);
            let taken = seats::seat_edit(!row.is_empty(), term);
            self.seats.push(place, Key(learner, grade), &taken)?;
        }
        if row.is_empty() {
            return Ok(if old.is_some() {
                Outcome::Remove
            } else {
                Outcome::Keep
            });
        }
        let [lane, ..] = &mut new.lanes;
        row.encode(lane);
        let same = old.is_some_and(|old| old.lanes[0] == lane.as_slice());
        Ok(if same { Outcome::Keep } else { Outcome::Put })
    }
}

/// Marks whose assessment is not there.
struct WaitingEdits<'a, 't> {
    edits: &'a mut InOrder<'t>,
    summary: &'a mut Summary,
    partition: Partition,
}

impl Edits for WaitingEdits<'_, '_> {
    fn next_key(&mut self) -> Result<Option<Key>> {
        self.edits.key_in(self.partition)
    }

    fn edit(&mut self, old: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Outcome> {
        let [lane, ..] = &mut new.lanes;
        lane.extend_from_slice(old.map_or(&[], |old| old.lanes[0]));
        let summary = &mut *self.summary;
        self.edits.each(|edit| {
            let (operation, _, mark) = split(edit)?;
            if matches!(operation, SET | CLEAR) {
                summary.count(Kind::Mark, fate(lane, operation, mark));
            }
            mark.clone_into(lane);
            Ok(())
        })?;
        let after = (!lane.is_empty()).then_some(lane.as_slice());
        let before = old.map(|old| old.lanes[0]);
        Ok(super::direct::outcome(Fate::of(before, after)))
    }
}

/// What becomes of a mark that a dataset names. No mark has no bytes.
fn fate(before: &[u8], operation: u8, mark: &[u8]) -> Fate {
    let there = |mark: &[u8]| !mark.is_empty();
    let after = if operation == SET { mark } else { &[] };
    Fate::of(
        there(before).then_some(before),
        there(after).then_some(after),
    )
}
