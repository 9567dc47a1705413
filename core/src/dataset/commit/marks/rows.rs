//! Mark rows: enrolments and marks are put into them and taken out.

use super::address::not_as_indexed;
use super::edit::RowEdit;
use super::{Marks, row_index};
use crate::dataset::commit::deferred::{Deferred, InOrder};
use crate::dataset::commit::direct::decision;
use crate::dataset::commit::tally::Tally;
use crate::dataset::keys;
use crate::dataset::summary::Change;
use crate::error::Result;
use crate::record::{Kind, open_row::OpenRow};
use crate::store::{Collection, Decision, Edits, Item, ItemBuffer, Key, Partition, Write};
use std::collections::HashMap;

impl Marks {
    /// Carries out the edits of rows and waiting marks, then of the index that
    /// tells where a learner has rows.
    pub(in crate::dataset::commit) fn merge(
        &mut self,
        write: &mut Write<'_>,
        tally: &mut Tally,
    ) -> Result<()> {
        let mut edits = self.rows.sorted(write)?;
        let mut index = Deferred::new("row index", super::ROW_INDEX_BYTES);
        while let Some((partition, _)) = edits.address()? {
            if partition.collection == Collection::WaitingMarks {
                let mut waiting = WaitingEdits {
                    edits: &mut edits,
                    tally,
                    partition,
                };
                write.merge(partition, &mut waiting)?;
                continue;
            }
            let wanted = tally.wants(partition.school);
            let assessments = wanted.then(|| keys::slots(write, partition));
            let mut rows = RowEdits {
                edits: &mut edits,
                tally,
                assessments: assessments.transpose()?,
                index: &mut index,
                partition,
            };
            write.merge(partition, &mut rows)?;
            index.spill(write)?;
        }
        row_index::merge(write, &mut index)
    }
}

struct RowEdits<'a, 't> {
    edits: &'a mut InOrder<'t>,
    tally: &'a mut Tally,
    /// The assessments by term and slot, if changed marks are taken down one by one.
    assessments: Option<HashMap<(u64, u64), u64>>,
    index: &'a mut Deferred,
    partition: Partition,
}

impl Edits for RowEdits<'_, '_> {
    fn next_key(&mut self) -> Result<Option<Key>> {
        if self.index.is_full() {
            return Ok(None);
        }
        self.edits.key_in(self.partition)
    }

    fn edit(&mut self, old: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Decision> {
        let Some(Key(term, learner)) = self.next_key()? else {
            return Ok(Decision::Keep);
        };
        let mut row = match &old {
            Some(old) => OpenRow::of(old.lanes[0])?,
            None => OpenRow::default(),
        };
        let (tally, assessments) = (&mut *self.tally, &self.assessments);
        let school = self.partition.school;
        let mut count = |slot, before: &[u8], after: &[u8]| -> Result<()> {
            let change = change(before, after);
            tally.summary.count(Kind::Mark, change);
            let is_told = tally.is_on() && !change.is_none();
            if let Some(assessments) = assessments.as_ref().filter(|_| is_told) {
                let assessment = assessments.get(&(term, slot)).ok_or_else(not_as_indexed)?;
                tally.touch(Kind::Mark, &[school, *assessment, learner]);
            }
            Ok(())
        };
        let mut carry_out = |edit: RowEdit<'_>| {
            let at = |slot| usize::try_from(slot).unwrap_or(usize::MAX);
            match edit {
                RowEdit::Enrol { subject } => row.enrol(subject),
                RowEdit::Leave { subject } => row.leave(subject),
                RowEdit::MoveIn { slot, mark } => row.set(at(slot), mark),
                RowEdit::MoveOut { slot } => row.set(at(slot), NONE),
                RowEdit::Set { slot, mark } => {
                    count(slot, row.mark(at(slot)), mark)?;
                    row.set(at(slot), mark)
                }
                RowEdit::Clear { slot } => {
                    count(slot, row.mark(at(slot)), NONE)?;
                    row.set(at(slot), NONE)
                }
            }
        };
        self.edits
            .each(|edits| RowEdit::each(edits, &mut carry_out))?;
        if old.is_some() == row.is_empty() {
            let Partition {
                school,
                a: grade,
                b: year,
                ..
            } = self.partition;
            let index = Partition::of_year(school, Collection::MarkRowIndex, year);
            let edit = row_index::edit(!row.is_empty(), term);
            self.index.push(index, Key(learner, grade), &edit)?;
        }
        if row.is_empty() {
            return Ok(if old.is_some() {
                Decision::Remove
            } else {
                Decision::Keep
            });
        }
        let [lane, ..] = &mut new.lanes;
        row.encode(lane);
        let same = old.is_some_and(|old| old.lanes[0] == lane.as_slice());
        Ok(if same { Decision::Keep } else { Decision::Put })
    }
}

/// Marks whose assessment is not there.
struct WaitingEdits<'a, 't> {
    edits: &'a mut InOrder<'t>,
    tally: &'a mut Tally,
    partition: Partition,
}

impl Edits for WaitingEdits<'_, '_> {
    fn next_key(&mut self) -> Result<Option<Key>> {
        self.edits.key_in(self.partition)
    }

    fn edit(&mut self, old: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Decision> {
        let [lane, ..] = &mut new.lanes;
        lane.extend_from_slice(old.map_or(&[], |old| old.lanes[0]));
        let tally = &mut *self.tally;
        let Some(Key(assessment, learner)) = self.edits.key_in(self.partition)? else {
            return Ok(Decision::Keep);
        };
        let key = [self.partition.school, assessment, learner];
        let mut carry_out = |edit: RowEdit<'_>| {
            let mark = match edit {
                RowEdit::MoveIn { mark, .. } => mark,
                RowEdit::Set { mark, .. } => {
                    tally.count(Kind::Mark, change(lane, mark), || key);
                    mark
                }
                RowEdit::Clear { .. } => {
                    tally.count(Kind::Mark, change(lane, NONE), || key);
                    NONE
                }
                RowEdit::MoveOut { .. } | RowEdit::Enrol { .. } | RowEdit::Leave { .. } => NONE,
            };
            mark.clone_into(lane);
            Ok(())
        };
        self.edits
            .each(|edits| RowEdit::each(edits, &mut carry_out))?;
        let after = (!lane.is_empty()).then_some(lane.as_slice());
        let before = old.map(|old| old.lanes[0]);
        Ok(decision(Change::of(before, after)))
    }
}

/// The bytes of no mark.
const NONE: &[u8] = &[];

/// What becomes of a mark that a dataset names.
fn change(before: &[u8], after: &[u8]) -> Change {
    let there = |mark: &[u8]| !mark.is_empty();
    Change::of(
        there(before).then_some(before),
        there(after).then_some(after),
    )
}
