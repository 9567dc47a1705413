//! The release of marks (4.2, "Release").

use crate::date::Date;
use crate::error::{Error, Result};
use crate::record::kinds::learning_program::{RELEASE_COLUMN, RELEASED_COLUMN};
use crate::store::{Collection, Key, Partition, PinnedRecord, Reader, Snapshot};

/// The rule by which the marks of a learning program are released.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Release {
    /// There is no rule. The marks are released at the end of the term.
    #[default]
    AtTermEnd,
    /// The marks are released on this day.
    On(Date),
    /// The marks are released or not, regardless of the day.
    Stated(bool),
}

impl Release {
    /// Returns true if the marks are released. If neither the release date nor the end of the
    /// term is known, they are not.
    pub(crate) fn is_released(self, term_end: Option<Date>, today: Date) -> bool {
        match self {
            Release::Stated(released) => released,
            Release::On(day) => today >= day,
            Release::AtTermEnd => term_end.is_some_and(|day| today >= day),
        }
    }

    fn read(record: &PinnedRecord<'_>) -> Result<Release> {
        if let Some(released) = record.filter_column(RELEASED_COLUMN)? {
            return Ok(Release::Stated(released == 1));
        }
        Ok(match record.filter_column(RELEASE_COLUMN)? {
            // A damaged release date is an error, so that no marks are answered too early.
            Some(date) => Release::On(
                Date::from_number(date)
                    .ok_or_else(|| Error::corrupt("a release date is not a date"))?,
            ),
            None => Release::AtTermEnd,
        })
    }
}

/// The release rules of a grade and year, by term and subject.
#[derive(Default)]
pub(crate) struct Releases(Vec<(Key, Release)>);

impl Releases {
    pub(crate) fn get(&self, term: u64, subject: u64) -> Release {
        let wanted = Key(term, subject);
        let index = self.0.binary_search_by_key(&wanted, |(key, _)| *key);
        let found = index.ok().and_then(|index| self.0.get(index));
        found.map_or(Release::AtTermEnd, |(_, release)| *release)
    }

    /// Reads the release rules for the school, grade and year of an assessment layout.
    pub(crate) fn read(snapshot: &Snapshot, layout: Partition) -> Result<Releases> {
        let partition = Partition {
            collection: Collection::LearningPrograms,
            ..layout
        };
        let mut releases = Vec::new();
        let mut records = snapshot.records(partition)?.all();
        while let Some(record) = records.next()? {
            match Release::read(record)? {
                Release::AtTermEnd => {}
                release => releases.push((record.key()?, release)),
            }
        }
        Ok(Releases(releases))
    }
}

#[cfg(test)]
mod tests {
    use crate::query::marks::release::*;

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
            let rule = day(release).map_or(Release::AtTermEnd, Release::On);
            assert_eq!(
                rule.is_released(day(end), today),
                expected,
                "{release} {end}"
            );
        }
        for end in ["", "2026-05-14", "2026-05-15"] {
            assert!(Release::Stated(true).is_released(day(end), today));
            assert!(!Release::Stated(false).is_released(day(end), today));
        }
    }
}
