//! Rate control: how many calls may be in flight at once, and how long a call waits after a failed
//! attempt.

use crate::date::Date;
use crate::sync::step::Reply;

/// The minimum pause between two attempts, in seconds.
const MIN_PAUSE: i64 = 1;
/// The maximum pause between two attempts, in seconds.
const MAX_PAUSE: i64 = 300;
/// The longest pause that the service can request, in seconds.
const MAX_REQUESTED_PAUSE: i64 = 3_600;
/// The number of successful replies after which the number of calls in flight doubles, or rises
/// from one to its limit.
const SUCCESSES_TO_SPEED_UP: u32 = 20;

/// The current limits for sending calls.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RateControl {
    max: u32,
    allowed: u32,
    successes: u32,
    /// How many times in succession there was no network.
    offline: u64,
    /// No call is sent before this instant, in seconds since 1970-01-01T00:00:00Z.
    pub(crate) not_before: i64,
}

impl RateControl {
    pub(crate) fn new(max: u32) -> RateControl {
        RateControl {
            max: max.max(1),
            allowed: 1,
            // The first successful reply shows that the service works, and ends the initial limit
            // of one call.
            successes: SUCCESSES_TO_SPEED_UP - 1,
            offline: 0,
            not_before: i64::MIN,
        }
    }

    pub(crate) fn allowed(&self) -> u32 {
        self.allowed
    }

    pub(crate) fn record_success(&mut self) {
        self.successes += 1;
        if self.successes >= SUCCESSES_TO_SPEED_UP {
            self.successes = 0;
            let more = if self.allowed == 1 {
                self.max
            } else {
                self.allowed * 2
            };
            self.allowed = more.min(self.max);
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
        self.successes = 0;
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

/// Returns how long to wait after a number of failed attempts, in seconds: a random time of at
/// least 1 second, whose maximum doubles with each attempt, up to `MAX_PAUSE` (exponential backoff
/// with full jitter). `random` is a random number.
pub(crate) fn pause(attempts: u64, random: u64) -> i64 {
    let max = (1i64 << attempts.min(16)).min(MAX_PAUSE);
    MIN_PAUSE + (random % max.unsigned_abs()).cast_signed()
}

/// Returns how long the service asks to wait, in seconds. The header contains a number of seconds
/// or an HTTP date.
pub(crate) fn retry_after_seconds(reply: &Reply<'_>, now: i64) -> Option<i64> {
    let text = reply.retry_after?.trim();
    let seconds = match text.parse::<u64>() {
        Ok(seconds) => i64::try_from(seconds).unwrap_or(i64::MAX),
        Err(_) => instant(text)?.saturating_sub(now),
    };
    Some(seconds.clamp(0, MAX_REQUESTED_PAUSE))
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
    for max in [24, 60, 60] {
        let part: i64 = parts.next()?.parse().ok()?;
        seconds = seconds * max + Some(part).filter(|part| (0..max).contains(part))?;
    }
    (words.next() == Some("GMT")).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use crate::sync::fetch::rate_control::*;

    #[test]
    fn pauses_grow_up_to_their_limit() {
        for attempts in 0..80 {
            let pauses = (0..2_000u64).map(|random| pause(attempts, random));
            let (mut min, mut max) = (i64::MAX, 0);
            for pause in pauses {
                min = min.min(pause);
                max = max.max(pause);
            }
            assert_eq!(min, 1, "{attempts}");
            let bound = if attempts < 9 { 1 << attempts } else { 300 };
            assert_eq!(max, bound, "{attempts}");
        }
    }

    #[test]
    fn the_retry_after_header_is_parsed() {
        let wait = |text| {
            let reply = Reply {
                retry_after: Some(text),
                ..Reply::default()
            };
            retry_after_seconds(&reply, 784_111_700)
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
    fn one_call_is_allowed_at_first_and_a_refusal_halves_the_limit() {
        let mut rate_control = RateControl::new(4);
        assert_eq!(rate_control.allowed(), 1);
        rate_control.record_success();
        assert_eq!(rate_control.allowed(), 4);
        rate_control.slow_down();
        assert_eq!(rate_control.allowed(), 2);
        for _ in 0..20 {
            assert_eq!(rate_control.allowed(), 2);
            rate_control.record_success();
        }
        assert_eq!(rate_control.allowed(), 4);
        for _ in 0..5 {
            rate_control.slow_down();
        }
        assert_eq!(rate_control.allowed(), 1);
        assert_eq!(RateControl::new(0).allowed(), 1);
    }
}
