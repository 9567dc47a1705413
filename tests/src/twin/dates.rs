//! Calendar dates (`decisions.md`, "Dates and time"), and UTC offsets of schools (`dataset.md`,
//! "Values").

use jiff::ToSpan as _;
use jiff::civil::{Date, date};

const FIRST: Date = date(1, 1, 1);
const LAST: Date = date(9999, 12, 31);

/// Parses exactly 4-2-2 ASCII digits as a day of the calendar in the years 0001 to 9999.
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

/// Returns the number of days since the first date.
pub(crate) fn day_number(day: Date) -> u64 {
    u64::try_from((day - FIRST).get_days()).expect("no date is before the first")
}

/// Returns whether a text is `YYYY-MM-DD HH:MM:SS` with hours 00 to 23, minutes and seconds 00 to
/// 59.
pub(crate) fn is_date_time(text: &str) -> bool {
    has_shape(text, "0000-00-00 00:00:00")
        && parse_date(&text[..10]).is_some()
        && &text[11..13] < "24"
        && &text[14..16] < "60"
        && &text[17..] < "60"
}

/// Returns whether a text is as long as the pattern, with an ASCII digit wherever the pattern has
/// `0`, and the same byte elsewhere.
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

/// Returns the local date at an instant, in a zone that is `offset` minutes ahead of UTC.
pub(crate) fn local_date(now: i64, offset: i64) -> Date {
    let days = now.saturating_add(offset * 60).div_euclid(86_400);
    let limit = if days < 0 { FIRST } else { LAST };
    let moved = i32::try_from(days)
        .ok()
        .and_then(|days| jiff::Span::new().try_days(days).ok())
        .and_then(|span| date(1970, 1, 1).checked_add(span).ok());
    moved.unwrap_or(limit).clamp(FIRST, LAST)
}

/// Returns the same day of the previous month, or the last day of that month.
pub(crate) fn month_before(day: Date) -> Date {
    day.checked_sub(1.month())
        .unwrap_or(FIRST)
        .clamp(FIRST, LAST)
}

/// Returns the same day of the next year. For 29 February, this is 28 February.
pub(crate) fn year_after(day: Date) -> Date {
    day.checked_add(1.year()).unwrap_or(LAST).clamp(FIRST, LAST)
}

/// Returns the date this number of days later.
pub(crate) fn days_after(day: Date, days: i32) -> Date {
    day.checked_add(days.days())
        .unwrap_or(LAST)
        .clamp(FIRST, LAST)
}

/// Parses `±HH:MM`, at most 18:00, as minutes ahead of UTC.
pub(crate) fn parse_offset(text: &str) -> Option<i64> {
    if !has_shape(text, "+00:00") && !has_shape(text, "-00:00") {
        return None;
    }
    let (hours, minutes): (i64, i64) = (text[1..3].parse().ok()?, text[4..].parse().ok()?);
    let total = hours * 60 + minutes;
    if minutes > 59 || total > 18 * 60 {
        return None;
    }
    Some(if text.starts_with('-') { -total } else { total })
}

/// Returns the canonical text of an offset. Zero is `+00:00`.
pub(crate) fn offset_text(minutes: i64) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}
