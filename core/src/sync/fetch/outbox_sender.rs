//! Sends the state updates of an app that has enabled this, each of them until the service has
//! accepted or refused it.

use super::in_flight::InFlight;
use super::machine::Machine;
use super::pass::Pass;
use super::reply::is_json;
use crate::dataset::replication::outbox::{self, OutboxEntry};
use crate::error::Result;
use crate::sync::step::{Call, RefusedState, Reply, ReplyOutcome, UnsentState};

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

    /// Evaluates the reply to a state update. If the service refuses the update, the state is reset
    /// to its earlier value.
    pub(crate) fn handle_update(
        &mut self,
        in_flight: InFlight<OutboxEntry>,
        now: i64,
        reply: &Reply<'_>,
    ) -> Result<ReplyOutcome> {
        let (entry, school) = (in_flight.item, self.pass.school);
        let Some(username) = self.pass.options.outbox.clone() else {
            return Ok(ReplyOutcome::Stale);
        };
        match reply.status {
            // A body that is not JSON does not originate from the service, but for example from the
            // login page of a Wi-Fi network.
            200 | 400..=407 | 409..=428 | 430..=499 if !is_json(reply.body) => {
                Ok(self.retry_update(in_flight, now, 0))
            }
            200 | 204 => {
                self.pass
                    .staging
                    .write(|write| outbox::grant(write, school, &username, entry))?;
                self.calls.updates.end(in_flight.id);
                self.calls.rate_control.record_success();
                Ok(ReplyOutcome::Stored)
            }
            400..=407 | 409..=428 | 430..=499 => {
                self.pass
                    .staging
                    .write(|write| outbox::refuse(write, school, &username, entry))?;
                self.calls.updates.end(in_flight.id);
                self.report.results.refused.push(RefusedState {
                    api_type_id: entry.api_type_id,
                    state: entry.state,
                    status: reply.status,
                });
                Ok(ReplyOutcome::Failed)
            }
            _ => self.back_off(reply, now, |machine, least| {
                Ok(machine.retry_update(in_flight, now, least))
            }),
        }
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

impl Pass {
    /// Returns the state updates that the service has not answered yet.
    fn outbox(&self) -> Result<Vec<OutboxEntry>> {
        let Some(username) = &self.options.outbox else {
            return Ok(Vec::new());
        };
        self.staging
            .read(|snapshot| outbox::entries(snapshot, self.school, username))
    }

    /// Returns the requested states that the service has not accepted yet.
    pub(crate) fn unsent(&self) -> Result<Vec<UnsentState>> {
        let unsent = self.outbox()?.into_iter().map(|entry| UnsentState {
            api_type_id: entry.api_type_id,
            state: entry.state,
        });
        Ok(unsent.collect())
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
