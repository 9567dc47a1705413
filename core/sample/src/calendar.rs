//! The school years of South African public schools.

use jiff::ToSpan as _;
use jiff::civil::{Date, Weekday, date};

/// The number of terms in a year.
pub(crate) const TERMS: usize = 4;

/// First and last days of the terms of a year, as (month, day).
type Days = [[(i8, i8); 2]; TERMS];

/// The terms as officially published.
const GAZETTED: [(u16, Days); 4] = [
    (
        2023,
        [
            [(1, 11), (3, 24)],
            [(4, 12), (6, 23)],
            [(7, 18), (9, 29)],
            [(10, 10), (12, 13)],
        ],
    ),
    (
        2024,
        [
            [(1, 17), (3, 20)],
            [(4, 3), (6, 14)],
            [(7, 9), (9, 20)],
            [(10, 1), (12, 11)],
        ],
    ),
    (
        2025,
        [
            [(1, 15), (3, 28)],
            [(4, 8), (6, 27)],
            [(7, 22), (10, 3)],
            [(10, 13), (12, 10)],
        ],
    ),
    (
        2026,
        [
            [(1, 14), (3, 27)],
            [(4, 8), (6, 26)],
            [(7, 21), (9, 23)],
            [(10, 6), (12, 9)],
        ],
    ),
];

/// Holidays of every year, as (month, day). A holiday on a Sunday moves to the Monday.
const HOLIDAYS: [(i8, i8); 6] = [(3, 21), (4, 27), (5, 1), (6, 16), (8, 9), (9, 24)];

/// A term of a year.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    pub(crate) year: u16,
    /// From 1 to 4.
    pub(crate) number: u64,
    pub(crate) start: Date,
    pub(crate) end: Date,
}

impl Term {
    /// Returns the id that the school's system gave the term: 98 for the first one of 2025.
    pub(crate) fn id(&self) -> u64 {
        (u64::from(self.year) * 4 + self.number).saturating_sub(8003)
    }

    /// Returns the weekday nearest to a fraction of the term, `part` of `whole`.
    pub(crate) fn day(&self, part: u32, whole: u32) -> Date {
        let length = (self.end - self.start).get_days();
        let days = i64::from(length) * i64::from(part) / i64::from(whole);
        weekday(self.start.saturating_add(days.days())).min(self.end)
    }
}

/// Returns the four terms of a year: those that were published, or the usual weekdays.
pub(crate) fn terms(year: u16) -> [Term; TERMS] {
    let known = GAZETTED.iter().find(|(gazetted, _)| *gazetted == year);
    let days = known.map_or_else(|| usual(year), |(_, days)| *days);
    let day = |(month, day)| date(i16::try_from(year).unwrap(), month, day);
    let mut number = 0;
    days.map(|[start, end]| {
        number += 1;
        Term {
            year,
            number,
            start: day(start),
            end: day(end),
        }
    })
}

fn usual(year: u16) -> Days {
    let on_or_after = |month, day, wanted: Weekday| {
        let from = date(i16::try_from(year).unwrap(), month, day);
        let ahead = wanted.since(from.weekday());
        let found = from + i64::from(ahead).days();
        (found.month(), found.day())
    };
    [
        [
            on_or_after(1, 10, Weekday::Wednesday),
            on_or_after(3, 21, Weekday::Friday),
        ],
        [
            on_or_after(4, 7, Weekday::Tuesday),
            on_or_after(6, 20, Weekday::Friday),
        ],
        [
            on_or_after(7, 18, Weekday::Tuesday),
            on_or_after(9, 20, Weekday::Friday),
        ],
        [
            on_or_after(10, 4, Weekday::Tuesday),
            on_or_after(12, 6, Weekday::Wednesday),
        ],
    ]
}

/// Returns the days of a year on which the school is open, in ascending order.
pub(crate) fn school_days(year: u16) -> Vec<Date> {
    let holidays = HOLIDAYS.map(|(month, day)| {
        let holiday = date(i16::try_from(year).unwrap(), month, day);
        if holiday.weekday() == Weekday::Sunday {
            holiday.saturating_add(1.day())
        } else {
            holiday
        }
    });
    terms(year)
        .into_iter()
        .flat_map(|term| {
            let days = term.start.series(1.day());
            days.take_while(move |day| *day <= term.end)
        })
        .filter(|day| weekday(*day) == *day && !holidays.contains(day))
        .collect()
}

/// Returns the day itself, or the Monday after the weekend on which it falls.
pub(crate) fn weekday(day: Date) -> Date {
    match day.weekday() {
        Weekday::Saturday => day.saturating_add(2.days()),
        Weekday::Sunday => day.saturating_add(1.day()),
        _ => day,
    }
}
