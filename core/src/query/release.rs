//! When marks may be seen (4.2, "Release").

use crate::date::Date;
use crate::error::{Error, Result};
use crate::record::learning_program::{RELEASE_TAG, RELEASED_TAG};
use crate::store::{Collection, Key, Partition, Reader, Run, Snapshot};

/// What a learning program says of the release of its marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Release {
    /// Nothing: they are released at the end of the term.
    #[default]
    Untold,
    /// On this day.
    On(Date),
    /// They are, or they are not, whatever the day.
    Told(bool),
}

impl Release {
    /// Whether marks may be seen. Without a day of release or of the term's end they are
    /// held back.
    pub(super) fn is_out(self, term_end: Option<Date>, today: Date) -> bool {
        match self {
            Release::Told(released) => released,
            Release::On(day) => today >= day,
            Release::Untold => term_end.is_some_and(|day| today >= day),
        }
    }

    fn of(run: &Run<'_>, index: usize) -> Result<Release> {
        if let Some(released) = run.tag(RELEASED_TAG, index)? {
            return Ok(Release::Told(released == 1));
        }
        Ok(match run.tag(RELEASE_TAG, index)? {
            // Marks must not be answered before a date that nobody can read.
            Some(date) => Release::On(
                Date::from_number(date)
                    .ok_or_else(|| Error::corrupt("a release date is no date"))?,
            ),
            None => Release::Untold,
        })
    }
}

/// What is told of releases, by term and subject.
#[derive(Default)]
pub(super) struct Releases(Vec<(Key, Release)>);

impl Releases {
    pub(super) fn of(&self, term: u64, subject: u64) -> Release {
        let sought = Key(term, subject);
        let index = self.0.binary_search_by_key(&sought, |(key, _)| *key);
        let found = index.ok().and_then(|index| self.0.get(index));
        found.map_or(Release::Untold, |(_, release)| *release)
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
                match Release::of(&run, index)? {
                    Release::Untold => {}
                    release => releases.push((run.key(index)?, release)),
                }
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
            let told = day(release).map_or(Release::Untold, Release::On);
            assert_eq!(told.is_out(day(end), today), expected, "{release} {end}");
        }
        for end in ["", "2026-05-14", "2026-05-15"] {
            assert!(Release::Told(true).is_out(day(end), today));
            assert!(!Release::Told(false).is_out(day(end), today));
        }
    }
}
