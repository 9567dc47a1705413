//! Sends the state updates of an app that has enabled this, each of them until the service has
//! accepted or refused it.

use super::error_body::{has_error, is_bad_request};
use super::in_flight::InFlight;
use super::machine::Machine;
use super::pass::Pass;
use crate::api::NOT_AUTHORISED;
use crate::dataset::replication::outbox::{self, OutboxEntry};
use crate::error::Result;
use crate::query::NO_INTEGRATIONS;
use crate::store::Write;
use crate::sync::step::{Call, Reply, ReplyOutcome};

impl Machine {
    /// Returns the next state update to send. If two updates have the same API type, the later one
    /// is sent only after the older one was answered or has failed, and the older one is never sent
    /// after it.
    pub(crate) fn send_update(&mut self, now: i64) -> Result<Option<Call>> {
        let (entries, school) = (self.pass.outbox()?, self.pass.school);
        let calls = &mut self.calls;
        calls.updates.end_paused(|entry| !entries.contains(entry));
        if let Some(in_flight) = calls.updates.send_again(now) {
            return Ok(Some(update(in_flight.id, in_flight.item, school)));
        }
        let is_new = |entry: &OutboxEntry| {
            let is_same = |of: &OutboxEntry| of.api_type_id == entry.api_type_id;
            !calls.updates.has(is_same) && !calls.deferred.contains(entry)
        };
        let Some(entry) = entries.into_iter().find(is_new) else {
            return Ok(None);
        };
        let name = format!("{} {entry:?} {school}", self.pass.number());
        let id = calls.updates.send(entry, &name, now);
        Ok(Some(update(id, entry, school)))
    }

    /// Evaluates the reply to a state update. Only the answers that the service documents for an
    /// update accept or refuse it. Another answer may originate from a proxy or from the login page
    /// of a network.
    pub(crate) fn handle_update(
        &mut self,
        in_flight: InFlight<OutboxEntry>,
        now: i64,
        reply: &Reply<'_>,
    ) -> Result<ReplyOutcome> {
        match reply.status {
            204 => self.accept_update(in_flight),
            200 if is_empty_array(reply.body) => self.accept_update(in_flight),
            400 if is_bad_request(reply.body) => self.refuse_update(in_flight, 400),
            404 if has_error(reply.body, NO_INTEGRATIONS) => self.refuse_update(in_flight, 404),
            401 => {
                let is_refusal = has_error(reply.body, NOT_AUTHORISED);
                self.calls.updates.end(in_flight.id);
                self.calls
                    .unauthorised_updates
                    .push((in_flight, is_refusal));
                Ok(ReplyOutcome::Failed)
            }
            _ => self.back_off(reply, now, |machine, least| {
                Ok(machine.retry_update(in_flight, now, least))
            }),
        }
    }

    fn accept_update(&mut self, in_flight: InFlight<OutboxEntry>) -> Result<ReplyOutcome> {
        self.answer_update(in_flight, outbox::grant)?;
        self.calls.rate_control.record_success();
        Ok(ReplyOutcome::Stored)
    }

    /// Resets the state of an update that the service refuses to its earlier value.
    fn refuse_update(
        &mut self,
        in_flight: InFlight<OutboxEntry>,
        status: u16,
    ) -> Result<ReplyOutcome> {
        // If the pass is over, the next one reports the refusal as well.
        let is_over = self.pass.head.is_some_and(|head| head.is_over);
        let refusal = [u64::from(status), self.pass.number() + u64::from(is_over)];
        self.answer_update(in_flight, |write, school, username, entry| {
            outbox::refuse(write, school, username, entry, refusal)
        })?;
        Ok(ReplyOutcome::Failed)
    }

    /// Stores the answer to an update, and ends its call.
    fn answer_update(
        &mut self,
        in_flight: InFlight<OutboxEntry>,
        answer: impl FnOnce(&mut Write<'_>, u64, &str, OutboxEntry) -> Result<()>,
    ) -> Result<()> {
        let Pass {
            staging,
            school,
            options,
            ..
        } = &self.pass;
        let username = options.outbox.as_deref().unwrap_or_default();
        staging.write(|write| answer(write, *school, username, in_flight.item))?;
        self.calls.updates.end(in_flight.id);
        Ok(())
    }

    /// Handles the updates that were answered with 401 although the access is in order. Those that
    /// the service does not refuse are left to the next sync.
    pub(super) fn end_unauthorised_updates(&mut self) -> Result<()> {
        while let Some((in_flight, is_refusal)) = self.calls.unauthorised_updates.last().copied() {
            if is_refusal {
                self.refuse_update(in_flight, 401)?;
            } else {
                self.calls.deferred.push(in_flight.item);
            }
            self.calls.unauthorised_updates.pop();
        }
        Ok(())
    }

    /// Schedules another attempt. After the last attempt, the update is left to the next sync.
    pub(crate) fn retry_update(
        &mut self,
        in_flight: InFlight<OutboxEntry>,
        now: i64,
        least: i64,
    ) -> ReplyOutcome {
        match self.calls.updates.retry(in_flight, now, least) {
            Ok(at) => {
                self.check_contact();
                ReplyOutcome::Retry { at }
            }
            Err(in_flight) => {
                self.calls.updates.end(in_flight.id);
                self.calls.deferred.push(in_flight.item);
                ReplyOutcome::Failed
            }
        }
    }
}

fn update(id: u64, entry: OutboxEntry, school: u64) -> Call {
    let (state, api_type_id) = (u8::from(entry.state), entry.api_type_id);
    Call {
        id,
        method: "PATCH",
        target: format!("/api/v1/settings/clients/{school}"),
        body: format!(r#"{{"state":{state},"api_type_id":{api_type_id}}}"#),
    }
}

/// Returns whether a body is `[]`, which is the answer of the service to a successful update.
fn is_empty_array(body: &[u8]) -> bool {
    serde_json::from_slice::<[(); 0]>(body).is_ok()
}
