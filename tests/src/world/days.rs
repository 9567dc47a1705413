//! Dates and instants around one day: bounds of windows, ends of months, leap days, local
//! midnights.

use jiff::civil::{Date, date};
use jiff::{Span, ToSpan as _};

use super::dice::Dice;

/// The days around which sequences take place.
const ANCHORS: [(usize, Date); 8] = [
    (30, date(2026, 5, 14)),
    (15, date(2026, 3, 31)),
    (15, date(2024, 2, 29)),
    (10, date(2024, 3, 31)),
    (10, date(2025, 3, 1)),
    (8, date(2026, 1, 1)),
    (6, date(2026, 12, 31)),
    (6, date(2025, 2, 28)),
];

/// The UTC offsets of schools.
pub(super) const OFFSETS: [(usize, &str, i64); 7] = [
    (60, "+02:00", 7200),
    (10, "-05:00", -18_000),
    (8, "+05:45", 20_700),
    (6, "+18:00", 64_800),
    (6, "-18:00", -64_800),
    (5, "+00:00", 0),
    (5, "-00:30", -1800),
];

impl Dice {
    /// Returns the day around which a sequence takes place.
    pub(super) fn anchor(&mut self) -> Date {
        self.weighted(&ANCHORS)
    }

    /// Returns a date in the last month or at its bounds.
    pub(super) fn recent(&mut self, today: Date) -> Date {
        let back: Span = self.weighted(&[
            (20, 0.days()),
            (10, 1.day()),
            (20, 10.days()),
            (12, 1.month()),
            (6, 1.month().days(1)),
            (4, 31.days()),
            (4, 32.days()),
            (4, (-1).days()),
        ]);
        today.saturating_sub(back)
    }

    /// Returns a date at the bounds of a window: of a month, a year, 31 days, or the calendar.
    pub(super) fn edge(&mut self, today: Date) -> Date {
        if self.chance(3) {
            return self.pick(&[
                date(1, 1, 1),
                date(9999, 12, 31),
                date(2024, 2, 29),
                date(2000, 2, 29),
            ]);
        }
        let back: Span = self.weighted(&[
            (20, 0.days()),
            (10, 1.day()),
            (8, (-1).days()),
            (12, 1.month()),
            (6, 1.month().days(1)),
            (10, 20.days()),
            (4, 31.days()),
            (4, 32.days()),
            (6, 1.year()),
            (4, 1.year().days(1)),
            (3, 2.months()),
            (3, (-1).months()),
        ]);
        today.saturating_sub(back)
    }

    /// Returns a release date, which is mostly in the past.
    pub(super) fn release(&mut self, today: Date) -> Date {
        let back: Span = self.weighted(&[
            (20, 0.days()),
            (8, 1.day()),
            (8, (-1).days()),
            (50, 30.days()),
            (5, (-60).days()),
            (3, (-2).days()),
        ]);
        today.saturating_sub(back)
    }

    /// Returns an instant, mostly in the first or last seconds of that day at some school.
    pub(super) fn instant(&mut self, today: Date) -> i64 {
        if self.chance(1) {
            return self.pick(&[0, -62_135_596_800, 253_402_300_799]);
        }
        let offset = self.weighted(&OFFSETS.map(|(weight, _, seconds)| (weight, seconds)));
        let day: Date = if self.chance(90) {
            today
        } else {
            self.edge(today)
        };
        let midnight = i64::from((day - date(1970, 1, 1)).get_days()) * 86_400 - offset;
        midnight
            + self.weighted(&[
                (60, 43_200),
                (10, -1),
                (10, 0),
                (4, 1),
                (10, 86_399),
                (6, 86_400),
            ])
    }
}
