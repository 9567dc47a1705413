//! The calls that wait for a reply, or for their next attempt.

use super::ask::Ask;
use super::pace;
use twox_hash::XxHash3_64;

/// A call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flight {
    pub(super) id: u64,
    pub(super) ask: Ask,
    /// How often it came to nothing.
    pub(super) attempts: u64,
    at: At,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// It was sent then.
    Out(i64),
    /// It is sent again then.
    Paused(i64),
}

impl Flight {
    /// The same after an attempt that came to nothing.
    pub(super) fn once_more(self) -> Flight {
        let attempts = self.attempts + 1;
        Flight { attempts, ..self }
    }
}

/// So long a call is out, in seconds.
const LONGEST: i64 = 120;

#[derive(Default)]
pub(super) struct Flights {
    calls: Vec<Flight>,
}

impl Flights {
    /// Sends for the first time. In one pass a call has the same id whoever makes it, and
    /// another one if the pass has had it so many `times` before: a late reply to the one
    /// before is not taken for the next.
    pub(super) fn send(&mut self, ask: Ask, target: &str, pass: u64, times: u64, now: i64) -> u64 {
        let id = format!("{pass} {times} {target}");
        // A number that JavaScript holds exactly.
        let id = XxHash3_64::oneshot(id.as_bytes()) >> 11;
        self.calls.push(Flight {
            id,
            ask,
            attempts: 0,
            at: At::Out(now),
        });
        id
    }

    /// Sends one again whose pause is over.
    pub(super) fn send_again(&mut self, now: i64) -> Option<Flight> {
        let is_due = |flight: &&mut Flight| matches!(flight.at, At::Paused(until) if until <= now);
        let flight = self.calls.iter_mut().find(is_due)?;
        flight.at = At::Out(now);
        Some(*flight)
    }

    /// The call of this id, if its reply may still be handed in: late ones too, as long as
    /// it was not answered or given up.
    pub(super) fn get(&self, id: u64) -> Option<Flight> {
        self.calls.iter().copied().find(|flight| flight.id == id)
    }

    pub(super) fn end(&mut self, id: u64) {
        self.calls.retain(|flight| flight.id != id);
    }

    pub(super) fn clear(&mut self) {
        self.calls.clear();
    }

    /// Waits until the next attempt, by a secret that differs from device to device: at least
    /// so long as the service asked for. Gives when.
    pub(super) fn pause(&mut self, of: Flight, now: i64, secret: u64, least: i64) -> i64 {
        let dice = XxHash3_64::oneshot_with_seed(secret ^ of.attempts, &of.id.to_le_bytes());
        let pause = pace::pause(of.attempts, dice).max(least);
        let until = now.saturating_add(pause);
        let at = At::Paused(until);
        let flight = self.calls.iter_mut().find(|flight| flight.id == of.id);
        if let Some(flight) = flight {
            *flight = Flight { at, ..of };
        }
        until
    }

    /// One that is out too long.
    pub(super) fn overdue(&self, now: i64) -> Option<Flight> {
        let is_overdue = |flight: &Flight| matches!(flight.at, At::Out(since) if now >= since.saturating_add(LONGEST));
        self.calls.iter().copied().find(is_overdue)
    }

    pub(super) fn out(&self) -> u32 {
        let out = self.calls.iter();
        let out = out.filter(|flight| matches!(flight.at, At::Out(_)));
        u32::try_from(out.count()).unwrap_or(u32::MAX)
    }

    pub(super) fn len(&self) -> usize {
        self.calls.len()
    }

    pub(super) fn has(&self, ask: Ask) -> bool {
        self.calls.iter().any(|flight| flight.ask == ask)
    }

    /// The next instant at which there is something to do: a call is overdue, or, if one
    /// `may` be sent, its pause is over.
    pub(super) fn next(&self, may_send: bool) -> Option<i64> {
        let at = self.calls.iter().filter_map(|flight| match flight.at {
            At::Out(since) => Some(since.saturating_add(LONGEST)),
            At::Paused(until) => may_send.then_some(until),
        });
        at.min()
    }
}
