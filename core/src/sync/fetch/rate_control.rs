//! Rate control: how many calls may be in flight at once, and how long a call waits after a failed
//! attempt.

use crate::date::Date;
use crate::sync::step::Reply;

/// The minimum pause between two attempts, in seconds.
const SHORTEST: i64 = 1;
/// The maximum pause between two attempts, in seconds.
const LONGEST: i64 = 300;
/// The longest pause that the service can request, in seconds.
const LONGEST_ASKED: i64 = 3_600;
/// The number of successful replies after which the number of calls in flight doubles, or rises
/// from one to its limit.
const GOOD: u32 = 20;

/// The current limits for sending calls.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    most: u32,
    allowed: u32,
    good: u32,
    /// How many times in succession there was no network.
    offline: u64,
    /// No call is sent before this instant, in seconds since 1970-01-01T00:00:00Z.
    pub(crate) not_before: i64,
}

impl Pace {
    pub(crate) fn new(most: u32) -> Pace {
        Pace {
            most: most.max(1),
            allowed: 1,
            // The first successful reply shows that the service works, and ends the initial limit
            // of one call.
            good: GOOD - 1,
            offline: 0,
            not_before: i64::MIN,
        }
    }

    pub(crate) fn allowed(&self) -> u32 {
        self.allowed
    }

    pub(crate) fn went_well(&mut self) {
        self.good += 1;
        if self.good >= GOOD {
            self.good = 0;
            let more = if self.allowed == 1 {
                self.most
            } else {
                self.allowed * 2
            };
            self.allowed = more.min(self.most);
        }
    }

    /// Counts a failure caused by a missing network, and returns the number of such failures in
    /// succession. The failures of all calls that were in flight together count once.
    pub(crate) fn record_offline(&mut self, now: i64) -> u64 {
        if now >= self.not_before {
            self.offline += 1;
        }
        self.offline
    }

    pub(crate) fn record_online(&mut self) {
        self.offline = 0;
    }

    /// Halves the number of calls in flight, after the service has refused a call because of the
    /// rate.
    pub(crate) fn slow_down(&mut self) {
        self.good = 0;
        self.allowed = (self.allowed / 2).max(1);
    }

    /// Moves the instant back by as many seconds as the clock was set back, so that the remaining
    /// wait stays the same.
    pub(crate) fn set_back(&mut self, seconds: i64) {
        self.not_before = self.not_before.saturating_sub(seconds);
    }

    pub(crate) fn wait_until(&mut self, at: i64) {
        self.not_before = self.not_before.max(at);
    }
}

/// Returns how long to wait after so many failed attempts, in seconds: a random time of at least 1
/// second, whose maximum doubles with each attempt, up to `LONGEST` (exponential backoff with full
/// jitter). `dice` is a random number.
pub(crate) fn pause(attempts: u64, dice: u64) -> i64 {
    let most = (1i64 << attempts.min(16)).min(LONGEST);
    SHORTEST + (dice % most.unsigned_abs()).cast_signed()
}

/// Returns how long the service asks to wait, in seconds. The header contains a number of seconds
/// or an HTTP date.
pub(crate) fn asked_to_wait(reply: &Reply<'_>, now: i64) -> Option<i64> {
    let text = reply.retry_after?.trim();
    let seconds = match text.parse::<u64>() {
        Ok(seconds) => i64::try_from(seconds).unwrap_or(i64::MAX),
        Err(_) => instant(text)?.saturating_sub(now),
    };
    Some(seconds.clamp(0, LONGEST_ASKED))
}

/// Converts an HTTP date such as `Sun, 06 Nov 1994 08:49:37 GMT` to seconds since
/// 1970-01-01T00:00:00Z.
fn instant(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let (_, rest) = text.split_once(", ")?;
    let mut words = rest.split(' ');
    let day = words.next()?.parse().ok()?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    let year = words.next()?.parse().ok()?;
    let date = Date::new(year, u8::try_from(month).ok()?, day)?;
    let mut seconds = date.unix_days();
    let mut parts = words.next()?.split(':');
    for most in [24, 60, 60] {
        let part: i64 = parts.next()?.parse().ok()?;
        seconds = seconds * most + Some(part).filter(|part| (0..most).contains(part))?;
    }
    (words.next() == Some("GMT")).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use crate::sync::fetch::rate_control::*;

    #[test]
    fn pauses_grow_and_stay_within_their_bounds() {
        for attempts in 0..80 {
            let pauses = (0..2_000u64).map(|dice| pause(attempts, dice));
            let (mut least, mut most) = (i64::MAX, 0);
            for pause in pauses {
                least = least.min(pause);
                most = most.max(pause);
            }
            assert_eq!(least, 1, "{attempts}");
            let bound = if attempts < 9 { 1 << attempts } else { 300 };
            assert_eq!(most, bound, "{attempts}");
        }
    }

    #[test]
    fn what_the_service_asks_for_is_honoured() {
        let wait = |text| {
            let reply = Reply {
                retry_after: Some(text),
                ..Reply::default()
            };
            asked_to_wait(&reply, 784_111_700)
        };
        assert_eq!(wait("120"), Some(120));
        assert_eq!(wait(" 0 "), Some(0));
        assert_eq!(wait("99999999999999999999"), None);
        assert_eq!(wait("99999999999"), Some(3_600));
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:37 GMT"), Some(77));
        assert_eq!(wait("Sun, 06 Nov 1994 08:00:00 GMT"), Some(0));
        for text in [
            "",
            "soon",
            "Sun, 06 Nov 1994",
            "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 CET",
        ] {
            assert_eq!(wait(text), None, "{text}");
        }
    }

    #[test]
    fn one_call_is_out_at_first_and_a_refusal_halves_them() {
        let mut pace = Pace::new(4);
        assert_eq!(pace.allowed(), 1);
        pace.went_well();
        assert_eq!(pace.allowed(), 4);
        pace.slow_down();
        assert_eq!(pace.allowed(), 2);
        for _ in 0..20 {
            assert_eq!(pace.allowed(), 2);
            pace.went_well();
        }
        assert_eq!(pace.allowed(), 4);
        for _ in 0..5 {
            pace.slow_down();
        }
        assert_eq!(pace.allowed(), 1);
        assert_eq!(Pace::new(0).allowed(), 1);
    }
}
