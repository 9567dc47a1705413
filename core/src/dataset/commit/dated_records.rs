//! Merges records that are stored by date. A second collection contains the date of each record.

use super::open_commit::Commit;
use crate::dataset::staging::ordered_numbers;
use crate::dataset::staging::staging_buffer::decode_item;
use crate::dataset::summary::Change;
use crate::error::Result;
use crate::record::Kind;
use crate::record::address::{date_of, misplaced};
use crate::record::storage::Dated;
use crate::store::{ItemBuffer, Key, Partition, Reader};

impl Commit<'_, '_> {
    pub(super) fn dated(&mut self, kind: Kind, at: Dated) -> Result<()> {
        let Some(head) = self.staged.head()? else {
            return Ok(());
        };
        let &[school, id] = head.words() else {
            return Ok(());
        };
        let records = Partition::new(school, at.records);
        let dates = Partition::new(school, at.dates);
        let mut old = ItemBuffer::default();
        let old_date = date_of(self.write, at, school, id)?;
        if let Some(date) = old_date {
            let found = self.write.records(records)?.get(Key(date, id))?;
            old.copy_from(&found.ok_or_else(misplaced)?.item()?);
        }
        let mut new = ItemBuffer::default();
        let new_date = match self.staged.take()?.put {
            Some(mut record) => {
                let date = ordered_numbers::take(&mut record)?;
                decode_item(record, &mut new)?;
                Some(date)
            }
            None => None,
        };
        let change = Change::between(
            old_date.map(|date| (date, old.item())),
            new_date.map(|date| (date, new.item())),
        );
        self.counter.summary.count(kind, change);
        if change.is_none() {
            return Ok(());
        }
        let items = [old_date.map(|_| old.item()), new_date.map(|_| new.item())];
        for item in items.into_iter().flatten() {
            let learner = kind.learner(&[school, id], |column| Ok(item.filter_column(column)))?;
            self.counter
                .record(kind, &[school, id, learner.unwrap_or(0)]);
        }
        if let Some(date) = old_date.filter(|date| Some(*date) != new_date) {
            self.records.remove(records, Key(date, id))?;
        }
        match new_date {
            Some(date) => {
                self.records.put(records, Key(date, id), &new.item())?;
                let mut dated = ItemBuffer::default();
                dated.set_filter_column(Dated::DATE_COLUMN, Some(date));
                self.records.put(dates, Key::one(id), &dated.item())?;
            }
            None => self.records.remove(dates, Key::one(id))?,
        }
        self.records.spill(self.write)
    }
}
