//! Assessments lie by grade and year; an index tells which, and the term.

use super::Commit;
use super::marks::address::{GradeTerm, grade_term_of, not_as_indexed};
use crate::dataset::ordered;
use crate::dataset::staged::decode_item;
use crate::dataset::summary::Change;
use crate::error::Result;
use crate::record::Kind;
use crate::record::assessment::{self, GRADE_TAG, SLOT_TAG, TERM_TAG, YEAR_TAG};
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
            let partition = at.partition(school, Collection::Assessments);
            let found = self.write.records(partition)?.get(Key(at.term, id))?;
            let (pinned, index) = found.ok_or_else(not_as_indexed)?;
            old.copy_from(&pinned.run()?.item(index)?);
        }
        let mut new = ItemBuffer::default();
        let new_at = match self.staged.take()?.put {
            Some(mut kept) => {
                let at = GradeTerm {
                    grade: ordered::take(&mut kept)?,
                    year: ordered::take(&mut kept)?,
                    term: ordered::take(&mut kept)?,
                };
                decode_item(kept, &mut new)?;
                Some(at)
            }
            None => None,
        };
        let old_slot = match old_at {
            Some(_) => Some(assessment::slot(old.item().tag(SLOT_TAG))?),
            None => None,
        };
        let new_slot = match new_at {
            Some(_) if new_at == old_at => old_slot,
            Some(at) => Some(self.marks.slots.take(self.write, school, at)?),
            None => None,
        };
        new.set_tag(SLOT_TAG, new_slot);
        let change = Change::of(
            old_at.map(|at| (at, old.item())),
            new_at.map(|at| (at, new.item())),
        );
        self.tally.count(Kind::Assessment, change, || [school, id]);
        if change.is_none() {
            return Ok(());
        }
        if old_at != new_at {
            let (from, to) = (old_at.zip(old_slot), new_at.zip(new_slot));
            self.marks.follow(self.write, [school, id], from, to)?;
            self.put_index(school, id, new_at)?;
        }
        if let Some(at) = old_at.filter(|_| old_at != new_at) {
            let partition = at.partition(school, Collection::Assessments);
            self.records.remove(partition, Key(at.term, id))?;
        }
        if let Some(at) = new_at {
            let partition = at.partition(school, Collection::Assessments);
            self.records.put(partition, Key(at.term, id), &new.item())?;
        }
        self.records.spill(self.write)
    }

    fn put_index(&mut self, school: u64, id: u64, at: Option<GradeTerm>) -> Result<()> {
        let index = Partition::of(school, Collection::AssessmentIndex);
        let Some(at) = at else {
            return self.records.remove(index, Key::one(id));
        };
        let mut item = ItemBuffer::default();
        item.set_tag(GRADE_TAG, Some(at.grade));
        item.set_tag(YEAR_TAG, Some(at.year));
        item.set_tag(TERM_TAG, Some(at.term));
        self.records.put(index, Key::one(id), &item.item())
    }
}
