//! Evaluates the replies to requests.

use super::error_body::{has_error, is_json};
use super::fetched_answer::{FetchedAnswer, StoredContent};
use super::in_flight::InFlight;
use super::machine::Machine;
use super::pass::Pass;
use super::status::{AttemptFailure, is_temporary};
use crate::error::Result;
use crate::record::replication::coverage_key::CoverageKey;
use crate::record::replication::fetch_log_entry::{Due, FetchLogEntry, FetchState};
use crate::record::{Kind, Value};
use crate::sync::fetched_records::FetchedRecords;
use crate::sync::read::{self, DecodeError, Evidence};
use crate::sync::resources::phase::Phase;
use crate::sync::resources::resource::{Group, Resource};
use crate::sync::resources::resource_request::{ResourceRequest, logged_requests};
use crate::sync::step::{Reply, ReplyOutcome};
use std::mem;
use twox_hash::XxHash3_128;

/// How many times the school's current year may change within a pass.
const MAX_YEAR_CHANGES: u8 = 2;

impl Machine {
    pub(crate) fn handle_answer(
        &mut self,
        in_flight: InFlight<ResourceRequest>,
        now: i64,
        reply: &Reply<'_>,
    ) -> Result<ReplyOutcome> {
        let request = in_flight.item;
        match reply.status {
            200 => self.handle_body(in_flight, now, reply.body),
            // A school is a record, and not a list that may be empty.
            404 if !matches!(request.resource, Resource::School | Resource::SchoolInfo)
                && has_error(reply.body, request.spec().endpoint.nothing) =>
            {
                // The digest is the same however the body is formatted.
                let digest = [404; 2];
                if let Some(row) = self.unchanged(request, digest) {
                    return self.store_unchanged(in_flight, now, row);
                }
                let answer = FetchedAnswer {
                    status: reply.status,
                    digest,
                    ..FetchedAnswer::default()
                };
                self.store_answer(
                    in_flight,
                    now,
                    answer,
                    &FetchedRecords::default(),
                    &Evidence::default(),
                )
            }
            404 if !is_json(reply.body) => {
                self.retry(in_flight, now, 0, AttemptFailure::Unusable(404))
            }
            401 => Ok(self.handle_unauthorised(in_flight)),
            403 => {
                let has_priority = self.has_priority(request);
                let outcome = self.refuse_request(in_flight, now, 403)?;
                let without_parents = request.excluding_parents();
                if without_parents.is_none() {
                    self.forbid(request.path());
                }
                match without_parents.filter(|_| outcome == ReplyOutcome::Failed) {
                    Some(without_parents) if has_priority => {
                        self.calls.priority_queue.push_front(without_parents);
                    }
                    Some(without_parents) => self.calls.queue.push_front(without_parents),
                    None => {}
                }
                Ok(outcome)
            }
            // A redirect is not followed: it usually leads to the login page of a network.
            status if is_temporary(status) => self.back_off(reply, now, |machine, least| {
                machine.retry(in_flight, now, least, AttemptFailure::Temporary(status))
            }),
            status => self.refuse_request(in_flight, now, status),
        }
    }

    fn handle_body(
        &mut self,
        in_flight: InFlight<ResourceRequest>,
        now: i64,
        body: &[u8],
    ) -> Result<ReplyOutcome> {
        let digest = digest_of(body);
        if let Some(row) = self.unchanged(in_flight.item, digest) {
            return self.store_unchanged(in_flight, now, row);
        }
        match read::decode_answer(in_flight.item, self.pass.school, body) {
            Ok((fetched, mut evidence)) => {
                let answer = FetchedAnswer {
                    year: evidence.year,
                    records: evidence.records,
                    digest,
                    notes: mem::take(&mut evidence.notes),
                    ..FetchedAnswer::default()
                };
                self.store_answer(in_flight, now, answer, &fetched, &evidence)
            }
            Err(DecodeError::NoAnswer) => {
                self.retry(in_flight, now, 0, AttemptFailure::Unusable(200))
            }
            Err(DecodeError::NoJson(_)) if !in_flight.is_unreadable => {
                self.retry(in_flight, now, 0, AttemptFailure::NotJson)
            }
            Err(reason) => self.fail_request(in_flight, now, 200, reason.to_string()),
        }
    }

    /// Returns the stored row of the same answer to the same request, unless the answer must be
    /// read again.
    fn unchanged(&self, request: ResourceRequest, digest: [u64; 2]) -> Option<FetchLogEntry> {
        let row = self.pass.fetch_log.get(&request.coverage_key(0)).copied();
        let row = row.filter(|_| !self.pass.has_group_changes(request));
        row.filter(|row| {
            let is_read = matches!(
                row.state,
                FetchState::Published | FetchState::IndicationOnly
            );
            is_read
                && row.due != Due::ReadAgain
                && row.digest == digest
                && (row.state == FetchState::IndicationOnly) == self.is_noted(request)
                && (row.to, row.without_parents) == (request.to(), request.without_parents)
        })
    }

    fn store_unchanged(
        &mut self,
        in_flight: InFlight<ResourceRequest>,
        now: i64,
        row: FetchLogEntry,
    ) -> Result<ReplyOutcome> {
        // It may be older than the answer of another year that arrived before it.
        if self.pass.changes_year(in_flight.item, row.year) {
            return self.retry(in_flight, now, 0, AttemptFailure::Unusable(200));
        }
        let answer = FetchedAnswer {
            state: row.state,
            status: u16::try_from(row.status).unwrap_or(200),
            year: row.year,
            records: row.records,
            digest: row.digest,
            content: StoredContent::Same,
            ..FetchedAnswer::default()
        };
        if !self.store(in_flight, now, answer)? {
            return Ok(ReplyOutcome::Stale);
        }
        self.record_success(in_flight.item, row.year);
        self.report.results.unchanged += 1;
        Ok(ReplyOutcome::Unchanged)
    }

    /// Stores a complete answer. If it belongs to another year than the answers before, the
    /// school's current year has changed: all answers of the current year are requested again.
    fn store_answer<'a>(
        &mut self,
        in_flight: InFlight<ResourceRequest>,
        now: i64,
        mut answer: FetchedAnswer<'a>,
        fetched: &'a FetchedRecords,
        evidence: &'a Evidence,
    ) -> Result<ReplyOutcome> {
        let request = in_flight.item;
        let year = answer.year.filter(|_| request.is_of_current_year());
        let changes_year = self.pass.changes_year(request, year);
        if changes_year && self.year_changes == MAX_YEAR_CHANGES {
            return self.fail_request(
                in_flight,
                now,
                200,
                "it belongs to another year than the other answers".to_owned(),
            );
        }
        let before = self
            .pass
            .fetch_log
            .get(&request.coverage_key(0))
            .map(|row| row.digest);
        answer.is_changed = before != Some(answer.digest);
        let mut due: Vec<CoverageKey> = Vec::new();
        if changes_year {
            due.extend(self.pass.coverage_keys(ResourceRequest::is_of_current_year));
        }
        let is_noted = self.is_noted(request);
        answer.content = match request.resource {
            Resource::LearnerSubjects => {
                due.extend(self.pass.answers_with_changed_enrolments(evidence)?);
                StoredContent::EnrolmentDigests(&evidence.enrolment_digests)
            }
            Resource::StructureOfLearner => StoredContent::Nothing,
            _ if is_noted => StoredContent::Nothing,
            _ => StoredContent::Records(fetched),
        };
        if is_noted {
            answer.state = FetchState::IndicationOnly;
        }
        // A changed answer about a learner shows that the structures of the learner's grades may
        // have changed.
        let shows_structures = matches!(
            request.resource,
            Resource::StructureOfLearner | Resource::SubjectsPerTerm
        );
        if answer.is_changed && shows_structures && request.year.is_none() {
            due.extend(self.pass.structures_before(request, fetched)?);
        }
        due.retain(|coverage_key| *coverage_key != request.coverage_key(0));
        let new = due.iter().copied();
        let new: Vec<_> = new
            .filter(|coverage_key| !self.pass.fetch_log.contains_key(coverage_key))
            .collect();
        answer.due = due;
        let named = evidence.unknown.iter();
        let named = named.map(|(of, name)| format!("{of}: {name}"));
        answer.unknown = named
            .filter(|name| !self.pass.unknown.contains(name))
            .collect();
        let is_changed = answer.is_changed;
        if !self.store(in_flight, now, answer)? {
            return Ok(ReplyOutcome::Stale);
        }
        if matches!(self.phase, Phase::Revalidate(_)) && is_changed {
            self.changed.push(request);
        }
        self.record_success(request, year);
        for coverage_key in new {
            let request = ResourceRequest::logged(coverage_key, &FetchLogEntry::UNFETCHED);
            let request = request.and_then(|request| self.pass.remaining_request(request));
            self.calls.queue.extend(request);
        }
        if changes_year {
            self.year_changes += 1;
            self.calls.queue.clear();
            self.phase = Phase::Start;
        }
        Ok(ReplyOutcome::Stored)
    }

    /// Returns whether only the indications in an answer are used and its records are not stored:
    /// the enrolments of all learners, and structures of a given year, unless the app requested
    /// them.
    fn is_noted(&self, request: ResourceRequest) -> bool {
        match request.resource {
            Resource::LearnerSubjects => true,
            Resource::StructureOfLearner => request.year.is_some(),
            Resource::StructureOfGrade => request.year.is_some() && !self.has_priority(request),
            _ => false,
        }
    }

    fn has_priority(&self, request: ResourceRequest) -> bool {
        self.calls.priority_in_flight.contains(&request)
    }

    fn record_success(&mut self, request: ResourceRequest, year: Option<u64>) {
        self.calls.rate_control.record_success();
        let year = year.filter(|_| request.is_of_current_year());
        self.pass.year = year.or(self.pass.year);
    }
}

impl Pass {
    /// Returns whether an answer of this year shows that the current year is another one than
    /// known.
    fn changes_year(&self, request: ResourceRequest, year: Option<u64>) -> bool {
        let year = year.filter(|_| request.is_of_current_year());
        let known = self.year.or_else(|| self.stored.map(|stored| stored.year));
        year.is_some_and(|year| known.is_some_and(|known| known != year))
    }

    /// Returns the coverage keys of the stored answers about learners that take other subjects than
    /// before.
    fn answers_with_changed_enrolments(&self, evidence: &Evidence) -> Result<Vec<CoverageKey>> {
        let before = self.staging.enrolment_digests()?;
        let is_other = |request: ResourceRequest| match request.group() {
            Some((Group::Subjects, learner)) => {
                evidence.enrolment_digests.differs(&before, learner)
            }
            _ => false,
        };
        Ok(self.coverage_keys(is_other).collect())
    }

    /// Returns the coverage keys of the structures of all grades in an answer that this pass has
    /// not requested yet. For a grade that is known only from a structure, its marks follow.
    fn structures_before(
        &self,
        request: ResourceRequest,
        fetched: &FetchedRecords,
    ) -> Result<Vec<CoverageKey>> {
        let is_structure = request.resource == Resource::StructureOfLearner;
        let mut due = Vec::new();
        for record in fetched.records(self.school) {
            let record = record?;
            if record.kind == Kind::Grade
                && let Some(grade) = record.values.get(1).and_then(Value::integer)
            {
                let [structure, marks] = [Resource::StructureOfGrade, Resource::MarksOfGrade]
                    .map(|resource| ResourceRequest::of_id(resource, grade).coverage_key(0));
                match self.fetch_log.get(&structure) {
                    Some(row) if row.pass < self.number() => due.push(structure),
                    None if is_structure => due.extend([structure, marks]),
                    _ => {}
                }
            }
        }
        Ok(due)
    }

    /// Returns the coverage keys of the stored answers whose requests match.
    pub(crate) fn coverage_keys(
        &self,
        of: impl Fn(ResourceRequest) -> bool,
    ) -> impl Iterator<Item = CoverageKey> {
        let requests = logged_requests(&self.fetch_log).map(|(request, _)| request);
        requests
            .filter(move |request| of(*request))
            .map(|request| request.coverage_key(0))
    }
}

fn digest_of(body: &[u8]) -> [u64; 2] {
    let digest = XxHash3_128::oneshot(body);
    let half = |shift: u32| u64::try_from(digest >> shift & u128::from(u64::MAX)).unwrap_or(0);
    [half(64), half(0)]
}
