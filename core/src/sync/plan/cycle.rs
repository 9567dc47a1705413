//! Plans the requests of a pass, phase by phase. Each phase depends on the answers of the one
//! before.

use crate::dataset;
use crate::date::Date;
use crate::error::Result;
use crate::record::field::position;
use crate::record::replication::coverage_key::CoverageKey;
use crate::record::replication::fetch_log_entry::{FetchLogEntry, FetchState};
use crate::record::{Kind, Value};
use crate::sync::fetch::machine::Machine;
use crate::sync::fetch::pass::Pass;
use crate::sync::fetch::status::{FORBIDDEN, UNAUTHORISED};
use crate::sync::resources::phase::Phase;
use crate::sync::resources::resource::{Frequency, Group, LISTINGS, Resource, Selection};
use crate::sync::resources::resource_request::{ResourceRequest, logged_requests};
use crate::sync::step::StopReason;
use std::collections::BTreeSet;

/// The maximum number of further rounds that request answers which changed in the round before.
const MAX_REVALIDATIONS: u8 = 2;

/// The number of `Rotation` answers for which a pass requests one `LargeRotation` answer.
const ANSWERS_A_LARGE_ONE: usize = 25;

/// The number of refused requests to an endpoint after which no more are sent to it.
const REFUSALS: usize = 3;

/// The length of a window of absences or discipline records, in days.
const DAYS: i64 = 30;

impl Machine {
    /// Plans the next phase, and publishes at the end of some phases.
    pub(crate) fn advance(&mut self) -> Result<()> {
        let phase = self.phase;
        let publishes = matches!(
            phase,
            Phase::Rest | Phase::Follow | Phase::Revalidate(_) | Phase::Approved
        );
        if publishes {
            // Other answers of their groups have changed, so these must be read again.
            let others = self.pass.stored_in_groups(&self.pass.groups);
            self.calls.queue.extend(others);
            if !self.calls.queue.is_empty() {
                return Ok(());
            }
            self.publish(None)?;
            // Another writer has changed the stored pass, which starts again.
            if self.phase != phase {
                return Ok(());
            }
        }
        let (phase, planned) = match phase {
            Phase::Start => (Phase::Lists, self.pass.plan_lists()),
            Phase::Lists => (Phase::Year, self.pass.plan_year()?),
            Phase::Year => (Phase::Marks, self.pass.plan_marks()?),
            Phase::Marks => {
                let planned = self.pass.plan_year_check()?;
                if planned.is_empty() {
                    (Phase::Rest, self.pass.plan_rest())
                } else {
                    (Phase::Marks, planned)
                }
            }
            Phase::Rest => {
                // Learners whose marks have changed may also have other marks in their subjects.
                let mut planned = self.pass.plan_learners()?;
                planned.extend(self.pass.plan_structures()?);
                planned.extend(self.pass.plan_showing_learners()?);
                (Phase::Follow, planned)
            }
            Phase::Follow if self.pass.head.is_some_and(|head| head.is_published) => {
                (Phase::Revalidate(1), self.pass.plan_revalidation())
            }
            Phase::Revalidate(round) => self.revalidate(round)?,
            Phase::Follow | Phase::Approved | Phase::Done => (Phase::Done, Vec::new()),
        };
        self.phase = phase;
        self.calls.queue.extend(planned);
        if self.phase == Phase::Done && self.report.stopped.is_none() {
            self.end()?;
            // The next sync requests everything again.
            if !self.pass.has_any_answer() {
                self.report.stopped = Some(StopReason::Incomplete);
            }
        }
        Ok(())
    }

    /// Marks the pass as finished.
    fn end(&mut self) -> Result<()> {
        if self.pass.end()? {
            Ok(())
        } else {
            self.reload()
        }
    }

    /// Requests answers again that have changed in the last round. After the last round it reports
    /// them as unstable instead.
    fn revalidate(&mut self, round: u8) -> Result<(Phase, Vec<ResourceRequest>)> {
        if self.changed.is_empty() {
            return Ok((Phase::Done, Vec::new()));
        }
        if round > MAX_REVALIDATIONS {
            let changed = self.changed.drain(..);
            let targets = changed.map(|request| request.target(self.pass.school));
            self.report.results.unstable = targets.collect();
            return Ok((Phase::Done, Vec::new()));
        }
        let learners = self.pass.plan_learners()?;
        let mut planned = std::mem::take(&mut self.changed);
        planned.extend(learners);
        Ok((Phase::Revalidate(round + 1), planned))
    }
}

impl Pass {
    /// Returns the request that remains to be sent for an answer. For an answer that seldom
    /// changes, returns `None` if it is published, not due and not next in rotation.
    pub(crate) fn plan_request(&self, request: ResourceRequest) -> Option<ResourceRequest> {
        let coverage_key = request.coverage_key(0);
        let row = self.fetch_log.get(&coverage_key);
        let is_published = row.is_some_and(|row| {
            row.state == FetchState::Published && row.to == request.to() && !row.is_due()
        });
        if !is_published || self.rotated.contains(&coverage_key) || self.is_in_every_pass(request) {
            self.remaining_request(request)
        } else {
            None
        }
    }

    /// Returns whether every pass requests an answer.
    fn is_in_every_pass(&self, request: ResourceRequest) -> bool {
        let is_in_last_window = |(from, _)| {
            let windows = self.windows();
            windows.last().is_some_and(|(last, _)| *last == from)
        };
        request.spec().frequency == Frequency::EveryPass
            || request.days.is_some_and(is_in_last_window)
    }

    /// Returns the request that remains to be sent in this pass: the given one if it was not
    /// answered yet, or the one without parents if the service refused the given one.
    pub(crate) fn remaining_request(&self, request: ResourceRequest) -> Option<ResourceRequest> {
        if self.forbidden.contains(request.path()) {
            return None;
        }
        let row = self.fetch_log.get(&request.coverage_key(0));
        let row =
            row.filter(|row| row.pass == self.number() && row.to == request.to() && !row.is_due());
        match row {
            None => Some(request),
            Some(row) if row.without_parents || row.status != FORBIDDEN => None,
            Some(_) => request.excluding_parents(),
        }
    }

    /// Returns the row of an answer of this pass, unless the request failed.
    pub(crate) fn answer(&self, request: ResourceRequest) -> Option<&FetchLogEntry> {
        let row = self.fetch_log.get(&request.coverage_key(0));
        row.filter(|row| row.pass == self.number() && row.state != FetchState::Failed)
    }

    /// Returns the answers to request again in rotation: the oldest of those that seldom change.
    pub(crate) fn oldest(&self) -> BTreeSet<CoverageKey> {
        let pass = self.number();
        let oldest = |frequency: Frequency, count: usize| {
            let rows = logged_requests(&self.fetch_log).filter(|(request, _)| {
                let is_in_rotation = request.year.is_none() && !self.is_in_every_pass(*request);
                request.spec().frequency == frequency && is_in_rotation
            });
            // A resumed pass has already requested some of them.
            let (had, rows): (Vec<_>, Vec<_>) = rows.partition(|(_, row)| row.pass == pass);
            let mut rows: Vec<_> = rows
                .into_iter()
                .map(|(request, row)| (row.age(), request.coverage_key(0)))
                .collect();
            rows.sort_unstable();
            let count = count.saturating_sub(had.len());
            rows.into_iter()
                .take(count)
                .map(|(_, coverage_key)| coverage_key)
        };
        let rotate = self.options.rotate();
        oldest(Frequency::Rotation, rotate)
            .chain(oldest(
                Frequency::LargeRotation,
                rotate.div_ceil(ANSWERS_A_LARGE_ONE),
            ))
            .collect()
    }

    /// Returns the date at the school when the pass began.
    pub(crate) fn today(&self) -> Date {
        let began = self.head.map_or(0, |head| head.began);
        self.offset().today(began)
    }

    fn plan_lists(&self) -> Vec<ResourceRequest> {
        let requests = Resource::of_phase(Phase::Lists).map(ResourceRequest::new);
        requests
            .filter_map(|request| self.plan_request(request))
            .collect()
    }

    /// Returns whether any request of the pass was answered.
    pub(crate) fn has_any_answer(&self) -> bool {
        let mut rows = self.fetch_log.values();
        rows.any(|row| row.pass == self.number() && row.state != FetchState::Failed)
    }

    /// Returns whether the service refuses all requests to an endpoint: it has refused several in
    /// this pass, and answered none.
    pub(crate) fn is_refused(&self, path: &str) -> bool {
        let rows = logged_requests(&self.fetch_log);
        let of_path =
            rows.filter(|(request, row)| row.pass == self.number() && request.path() == path);
        let mut refused = 0;
        for (_, row) in of_path {
            match row.state {
                FetchState::Failed if matches!(row.status, UNAUTHORISED | FORBIDDEN) => {
                    refused += 1;
                }
                FetchState::Failed | FetchState::Unfetched => {}
                _ => return false,
            }
        }
        refused >= REFUSALS
    }

    pub(crate) fn plan_structures(&self) -> Result<Vec<ResourceRequest>> {
        Ok(self.request_each(Phase::Year, Selection::Grade, &self.grades()?))
    }

    /// Requests the subjects of learners that are new, that take other subjects than before, or
    /// that are next in rotation.
    pub(crate) fn plan_learners(&self) -> Result<Vec<ResourceRequest>> {
        Ok(self.request_each(Phase::Year, Selection::Learner, &self.listed()?))
    }

    fn plan_marks(&self) -> Result<Vec<ResourceRequest>> {
        let mut planned = self.plan_structures()?;
        planned.extend(self.request_each(Phase::Marks, Selection::Grade, &self.grades()?));
        Ok(planned)
    }

    /// Requests the resources of a phase with this scope, for each of these learners or grades.
    fn request_each(
        &self,
        phase: Phase,
        scope: Selection,
        ids: &BTreeSet<u64>,
    ) -> Vec<ResourceRequest> {
        let requests = ids.iter().flat_map(|id| {
            let resources = Resource::of_phase(phase);
            let resources = resources.filter(|resource| resource.spec().scope == scope);
            resources.map(|resource| ResourceRequest::of_id(resource, *id))
        });
        requests
            .filter_map(|request| self.plan_request(request))
            .collect()
    }

    fn plan_rest(&self) -> Vec<ResourceRequest> {
        let (of_days, others): (Vec<_>, Vec<_>) = Resource::of_phase(Phase::Rest)
            .partition(|resource| matches!(resource.spec().scope, Selection::Days(_)));
        let mut requests = Vec::new();
        for days in self.windows() {
            let of_window = of_days.iter();
            requests.extend(of_window.map(|resource| ResourceRequest::of_days(*resource, days)));
        }
        requests.extend(others.into_iter().map(ResourceRequest::new));
        requests
            .into_iter()
            .filter_map(|request| self.plan_request(request))
            .collect()
    }

    /// Returns the windows of days to request. Their boundaries are the same in every pass. The
    /// last window ends at least half of `DAYS` after today, so that it covers the current date
    /// even after some time without a network.
    fn windows(&self) -> Vec<(Date, Date)> {
        let today = self.today();
        let first = self.options.first_day(today);
        let window = |from: i64| {
            let to = Date::from_unix_days(from + DAYS - 1);
            (Date::from_unix_days(from), to)
        };
        let day = today.unix_days();
        let (begin, end) = (first.unix_days().div_euclid(DAYS), day.div_euclid(DAYS));
        let mut windows: Vec<_> = (begin..=end).map(|number| window(number * DAYS)).collect();
        if day.rem_euclid(DAYS) >= DAYS / 2 {
            windows.push(window(end * DAYS + DAYS / 2));
        }
        windows
    }

    /// Returns the first and the last day to request.
    pub(crate) fn days(&self) -> (Date, Date) {
        let windows = self.windows();
        let first = windows.first().map_or(Date::MIN, |(from, _)| *from);
        (first, windows.last().map_or(first, |(_, to)| *to))
    }

    /// Requests changed answers once more after everything was read, if every pass requests them or
    /// if they are structures. The service has no snapshots, so they may have changed during the
    /// pass.
    fn plan_revalidation(&self) -> Vec<ResourceRequest> {
        let pass = self.number();
        let changed = logged_requests(&self.fetch_log).filter(|(request, row)| {
            let is_read = matches!(
                row.state,
                FetchState::Published | FetchState::IndicationOnly
            );
            let is_often = self.is_in_every_pass(*request)
                || request.spec().frequency == Frequency::LargeRotation;
            is_read && row.is_changed && (row.pass, row.times) == (pass, 1) && is_often
        });
        changed.map(|(request, _)| request).collect()
    }

    /// Returns the learners of both lists.
    fn listed(&self) -> Result<BTreeSet<u64>> {
        let mut learners = BTreeSet::new();
        for request in LISTINGS.map(ResourceRequest::new) {
            if self.is_fetched(request) {
                learners.extend(self.fetched_numbers(request, Kind::Learner, LEARNER)?);
            } else if let Selection::Status(status) = request.spec().scope {
                let stored = self
                    .staging
                    .read(|snapshot| dataset::learners(snapshot, self.school, status));
                learners.extend(stored?);
            }
        }
        Ok(learners)
    }

    /// Returns the grades of the list of grades, those in which learners of either list take
    /// subjects, and those whose marks were read before.
    pub(crate) fn grades(&self) -> Result<BTreeSet<u64>> {
        let mut grades = BTreeSet::new();
        let (year, _) = self.year();
        let listed = self.listed()?;
        let list = ResourceRequest::new(Resource::Grades);
        if self.is_fetched(list) {
            grades.extend(self.fetched_numbers(list, Kind::Grade, GRADE_ID)?);
        } else {
            let stored = self
                .staging
                .read(|snapshot| dataset::grades(snapshot, self.school));
            grades.extend(stored?);
        }
        for (request, _) in logged_requests(&self.fetch_log) {
            match request.group() {
                Some((Group::Marks, grade)) if request.year.is_none_or(|asked| asked == year) => {
                    grades.insert(grade);
                }
                Some((Group::Subjects, learner))
                    if listed.contains(&learner) && self.is_fetched(request) =>
                {
                    let taken = self.fetched_numbers(request, Kind::LearnerSubject, GRADE_TAKEN)?;
                    grades.extend(taken);
                }
                _ => {}
            }
        }
        Ok(grades)
    }

    /// Returns whether an answer was read and is not published yet.
    fn is_fetched(&self, request: ResourceRequest) -> bool {
        let row = self.fetch_log.get(&request.coverage_key(0));
        row.is_some_and(|row| row.state == FetchState::Fetched)
    }

    /// Returns the integers in one field of all fetched records of a kind in an answer.
    fn fetched_numbers(
        &self,
        request: ResourceRequest,
        kind: Kind,
        field: usize,
    ) -> Result<BTreeSet<u64>> {
        let fetched = self.staging.fetched_records(request)?;
        let mut numbers = BTreeSet::new();
        for record in fetched.records(self.school) {
            let record = record?;
            if record.kind == kind {
                numbers.extend(record.values.get(field).and_then(Value::integer));
            }
        }
        Ok(numbers)
    }
}

const LEARNER: usize = position(Kind::Learner.fields(), "id");
const GRADE_ID: usize = position(Kind::Grade.fields(), "grade_id");
const GRADE_TAKEN: usize = position(Kind::LearnerSubject.fields(), "grade_id");
