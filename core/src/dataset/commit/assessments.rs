//! Merges assessments, which are stored by grade and year. An index contains the grade, year and
//! term of each assessment.

use super::open_commit::Commit;
use crate::dataset::staging::ordered_numbers;
use crate::dataset::staging::staging_buffer::decode_item;
use crate::dataset::summary::Change;
use crate::error::Result;
use crate::record::Kind;
use crate::record::address::{GradeTerm, grade_term_of, misplaced};
use crate::record::kinds::assessment::{self, GRADE_COLUMN, SLOT_COLUMN, TERM_COLUMN, YEAR_COLUMN};
use crate::store::{Collection, ItemBuffer, Key, Partition, Reader};

impl Commit<'_, '_> {
    pub(super) fn assessment(&mut self) -> Result<()> {
        let Some(head) = self.staged.head()? else {
            return Ok(());
        };
        let &[school, id] = head.words() else {
            return Ok(());
        };
        let old_at = grade_term_of(self.write, school, id)?;
        let mut old = ItemBuffer::default();
        if let Some(at) = old_at {
            let (partition, key) = at.address(school, id);
            let found = self.write.records(partition)?.get(key)?;
            old.copy_from(&found.ok_or_else(misplaced)?.item()?);
        }
        let mut new = ItemBuffer::default();
        let new_at = match self.staged.take()?.put {
            Some(mut record) => {
                let at = GradeTerm {
                    grade: ordered_numbers::take(&mut record)?,
                    year: ordered_numbers::take(&mut record)?,
                    term: ordered_numbers::take(&mut record)?,
                };
                decode_item(record, &mut new)?;
                Some(at)
            }
            None => None,
        };
        let old_slot = match old_at {
            Some(_) => Some(assessment::slot(old.item().filter_column(SLOT_COLUMN))?),
            None => None,
        };
        let new_slot = match new_at {
            Some(_) if new_at == old_at => old_slot,
            Some(at) => Some(self.marks.slots.take(self.write, school, at)?),
            None => None,
        };
        new.set_filter_column(SLOT_COLUMN, new_slot);
        let change = Change::between(
            old_at.map(|at| (at, old.item())),
            new_at.map(|at| (at, new.item())),
        );
        self.counter
            .count(Kind::Assessment, change, || [school, id]);
        if change.is_none() {
            return Ok(());
        }
        if old_at != new_at {
            let (from, to) = (old_at.zip(old_slot), new_at.zip(new_slot));
            self.marks
                .move_marks_of_assessment(self.write, [school, id], from, to)?;
            self.put_index(school, id, new_at)?;
        }
        if let Some(at) = old_at.filter(|_| old_at != new_at) {
            let (partition, key) = at.address(school, id);
            self.records.remove(partition, key)?;
        }
        if let Some(at) = new_at {
            let (partition, key) = at.address(school, id);
            self.records.put(partition, key, &new.item())?;
        }
        self.records.spill(self.write)
    }

    fn put_index(&mut self, school: u64, id: u64, at: Option<GradeTerm>) -> Result<()> {
        let index = Partition::new(school, Collection::AssessmentIndex);
        let Some(at) = at else {
            return self.records.remove(index, Key::one(id));
        };
        let mut item = ItemBuffer::default();
        item.set_filter_column(GRADE_COLUMN, Some(at.grade));
        item.set_filter_column(YEAR_COLUMN, Some(at.year));
        item.set_filter_column(TERM_COLUMN, Some(at.term));
        self.records.put(index, Key::one(id), &item.item())
    }
}
