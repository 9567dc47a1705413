//! The state machine of a sync. It executes a pass over a school call by call, as `plan`
//! determines. The outcome of each call is stored at once, so that an interrupted pass resumes.

use super::calls::Calls;
use super::fetched_answer::{FetchedAnswer, StoredContent};
use super::in_flight::InFlight;
use super::ownership::OwnershipToken;
use super::pass::Pass;
use super::rate_control::retry_after_seconds;
use super::report::Report;
use super::staging::Staging;
use super::status::AttemptFailure;
use crate::dataset::replication::stored_fetch_log::FetchLog;
use crate::error::Result;
use crate::json;
use crate::record::replication::answer_notes::AnswerNotes;
use crate::record::replication::fetch_log_entry::{FetchState, PassHead};
use crate::sync::resources::phase::Phase;
use crate::sync::resources::resource::Resource;
use crate::sync::resources::resource_request::{ResourceRequest, logged_requests};
use crate::sync::step::{Call, CallFailure, Reply, ReplyOutcome, Step, StopReason, SyncProgress};
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

    /// Returns what to do at this instant.
    pub(crate) fn next(&mut self, now: i64) -> Result<Step> {
        self.calls.set_clock(now);
        if !self.ownership.is_newest() {
            self.report.stopped = Some(StopReason::Superseded);
        }
        if self.pass.head.is_none() && self.report.stopped.is_none() {
            self.begin(now)?;
        }
        while self.report.stopped.is_none()
            && let Some(in_flight) = self.calls.requests.overdue(now)
        {
            self.retry(in_flight, now, 0, AttemptFailure::NoReply)?;
        }
        while let Some(in_flight) = self.calls.checks.overdue(now) {
            self.retry_check(in_flight, now, 0)?;
        }
        while let Some(in_flight) = self.calls.updates.overdue(now) {
            self.retry_update(in_flight, now, 0);
        }
        loop {
            if let Some(reason) = self.report.stopped {
                let report = self.report.complete(&self.pass)?;
                return Ok(Step::Stop { reason, report });
            }
            self.publish_priority_answers()?;
            if let Some(call) = self.send(now)? {
                return Ok(Step::Send(call));
            }
            if self.calls.is_waiting(now) {
                let until = self.calls.next_instant(now);
                return Ok(Step::Wait { until });
            }
            if self.phase == Phase::Done {
                return Ok(Step::Done(self.report.complete(&self.pass)?));
            }
            self.advance()?;
        }
    }

    /// Resumes the unfinished pass, or begins a new one.
    fn begin(&mut self, now: i64) -> Result<()> {
        // Answers that were approved after the pass are published before the next one begins.
        if let Some((head, rows)) = self.pass.staging.stored_pass()?
            && head.is_over
            && rows.values().any(|row| row.state == FetchState::Approved)
        {
            self.reset_to(head, rows)?;
            let published = self.publish(None);
            // The pass that is over is not the one to continue or to report, whatever fails from
            // here on.
            self.pass.head = None;
            self.report.failed.clear();
            published?;
        }
        let (head, rows) = self.pass.staging.begin(now)?;
        self.pass.unknown = self.pass.staging.unknown()?;
        self.reset_to(head, rows)
    }

    /// Loads the state of the pass again, after another writer has changed it.
    pub(crate) fn reload(&mut self) -> Result<()> {
        match self.pass.staging.stored_pass()? {
            Some((head, rows)) => self.reset_to(head, rows)?,
            None => self.report.stopped = Some(StopReason::Forgotten),
        }
        Ok(())
    }

    fn reset_to(&mut self, head: PassHead, rows: FetchLog) -> Result<()> {
        self.calls.reset();
        self.phase = if head.is_over {
            Phase::Done
        } else {
            Phase::Start
        };
        self.pass.reset_to(head, rows)?;
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

    /// Publishes the answers that are fetched and not published yet, or only those to `only`.
    pub(crate) fn publish(&mut self, only: Option<&[ResourceRequest]>) -> Result<()> {
        if self.pass.publish(only)? {
            Ok(())
        } else {
            self.reload()
        }
    }

    /// Returns the next call to send at this instant, if there is one.
    fn send(&mut self, now: i64) -> Result<Option<Call>> {
        if !self.calls.may_send(now) {
            return Ok(None);
        }
        let check = self.send_check(now);
        if check.is_some() || self.calls.is_access_unclear() {
            return Ok(check);
        }
        if let Some(call) = self.send_update(now)? {
            return Ok(Some(call));
        }
        let school = self.pass.school;
        let call = |id, request: ResourceRequest| Call {
            id,
            method: "GET",
            target: request.target(school),
            body: String::new(),
        };
        if let Some(in_flight) = self.calls.requests.send_again(now) {
            return Ok(Some(call(in_flight.id, in_flight.item)));
        }
        let Some(request) = self.calls.next_request() else {
            return Ok(None);
        };
        // The id of a call is the same in any sync that executes the pass. It changes after an
        // answer, so that a late reply is not taken for the reply to a repeated call.
        let (pass, times, target) = (
            self.pass.number(),
            self.pass.times(request),
            request.target(school),
        );
        let id = self
            .calls
            .requests
            .send(request, &format!("{pass} {times} {target}"), now);
        Ok(Some(call(id, request)))
    }

    /// Evaluates a reply. If it fails, the state remains unchanged.
    pub(crate) fn handle_reply(
        &mut self,
        call: u64,
        now: i64,
        reply: &Reply<'_>,
    ) -> Result<ReplyOutcome> {
        if !self.is_active() {
            return Ok(ReplyOutcome::Stale);
        }
        self.calls.set_clock(now);
        self.calls.has_contact = true;
        let reply = &Reply {
            body: json::without_byte_order_mark(reply.body),
            ..*reply
        };
        let outcome = if let Some(in_flight) = self.calls.requests.get(call) {
            self.handle_answer(in_flight, now, reply)?
        } else if let Some(in_flight) = self.calls.checks.get(call) {
            self.handle_check(in_flight, now, reply)?
        } else if let Some(in_flight) = self.calls.updates.get(call) {
            self.handle_update(in_flight, now, reply)?
        } else {
            return Ok(ReplyOutcome::Stale);
        };
        self.calls.rate_control.record_online();
        self.report.results.replies += 1;
        Ok(outcome)
    }

    pub(crate) fn handle_failure(
        &mut self,
        call: u64,
        now: i64,
        failure: CallFailure,
    ) -> Result<ReplyOutcome> {
        if !self.is_active() {
            return Ok(ReplyOutcome::Stale);
        }
        self.calls.set_clock(now);
        if failure == CallFailure::Offline {
            let at = self.calls.pause_offline(call, now);
            return Ok(at.map_or(ReplyOutcome::Stale, |at| ReplyOutcome::Retry { at }));
        }
        if let Some(in_flight) = self.calls.requests.get(call) {
            return self.retry(in_flight, now, 0, AttemptFailure::NoReply);
        }
        if let Some(in_flight) = self.calls.checks.get(call) {
            return self.retry_check(in_flight, now, 0);
        }
        let update = self.calls.updates.get(call);
        Ok(update.map_or(ReplyOutcome::Stale, |in_flight| {
            self.retry_update(in_flight, now, 0)
        }))
    }

    fn is_active(&self) -> bool {
        self.ownership.is_newest() && self.report.stopped.is_none()
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
