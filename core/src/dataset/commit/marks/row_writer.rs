//! Applies edits to mark rows: enrolments and marks are added and removed.

use super::row_edit::RowEdit;
use super::{PendingMarks, row_index};
use crate::dataset::commit::change_counter::{ChangeCounter, decision};
use crate::dataset::commit::pending_edits::{Deferred, InOrder};
use crate::dataset::keys;
use crate::dataset::summary::Change;
use crate::error::Result;
use crate::record::Kind;
use crate::record::address::misplaced;
use crate::record::stored::edited_row::EditedRow;
use crate::store::{Collection, Decision, Edits, Item, ItemBuffer, Key, Partition, Write};
use std::collections::HashMap;

impl PendingMarks {
    /// Applies the edits of rows and waiting marks, and then those of the index of rows.
    pub(in crate::dataset::commit) fn merge(
        &mut self,
        write: &mut Write<'_>,
        counter: &mut ChangeCounter,
    ) -> Result<()> {
        let mut edits = self.rows.sorted(write)?;
        let mut index = Deferred::new("row index", super::ROW_INDEX_BYTES);
        while let Some((partition, _)) = edits.address()? {
            if partition.collection == Collection::WaitingMarks {
                let mut waiting = WaitingEdits {
                    edits: &mut edits,
                    counter,
                    partition,
                };
                write.merge(partition, &mut waiting)?;
                continue;
            }
            let needs_keys = counter.needs_keys(partition.school);
            let assessments = needs_keys.then(|| keys::assessments_by_slot(write, partition));
            let mut rows = RowEdits {
                edits: &mut edits,
                counter,
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
    counter: &'a mut ChangeCounter,
    /// The assessments by term and slot, if the journal needs the key of each changed mark.
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
            return Ok(Decision::Unchanged);
        };
        let mut row = match &old {
            Some(old) => EditedRow::open(old.columns[0])?,
            None => EditedRow::default(),
        };
        let (counter, assessments) = (&mut *self.counter, &self.assessments);
        let school = self.partition.school;
        let mut count = |slot, before: &[u8], after: &[u8]| -> Result<()> {
            let change = change(before, after);
            counter.summary.count(Kind::Mark, change);
            let is_recorded = counter.is_on() && !change.is_none();
            if let Some(assessments) = assessments.as_ref().filter(|_| is_recorded) {
                let assessment = assessments.get(&(term, slot)).ok_or_else(misplaced)?;
                counter.record(Kind::Mark, &[school, *assessment, learner]);
            }
            Ok(())
        };
        let mut apply = |edit: RowEdit<'_>| {
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
        self.edits.each(|edits| RowEdit::each(edits, &mut apply))?;
        if old.is_some() == row.is_empty() {
            let Partition {
                school,
                first: grade,
                second: year,
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
                Decision::Unchanged
            });
        }
        let [column, ..] = &mut new.columns;
        row.encode(column);
        let same = old.is_some_and(|old| old.columns[0] == column.as_slice());
        Ok(if same {
            Decision::Unchanged
        } else {
            Decision::Put
        })
    }
}

/// Applies edits of marks whose assessment is not in the store.
struct WaitingEdits<'a, 't> {
    edits: &'a mut InOrder<'t>,
    counter: &'a mut ChangeCounter,
    partition: Partition,
}

impl Edits for WaitingEdits<'_, '_> {
    fn next_key(&mut self) -> Result<Option<Key>> {
        self.edits.key_in(self.partition)
    }

    fn edit(&mut self, old: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Decision> {
        let [column, ..] = &mut new.columns;
        column.extend_from_slice(old.map_or(&[], |old| old.columns[0]));
        let counter = &mut *self.counter;
        let Some(Key(assessment, learner)) = self.edits.key_in(self.partition)? else {
            return Ok(Decision::Unchanged);
        };
        let key = [self.partition.school, assessment, learner];
        let mut apply = |edit: RowEdit<'_>| {
            let mark = match edit {
                RowEdit::MoveIn { mark, .. } => mark,
                RowEdit::Set { mark, .. } => {
                    counter.count(Kind::Mark, change(column, mark), || key);
                    mark
                }
                RowEdit::Clear { .. } => {
                    counter.count(Kind::Mark, change(column, NONE), || key);
                    NONE
                }
                RowEdit::MoveOut { .. } | RowEdit::Enrol { .. } | RowEdit::Leave { .. } => NONE,
            };
            mark.clone_into(column);
            Ok(())
        };
        self.edits.each(|edits| RowEdit::each(edits, &mut apply))?;
        let after = (!column.is_empty()).then_some(column.as_slice());
        let before = old.map(|old| old.columns[0]);
        Ok(decision(Change::between(before, after)))
    }
}

/// The encoding of a missing mark.
const NONE: &[u8] = &[];

/// Returns how a mark that a dataset contains changes.
fn change(before: &[u8], after: &[u8]) -> Change {
    let exists = |mark: &[u8]| !mark.is_empty();
    Change::between(
        exists(before).then_some(before),
        exists(after).then_some(after),
    )
}
