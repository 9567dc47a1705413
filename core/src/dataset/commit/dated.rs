//! Records that lie by date, each with its date in a second collection.

use super::Commit;
use crate::dataset::ordered;
use crate::dataset::staged::decode_item;
use crate::dataset::summary::Change;
use crate::error::{Error, Failure, Result};
use crate::record::Kind;
use crate::record::storage::Dated;
use crate::store::{ItemBuffer, Key, Partition, Reader};

fn astray() -> Failure {
    Error::corrupt("a record is not at its date")
}

impl Commit<'_, '_> {
    pub(super) fn dated(&mut self, kind: Kind, at: Dated) -> Result<()> {
        let Some(head) = self.staged.head()? else {
            return Ok(());
        };
        let &[school, id] = head.words() else {
            return Ok(());
        };
        let records = Partition::of(school, at.records);
        let dates = Partition::of(school, at.dates);
        let mut old = ItemBuffer::default();
        let old_date = match self.write.records(dates)?.get(Key::one(id))? {
            Some((pinned, index)) => Some(
                pinned
                    .run()?
                    .tag(Dated::DATE_TAG, index)?
                    .ok_or_else(astray)?,
            ),
            None => None,
        };
        if let Some(date) = old_date {
            let found = self.write.records(records)?.get(Key(date, id))?;
            let (pinned, index) = found.ok_or_else(astray)?;
            old.copy_from(&pinned.run()?.item(index)?);
        }
        let mut new = ItemBuffer::default();
        let new_date = match self.staged.take()?.put {
            Some(mut kept) => {
                let date = ordered::take(&mut kept)?;
                decode_item(kept, &mut new)?;
                Some(date)
            }
            None => None,
        };
        let change = Change::of(
            old_date.map(|date| (date, old.item())),
            new_date.map(|date| (date, new.item())),
        );
        self.tally.summary.count(kind, change);
        if change.is_none() {
            return Ok(());
        }
        let items = [old_date.map(|_| old.item()), new_date.map(|_| new.item())];
        for item in items.into_iter().flatten() {
            let learner = kind.learner(&[school, id], |tag| Ok(item.tag(tag)))?;
            self.tally.touch(kind, &[school, id, learner.unwrap_or(0)]);
        }
        if let Some(date) = old_date.filter(|date| Some(*date) != new_date) {
            self.records.remove(records, Key(date, id))?;
        }
        match new_date {
            Some(date) => {
                self.records.put(records, Key(date, id), &new.item())?;
                let mut tagged = ItemBuffer::default();
                tagged.set_tag(Dated::DATE_TAG, Some(date));
                self.records.put(dates, Key::one(id), &tagged.item())?;
            }
            None => self.records.remove(dates, Key::one(id))?,
        }
        self.records.spill(self.write)
    }
}
