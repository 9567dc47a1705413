//! The calls that wait for a reply or for their next attempt.

use super::rate_control;
use twox_hash::XxHash3_64;

/// A call that waits for a reply or for its next attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InFlight<T> {
    pub(crate) id: u64,
    /// The request or state update that the call sends.
    pub(crate) item: T,
    /// The number of failed attempts.
    pub(crate) attempts: u64,
    /// Whether the last reply was complete, but not JSON.
    pub(crate) is_unreadable: bool,
    at: CallState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallState {
    /// The call was sent at this instant.
    Sent(i64),
    /// The next attempt is at this instant.
    Paused(i64),
}

impl<T> InFlight<T> {
    /// Returns the instant of the next attempt, if it is scheduled.
    fn paused(self) -> Option<i64> {
        match self.at {
            CallState::Paused(until) => Some(until),
            CallState::Sent(_) => None,
        }
    }
}

/// The time after which a call without a reply counts as failed, in seconds.
const TIMEOUT: i64 = 120;

/// How many attempts a call has.
const MAX_ATTEMPTS: u64 = 10;

pub(crate) struct CallsInFlight<T> {
    secret: u64,
    calls: Vec<InFlight<T>>,
}

impl<T: Copy + PartialEq> CallsInFlight<T> {
    /// Creates the list without any call. The secret determines the pauses between attempts.
    pub(crate) fn new(secret: u64) -> CallsInFlight<T> {
        let calls = Vec::new();
        CallsInFlight { secret, calls }
    }

    /// Adds a call that is sent for the first time, and returns its id, a digest of the name.
    pub(crate) fn send(&mut self, item: T, name: &str, now: i64) -> u64 {
        // JavaScript represents a number of 53 bits exactly.
        let id = XxHash3_64::oneshot(name.as_bytes()) >> 11;
        self.calls.push(InFlight {
            id,
            item,
            attempts: 0,
            is_unreadable: false,
            at: CallState::Sent(now),
        });
        id
    }

    /// Marks a call whose pause is over as sent again, and returns it.
    pub(crate) fn send_again(&mut self, now: i64) -> Option<InFlight<T>> {
        let is_due = |in_flight: &&mut InFlight<T>| matches!(in_flight.at, CallState::Paused(until) if until <= now);
        let in_flight = self.calls.iter_mut().find(is_due)?;
        in_flight.at = CallState::Sent(now);
        Some(*in_flight)
    }

    /// Returns the call with this id. A late reply is accepted as long as the call was not answered
    /// and has not failed permanently.
    pub(crate) fn get(&self, id: u64) -> Option<InFlight<T>> {
        self.calls
            .iter()
            .copied()
            .find(|in_flight| in_flight.id == id)
    }

    /// Moves all instants back by as many seconds as the clock was set back, so that the remaining
    /// times stay the same.
    pub(crate) fn set_back(&mut self, seconds: i64) {
        for in_flight in &mut self.calls {
            let (CallState::Sent(at) | CallState::Paused(at)) = &mut in_flight.at;
            *at = at.saturating_sub(seconds);
        }
    }

    pub(crate) fn end(&mut self, id: u64) {
        self.calls.retain(|in_flight| in_flight.id != id);
    }

    pub(crate) fn clear(&mut self) {
        self.calls.clear();
    }

    /// Schedules another attempt of a call that has failed, and returns its instant. A failed
    /// attempt counts once, even if its failure is reported again. Returns the call if it was the
    /// last attempt.
    pub(crate) fn retry(
        &mut self,
        call: InFlight<T>,
        now: i64,
        least: i64,
    ) -> Result<i64, InFlight<T>> {
        if let Some(at) = call.paused() {
            return Ok(at);
        }
        let attempts = call.attempts + 1;
        let call = InFlight { attempts, ..call };
        if attempts >= MAX_ATTEMPTS {
            return Err(call);
        }
        Ok(self.pause(call, attempts, now, least))
    }

    /// Returns how many attempts of the calls have failed.
    pub(crate) fn failed_attempts(&self) -> u64 {
        self.calls.iter().map(|in_flight| in_flight.attempts).sum()
    }

    /// Schedules the next attempt after `tries` attempts, and returns its instant. The pause is at
    /// least `least` seconds, as the service requested.
    pub(crate) fn pause(&mut self, call: InFlight<T>, tries: u64, now: i64, least: i64) -> i64 {
        let random = XxHash3_64::oneshot_with_seed(self.secret ^ tries, &call.id.to_le_bytes());
        let pause = rate_control::pause(tries, random).max(least);
        let until = now.saturating_add(pause);
        let at = CallState::Paused(until);
        let in_flight = self
            .calls
            .iter_mut()
            .find(|in_flight| in_flight.id == call.id);
        if let Some(in_flight) = in_flight {
            *in_flight = InFlight { at, ..call };
        }
        until
    }

    /// Returns a call that has been without a reply for too long.
    pub(crate) fn overdue(&self, now: i64) -> Option<InFlight<T>> {
        let is_overdue = |in_flight: &InFlight<T>| matches!(in_flight.at, CallState::Sent(since) if now >= since.saturating_add(TIMEOUT));
        self.calls.iter().copied().find(is_overdue)
    }

    pub(crate) fn sent_count(&self) -> u32 {
        let sent = self.calls.iter();
        let sent = sent.filter(|in_flight| matches!(in_flight.at, CallState::Sent(_)));
        u32::try_from(sent.count()).unwrap_or(u32::MAX)
    }

    pub(crate) fn len(&self) -> usize {
        self.calls.len()
    }

    pub(crate) fn has(&self, is_searched: impl Fn(&T) -> bool) -> bool {
        self.calls
            .iter()
            .any(|in_flight| is_searched(&in_flight.item))
    }

    /// Removes the calls that wait for their next attempt and are superseded.
    pub(crate) fn end_paused(&mut self, is_superseded: impl Fn(&T) -> bool) {
        self.calls
            .retain(|in_flight| in_flight.paused().is_none() || !is_superseded(&in_flight.item));
    }

    /// Returns the next instant that requires an action: the deadline of a call that was sent, or
    /// the end of a pause if `may_send` is true.
    pub(crate) fn next(&self, may_send: bool) -> Option<i64> {
        let at = self
            .calls
            .iter()
            .filter_map(|in_flight| match in_flight.at {
                CallState::Sent(since) => Some(since.saturating_add(TIMEOUT)),
                CallState::Paused(until) => may_send.then_some(until),
            });
        at.min()
    }
}
