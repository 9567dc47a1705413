//! The requests and state updates of a sync that are queued or in flight, and the rate at which
//! they are sent.

use super::in_flight::{CallsInFlight, InFlight};
use super::rate_control::RateControl;
use crate::dataset::replication::outbox::OutboxEntry;
use crate::record::replication::fetch_log_entry::FetchState;
use crate::sync::resources::resource_request::ResourceRequest;
use std::collections::VecDeque;

/// The number of failed attempts of all requests after which the service counts as unreachable if it
/// never replied.
const FIRST_ATTEMPTS: u64 = 3;

/// The call to Get Clients that checks the access, of which there is one at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AccessCheck;

/// What is queued and in flight. A request is in `requests` at most once.
pub(crate) struct Calls {
    pub(crate) rate_control: RateControl,
    pub(crate) queue: VecDeque<ResourceRequest>,
    /// Priority requests that are not sent yet.
    pub(crate) priority_queue: VecDeque<ResourceRequest>,
    /// Priority requests in flight.
    pub(crate) priority_in_flight: Vec<ResourceRequest>,
    /// Priority requests that are answered but not published yet.
    pub(crate) priority_answered: Vec<ResourceRequest>,
    pub(crate) requests: CallsInFlight<ResourceRequest>,
    /// State updates in flight.
    pub(crate) updates: CallsInFlight<OutboxEntry>,
    /// The check of the access, if it is in flight.
    pub(crate) checks: CallsInFlight<AccessCheck>,
    /// The requests that were answered with 401, until the access was checked.
    pub(crate) unauthorised: Vec<InFlight<ResourceRequest>>,
    /// The state updates that were answered with 401, until the access was checked, and whether the
    /// answer is a refusal of the update.
    pub(crate) unauthorised_updates: Vec<(InFlight<OutboxEntry>, bool)>,
    /// State updates that have failed and are left to the next sync.
    pub(crate) deferred: Vec<OutboxEntry>,
    /// Whether any call had a reply.
    pub(crate) has_contact: bool,
    /// The instant that the driver passed last.
    now: Option<i64>,
}

impl Calls {
    /// Creates the state without any call. The pauses between attempts depend on the secret, which
    /// differs between stores, so that they do not end on all devices at once.
    pub(crate) fn new(secret: u64, most_in_flight: u32) -> Calls {
        Calls {
            rate_control: RateControl::new(most_in_flight),
            queue: VecDeque::new(),
            priority_queue: VecDeque::new(),
            priority_in_flight: Vec::new(),
            priority_answered: Vec::new(),
            requests: CallsInFlight::new(secret),
            updates: CallsInFlight::new(secret),
            checks: CallsInFlight::new(secret),
            unauthorised: Vec::new(),
            unauthorised_updates: Vec::new(),
            deferred: Vec::new(),
            has_contact: false,
            now: None,
        }
    }

    /// Sets the current instant. If the clock was set back, moves all deadlines back with it.
    pub(crate) fn set_clock(&mut self, now: i64) {
        let back = self.now.map_or(0, |before| before.saturating_sub(now));
        if back > 0 {
            self.requests.set_back(back);
            self.updates.set_back(back);
            self.checks.set_back(back);
            self.rate_control.set_back(back);
        }
        self.now = Some(now);
    }

    /// Discards the requests of the pass. Those with priority are queued again.
    pub(crate) fn reset(&mut self) {
        self.queue.clear();
        self.requests.clear();
        self.checks.clear();
        self.unauthorised.clear();
        self.unauthorised_updates.clear();
        self.priority_queue
            .extend(self.priority_in_flight.drain(..));
        self.priority_answered.clear();
    }

    /// Adds a priority request, in place of an equal one.
    pub(crate) fn prioritise(&mut self, request: ResourceRequest) {
        self.priority_queue.retain(|other| *other != request);
        self.priority_queue.push_back(request);
    }

    /// Returns whether a 401 requires a check of the access, until it was checked.
    pub(crate) fn is_access_unclear(&self) -> bool {
        !self.unauthorised.is_empty() || !self.unauthorised_updates.is_empty()
    }

    /// Returns how many calls are in flight.
    pub(crate) fn in_flight_count(&self) -> u32 {
        self.requests.sent_count() + self.updates.sent_count() + self.checks.sent_count()
    }

    /// Returns how many requests are not answered yet.
    pub(crate) fn remaining(&self) -> usize {
        let waiting = self.requests.len() + self.unauthorised.len();
        self.queue.len() + self.priority_queue.len() + waiting
    }

    /// Returns whether a call may be sent at this instant.
    pub(crate) fn may_send(&self, now: i64) -> bool {
        now >= self.rate_control.not_before && self.in_flight_count() < self.rate_control.allowed()
    }

    /// Returns whether nothing can be done before a reply or a later instant.
    pub(crate) fn is_waiting(&self, now: i64) -> bool {
        self.requests.len() + self.updates.len() + self.checks.len() > 0
            || now < self.rate_control.not_before
    }

    /// Removes the next request from its queue. A call that waits for its next attempt occupies a
    /// place, so that no further requests are tried if all calls fail.
    pub(crate) fn next_request(&mut self) -> Option<ResourceRequest> {
        let allowed = usize::try_from(self.rate_control.allowed()).unwrap_or(usize::MAX);
        // If the first request has no reply, another one shows whether the service can be reached.
        let is_first_unanswered = !self.has_contact && self.failed_attempts() > 0;
        let allowed = allowed.saturating_add(usize::from(is_first_unanswered));
        while self.requests.len() < allowed {
            let priority = self.priority_queue.pop_front();
            self.priority_in_flight.extend(priority);
            let request = priority.or_else(|| self.queue.pop_front())?;
            if !self.requests.has(|of| *of == request) {
                return Some(request);
            }
        }
        None
    }

    /// Ends a request that was answered or has failed. Returns whether it is a priority request
    /// whose answer is to be published without waiting for the pass.
    pub(crate) fn end_request(
        &mut self,
        call: InFlight<ResourceRequest>,
        state: FetchState,
    ) -> bool {
        self.requests.end(call.id);
        let before = self.priority_in_flight.len();
        self.priority_in_flight
            .retain(|request| *request != call.item);
        let is_answered = self.priority_in_flight.len() < before && state == FetchState::Fetched;
        if is_answered {
            self.priority_answered.push(call.item);
        }
        is_answered
    }

    /// Returns whether the service has never replied, although `FIRST_ATTEMPTS` attempts were made.
    pub(crate) fn is_unreachable(&self) -> bool {
        !self.has_contact && self.failed_attempts() >= FIRST_ATTEMPTS
    }

    /// Returns how many attempts of the calls in flight have failed.
    fn failed_attempts(&self) -> u64 {
        self.requests.failed_attempts() + self.updates.failed_attempts()
    }

    /// Pauses all sending because there is no network, and returns the instant at which it resumes.
    /// This does not count as an attempt. Returns `None` if there is no call with this id.
    pub(crate) fn pause_offline(&mut self, call: u64, now: i64) -> Option<i64> {
        let (request, update) = (self.requests.get(call), self.updates.get(call));
        let check = self.checks.get(call);
        if request.is_none() && update.is_none() && check.is_none() {
            return None;
        }
        let times = self.rate_control.record_offline(now);
        let mut at = now;
        if let Some(in_flight) = request {
            at = self.requests.pause(in_flight, times, now, 0);
        }
        if let Some(in_flight) = update {
            at = self.updates.pause(in_flight, times, now, 0);
        }
        if let Some(in_flight) = check {
            at = self.checks.pause(in_flight, times, now, 0);
        }
        self.rate_control.wait_until(at);
        Some(at)
    }

    /// Returns the next instant that requires an action.
    pub(crate) fn next_instant(&self, now: i64) -> i64 {
        let may_send = self.in_flight_count() < self.rate_control.allowed();
        let not_before = self.rate_control.not_before;
        let waits = (may_send && now < not_before).then_some(not_before);
        // While the access is checked, nothing else is sent.
        let may_send_others = may_send && !self.is_access_unclear();
        let calls = [
            self.requests.next(may_send_others),
            self.updates.next(may_send_others),
            self.checks.next(may_send),
        ];
        let calls = calls.into_iter().flatten();
        let until = calls.chain(waits).map(|until| match waits {
            Some(waits) => until.max(waits),
            None => until,
        });
        until.min().unwrap_or(now).max(now.saturating_add(1))
    }
}
