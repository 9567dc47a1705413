//! Calendar dates (`decisions.md`, "Dates and time").

use jiff::ToSpan as _;
use jiff::civil::{Date, date};

const FIRST: Date = date(1, 1, 1);
const LAST: Date = date(9999, 12, 31);

/// Exactly 4-2-2 ASCII digits, a day of the calendar in the years 0001 to 9999.
pub(crate) fn parse_date(text: &str) -> Option<Date> {
    if !has_shape(text, "0000-00-00") {
        return None;
    }
    let (year, month, day) = (
        text[..4].parse().ok()?,
        text[5..7].parse().ok()?,
        text[8..].parse().ok()?,
    );
    Date::new(year, month, day)
        .ok()
        .filter(|date| *date >= FIRST)
}

/// A number for each date, greater the later it is.
pub(crate) fn day_number(day: Date) -> u64 {
    u64::try_from((day - FIRST).get_days()).expect("no date is before the first")
}

/// `YYYY-MM-DD HH:MM:SS`, hours 00 to 23, minutes and seconds 00 to 59.
pub(crate) fn is_date_time(text: &str) -> bool {
    has_shape(text, "0000-00-00 00:00:00")
        && parse_date(&text[..10]).is_some()
        && &text[11..13] < "24"
        && &text[14..16] < "60"
        && &text[17..] < "60"
}

/// As long as the pattern, with an ASCII digit wherever it has `0`, else the same byte.
pub(crate) fn has_shape(text: &str, pattern: &str) -> bool {
    let fits = |(byte, shape): (u8, u8)| {
        if shape == b'0' {
            byte.is_ascii_digit()
        } else {
            byte == shape
        }
    };
    text.len() == pattern.len() && text.bytes().zip(pattern.bytes()).all(fits)
}

/// The local date at an instant, in a zone that is `offset` minutes ahead of UTC.
pub(crate) fn local_date(now: i64, offset: i64) -> Date {
    let days = now.saturating_add(offset * 60).div_euclid(86_400);
    let limit = if days < 0 { FIRST } else { LAST };
    let moved = i32::try_from(days)
        .ok()
        .and_then(|days| jiff::Span::new().try_days(days).ok())
        .and_then(|span| date(1970, 1, 1).checked_add(span).ok());
    moved.unwrap_or(limit).clamp(FIRST, LAST)
}

/// The same day of the month before, or that month's last day.
pub(crate) fn month_before(day: Date) -> Date {
    day.checked_sub(1.month())
        .unwrap_or(FIRST)
        .clamp(FIRST, LAST)
}

/// The same day of the next year; 29 February gives the 28th.
pub(crate) fn year_after(day: Date) -> Date {
    day.checked_add(1.year()).unwrap_or(LAST).clamp(FIRST, LAST)
}

/// The day that many days later.
pub(crate) fn days_after(day: Date, days: i32) -> Date {
    day.checked_add(days.days())
        .unwrap_or(LAST)
        .clamp(FIRST, LAST)
}

#[cfg(test)]
mod tests {
    use super::{
        Date, date, days_after, is_date_time, local_date, month_before, parse_date, year_after,
    };

    #[test]
    fn dates_are_read_strictly() {
        assert_eq!(parse_date("2024-02-29"), Some(date(2024, 2, 29)));
        assert_eq!(parse_date("0001-01-01"), Some(date(1, 1, 1)));
        assert_eq!(parse_date("9999-12-31"), Some(date(9999, 12, 31)));
        for text in [
            "",
            "2023-02-29",
            "1900-02-29",
            "2018-02-30",
            "2018-13-01",
            "2018-00-01",
            "2018-01-00",
            "0000-01-01",
            "2018-1-01",
            "2018-01-1",
            "20180101",
            "2018/01/01",
            "+018-01-01",
            "-018-01-01",
            " 018-01-01",
            "2018-01-01 ",
            "2018-+1-01",
            "２018-01-01",
            "2018-01-01T00",
        ] {
            assert_eq!(parse_date(text), None, "{text:?}");
        }
    }

    #[test]
    fn date_times_are_read_strictly() {
        assert!(is_date_time("2024-02-29 23:59:59"));
        assert!(is_date_time("2024-02-29 00:00:00"));
        for text in [
            "2024-02-29",
            "2024-02-29T00:00:00",
            "2024-02-29 24:00:00",
            "2024-02-29 23:60:00",
            "2024-02-29 23:59:60",
            "2023-02-29 00:00:00",
            "2024-02-29  0:00:00",
            "2024-02-29 00:00",
            "2024-02-29 00:00:00 ",
        ] {
            assert!(!is_date_time(text), "{text:?}");
        }
    }

    #[test]
    fn a_month_before_is_clamped() {
        let cases: [(Date, Date); 7] = [
            (date(2026, 3, 31), date(2026, 2, 28)),
            (date(2024, 3, 31), date(2024, 2, 29)),
            (date(2024, 3, 29), date(2024, 2, 29)),
            (date(2026, 5, 31), date(2026, 4, 30)),
            (date(2026, 1, 31), date(2025, 12, 31)),
            (date(1, 1, 15), date(1, 1, 1)),
            (date(9999, 12, 31), date(9999, 11, 30)),
        ];
        for (day, before) in cases {
            assert_eq!(month_before(day), before, "{day}");
        }
    }

    #[test]
    fn a_year_after_keeps_the_day() {
        assert_eq!(year_after(date(2025, 5, 14)), date(2026, 5, 14));
        assert_eq!(year_after(date(2024, 2, 29)), date(2025, 2, 28));
        assert_eq!(year_after(date(2023, 2, 28)), date(2024, 2, 28));
        assert_eq!(year_after(date(9999, 1, 1)), date(9999, 12, 31));
        assert_eq!(days_after(date(9999, 12, 15), 31), date(9999, 12, 31));
        assert_eq!(days_after(date(2024, 2, 1), 31), date(2024, 3, 3));
    }

    #[test]
    fn the_local_date_turns_at_local_midnight() {
        // 2026-05-14T22:00:00Z is midnight at +02:00.
        let midnight = 1_778_796_000;
        assert_eq!(local_date(midnight - 1, 120), date(2026, 5, 14));
        assert_eq!(local_date(midnight, 120), date(2026, 5, 15));
        assert_eq!(local_date(midnight, 0), date(2026, 5, 14));
        assert_eq!(local_date(midnight, -1080), date(2026, 5, 14));
        assert_eq!(local_date(-1, 0), date(1969, 12, 31));
        assert_eq!(local_date(i64::MAX, 0), date(9999, 12, 31));
        assert_eq!(local_date(i64::MIN, 0), date(1, 1, 1));
    }
}
