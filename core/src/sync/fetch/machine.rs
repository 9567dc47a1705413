//! The state of a sync: the pass, its calls and its report, and how they change together.

use super::calls::Calls;
use super::fetched_answer::{FetchedAnswer, StoredContent};
use super::in_flight::InFlight;
use super::pass::Pass;
use super::rate_control::retry_after_seconds;
use super::report::Report;
use super::staging::Staging;
use super::status::{AttemptFailure, answered};
use crate::dataset::replication::stored_fetch_log::FetchLog;
use crate::error::Result;
use crate::record::replication::answer_notes::AnswerNotes;
use crate::record::replication::fetch_log_entry::{FetchState, PassHead};
use crate::sync::ownership::OwnershipToken;
use crate::sync::resources::phase::Phase;
use crate::sync::resources::resource::Resource;
use crate::sync::resources::resource_request::{ResourceRequest, logged_requests};
use crate::sync::step::{Reply, ReplyOutcome, StopReason, SyncProgress};
use crate::sync::sync_options::SyncOptions;
use std::collections::BTreeSet;

/// The state of a sync.
pub(crate) struct Machine {
    pub(crate) ownership: OwnershipToken,
    pub(crate) phase: Phase,
    pub(crate) pass: Pass,
    pub(crate) calls: Calls,
    pub(crate) report: Report,
    /// The requests whose answers had changed when they were requested again.
    pub(crate) changed: Vec<ResourceRequest>,
    /// How many times a later answer has shown another year.
    pub(crate) year_changes: u8,
}

impl Machine {
    pub(crate) fn new(
        staging: Staging,
        ownership: OwnershipToken,
        secret: u64,
        school: u64,
        options: SyncOptions,
    ) -> Result<Machine> {
        Ok(Machine {
            ownership,
            phase: Phase::Start,
            calls: Calls::new(secret, options.most_in_flight()),
            pass: Pass::new(staging, school, options)?,
            report: Report::default(),
            changed: Vec::new(),
            year_changes: 0,
        })
    }

    /// Loads the state of the pass again, after another writer has changed it.
    pub(crate) fn reload(&mut self) -> Result<()> {
        match self.pass.staging.stored_pass()? {
            Some((head, rows)) => self.reset_to(head, rows)?,
            None => self.report.stopped = Some(StopReason::Forgotten),
        }
        Ok(())
    }

    /// Replaces the state by a pass that was read from the store.
    pub(crate) fn reset_to(&mut self, head: PassHead, rows: FetchLog) -> Result<()> {
        self.calls.reset();
        self.phase = if head.is_over {
            Phase::Done
        } else {
            Phase::Start
        };
        self.pass.reset_to(head, rows)?;
        self.pass.year = self.pass.year_shown();
        self.pass.rotated = self.pass.oldest();
        let failed = logged_requests(&self.pass.fetch_log)
            .filter(|(_, row)| row.state == FetchState::Failed && row.pass == head.pass);
        let mut paths = BTreeSet::new();
        for (request, row) in failed {
            let notes = self.pass.notes.get(&request.coverage_key(0));
            let reason = notes.map(|notes| notes.reason.clone()).unwrap_or_default();
            self.report
                .add_failed(request, self.pass.school, row.status, reason);
            paths.insert(request.path());
        }
        for path in paths {
            self.forbid(path);
        }
        Ok(())
    }

    /// Stops the sync if the service has never replied.
    pub(crate) fn check_contact(&mut self) {
        if self.calls.is_unreachable() {
            self.report.stopped = Some(StopReason::Unreachable);
        }
    }

    /// Handles a reply that reports a temporary failure: reduces the rate if the service requires
    /// it, and schedules another attempt.
    pub(crate) fn back_off(
        &mut self,
        reply: &Reply<'_>,
        now: i64,
        retry: impl FnOnce(&mut Machine, i64) -> Result<ReplyOutcome>,
    ) -> Result<ReplyOutcome> {
        let retry_after = retry_after_seconds(reply, now);
        let is_rate_limited = reply.status == 429;
        if is_rate_limited {
            self.calls.rate_control.slow_down();
        }
        let outcome = retry(self, retry_after.unwrap_or(0))?;
        if let ReplyOutcome::Retry { at } = outcome
            && (is_rate_limited || retry_after.is_some())
        {
            self.calls.rate_control.wait_until(at);
        }
        Ok(outcome)
    }

    /// Schedules another attempt after at least `least` seconds, or fails the request after the last
    /// one.
    pub(crate) fn retry(
        &mut self,
        mut in_flight: InFlight<ResourceRequest>,
        now: i64,
        least: i64,
        failure: AttemptFailure,
    ) -> Result<ReplyOutcome> {
        in_flight.is_unreadable = failure == AttemptFailure::NotJson;
        match self.calls.requests.retry(in_flight, now, least) {
            Ok(at) => {
                self.check_contact();
                Ok(ReplyOutcome::Retry { at })
            }
            Err(in_flight) => {
                self.fail_request(in_flight, now, failure.status(), failure.to_string())
            }
        }
    }

    /// Fails a request permanently, and reports it.
    pub(crate) fn fail_request(
        &mut self,
        in_flight: InFlight<ResourceRequest>,
        now: i64,
        status: u16,
        reason: String,
    ) -> Result<ReplyOutcome> {
        let notes = AnswerNotes {
            reason: reason.clone(),
            ..AnswerNotes::default()
        };
        // The next answer shows which learners have changed their subjects since the last one.
        let enrolment_digests = match in_flight.item.resource {
            Resource::LearnerSubjects => Some(self.pass.staging.enrolment_digests()?),
            _ => None,
        };
        let content = enrolment_digests.as_ref();
        let answer = FetchedAnswer {
            state: FetchState::Failed,
            status,
            notes,
            content: content.map_or(StoredContent::Nothing, StoredContent::EnrolmentDigests),
            ..FetchedAnswer::default()
        };
        if !self.store(in_flight, now, answer)? {
            return Ok(ReplyOutcome::Stale);
        }
        let (school, status) = (self.pass.school, u64::from(status));
        self.report
            .add_failed(in_flight.item, school, status, reason);
        Ok(ReplyOutcome::Failed)
    }

    /// Fails a request that the service refuses with this status.
    pub(crate) fn refuse_request(
        &mut self,
        in_flight: InFlight<ResourceRequest>,
        now: i64,
        status: u16,
    ) -> Result<ReplyOutcome> {
        self.fail_request(in_flight, now, status, answered(status))
    }

    /// Stores the outcome of a request, and then ends its call. Returns false if nothing was stored
    /// because the stored pass has changed.
    pub(crate) fn store(
        &mut self,
        in_flight: InFlight<ResourceRequest>,
        now: i64,
        answer: FetchedAnswer<'_>,
    ) -> Result<bool> {
        let state = answer.state;
        let is_stored = self.pass.store(in_flight, now, answer)?;
        if state != FetchState::Failed {
            let failed = &mut self.report.failed;
            failed.retain(|(request, _)| *request != in_flight.item);
        }
        if !is_stored {
            self.reload()?;
        } else if self.calls.end_request(in_flight, state) {
            // The answers of the same group are published together with this one.
            let group = in_flight.item.group().into_iter().collect();
            self.calls
                .priority_queue
                .extend(self.pass.stored_in_groups(&group));
        }
        Ok(is_stored)
    }

    /// Removes all requests to an endpoint from the pass if the service refuses all of them.
    pub(crate) fn forbid(&mut self, path: &'static str) {
        if self.pass.is_refused(path) {
            self.pass.forbidden.insert(path);
            self.calls.queue.retain(|other| other.path() != path);
        }
    }

    pub(crate) fn progress(&self) -> SyncProgress {
        let pass = self.pass.number();
        let answered = self.pass.fetch_log.values().filter(|row| row.pass == pass);
        SyncProgress {
            answered: answered.count() as u64,
            left: self.calls.remaining() as u64,
            in_flight: self.calls.in_flight_count(),
        }
    }
}
