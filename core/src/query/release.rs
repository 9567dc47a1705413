//! When marks may be seen (4.2, "Release").

use crate::date::Date;
use crate::error::{Error, Result};
use crate::record::learning_program::RELEASE_TAG;
use crate::store::{Collection, Key, Partition, Reader, Snapshot};

/// Whether a learning program's marks are released: on its release date, or
/// without one at the end of the term. With neither they are held back.
pub(super) fn is_released(release: Option<Date>, term_end: Option<Date>, today: Date) -> bool {
    release.or(term_end).is_some_and(|day| today >= day)
}

/// The release dates that are set, by term and subject.
#[derive(Default)]
pub(super) struct Releases(Vec<(Key, Date)>);

impl Releases {
    pub(super) fn of(&self, term: u64, subject: u64) -> Option<Date> {
        let sought = Key(term, subject);
        let index = self.0.binary_search_by_key(&sought, |(key, _)| *key);
        self.0.get(index.ok()?).map(|(_, release)| *release)
    }

    /// Those of a sheet's school, grade and year.
    pub(super) fn read(snapshot: &Snapshot, sheet: Partition) -> Result<Releases> {
        let partition = Partition {
            collection: Collection::LearningPrograms,
            ..sheet
        };
        let mut releases = Vec::new();
        for pinned in snapshot.records(partition)?.all() {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            for index in indices {
                let Some(release) = run.tag(RELEASE_TAG, index)? else {
                    continue;
                };
                // Marks must not be answered before a date that nobody can read.
                let release = Date::from_number(release)
                    .ok_or_else(|| Error::corrupt("a release date is no date"))?;
                releases.push((run.key(index)?, release));
            }
        }
        Ok(Releases(releases))
    }
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
