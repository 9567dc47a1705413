//! Assessments lie by grade and year, and each has a place that tells where.

use super::Commit;
use super::marks::spot::{Place, not_at_its_place, place_of};
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
        let old_place = place_of(self.write, school, id)?;
        let mut old = ItemBuffer::default();
        if let Some(place) = old_place {
            let partition = place.partition(school, Collection::Assessments);
            let found = self.write.records(partition)?.get(Key(place.term, id))?;
            let (pinned, index) = found.ok_or_else(not_at_its_place)?;
            old.copy_from(&pinned.run()?.item(index)?);
        }
        let mut new = ItemBuffer::default();
        let new_place = match self.staged.take()?.put {
            Some(mut kept) => {
                let place = Place {
                    grade: ordered::take(&mut kept)?,
                    year: ordered::take(&mut kept)?,
                    term: ordered::take(&mut kept)?,
                };
                decode_item(kept, &mut new)?;
                Some(place)
            }
            None => None,
        };
        let old_slot = match old_place {
            Some(_) => Some(assessment::slot(old.item().tag(SLOT_TAG))?),
            None => None,
        };
        let new_slot = match new_place {
            Some(_) if new_place == old_place => old_slot,
            Some(place) => Some(self.marks.slots.take(self.write, school, place)?),
            None => None,
        };
        new.set_tag(SLOT_TAG, new_slot);
        let change = Change::of(
            old_place.map(|place| (place, old.item())),
            new_place.map(|place| (place, new.item())),
        );
        self.summary.count(Kind::Assessment, change);
        if matches!(change, Change::Unchanged | Change::Absent) {
            return Ok(());
        }
        if old_place != new_place {
            let (from, to) = (old_place.zip(old_slot), new_place.zip(new_slot));
            self.marks.follow(self.write, [school, id], from, to)?;
            self.put_place(school, id, new_place)?;
        }
        if let Some(place) = old_place.filter(|_| old_place != new_place) {
            let partition = place.partition(school, Collection::Assessments);
            self.places.remove(partition, Key(place.term, id))?;
        }
        if let Some(place) = new_place {
            let partition = place.partition(school, Collection::Assessments);
            self.places
                .put(partition, Key(place.term, id), &new.item())?;
        }
        self.places.spill(self.write)
    }

    fn put_place(&mut self, school: u64, id: u64, place: Option<Place>) -> Result<()> {
        let places = Partition::of(school, Collection::AssessmentPlaces);
        let Some(place) = place else {
            return self.places.remove(places, Key::one(id));
        };
        let mut item = ItemBuffer::default();
        item.set_tag(GRADE_TAG, Some(place.grade));
        item.set_tag(YEAR_TAG, Some(place.year));
        item.set_tag(TERM_TAG, Some(place.term));
        self.places.put(places, Key::one(id), &item.item())
    }
}
