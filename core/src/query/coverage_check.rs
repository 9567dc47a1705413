//! The data of schools that a question reads, and the check that it was fetched.

use super::view::View;
use crate::date::Date;
use crate::error::{Error, Result};
use crate::query::parameters::date_window::DateWindow;
use crate::query::parameters::learner_status::LearnerStatus;
use crate::record::kinds::learner::{CURRENT, STATUS_COLUMN};
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind, TO_COLUMN};
use crate::record::replication::erased_learners::is_erased;
use crate::store::{Collection, Key, Partition, Reader};

/// The data that a question reads. The first part of it that was not fetched causes an error.
pub(crate) struct CoverageCheck<'a> {
    pub(super) view: View<'a>,
    /// Whether the question asks for one record, which it names.
    pub(super) for_one: bool,
}

impl<'a> CoverageCheck<'a> {
    pub(super) fn view(&self) -> View<'a> {
        self.view
    }

    /// Returns the administrative year of the answer, or 0 if there is none.
    pub(super) fn current_year(&self, school: u64) -> Result<u64> {
        let facts = self.view.facts(school)?;
        Ok(self.view.current_year(&facts).unwrap_or(0))
    }

    /// Requires that the data of a coverage key was fetched.
    pub(super) fn require(&self, school: u64, coverage_key: CoverageKey) -> Result<()> {
        self.require_any(school, &[coverage_key])
    }

    /// Requires that the data of at least one of these coverage keys was fetched. Each of them
    /// covers all data that is read. The error names the last one. For an erased learner, the
    /// answer is known to be empty.
    pub(super) fn require_any(&self, school: u64, coverage_keys: &[CoverageKey]) -> Result<()> {
        if !self.view.snapshot.owners().get(school).has_coverage() {
            return Ok(());
        }
        for coverage_key in coverage_keys {
            let coverage = self.view.snapshot.records(coverage_key.partition(school))?;
            let is_of_erased = || is_erased(self.view.snapshot, school, coverage_key.key.0);
            if coverage.get(coverage_key.key)?.is_some()
                || coverage_key.kind.is_of_learner() && is_of_erased()?
            {
                return Ok(());
            }
        }
        let what = coverage_keys
            .last()
            .map_or_else(String::new, |coverage_key| named(*coverage_key));
        Err(not_synced(Some(school), what))
    }

    /// Requires a list that is the same for all schools. The list is known if it has records,
    /// or if it was fetched for any school.
    pub(super) fn require_list(&self, records: Partition, kind: CoverageKind) -> Result<()> {
        let snapshot = self.view.snapshot;
        if snapshot.records(records)?.blocks() > 0 {
            return Ok(());
        }
        let coverage_key = CoverageKey::new(kind);
        for school in snapshot.owners().schools() {
            let coverage = snapshot.records(coverage_key.partition(school))?;
            if coverage.get(coverage_key.key)?.is_some() {
                return Ok(());
            }
        }
        Err(not_synced(None, kind.name().to_owned()))
    }

    /// Requires all days of a window.
    pub(super) fn require_days(
        &self,
        school: u64,
        kind: CoverageKind,
        DateWindow { from, to }: DateWindow,
    ) -> Result<()> {
        let all = CoverageKey::new(kind).partition(school);
        let all = self.view.snapshot.records(all)?;
        let mut ranges = all.cursor(Key::MIN, Key(to.number(), u64::MAX));
        // The first day that is not yet known to be fetched.
        let mut next = from;
        while let Some(range) = ranges.next()? {
            let Key(start, _) = range.key()?;
            let end = range.filter_column(TO_COLUMN)?.and_then(Date::from_number);
            let end = end.ok_or_else(|| Error::corrupt("a range of covered days has no end"))?;
            if end >= to && start <= next.number() {
                return Ok(());
            }
            if start <= next.number() && end >= next {
                next = end.days_after(1);
            }
        }
        Err(not_synced(
            Some(school),
            format!("{} from {next} to {to}", kind.name()),
        ))
    }

    /// Requires one record by its id. The record is known if it exists, whichever answer
    /// contained it.
    pub(super) fn require_record(
        &self,
        school: u64,
        of: Collection,
        id: u64,
        what: &'static str,
    ) -> Result<()> {
        let records = self.view.snapshot.records(Partition::new(school, of))?;
        match records.get(Key::one(id))? {
            Some(_) => Ok(()),
            None => Err(not_synced(Some(school), format!("{what} {id}"))),
        }
    }

    /// Requires a learner who may have left on any day. Learners who left are never fetched, so
    /// that the answer is known only if the learner was erased, or is known not to have left.
    pub(super) fn require_left_learner(&self, school: u64, id: u64) -> Result<()> {
        let status = self.status(school, id)?;
        let has_left = status.is_none_or(|status| status == LearnerStatus::Left as u64);
        if has_left && !is_erased(self.view.snapshot, school, id)? {
            return Err(not_synced(Some(school), format!("the learner {id}")));
        }
        Ok(())
    }

    /// Returns true if a learner is known to be current.
    pub(super) fn is_current(&self, school: u64, learner: u64) -> Result<bool> {
        Ok(self.status(school, learner)? == CURRENT)
    }

    fn status(&self, school: u64, learner: u64) -> Result<Option<u64>> {
        let learners = Partition::new(school, Collection::Learners);
        let learners = self.view.snapshot.records(learners)?;
        match learners.get(Key::one(learner))? {
            Some(record) => record.filter_column(STATUS_COLUMN),
            None => Ok(None),
        }
    }
}

/// Describes the data of a coverage key in words.
fn named(coverage_key: CoverageKey) -> String {
    let CoverageKey { kind, year, key } = coverage_key;
    let name = kind.name();
    match kind {
        CoverageKind::LearnerSubjects => format!("{name} of {year}"),
        _ if year > 0 => format!("{name} {} in {year}", key.0),
        _ => name.to_owned(),
    }
}

/// Creates the error that data of a school, or a list of all schools, was not fetched.
pub(super) fn not_synced(school: Option<u64>, what: String) -> crate::error::Failure {
    Error::NotSynced { school, what }.into()
}
