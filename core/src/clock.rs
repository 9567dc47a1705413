//! The clock of an engine, and the offset of a school from UTC. Together they give the current
//! date.

use crate::date::Date;
use crate::error::{Error, Result};
use crate::platform::HAS_SYSTEM;
use std::ops::Range;
use std::sync::Arc;

/// The source of the current time. The engine has no other source (section 1, "current").
///
/// ```
/// use rollbook::Clock;
/// let noon = Clock::Fixed(1_778_760_000); // 2026-05-14T12:00:00Z
/// # let _ = noon;
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Clock {
    /// The clock of the system. WebAssembly in a browser has none, so another clock is required
    /// there.
    #[default]
    System,
    /// A fixed time, in seconds since 1970-01-01T00:00:00Z.
    Fixed(i64),
    /// A function that returns the time in seconds since 1970-01-01T00:00:00Z.
    Custom(Arc<dyn Fn() -> i64 + Send + Sync>),
}

impl Clock {
    /// Creates a clock from a function that returns the time in seconds since
    /// 1970-01-01T00:00:00Z.
    ///
    /// ```
    /// use rollbook::{Clock, Engine, Options};
    /// use std::sync::atomic::{AtomicI64, Ordering};
    /// use std::sync::Arc;
    ///
    /// let now = Arc::new(AtomicI64::new(1_778_745_600)); // 2026-05-14T08:00:00Z
    /// let hand = now.clone();
    /// let clock = Clock::custom(move || hand.load(Ordering::Relaxed));
    /// let engine = Engine::memory(Options { clock, ..Options::default() })?;
    /// now.fetch_add(86_400, Ordering::Relaxed); // the next day
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn custom(now: impl Fn() -> i64 + Send + Sync + 'static) -> Clock {
        Clock::Custom(Arc::new(now))
    }

    /// Fails if this platform does not have the clock.
    pub(crate) fn check(&self) -> Result<()> {
        if matches!(self, Clock::System) && !HAS_SYSTEM {
            return Err(Error::unsupported(
                "this platform has no system clock: give one when opening",
            ));
        }
        Ok(())
    }

    /// Returns whether the clock always returns the same time.
    pub(crate) fn is_fixed(&self) -> bool {
        matches!(self, Clock::Fixed(_))
    }

    /// Returns the time in seconds since 1970-01-01T00:00:00Z.
    pub(crate) fn now(&self) -> i64 {
        match self {
            Clock::System => system_now(),
            Clock::Fixed(instant) => *instant,
            Clock::Custom(now) => now(),
        }
    }
}

impl std::fmt::Debug for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Clock::System => f.write_str("System"),
            Clock::Fixed(instant) => write!(f, "Fixed({instant})"),
            Clock::Custom(_) => f.write_str("Custom"),
        }
    }
}

fn system_now() -> i64 {
    use std::time::{SystemTime, UNIX_EPOCH};
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_secs()).map_or(i64::MIN, |s| -s),
    }
}

/// The number of seconds in a day.
const DAY: i64 = 86_400;

/// The fixed offset of a school from UTC, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offset(i32);

impl Offset {
    /// The offset `+02:00` of a school that specifies none.
    pub(crate) const DEFAULT: Offset = Offset(2 * 3600);

    /// Parses an offset of the form `±HH:MM`, at most 18:00.
    pub(crate) fn parse(text: &str) -> Option<Offset> {
        let [sign, h1, h2, b':', m1, m2] = *text.as_bytes() else {
            return None;
        };
        let digit = |byte: u8| byte.is_ascii_digit().then(|| i32::from(byte - b'0'));
        let hours = digit(h1)? * 10 + digit(h2)?;
        let minutes = digit(m1)? * 10 + digit(m2)?;
        let seconds = hours * 3600 + minutes * 60;
        if minutes > 59 || seconds > 18 * 3600 {
            return None;
        }
        match sign {
            b'+' => Some(Offset(seconds)),
            b'-' => Some(Offset(-seconds)),
            _ => None,
        }
    }

    /// Returns the local date at a time.
    pub(crate) fn today(self, now: i64) -> Date {
        Date::from_unix_days(self.days(now))
    }

    /// Returns the times of the local day that contains a time.
    pub(crate) fn day(self, now: i64) -> Range<i64> {
        let start = |day: i64| day.saturating_mul(DAY).saturating_sub(i64::from(self.0));
        let today = self.days(now);
        start(today)..start(today + 1)
    }

    fn days(self, now: i64) -> i64 {
        now.saturating_add(i64::from(self.0)).div_euclid(DAY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_in_exact_form_up_to_eighteen_hours() {
        for (text, seconds) in [
            ("+02:00", 7200),
            ("-03:30", -12600),
            ("+18:00", 64800),
            ("-18:00", -64800),
            ("-00:00", 0),
        ] {
            assert_eq!(Offset::parse(text), Some(Offset(seconds)), "{text}");
        }
        for bad in [
            "18:00", "+18:01", "+2:00", "+02:60", "+0200", "+02:00 ", "", "Z", "±02:00",
        ] {
            assert_eq!(Offset::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn midnight_is_the_schools() {
        let evening = 1_778_795_999; // 2026-05-14T21:59:59Z
        assert_eq!(Offset::DEFAULT.today(evening).to_string(), "2026-05-14");
        assert_eq!(Offset::DEFAULT.today(evening + 1).to_string(), "2026-05-15");
        assert_eq!(Offset(-64800).today(evening).to_string(), "2026-05-14");
        let midnight = evening + 1;
        assert_eq!(Offset::DEFAULT.day(evening), midnight - DAY..midnight);
        assert_eq!(Offset::DEFAULT.day(midnight), midnight..midnight + DAY);
        assert_eq!(Offset::DEFAULT.today(i64::MIN), Date::MIN);
        assert_eq!(Offset::DEFAULT.today(i64::MAX), Date::MAX);
    }
}
