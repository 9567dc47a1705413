//! The calls that wait for a reply, or for their next attempt.

use super::pace;
use twox_hash::XxHash3_64;

/// A call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flight<T> {
    pub(super) id: u64,
    /// What it is made for.
    pub(super) of: T,
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

impl<T> Flight<T> {
    /// When it is sent again, if that is known: an attempt comes to nothing once, however
    /// often that is told.
    pub(super) fn paused(self) -> Option<i64> {
        match self.at {
            At::Paused(until) => Some(until),
            At::Out(_) => None,
        }
    }

    /// The same after an attempt that came to nothing.
    pub(super) fn once_more(self) -> Flight<T> {
        let attempts = self.attempts + 1;
        Flight { attempts, ..self }
    }
}

/// So long a call is out, in seconds.
const LONGEST: i64 = 120;

pub(super) struct Flights<T> {
    calls: Vec<Flight<T>>,
}

impl<T> Default for Flights<T> {
    fn default() -> Flights<T> {
        let calls = Vec::new();
        Flights { calls }
    }
}

impl<T: Copy + PartialEq> Flights<T> {
    /// Sends for the first time; the name makes the id, which is given.
    pub(super) fn send(&mut self, of: T, name: &str, now: i64) -> u64 {
        // A number that JavaScript holds exactly.
        let id = XxHash3_64::oneshot(name.as_bytes()) >> 11;
        self.calls.push(Flight {
            id,
            of,
            attempts: 0,
            at: At::Out(now),
        });
        id
    }

    /// Sends one again whose pause is over.
    pub(super) fn send_again(&mut self, now: i64) -> Option<Flight<T>> {
        let is_due =
            |flight: &&mut Flight<T>| matches!(flight.at, At::Paused(until) if until <= now);
        let flight = self.calls.iter_mut().find(is_due)?;
        flight.at = At::Out(now);
        Some(*flight)
    }

    /// The call of this id, if its reply may still be handed in: late ones too, as long as
    /// it was not answered or given up.
    pub(super) fn get(&self, id: u64) -> Option<Flight<T>> {
        self.calls.iter().copied().find(|flight| flight.id == id)
    }

    pub(super) fn end(&mut self, id: u64) {
        self.calls.retain(|flight| flight.id != id);
    }

    pub(super) fn clear(&mut self) {
        self.calls.clear();
    }

    /// Waits until the next attempt, after so many `tries`, by a secret that differs from
    /// device to device: at least so long as the service asked for. Gives when.
    pub(super) fn pause(
        &mut self,
        of: Flight<T>,
        tries: u64,
        now: i64,
        secret: u64,
        least: i64,
    ) -> i64 {
        let dice = XxHash3_64::oneshot_with_seed(secret ^ tries, &of.id.to_le_bytes());
        let pause = pace::pause(tries, dice).max(least);
        let until = now.saturating_add(pause);
        let at = At::Paused(until);
        let flight = self.calls.iter_mut().find(|flight| flight.id == of.id);
        if let Some(flight) = flight {
            *flight = Flight { at, ..of };
        }
        until
    }

    /// One that is out too long.
    pub(super) fn overdue(&self, now: i64) -> Option<Flight<T>> {
        let is_overdue = |flight: &Flight<T>| matches!(flight.at, At::Out(since) if now >= since.saturating_add(LONGEST));
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

    pub(super) fn has(&self, of: T) -> bool {
        self.calls.iter().any(|flight| flight.of == of)
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
