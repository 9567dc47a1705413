//! Determines what a 401 means. The service answers 401 to a request if the credentials are wrong or
//! the school has not authorised the integrator, but a single endpoint may also refuse access. Get
//! Clients (4.7) tells these cases apart: it accepts the credentials alone, and names the school's
//! authorisations.

use super::in_flight::InFlight;
use super::machine::Machine;
use super::reply::has_error;
use crate::error::Result;
use crate::query::NO_INTEGRATIONS;
use crate::sync::plan::resource_request::ResourceRequest;
use crate::sync::step::{Call, Reply, ReplyOutcome, StopReason};

/// The call to Get Clients, of which there is one at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AccessCheck;

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
            None if calls.unauthorised.is_empty() || calls.checks.len() > 0 => return None,
            None => {
                // The id differs from that of an earlier check.
                let name = format!("{:?} {now}", calls.unauthorised);
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

    /// Evaluates the reply to the check. If the access is in order, only the requests that were
    /// answered with 401 fail.
    pub(crate) fn handle_check(
        &mut self,
        in_flight: InFlight<AccessCheck>,
        now: i64,
        reply: &Reply<'_>,
    ) -> Result<ReplyOutcome> {
        match reply.status {
            401 => self.report.stopped = Some(StopReason::WrongCredentials),
            404 if has_error(reply.body, NO_INTEGRATIONS) => {
                self.report.stopped = Some(StopReason::SchoolNotAuthorised);
            }
            408 | 429 | 300..=399 | 500..=599 => {
                return self.back_off(reply, now, |machine, least| {
                    Ok(machine.retry_check(in_flight, now, least))
                });
            }
            _ => {
                while let Some(request) = self.calls.unauthorised.last().copied() {
                    self.refuse_request(request, now, 401)?;
                    self.forbid(request.item);
                    self.calls.unauthorised.pop();
                }
            }
        }
        self.calls.checks.end(in_flight.id);
        Ok(ReplyOutcome::Stored)
    }

    /// Schedules another attempt. After the last attempt, the sync stops.
    pub(crate) fn retry_check(
        &mut self,
        in_flight: InFlight<AccessCheck>,
        now: i64,
        least: i64,
    ) -> ReplyOutcome {
        match self.calls.checks.retry(in_flight, now, least) {
            Ok(at) => ReplyOutcome::Retry { at },
            Err(in_flight) => {
                self.calls.checks.end(in_flight.id);
                self.report.stopped = Some(StopReason::Unauthorised);
                ReplyOutcome::Failed
            }
        }
    }
}
