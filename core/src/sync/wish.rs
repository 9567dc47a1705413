//! State updates on their way to the service, for an app that has asked for it: each is sent
//! until the service has said yes or no.

use super::flight::Flight;
use super::machine::{MOST_ATTEMPTS, Machine};
use super::step::{Call, RefusedState, Reply, Taken};
use crate::dataset::outbox::{self, Wish};
use crate::error::Result;

impl Machine {
    /// The next state update to be sent.
    pub(super) fn send_wish(&mut self, now: i64) -> Result<Option<Call>> {
        let Some(username) = self.options.outbox.clone() else {
            return Ok(None);
        };
        if let Some(flight) = self.wishes.send_again(now) {
            return Ok(Some(self.update(flight.id, flight.of)));
        }
        let school = self.school;
        let wishes = self
            .staging
            .read(|snapshot| outbox::wishes(snapshot, school, &username))?;
        let is_new = |wish: &Wish| !self.wishes.has(*wish) && !self.put_off.contains(wish);
        let Some(wish) = wishes.into_iter().find(is_new) else {
            return Ok(None);
        };
        let name = format!("{} {wish:?} {school}", self.pass());
        let id = self.wishes.send(wish, &name, now);
        Ok(Some(self.update(id, wish)))
    }

    fn update(&self, id: u64, wish: Wish) -> Call {
        let (state, api_type_id) = (u8::from(wish.state), wish.api_type_id);
        Call {
            id,
            method: "PATCH",
            target: format!("/api/v1/settings/clients/{}", self.school),
            body: format!(r#"{{"state":{state},"api_type_id":{api_type_id}}}"#),
        }
    }

    /// A state that was refused is what it was before.
    pub(super) fn take_wish(
        &mut self,
        flight: Flight<Wish>,
        now: i64,
        reply: &Reply<'_>,
    ) -> Result<Taken> {
        let (wish, school) = (flight.of, self.school);
        let Some(username) = self.options.outbox.clone() else {
            return Ok(Taken::Stale);
        };
        match reply.status {
            200 | 204 => {
                self.staging
                    .write(|write| outbox::grant(write, school, &username, wish))?;
                self.wishes.end(flight.id);
                self.pace.went_well();
                Ok(Taken::Kept)
            }
            400..=407 | 409..=428 | 430..=499 => {
                self.staging
                    .write(|write| outbox::refuse(write, school, &username, wish))?;
                self.wishes.end(flight.id);
                self.report.refused.push(RefusedState {
                    api_type_id: wish.api_type_id,
                    state: wish.state,
                    status: reply.status,
                });
                Ok(Taken::GivenUp)
            }
            _ => self.unwell(reply, now, |machine, least| {
                Ok(machine.retry_wish(flight, now, least))
            }),
        }
    }

    /// Once more, or in the next sync.
    pub(super) fn retry_wish(&mut self, flight: Flight<Wish>, now: i64, least: i64) -> Taken {
        if let Some(at) = flight.paused() {
            return Taken::Retry { at };
        }
        let flight = flight.once_more();
        if flight.attempts >= MOST_ATTEMPTS {
            self.wishes.end(flight.id);
            self.put_off.push(flight.of);
            return Taken::GivenUp;
        }
        let (tries, secret) = (flight.attempts, self.secret);
        let at = self.wishes.pause(flight, tries, now, secret, least);
        Taken::Retry { at }
    }
}
