//! The state updates that a pass sends, and those that it reports.

use super::pass::Pass;
use crate::dataset::replication::outbox::{self, OutboxEntry};
use crate::error::Result;
use crate::store::Snapshot;
use crate::sync::step::{RefusedState, UnsentState};

impl Pass {
    /// Returns the state updates that the service has not answered yet.
    pub(crate) fn outbox(&self) -> Result<Vec<OutboxEntry>> {
        let Some(username) = &self.options.outbox else {
            return Ok(Vec::new());
        };
        self.staging
            .read(|snapshot| outbox::entries(snapshot, self.school, username))
    }

    /// Returns the requested states that the service has not accepted yet, of all integrators.
    pub(crate) fn unsent(&self) -> Result<Vec<UnsentState>> {
        let read = |snapshot: &Snapshot| outbox::unsent(snapshot, self.school);
        let unsent = self.staging.read(read)?.into_iter();
        let unsent = unsent.map(|entry| UnsentState {
            api_type_id: entry.api_type_id,
            state: entry.state,
        });
        Ok(unsent.collect())
    }

    /// Returns the state updates whose refusal this pass reports.
    pub(crate) fn refused(&self) -> Result<Vec<RefusedState>> {
        let Some(head) = self.head else {
            return Ok(Vec::new());
        };
        let read = |snapshot: &Snapshot| outbox::refusals(snapshot, self.school, head.pass);
        let refused = self.staging.read(read)?.into_iter();
        let refused = refused.map(|(api_type_id, refusal)| RefusedState {
            api_type_id,
            state: refusal.state,
            status: u16::try_from(refusal.status).unwrap_or_default(),
        });
        Ok(refused.collect())
    }
}
