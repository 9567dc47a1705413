//! How fast is asked: how many calls are out at once, and how long is waited after one that
//! came to nothing.

use super::step::Reply;
use crate::date::Date;

/// The shortest and the longest pause between two attempts, in seconds.
const SHORTEST: i64 = 1;
const LONGEST: i64 = 300;
/// The service may ask for no longer one.
const LONGEST_ASKED: i64 = 3_600;
/// After so many good answers twice as many calls are out.
const GOOD: u32 = 20;

/// What is out at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    most: u32,
    allowed: u32,
    good: u32,
    /// How often there was no network, one time after the other.
    offline: u64,
    /// Nothing is sent before, in seconds since 1970-01-01T00:00:00Z.
    pub(super) not_before: i64,
}

impl Pace {
    pub(super) fn new(most: u32) -> Pace {
        Pace {
            most: most.max(1),
            allowed: 1,
            // The first good answer shows that the service is there.
            good: GOOD - 1,
            offline: 0,
            not_before: i64::MIN,
        }
    }

    pub(super) fn allowed(&self) -> u32 {
        self.allowed
    }

    pub(super) fn went_well(&mut self) {
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

    /// There is no network; gives how often there was none. All that was out at once counts
    /// once.
    pub(super) fn is_offline(&mut self, now: i64) -> u64 {
        if now >= self.not_before {
            self.offline += 1;
        }
        self.offline
    }

    pub(super) fn is_online(&mut self) {
        self.offline = 0;
    }

    /// It was too much.
    pub(super) fn slow_down(&mut self) {
        self.good = 0;
        self.allowed = (self.allowed / 2).max(1);
    }

    pub(super) fn wait_until(&mut self, at: i64) {
        self.not_before = self.not_before.max(at);
    }
}

/// How long to wait after so many attempts, in seconds: any time up to twice the one
/// before (full jitter), by a number that is anything.
pub(super) fn pause(attempts: u64, dice: u64) -> i64 {
    let most = (1i64 << attempts.min(16)).min(LONGEST);
    SHORTEST + (dice % most.unsigned_abs()).cast_signed()
}

/// How long the service asks to wait, in seconds: a number of them, or a date of HTTP.
pub(super) fn asked_to_wait(reply: &Reply<'_>, now: i64) -> Option<i64> {
    let text = reply.retry_after?.trim();
    let seconds = match text.parse::<u64>() {
        Ok(seconds) => i64::try_from(seconds).unwrap_or(i64::MAX),
        Err(_) => instant(text)?.saturating_sub(now),
    };
    Some(seconds.clamp(0, LONGEST_ASKED))
}

/// `Sun, 06 Nov 1994 08:49:37 GMT` in seconds since 1970-01-01T00:00:00Z.
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
    use super::*;

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
