//! When marks may be seen (4.2, "Release").

use crate::date::Date;

/// Whether a learning program's marks are released: on its release date, or
/// without one at the end of the term. With neither they are held back.
pub(super) fn is_released(release: Option<Date>, term_end: Option<Date>, today: Date) -> bool {
    release.or(term_end).is_some_and(|day| today >= day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_the_day_and_after() {
        let day = |text: &str| text.parse::<Date>().ok();
        let today = day("2026-05-14").unwrap_or(Date::MIN);
        for (release, end, expected) in [
            ("2026-05-14", "2026-06-26", true),
            ("2026-05-15", "2026-03-27", false),
            ("", "2026-05-14", true),
            ("", "2026-05-15", false),
            ("", "", false),
            ("2026-05-13", "", true),
        ] {
            assert_eq!(
                is_released(day(release), day(end), today),
                expected,
                "{release} {end}"
            );
        }
    }
}
