//! The subjects of learners, and the enrolment in mark rows that follows from them.

use super::PendingMarks;
use super::merged_edits::MergedEdits;
use super::row_edit::RowEdit;
use crate::dataset::commit::change_counter::{ChangeCounter, decision};
use crate::dataset::staging::staging_buffer::Staged;
use crate::dataset::summary::Change;
use crate::error::{Error, Result};
use crate::record::Kind;
use crate::record::kinds::learner_subject::LearnerSubject;
use crate::store::{Collection, Decision, Edits, Item, ItemBuffer, Key, Partition, Write};

impl PendingMarks {
    /// Merges the staged records of the current school and year.
    pub(in crate::dataset::commit) fn learner_subjects(
        &mut self,
        write: &mut Write<'_>,
        staged: &mut Staged<'_>,
        counter: &mut ChangeCounter,
    ) -> Result<()> {
        let Some(head) = staged.head()? else {
            return Ok(());
        };
        let address = head.kind.storage().address(head.words());
        let (partition, _) = address.ok_or_else(|| Error::corrupt("a staged key is damaged"))?;
        let mut edits = Enrolments {
            staged,
            counter,
            rows: &mut self.rows,
            partition,
        };
        // The merge ends early when the edits of rows fill memory. They are then spilled, and the
        // remaining records are merged by the next call.
        write.merge(partition, &mut edits)?;
        self.rows.spill(write)
    }
}

struct Enrolments<'a, 't> {
    staged: &'a mut Staged<'t>,
    counter: &'a mut ChangeCounter,
    rows: &'a mut MergedEdits,
    partition: Partition,
}

impl Enrolments<'_, '_> {
    /// Makes edits of the rows of terms in which a learner drops or takes a subject.
    fn move_rows(&mut self, key: Key, old: &[(u64, u64)], new: &[(u64, u64)]) -> Result<()> {
        let Key(learner, subject) = key;
        let Partition {
            school,
            first: year,
            ..
        } = self.partition;
        let mut push = |(grade, term): (u64, u64), edit: RowEdit<'_>| {
            let rows = Partition::of_grade_year(school, Collection::MarkRows, grade, year);
            self.rows.push(rows, Key(term, learner), edit)
        };
        for term in old.iter().filter(|term| !has(new, term)) {
            push(*term, RowEdit::Leave { subject })?;
        }
        for term in new.iter().filter(|term| !has(old, term)) {
            push(*term, RowEdit::Enrol { subject })?;
        }
        Ok(())
    }
}

/// Returns whether `terms`, which are in ascending order, contain a term with its grade.
fn has(terms: &[(u64, u64)], term: &(u64, u64)) -> bool {
    terms.binary_search(term).is_ok()
}

/// Returns the terms in which a learner is enrolled in a subject, each with its grade, in ascending
/// order.
fn enrolled(bytes: Option<&[u8]>) -> Result<Vec<(u64, u64)>> {
    let mut terms = Vec::new();
    if let Some(bytes) = bytes {
        let record = LearnerSubject::open(bytes)?;
        for term in record.terms() {
            terms.push((record.grade, term?.term));
        }
    }
    terms.sort_unstable();
    terms.dedup();
    Ok(terms)
}

impl Edits for Enrolments<'_, '_> {
    fn next_key(&mut self) -> Result<Option<Key>> {
        if self.rows.is_full() {
            return Ok(None);
        }
        let head = self
            .staged
            .head()?
            .filter(|head| head.kind == Kind::LearnerSubject);
        let address = head.and_then(|head| head.kind.storage().address(head.words()));
        Ok(address
            .filter(|address| address.0 == self.partition)
            .map(|address| address.1))
    }

    fn edit(&mut self, old: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Decision> {
        let key = self.next_key()?.unwrap_or(Key::MIN);
        let [column, ..] = &mut new.columns;
        let put = match self.staged.take()?.put {
            Some(record) => {
                column.extend_from_slice(record);
                true
            }
            None => false,
        };
        let old_bytes = old.as_ref().map(|old| old.columns[0]);
        let new_bytes = put.then_some(column.as_slice());
        let change = Change::between(old_bytes, new_bytes);
        if !change.is_none() {
            self.move_rows(key, &enrolled(old_bytes)?, &enrolled(new_bytes)?)?;
        }
        let (kind, partition) = (Kind::LearnerSubject, self.partition);
        self.counter
            .count(kind, change, || kind.key_of(partition, key));
        Ok(decision(change))
    }
}
