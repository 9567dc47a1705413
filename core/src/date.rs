//! Calendar dates and date-times in the format of the API.

use chrono::{Datelike, Days, Months, NaiveDate};

/// A date of the calendar, from 0001-01-01 to 9999-12-31.
///
/// ```
/// let date: rollbook::Date = "2026-05-14".parse()?;
/// assert_eq!(date.to_string(), "2026-05-14");
/// assert!("2026-02-29".parse::<rollbook::Date>().is_err());
/// # Ok::<(), rollbook::BadDate>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(NaiveDate);

/// The error for a text that is not a date of the form `YYYY-MM-DD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a date: write YYYY-MM-DD, from 0001-01-01 to 9999-12-31")]
pub struct BadDate;

impl Date {
    pub(crate) const MIN: Date = Date(NaiveDate::from_ymd_opt(1, 1, 1).unwrap());
    pub(crate) const MAX: Date = Date(NaiveDate::from_ymd_opt(9999, 12, 31).unwrap());

    /// Returns the date with these numbers, or `None` if the calendar does not have it.
    ///
    /// ```
    /// assert!(rollbook::Date::new(2024, 2, 29).is_some());
    /// assert!(rollbook::Date::new(2025, 2, 29).is_none());
    /// ```
    pub fn new(year: u16, month: u8, day: u8) -> Option<Date> {
        let date = NaiveDate::from_ymd_opt(year.into(), month.into(), day.into())?;
        (1..=9999).contains(&year).then_some(Date(date))
    }

    /// Returns the year, from 1 to 9999.
    ///
    /// ```
    /// let date: rollbook::Date = "2026-05-14".parse()?;
    /// assert_eq!((date.year(), date.month(), date.day()), (2026, 5, 14));
    /// # Ok::<(), rollbook::BadDate>(())
    /// ```
    pub fn year(self) -> u16 {
        u16::try_from(self.0.year()).unwrap_or(u16::MAX)
    }

    /// Returns the month, from 1 to 12.
    pub fn month(self) -> u8 {
        self.0.month().to_le_bytes()[0]
    }

    /// Returns the day of the month, starting with 1.
    pub fn day(self) -> u8 {
        self.0.day().to_le_bytes()[0]
    }

    /// Parses a date of exactly 4-2-2 ASCII digits.
    pub(crate) fn parse(text: &[u8]) -> Option<Date> {
        let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text else {
            return None;
        };
        let year = u16::from(pair(y1, y2)?) * 100 + u16::from(pair(y3, y4)?);
        Date::new(year, pair(m1, m2)?, pair(d1, d2)?)
    }

    /// Returns the date as a number with the same order, such as 20260514.
    pub(crate) fn number(self) -> u64 {
        u64::from(self.year()) * 10_000 + u64::from(self.month()) * 100 + u64::from(self.day())
    }

    /// Returns the date of a number that [`number`](Self::number) has returned.
    pub(crate) fn from_number(number: u64) -> Option<Date> {
        Date::new(
            u16::try_from(number / 10_000).ok()?,
            u8::try_from(number / 100 % 100).ok()?,
            u8::try_from(number % 100).ok()?,
        )
    }

    pub(crate) fn push(self, out: &mut Vec<u8>) {
        let [c, y] = [self.year() / 100, self.year() % 100].map(|n| u8::try_from(n).unwrap_or(0));
        let [c1, c2] = digits(c);
        let [y1, y2] = digits(y);
        let [m1, m2] = digits(self.month());
        let [d1, d2] = digits(self.day());
        out.extend_from_slice(&[c1, c2, y1, y2, b'-', m1, m2, b'-', d1, d2]);
    }

    /// Returns the same day of the previous month, or the last day of that month (4.1, 4.9).
    pub(crate) fn month_before(self) -> Date {
        Date::limited(self.0.checked_sub_months(Months::new(1)), Date::MIN)
    }

    /// Returns the same day `years` years later. For 29 February, it may be 28 February (4.1).
    pub(crate) fn years_after(self, years: u16) -> Date {
        let months = Months::new(12 * u32::from(years));
        Date::limited(self.0.checked_add_months(months), Date::MAX)
    }

    pub(crate) fn days_after(self, days: u64) -> Date {
        Date::limited(self.0.checked_add_days(Days::new(days)), Date::MAX)
    }

    pub(crate) fn days_before(self, days: u64) -> Date {
        Date::limited(self.0.checked_sub_days(Days::new(days)), Date::MIN)
    }

    /// Returns the number of days since 1970-01-01.
    pub(crate) fn unix_days(self) -> i64 {
        self.0.to_epoch_days().into()
    }

    /// Returns the date that is this many days after 1970-01-01.
    pub(crate) fn from_unix_days(days: i64) -> Date {
        let limit = if days < 0 { Date::MIN } else { Date::MAX };
        let date = i32::try_from(days)
            .ok()
            .and_then(NaiveDate::from_epoch_days);
        Date::limited(date, limit)
    }

    /// Limits a date to the years that the API can represent. The limit is used if there is no
    /// date.
    fn limited(date: Option<NaiveDate>, limit: Date) -> Date {
        date.map_or(limit, Date).clamp(Date::MIN, Date::MAX)
    }
}

impl std::str::FromStr for Date {
    type Err = BadDate;

    fn from_str(text: &str) -> Result<Date, BadDate> {
        Date::parse(text.as_bytes()).ok_or(BadDate)
    }
}

impl std::fmt::Display for Date {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A date-time packed into 40 bits. The fields are century, year of the century, month, day, hour,
/// minute and second, so that it can be written without divisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DateTime(u64);

impl DateTime {
    pub(crate) const BYTES: usize = 5;

    /// Parses a text of exactly the form `YYYY-MM-DD HH:MM:SS`, with a date of the calendar.
    pub(crate) fn parse(text: &[u8]) -> Option<DateTime> {
        let (day, time) = text.split_at_checked(10)?;
        let date = Date::parse(day)?;
        let [b' ', h1, h2, b':', m1, m2, b':', s1, s2] = *time else {
            return None;
        };
        let (hour, minute, second) = (pair(h1, h2)?, pair(m1, m2)?, pair(s1, s2)?);
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let fields = [
            (u64::from(date.year()) / 100, 7),
            (u64::from(date.year()) % 100, 7),
            (u64::from(date.month()), 4),
            (u64::from(date.day()), 5),
            (u64::from(hour), 5),
            (u64::from(minute), 6),
            (u64::from(second), 6),
        ];
        Some(DateTime(
            fields
                .iter()
                .fold(0, |packed, (value, bits)| (packed << bits) | value),
        ))
    }

    /// Returns the same time of day `years` years later, with the date as by
    /// [`Date::years_after`].
    pub(crate) fn years_after(self, years: u16) -> DateTime {
        let mut text = self.text();
        let date = Date::parse(text.get(..10).unwrap_or_default());
        let mut later = Vec::with_capacity(10);
        date.unwrap_or(Date::MAX)
            .years_after(years)
            .push(&mut later);
        for (to, from) in text.iter_mut().zip(later) {
            *to = from;
        }
        DateTime::parse(&text).unwrap_or(self)
    }

    pub(crate) fn to_bytes(self) -> [u8; Self::BYTES] {
        let [_, _, _, a, b, c, d, e] = self.0.to_be_bytes();
        [a, b, c, d, e]
    }

    /// Returns the date-time that these bytes encode. It may be invalid, see
    /// [`is_valid`](Self::is_valid).
    pub(crate) fn from_bytes([a, b, c, d, e]: [u8; Self::BYTES]) -> DateTime {
        DateTime(u64::from_be_bytes([0, 0, 0, a, b, c, d, e]))
    }

    /// Returns whether the fields are a date of the calendar and a time of the day.
    pub(crate) fn is_valid(self) -> bool {
        let field = |shift: u32, bits: u32| {
            let [number, ..] = ((self.0 >> shift) & ((1 << bits) - 1)).to_le_bytes();
            number
        };
        let (century, year) = (field(33, 7), field(26, 7));
        let of_day = [(field(12, 5), 24), (field(6, 6), 60), (field(0, 6), 60)];
        let year_number = u16::from(century) * 100 + u16::from(year);
        century < 100
            && year < 100
            && of_day.iter().all(|(number, end)| number < end)
            && Date::new(year_number, field(22, 4), field(17, 5)).is_some()
    }

    /// Returns the characters of `YYYY-MM-DD HH:MM:SS` as little-endian words.
    #[inline]
    pub(crate) fn words(self) -> [u64; 3] {
        const DASH: u64 = b'-' as u64;
        const BLANK: u64 = b' ' as u64;
        const COLON: u64 = b':' as u64;
        let pair = |shift: u32, bits: u32| {
            let [number, ..] = ((self.0 >> shift) & ((1 << bits) - 1)).to_le_bytes();
            u64::from(two_digits(u32::from(number)))
        };
        [
            pair(33, 7) | pair(26, 7) << 16 | DASH << 32 | pair(22, 4) << 40 | DASH << 56,
            pair(17, 5) | BLANK << 16 | pair(12, 5) << 24 | COLON << 40 | pair(6, 6) << 48,
            COLON | pair(0, 6) << 8,
        ]
    }

    /// Returns the nineteen characters of `YYYY-MM-DD HH:MM:SS`.
    #[inline]
    pub(crate) fn text(self) -> [u8; 19] {
        let field = |shift: u32, bits: u32| {
            digits(((self.0 >> shift) & ((1 << bits) - 1)).to_le_bytes()[0])
        };
        let ([c1, c2], [y1, y2]) = (field(33, 7), field(26, 7));
        let ([m1, m2], [d1, d2]) = (field(22, 4), field(17, 5));
        let ([h1, h2], [i1, i2], [s1, s2]) = (field(12, 5), field(6, 6), field(0, 6));
        [
            c1, c2, y1, y2, b'-', m1, m2, b'-', d1, d2, b' ', h1, h2, b':', i1, i2, b':', s1, s2,
        ]
    }
}

/// Returns the two ASCII digits of a number below 100, in the order in which a little-endian word
/// is written.
#[inline]
pub(crate) fn two_digits(number: u32) -> u16 {
    PAIRS.get(number as usize).copied().unwrap_or_default()
}

#[expect(clippy::indexing_slicing, reason = "computed when this is compiled")]
static PAIRS: [u16; 128] = {
    let mut pairs = [0; 128];
    let mut number = 0;
    while number < 100 {
        pairs[number as usize] = u16::from_le_bytes(digits(number));
        number += 1;
    }
    pairs
};

/// Returns the value of two ASCII digits.
fn pair(tens: u8, ones: u8) -> Option<u8> {
    (tens.is_ascii_digit() && ones.is_ascii_digit()).then(|| (tens - b'0') * 10 + (ones - b'0'))
}

/// Returns the two ASCII digits of a number below 100.
#[inline]
pub(crate) const fn digits(number: u8) -> [u8; 2] {
    [b'0' + number / 10, b'0' + number % 10]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> Date {
        Date::parse(text.as_bytes()).unwrap_or(Date::MIN)
    }

    #[test]
    fn only_days_of_the_calendar_in_exact_form() {
        for good in ["0001-01-01", "9999-12-31", "2024-02-29", "2026-05-14"] {
            assert_eq!(date(good).to_string(), good);
            let mut written = Vec::new();
            date(good).push(&mut written);
            assert_eq!(written, good.as_bytes());
            assert_eq!(Date::from_number(date(good).number()), Some(date(good)));
        }
        for bad in [
            "0000-01-01",
            "2025-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-1-01",
            "2026-01-1",
            "02026-01-01",
            "2026/01/01",
            "2026-01-01 ",
            "２026-01-01",
            "",
            "+026-01-01",
        ] {
            assert_eq!(Date::parse(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn arithmetic_clamps_to_months_and_to_the_calendar() {
        for (day, before) in [
            ("2026-05-14", "2026-04-14"),
            ("2026-03-31", "2026-02-28"),
            ("2024-03-31", "2024-02-29"),
            ("2026-01-31", "2025-12-31"),
            ("0001-01-31", "0001-01-01"),
        ] {
            assert_eq!(date(day).month_before(), date(before), "{day}");
        }
        for (day, after) in [
            ("2024-02-29", "2025-02-28"),
            ("2023-02-28", "2024-02-28"),
            ("2026-05-14", "2027-05-14"),
            ("9999-05-01", "9999-12-31"),
        ] {
            assert_eq!(date(day).years_after(1), date(after), "{day}");
        }
        assert_eq!(date("2026-01-31").days_after(31), date("2026-03-03"));
        assert_eq!(date("9999-12-30").days_after(31), Date::MAX);
        assert_eq!(Date::from_unix_days(0), date("1970-01-01"));
        assert_eq!(Date::from_unix_days(-1), date("1969-12-31"));
        assert_eq!(Date::from_unix_days(i64::MAX), Date::MAX);
        assert_eq!(Date::from_unix_days(i64::MIN), Date::MIN);
    }

    #[test]
    fn a_date_time_retains_its_text() {
        for good in [
            "0001-01-01 00:00:00",
            "2026-02-04 10:11:12",
            "9999-12-31 23:59:59",
        ] {
            let packed = DateTime::parse(good.as_bytes());
            let read = packed.map(|p| DateTime::from_bytes(p.to_bytes()).text().to_vec());
            assert_eq!(read.as_deref(), Some(good.as_bytes()));
            let words = packed.map(|packed| packed.words().map(u64::to_le_bytes));
            let words = words
                .as_ref()
                .and_then(|words| words.as_flattened().get(..19));
            assert_eq!(words, Some(good.as_bytes()));
        }
        let packed = DateTime::parse(b"2024-02-28 10:11:12").map_or(0, |packed| packed.0);
        for (shift, bits) in [(33, 7), (26, 7), (22, 4), (17, 5), (12, 5), (6, 6), (0, 6)] {
            for number in 0..1 << bits {
                let cleared = packed & !(((1 << bits) - 1) << shift);
                let time = DateTime(cleared | number << shift);
                let is_parsed_back = DateTime::parse(&time.text()) == Some(time);
                assert_eq!(time.is_valid(), is_parsed_back, "{time:?}");
            }
        }
        for bad in [
            "2026-02-04 24:00:00",
            "2026-02-04 10:60:00",
            "2026-02-04 10:00:60",
            "2026-02-04T10:11:12",
            "2026-02-04 10:11",
            "",
        ] {
            assert_eq!(DateTime::parse(bad.as_bytes()), None, "{bad}");
        }
    }
}
