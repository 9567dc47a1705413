//! Assessments lie by grade and year, and each has a place that tells where.

use super::Commit;
use crate::dataset::ordered;
use crate::dataset::staged::decode_item;
use crate::dataset::summary::Fate;
use crate::error::{Error, Result};
use crate::record::Kind;
use crate::record::assessment::{self, GRADE_TAG, SLOT_TAG, TERM_TAG, YEAR_TAG};
use crate::store::{Collection, ItemBuffer, Key, Partition, Reader, Write};

/// The grade, year and term that an assessment belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) grade: u64,
    pub(super) year: u64,
    pub(super) term: u64,
}

impl Place {
    pub(super) fn partition(self, school: u64, collection: Collection) -> Partition {
        Partition::of_grade_year(school, collection, self.grade, self.year)
    }
}

/// Where an assessment lies.
pub(super) fn place_of(write: &Write<'_>, school: u64, assessment: u64) -> Result<Option<Place>> {
    let places = write.records(Partition::of(school, Collection::AssessmentPlaces))?;
    let Some((page, index)) = places.get(Key::one(assessment))? else {
        return Ok(None);
    };
    let run = page.run()?;
    let tag = |tag| run.tag(tag, index)?.ok_or_else(not_at_its_place);
    Ok(Some(Place {
        grade: tag(GRADE_TAG)?,
        year: tag(YEAR_TAG)?,
        term: tag(TERM_TAG)?,
    }))
}

/// The slot of an assessment's marks in the rows of its place.
pub(super) fn slot_of(
    write: &Write<'_>,
    school: u64,
    place: Place,
    assessment: u64,
) -> Result<u64> {
    let partition = place.partition(school, Collection::Assessments);
    let assessments = write.records(partition)?;
    let found = assessments.get(Key(place.term, assessment))?;
    let (page, index) = found.ok_or_else(not_at_its_place)?;
    let slot = page.run()?.tag(SLOT_TAG, index)?;
    assessment::slot(slot)
}

fn not_at_its_place() -> Box<Error> {
    Error::corrupt("an assessment is not at its place")
}

/// Where a learner's mark for an assessment lies: in a slot of a row, or among
/// the waiting ones if the assessment is nowhere.
pub(super) fn spot(
    school: u64,
    assessment: u64,
    learner: u64,
    at: Option<(Place, u64)>,
) -> (Partition, Key, u64) {
    match at {
        Some((place, slot)) => {
            let rows = place.partition(school, Collection::MarkRows);
            (rows, Key(place.term, learner), slot)
        }
        None => {
            let waiting = Partition::of(school, Collection::WaitingMarks);
            (waiting, Key(assessment, learner), 0)
        }
    }
}

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
            let (page, index) = found.ok_or_else(not_at_its_place)?;
            old.copy_from(&page.run()?.item(index)?);
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
            Some(place) => Some(self.slots.take(self.write, school, place)?),
            None => None,
        };
        new.set_tag(SLOT_TAG, new_slot);
        let fate = Fate::of(
            old_place.map(|place| (place, old.item())),
            new_place.map(|place| (place, new.item())),
        );
        self.summary.count(Kind::Assessment, fate);
        if matches!(fate, Fate::Unchanged | Fate::Absent) {
            return Ok(());
        }
        if old_place != new_place {
            self.move_marks(school, id, old_place.zip(old_slot), new_place.zip(new_slot))?;
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
