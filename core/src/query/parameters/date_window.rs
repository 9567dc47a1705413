//! Ranges of dates, with their defaults and limits (4.1, 4.9, section 8).

use crate::date::Date;
use crate::query::Rule;

/// A range of days, including the first and the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DateWindow {
    pub(crate) from: Date,
    pub(crate) to: Date,
}

/// Returns the range of transfer dates for learners who left. The default of `until` is today,
/// and that of `since` is a month before `until`. The range must not exceed one year.
pub(crate) fn of_transfers(
    since: Option<Date>,
    until: Option<Date>,
    today: Date,
) -> Result<DateWindow, Rule> {
    let broken = |text| Rule {
        fields: ["since", "until"],
        text,
    };
    let to = until.unwrap_or(today);
    let from = since.unwrap_or_else(|| to.month_before());
    if from > to {
        return Err(broken("since must not be later than until"));
    }
    if to > from.years_after(1) {
        return Err(broken("since to until must not exceed 1 year"));
    }
    Ok(DateWindow { from, to })
}

/// The limit for the number of days between the first and the last day of absences and
/// discipline.
const MAX_DAYS: u64 = 31;

/// Returns the range of days for absences and discipline. The default of `to` is today, and
/// that of `from` is a month before `to`.
pub(crate) fn of_days(
    from: Option<Date>,
    to: Option<Date>,
    today: Date,
) -> Result<DateWindow, Rule> {
    let broken = |text| Rule {
        fields: ["from_date", "to_date"],
        text,
    };
    let to = to.unwrap_or(today);
    let from = from.unwrap_or_else(|| to.month_before());
    if to < from {
        return Err(broken("to_date must not be before from_date"));
    }
    if to > from.days_after(MAX_DAYS) {
        return Err(broken("from_date to to_date must not exceed 31 days"));
    }
    Ok(DateWindow { from, to })
}

#[cfg(test)]
mod tests {
    use crate::query::parameters::date_window::*;

    fn date(text: &str) -> Option<Date> {
        text.parse().ok()
    }

    fn window(from: &str, to: &str) -> Result<DateWindow, &'static str> {
        match (date(from), date(to)) {
            (Some(from), Some(to)) => Ok(DateWindow { from, to }),
            _ => Err("no dates"),
        }
    }

    const TODAY: &str = "2026-03-31";

    #[test]
    fn transfers() {
        let late = Err("since must not be later than until");
        let long = Err("since to until must not exceed 1 year");
        for (since, until, expected) in [
            ("", "", window("2026-02-28", TODAY)),
            ("2026-01-01", "", window("2026-01-01", TODAY)),
            ("", "2024-03-31", window("2024-02-29", "2024-03-31")),
            ("2026-04-01", "", late),
            ("2025-03-31", "", window("2025-03-31", TODAY)),
            ("2025-03-30", "", long),
            (
                "2024-02-29",
                "2025-02-28",
                window("2024-02-29", "2025-02-28"),
            ),
            ("2024-02-29", "2025-03-01", long),
            (
                "2026-05-05",
                "2026-05-05",
                window("2026-05-05", "2026-05-05"),
            ),
            (
                "9999-06-01",
                "9999-12-31",
                window("9999-06-01", "9999-12-31"),
            ),
        ] {
            let today = date(TODAY).unwrap_or(Date::MIN);
            assert_eq!(
                of_transfers(date(since), date(until), today).map_err(|rule| rule.text),
                expected,
                "{since} {until}"
            );
        }
    }

    #[test]
    fn absences() {
        let early = Err("to_date must not be before from_date");
        let long = Err("from_date to to_date must not exceed 31 days");
        for (from, to, expected) in [
            ("", "", window("2026-02-28", TODAY)),
            ("2026-02-28", "", window("2026-02-28", TODAY)),
            ("2026-02-27", "", long),
            ("2026-04-01", "", early),
            ("", "2026-05-31", window("2026-04-30", "2026-05-31")),
            (
                "2026-05-01",
                "2026-06-01",
                window("2026-05-01", "2026-06-01"),
            ),
            ("2026-05-01", "2026-06-02", long),
            ("2026-05-02", "2026-05-01", early),
            ("", "0001-01-05", window("0001-01-01", "0001-01-05")),
        ] {
            let today = date(TODAY).unwrap_or(Date::MIN);
            assert_eq!(
                of_days(date(from), date(to), today).map_err(|rule| rule.text),
                expected,
                "{from} {to}"
            );
        }
    }
}
