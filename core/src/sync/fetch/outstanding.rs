//! Which requests of a pass are outstanding: what the fetch log shows, and what is due.

use super::pass::Pass;
use super::status::{FORBIDDEN, UNAUTHORISED};
use crate::date::Date;
use crate::record::replication::coverage_key::CoverageKey;
use crate::record::replication::fetch_log_entry::FetchState;
use crate::sync::resources::resource::{Frequency, Group};
use crate::sync::resources::resource_request::{ResourceRequest, logged_requests};
use std::collections::{BTreeSet, HashSet};

/// The number of `Rotation` answers for which a pass requests one `LargeRotation` answer.
const ANSWERS_A_LARGE_ONE: usize = 25;

/// The number of refused requests to an endpoint after which no more are sent to it.
const REFUSALS: usize = 3;

/// The length of a window of absences or discipline records, in days.
const DAYS: i64 = 30;

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
    pub(crate) fn is_in_every_pass(&self, request: ResourceRequest) -> bool {
        let is_in_last_window = |(from, _)| {
            let windows = self.day_windows();
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

    /// Returns the windows of days to request. Their boundaries are the same in every pass. The
    /// last window ends at least half of `DAYS` after today, so that it covers the current date
    /// even after some time without a network.
    pub(crate) fn day_windows(&self) -> Vec<(Date, Date)> {
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
        let windows = self.day_windows();
        let first = windows.first().map_or(Date::MIN, |(from, _)| *from);
        (first, windows.last().map_or(first, |(_, to)| *to))
    }

    /// Returns the requests of these groups whose answers are published, or quarantined by an
    /// earlier pass.
    pub(crate) fn stored_in_groups(&self, groups: &HashSet<(Group, u64)>) -> Vec<ResourceRequest> {
        let (year, _) = self.year();
        let rows = logged_requests(&self.fetch_log).filter(|(request, row)| {
            let is_old = row.pass < self.number();
            let is_stored =
                row.state == FetchState::Published || row.state.is_quarantined() && is_old;
            let is_now = request.year.is_none_or(|asked| asked == year);
            is_stored && is_now && request.group().is_some_and(|group| groups.contains(&group))
        });
        rows.map(|(request, _)| request).collect()
    }
}
