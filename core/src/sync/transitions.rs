//! The transitions of a sync: which step is next, and what a reply changes. They execute a pass over
//! a school call by call, as `plan` determines. The outcome of each call is stored at once, so that
//! an interrupted pass resumes.

use crate::error::Result;
use crate::json;
use crate::record::replication::fetch_log_entry::FetchState;
use crate::sync::fetch::machine::Machine;
use crate::sync::fetch::status::AttemptFailure;
use crate::sync::resources::phase::Phase;
use crate::sync::resources::resource_request::ResourceRequest;
use crate::sync::step::{Call, CallFailure, Reply, ReplyOutcome, Step, StopReason};

impl Machine {
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

    /// Records that a call has no reply.
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
}
