//! The input of a publication, and what follows from it alone.

use super::shrink_guard::Quarantine;
use crate::dataset::replication::stored_fetch_log::FetchLog;
use crate::date::Date;
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::record::replication::fetch_log_entry::{FetchLogEntry, FetchState, PassHead};
use crate::record::{Kind, Value};
use crate::store::{SchoolOwner, Write};
use crate::sync::resources::resource::{Frequency, Resource, Selection};
use crate::sync::resources::resource_request::{ResourceRequest, logged_requests};
use std::collections::HashSet;

/// The part of a pass that is published.
pub(crate) struct Publication<'a> {
    pub(crate) school: u64,
    pub(crate) head: PassHead,
    /// The outcome of each request.
    pub(crate) rows: &'a FetchLog,
    /// The requests whose answers are published, in the order in which they were sent.
    pub(crate) fetched: Vec<ResourceRequest>,
    /// Whether everything of the pass is published, and not only priority requests.
    pub(crate) is_whole: bool,
    /// The instant as of which the published data is valid, in seconds since 1970-01-01T00:00:00Z.
    pub(crate) as_of: i64,
    /// The school's current year.
    pub(crate) year: u64,
    /// Whether an answer of the pass shows the current year.
    pub(crate) is_year_shown: bool,
    /// The ranges of days for which the records of each resource with days are retained: those that
    /// the pass requests, and those that the app requested in the meantime.
    pub(crate) days: Vec<(Resource, Vec<(Date, Date)>)>,
    /// The school's new offset from UTC, if it changes.
    pub(crate) utc_offset: Option<String>,
}

impl Publication<'_> {
    /// Returns whether passes no longer request an answer. This applies to an answer of another
    /// year, to a window that has a day outside the days of this pass, because the records of that
    /// day are removed, and to the structure of a learner that no longer shows changes. An answer
    /// that the app requested in this pass remains until the next one.
    pub(crate) fn is_obsolete(&self, request: ResourceRequest, row: &FetchLogEntry) -> bool {
        let is_indication = request.spec().frequency == Frequency::Indication;
        // Each of these learners is requested in every second pass.
        let asked = row.pass + u64::from(is_indication);
        let year = request
            .year
            .or(row.year.filter(|_| request.is_of_current_year()));
        let is_outside = is_indication
            || year.is_some_and(|year| year != self.year)
            || request
                .days
                .is_some_and(|of| self.are_days_dropped(request.resource, of));
        is_outside && self.is_whole && asked < self.head.pass
    }

    /// Returns whether the records of a grade and year are no longer requested.
    pub(crate) fn is_year_dropped(&self, grade: u64, year: u64) -> bool {
        let is_fetched = |kind| {
            let row = self.rows.get(&CoverageKey::of_id(kind, year, grade));
            row.is_some_and(|row| row.pass == self.head.pass && row.state != FetchState::Failed)
        };
        self.is_whole
            && year != self.year
            && !is_fetched(CoverageKind::MarksOfGrade)
            && !is_fetched(CoverageKind::StructureOfGrade)
    }

    /// Returns whether a record is no longer requested because of its day.
    pub(crate) fn is_day_dropped(&self, kind: Kind, values: &[Value<'_>]) -> bool {
        let mut days = self.days.iter();
        self.is_whole
            && days.any(|(resource, _)| {
                let day = resource.spec().date(kind, values);
                day.is_some_and(|day| self.are_days_dropped(*resource, (day, day)))
            })
    }

    /// Returns whether any of these days is no longer requested.
    fn are_days_dropped(&self, resource: Resource, (from, to): (Date, Date)) -> bool {
        let mut days = self.days.iter();
        days.any(|(of, days)| *of == resource && !covers(days, from, to))
    }

    /// Returns the answers of this pass that are complete: those that are published now, and those
    /// that were unchanged.
    pub(crate) fn complete(&self, quarantined: &Quarantine) -> Vec<ResourceRequest> {
        let fetched: HashSet<ResourceRequest> = self.fetched.iter().copied().collect();
        let answers = logged_requests(self.rows).filter(|(request, row)| match row.state {
            FetchState::Fetched | FetchState::Quarantined | FetchState::Approved => {
                fetched.contains(request) && !quarantined.contains_key(request)
            }
            FetchState::Published => self.is_whole && row.pass == self.head.pass,
            FetchState::Unfetched | FetchState::IndicationOnly | FetchState::Failed => false,
        });
        answers.map(|(request, _)| request).collect()
    }

    /// Returns the requests whose answers are published: not the quarantined ones, and no lists if
    /// the store follows another one, because they belong to its source.
    pub(crate) fn requests(
        &self,
        write: &Write<'_>,
        quarantined: &Quarantine,
    ) -> Vec<ResourceRequest> {
        let follows = write.owners().any(SchoolOwner::is_upstream);
        let is_published = |request: &ResourceRequest| {
            let is_list = request.spec().scope == Selection::AllSchools;
            !(quarantined.contains_key(request) || follows && is_list)
        };
        self.fetched.iter().copied().filter(is_published).collect()
    }

    /// Returns the row of an answer of this pass, if it was read completely.
    pub(crate) fn answer(&self, request: ResourceRequest) -> Option<&FetchLogEntry> {
        let row = self.rows.get(&request.coverage_key(0));
        row.filter(|row| row.pass == self.head.pass && row.state != FetchState::Failed)
    }
}

/// Returns whether the ranges together contain each day from the first to the last.
fn covers(ranges: &[(Date, Date)], from: Date, to: Date) -> bool {
    let day = Date::unix_days;
    let mut next = day(from);
    while next <= day(to) {
        let mut of_day = ranges
            .iter()
            .filter(|(first, last)| (day(*first)..=day(*last)).contains(&next));
        let Some((_, last)) = of_day.next() else {
            return false;
        };
        next = day(*last) + 1;
    }
    true
}
