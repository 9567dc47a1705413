//! Whether what a question reads was seen. Of a school that is synced, what was not
//! seen is unknown, and never taken for nothing. Other schools have all there is.

use super::window::Window;
use super::{LearnerStatus, Query, View};
use crate::date::Date;
use crate::error::{Error, Result};
use crate::record::coverage::{Part, TO_TAG, Unit};
use crate::record::learner::{CURRENT, STATUS_TAG};
use crate::store::{Collection, Key, Partition, Reader};

/// Fails as `not_synced` if a question that is sound, reads
/// what was not seen. `for_one`: it is asked for one record.
#[inline]
pub(crate) fn ensure_seen(question: &dyn Query, view: View<'_>, for_one: bool) -> Result<()> {
    if view.snapshot.has_synced() {
        ensure(question, view, for_one)
    } else {
        Ok(())
    }
}

#[cold]
fn ensure(question: &dyn Query, view: View<'_>, for_one: bool) -> Result<()> {
    let is_unsynced = |school| !view.snapshot.is_synced(school);
    if question.about().is_some_and(is_unsynced) || question.broken_rule(view)?.is_some() {
        return Ok(());
    }
    #[cfg(feature = "sync")]
    if super::followed::ensure_held(question, view)? {
        return Ok(());
    }
    let reads = Reads { view, for_one };
    question.reads(&reads)
}

/// What a question reads; the first that was not seen is an error.
pub(crate) struct Reads<'a> {
    view: View<'a>,
    /// It is asked for one record, which it names.
    pub(super) for_one: bool,
}

impl<'a> Reads<'a> {
    pub(super) fn view(&self) -> View<'a> {
        self.view
    }

    /// The administrative year that answers are of; 0 if there is none.
    pub(super) fn current_year(&self, school: u64) -> Result<u64> {
        let facts = self.view.facts(school)?;
        Ok(self.view.current_year(&facts).unwrap_or(0))
    }

    /// A unit as a whole.
    pub(super) fn whole(&self, school: u64, unit: Unit) -> Result<()> {
        self.any(school, &[unit])
    }

    /// Any of these units, each of which tells all that is read. The last is named if
    /// there is none. Of a learner who was erased it is known that there is nothing.
    pub(super) fn any(&self, school: u64, units: &[Unit]) -> Result<()> {
        if !self.view.snapshot.is_synced(school) {
            return Ok(());
        }
        for unit in units {
            let seen = self.view.snapshot.records(unit.partition(school))?;
            if seen.get(unit.key)?.is_some() || self.is_of_erased(school, *unit)? {
                return Ok(());
            }
        }
        let what = units.last().map_or_else(String::new, |unit| named(*unit));
        Err(not_synced(Some(school), what))
    }

    /// Whether a unit is of one learner, who was erased.
    fn is_of_erased(&self, school: u64, unit: Unit) -> Result<bool> {
        if !unit.part.is_of_learner() {
            return Ok(false);
        }
        let snapshot = self.view.snapshot;
        let erased = Unit::erased(snapshot.cursor_key()?, school, unit.key.0);
        let all = snapshot.records(erased.partition(school))?;
        Ok(all.get(erased.key)?.is_some())
    }

    /// A list that is the same for all schools: known if it has records, or if it was seen
    /// of any school.
    pub(super) fn list(&self, records: Partition, part: Part) -> Result<()> {
        let snapshot = self.view.snapshot;
        if snapshot.records(records)?.runs() > 0 {
            return Ok(());
        }
        let unit = Unit::of(part);
        for school in snapshot.synced() {
            let seen = snapshot.records(unit.partition(*school))?;
            if seen.get(unit.key)?.is_some() {
                return Ok(());
            }
        }
        Err(not_synced(None, part.name().to_owned()))
    }

    /// All days of a window.
    pub(super) fn days(&self, school: u64, part: Part, Window { from, to }: Window) -> Result<()> {
        if !self.view.snapshot.is_synced(school) {
            return Ok(());
        }
        let all = Unit::of(part).partition(school);
        let all = self.view.snapshot.records(all)?;
        // The first day of which it is not known yet that it was seen.
        let mut next = from;
        for pinned in all.between(Key::MIN, Key(to.number(), u64::MAX)) {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            for index in indices {
                let Key(start, _) = run.key(index)?;
                let end = run.tag(TO_TAG, index)?.and_then(Date::from_number);
                let end = end.ok_or_else(|| Error::corrupt("days that were seen have no end"))?;
                if end >= to && start <= next.number() {
                    return Ok(());
                }
                if start <= next.number() && end >= next {
                    next = end.days_after(1);
                }
            }
        }
        Err(not_synced(
            Some(school),
            format!("{} from {next} to {to}", part.name()),
        ))
    }

    /// One record by its id, wherever it would be told of: it is known if it is there.
    pub(super) fn record(
        &self,
        school: u64,
        of: Collection,
        id: u64,
        what: &'static str,
    ) -> Result<()> {
        if !self.view.snapshot.is_synced(school) {
            return Ok(());
        }
        let records = self.view.snapshot.records(Partition::of(school, of))?;
        match records.get(Key::one(id))? {
            Some(_) => Ok(()),
            None => Err(not_synced(Some(school), format!("{what} {id}"))),
        }
    }

    /// A learner who may have left, on whatever day: known if it was seen by itself, or
    /// is known not to have left.
    pub(super) fn left_learner(&self, school: u64, id: u64) -> Result<()> {
        let learners = Partition::of(school, Collection::Learners);
        let learners = self.view.snapshot.records(learners)?;
        let status = match learners.get(Key::one(id))? {
            Some((pinned, index)) => pinned.run()?.tag(STATUS_TAG, index)?,
            None => None,
        };
        if status.is_some_and(|status| status != LearnerStatus::Left as u64) {
            return Ok(());
        }
        self.whole(school, Unit::of_id(Part::LeftLearner, 0, id))
    }

    /// Whether a learner is known to be current.
    pub(super) fn is_current(&self, school: u64, learner: u64) -> Result<bool> {
        let learners = Partition::of(school, Collection::Learners);
        let learners = self.view.snapshot.records(learners)?;
        Ok(match learners.get(Key::one(learner))? {
            Some((pinned, index)) => pinned.run()?.tag(STATUS_TAG, index)? == CURRENT,
            None => false,
        })
    }
}

/// A unit in words.
fn named(unit: Unit) -> String {
    let Unit { part, year, key } = unit;
    let name = part.name();
    match part {
        Part::LearnerSubjects | Part::Marks | Part::Structure => format!("{name} of {year}"),
        Part::MarksOfTerm | Part::StructureOfTerm => {
            format!("{name} {} in term {} of {year}", key.0, key.1)
        }
        Part::LeftLearner => format!("{name} {}", key.0),
        _ if year > 0 => format!("{name} {} in {year}", key.0),
        _ => name.to_owned(),
    }
}

fn not_synced(school: Option<u64>, what: String) -> crate::error::Failure {
    Error::NotSynced { school, what }.into()
}
