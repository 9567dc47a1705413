//! Requests of an app outside the plan of a pass: answers that it needs first, and decisions about
//! quarantined answers.

use crate::dataset::replication::stored_fetch_log;
use crate::date::Date;
use crate::error::{Error, Result};
use crate::record::replication::fetch_log_entry::{FetchLogEntry, FetchState};
use crate::sync::fetch::machine::Machine;
use crate::sync::fetch::pass::Pass;
use crate::sync::resources::phase::Phase;
use crate::sync::resources::resource::{Frequency, Resource, Selection, Years};
use crate::sync::resources::resource_request::{ResourceRequest, logged_requests};
use std::collections::BTreeMap;

impl Machine {
    /// Requests a target next.
    pub(crate) fn prioritise(&mut self, target: &str) -> Result<()> {
        let request = parse(target, self.pass.school)
            .ok_or_else(|| Error::unsupported("syncing a target of this form"))?;
        self.calls.prioritise(ResourceRequest {
            without_parents: false,
            ..request
        });
        Ok(())
    }

    /// Marks a quarantined answer as approved. Has no effect if the answer is not quarantined.
    pub(crate) fn approve(&mut self, target: &str) -> Result<()> {
        let request = self.parse_decision(target)?;
        self.pass.change_quarantined(request, |other, row| {
            let state = FetchState::Approved;
            (other == request).then_some(Some(FetchLogEntry { state, ..row }))
        })?;
        if self.phase == Phase::Done {
            self.phase = Phase::Approved;
        }
        Ok(())
    }

    /// Discards a quarantined answer, and those that would be published with it. Has no effect if
    /// the answer is not quarantined.
    pub(crate) fn reject(&mut self, target: &str) -> Result<()> {
        let request = self.parse_decision(target)?;
        let group = request.group();
        self.pass.change_quarantined(request, |other, _| {
            let is_with = group.is_some() && other.group() == group;
            (other == request || is_with).then_some(None)
        })
    }

    fn parse_decision(&self, target: &str) -> Result<ResourceRequest> {
        if !self.ownership.is_newest() {
            return Err(Error::unsupported(
                "approving or rejecting through a superseded sync: use the newest sync of the school",
            ));
        }
        parse(target, self.pass.school).ok_or_else(|| {
            Error::unsupported("approving or rejecting a target that sync does not request")
        })
    }

    /// Publishes the answers to priority requests, once no such request is queued or in flight.
    /// Requires that the school is already synced.
    pub(crate) fn publish_priority_answers(&mut self) -> Result<()> {
        let (calls, pass) = (&self.calls, &self.pass);
        let is_next = calls.priority_queue.is_empty() && calls.priority_in_flight.is_empty();
        // If the school's current year has changed, the answers are published with the pass.
        let stored = pass.stored.map(|stored| stored.year);
        if !calls.priority_answered.is_empty() && is_next && stored == Some(pass.year().0) {
            let answered = calls.priority_answered.clone();
            self.publish(Some(&answered))?;
            self.calls.priority_answered.clear();
        }
        Ok(())
    }
}

impl Pass {
    /// Changes or removes rows of quarantined answers, provided that `request` is one of them.
    /// `change` returns `None` for a row that remains unchanged, and `Some(None)` for a row to
    /// remove.
    fn change_quarantined(
        &mut self,
        request: ResourceRequest,
        change: impl Fn(ResourceRequest, FetchLogEntry) -> Option<Option<FetchLogEntry>>,
    ) -> Result<()> {
        let school = self.school;
        let changed = self.staging.write(|write| {
            let rows = stored_fetch_log::rows(write, school)?;
            let blocked = logged_requests(&rows).filter(|(_, row)| row.state.is_quarantined());
            let blocked: Vec<(ResourceRequest, &FetchLogEntry)> = blocked.collect();
            let mut changed = Vec::new();
            if blocked.iter().all(|(other, _)| *other != request) {
                return Ok(changed);
            }
            for (other, row) in blocked {
                let Some(after) = change(other, *row) else {
                    continue;
                };
                let coverage_key = other.coverage_key(0);
                match after {
                    Some(row) => stored_fetch_log::set(write, school, coverage_key, &row)?,
                    None => stored_fetch_log::remove(write, school, coverage_key)?,
                }
                changed.push((coverage_key, after));
            }
            Ok(changed)
        })?;
        for (coverage_key, row) in changed {
            match row {
                Some(row) => self.fetch_log.insert(coverage_key, row),
                None => self.fetch_log.remove(&coverage_key),
            };
        }
        Ok(())
    }
}

/// Parses a path and query of v1 about the school, with parameters in any order. Returns `None` if
/// a sync does not request such a target.
fn parse(target: &str, school: u64) -> Option<ResourceRequest> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut params = BTreeMap::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=')?;
        if params.insert(name, value).is_some() {
            return None;
        }
    }
    let requests = candidates(&params);
    let is_match = |request: &ResourceRequest| {
        let target = request.target(school);
        let (own, query) = target.split_once('?').unwrap_or((&target, ""));
        let mut pairs = query.split('&').filter(|pair| !pair.is_empty());
        let count = pairs.clone().count();
        let is_given = |pair: &str| {
            let own = pair.split_once('=');
            own.is_some_and(|(name, value)| params.get(name) == Some(&value))
        };
        own == path && count == params.len() && pairs.all(is_given)
    };
    requests.into_iter().find(is_match)
}

/// Returns all requests that have these parameters, whatever their path is.
fn candidates(params: &BTreeMap<&str, &str>) -> Vec<ResourceRequest> {
    let number = |name| {
        params
            .get(name)
            .and_then(|value: &&str| value.parse::<u64>().ok())
    };
    let date = |name| {
        params
            .get(name)
            .and_then(|value: &&str| value.parse::<Date>().ok())
    };
    let mut requests = Vec::new();
    for resource in Resource::ALL {
        let spec = resource.spec();
        if spec.frequency == Frequency::Indication {
            continue;
        }
        let year = number("year").filter(|_| spec.years == Years::Any);
        let of_id = |id| ResourceRequest {
            year,
            ..ResourceRequest::of_id(resource, id)
        };
        let request = match spec.scope {
            Selection::Learner => number("learner_id").map(of_id),
            Selection::Grade => number("grade_id").map(of_id),
            Selection::Days(_) => {
                let days = date("from_date").zip(date("to_date"));
                days.map(|days| ResourceRequest::of_days(resource, days))
            }
            Selection::AllSchools | Selection::School | Selection::Status(_) => {
                Some(ResourceRequest::new(resource))
            }
        };
        requests.extend(request);
        requests.extend(request.and_then(ResourceRequest::excluding_parents));
    }
    requests
}

#[cfg(test)]
mod tests {
    use crate::sync::plan::priority::*;

    #[test]
    fn a_request_is_parsed_from_its_target() {
        let date = |text: &str| text.parse().unwrap_or(Date::MIN);
        let (from, to) = (date("2026-01-01"), date("2026-01-30"));
        let mut requests = candidates(&BTreeMap::new());
        requests.extend(
            [Resource::SubjectsPerTerm, Resource::SubjectMarks]
                .map(|resource| ResourceRequest::of_id(resource, 7)),
        );
        requests.extend(
            [Resource::Absences, Resource::Discipline]
                .map(|resource| ResourceRequest::of_days(resource, (from, to))),
        );
        for year in [None, Some(2025)] {
            requests.extend(
                [Resource::MarksOfGrade, Resource::StructureOfGrade].map(|resource| {
                    ResourceRequest {
                        year,
                        ..ResourceRequest::of_id(resource, 9)
                    }
                }),
            );
        }
        for request in requests {
            assert_eq!(parse(&request.target(1000), 1000), Some(request));
            assert_eq!(
                parse(&request.target(1000), 2000),
                Some(request).filter(|request| request.spec().scope == Selection::AllSchools)
            );
        }
        let absences = "/api/v1/adminplus/learnerabsentees/1000";
        let parsed = |query: &str| parse(&format!("{absences}{query}"), 1000);
        let found = Some(ResourceRequest::of_days(Resource::Absences, (from, to)));
        assert_eq!(parsed("?to_date=2026-01-30&from_date=2026-01-01"), found);
        for query in [
            "",
            "?from_date=2026-01-01",
            "?from_date=2026-01-01&to_date=2026-01-30&learner_id=7",
            "?from_date=2026-01-01&from_date=2026-01-01&to_date=2026-01-30",
        ] {
            assert_eq!(parsed(query), None, "{query}");
        }
    }
}
