//! Absentees lie by date, and each has a place that tells its date.

use super::Commit;
use crate::dataset::ordered;
use crate::dataset::staged::decode_item;
use crate::dataset::summary::Fate;
use crate::error::{Error, Result};
use crate::record::{Kind, absentee::DATE_TAG};
use crate::store::{Collection, ItemBuffer, Key, Partition, Reader};

fn astray() -> Box<Error> {
    Error::corrupt("an absentee is not at its place")
}

impl Commit<'_, '_> {
    pub(super) fn absentee(&mut self) -> Result<()> {
        let Some(head) = self.staged.head()? else {
            return Ok(());
        };
        let &[school, id] = head.words() else {
            return Ok(());
        };
        let absentees = Partition::of(school, Collection::Absentees);
        let places = Partition::of(school, Collection::AbsenteePlaces);
        let mut old = ItemBuffer::default();
        let old_date = match self.write.records(places)?.get(Key::one(id))? {
            Some((page, index)) => Some(page.run()?.tag(DATE_TAG, index)?.ok_or_else(astray)?),
            None => None,
        };
        if let Some(date) = old_date {
            let found = self.write.records(absentees)?.get(Key(date, id))?;
            let (page, index) = found.ok_or_else(astray)?;
            old.copy_from(&page.run()?.item(index)?);
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
        let fate = Fate::of(
            old_date.map(|date| (date, old.item())),
            new_date.map(|date| (date, new.item())),
        );
        self.summary.count(Kind::Absentee, fate);
        if matches!(fate, Fate::Unchanged | Fate::Absent) {
            return Ok(());
        }
        if let Some(date) = old_date.filter(|date| Some(*date) != new_date) {
            self.places.remove(absentees, Key(date, id))?;
        }
        match new_date {
            Some(date) => {
                self.places.put(absentees, Key(date, id), &new.item())?;
                let mut place = ItemBuffer::default();
                place.set_tag(DATE_TAG, Some(date));
                self.places.put(places, Key::one(id), &place.item())?;
            }
            None => self.places.remove(places, Key::one(id))?,
        }
        self.places.spill(self.write)
    }
}
