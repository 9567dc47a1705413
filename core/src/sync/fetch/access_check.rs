//! Determines what a 401 means. The service answers 401 to a request if the credentials are wrong or
//! the school has not authorised the integrator, but a single endpoint may also refuse access. Get
//! Clients (4.7) tells these cases apart, because it requires only the credentials, and answers 404
//! if the school has not authorised the integrator.

use super::calls::AccessCheck;
use super::error_body::{has_error, is_json};
use super::in_flight::InFlight;
use super::machine::Machine;
use super::status::{answered, is_temporary};
use crate::error::Result;
use crate::query::NO_INTEGRATIONS;
use crate::sync::resources::resource_request::ResourceRequest;
use crate::sync::step::{Call, Reply, ReplyOutcome, StopReason};

impl Machine {
    /// Handles a 401. Nothing else is sent until the check of the access was answered.
    pub(crate) fn handle_unauthorised(
        &mut self,
        in_flight: InFlight<ResourceRequest>,
    ) -> ReplyOutcome {
        self.calls.requests.end(in_flight.id);
        self.calls.unauthorised.push(in_flight);
        ReplyOutcome::Failed
    }

    /// Returns the call that checks the access, if a 401 requires it.
    pub(crate) fn send_check(&mut self, now: i64) -> Option<Call> {
        let (calls, school) = (&mut self.calls, self.pass.school);
        let id = match calls.checks.send_again(now) {
            Some(in_flight) => in_flight.id,
            None if !calls.is_access_unclear() || calls.checks.len() > 0 => return None,
            None => {
                // The id differs from that of an earlier check.
                let (requests, updates) = (&calls.unauthorised, &calls.unauthorised_updates);
                let name = format!("{requests:?} {updates:?} {now}");
                calls.checks.send(AccessCheck, &name, now)
            }
        };
        Some(Call {
            id,
            method: "GET",
            target: format!("/api/v1/settings/clients/{school}"),
            body: String::new(),
        })
    }

    /// Evaluates the reply to the check. If the access is in order, only the requests and updates
    /// that were answered with 401 fail.
    pub(crate) fn handle_check(
        &mut self,
        in_flight: InFlight<AccessCheck>,
        now: i64,
        reply: &Reply<'_>,
    ) -> Result<ReplyOutcome> {
        let outcome = match reply.status {
            401 => self.stop_unauthorised(StopReason::WrongCredentials),
            404 if has_error(reply.body, NO_INTEGRATIONS) => {
                self.stop_unauthorised(StopReason::SchoolNotAuthorised)
            }
            200 | 404 if !is_json(reply.body) => return self.retry_check(in_flight, now, 0),
            status if is_temporary(status) => {
                return self.back_off(reply, now, |machine, least| {
                    machine.retry_check(in_flight, now, least)
                });
            }
            _ => self.refuse_unauthorised(now)?,
        };
        self.calls.checks.end(in_flight.id);
        Ok(outcome)
    }

    /// Schedules another attempt. After the last attempt, the sync stops, unless other requests of
    /// the pass were answered, which shows that the access is in order.
    pub(crate) fn retry_check(
        &mut self,
        in_flight: InFlight<AccessCheck>,
        now: i64,
        least: i64,
    ) -> Result<ReplyOutcome> {
        match self.calls.checks.retry(in_flight, now, least) {
            Ok(at) => return Ok(ReplyOutcome::Retry { at }),
            Err(_) if self.pass.has_any_answer() => {
                self.refuse_unauthorised(now)?;
            }
            Err(_) => {
                self.stop_unauthorised(StopReason::Unauthorised);
            }
        }
        self.calls.checks.end(in_flight.id);
        Ok(ReplyOutcome::Failed)
    }

    /// Stops the sync. The report names the requests, which the next sync sends again. The updates
    /// remain in the outbox.
    fn stop_unauthorised(&mut self, reason: StopReason) -> ReplyOutcome {
        for in_flight in &self.calls.unauthorised {
            let school = self.pass.school;
            self.report
                .add_failed(in_flight.item, school, 401, answered(401));
        }
        self.report.stopped = Some(reason);
        ReplyOutcome::Failed
    }

    /// Fails the requests and updates that were answered with 401.
    fn refuse_unauthorised(&mut self, now: i64) -> Result<ReplyOutcome> {
        while let Some(request) = self.calls.unauthorised.last().copied() {
            self.refuse_request(request, now, 401)?;
            self.forbid(request.item.path());
            self.calls.unauthorised.pop();
        }
        self.end_unauthorised_updates()?;
        Ok(ReplyOutcome::Stored)
    }
}
