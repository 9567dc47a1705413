//! What a commit changes: counted, and taken down record by record for who follows the
//! store.

use crate::dataset::summary::{Change, Summary};
use crate::error::Result;
use crate::record::Kind;
use crate::store::{Area, Touched, Touches, Write};

pub(super) struct Tally {
    pub(super) summary: Summary,
    touches: Touches,
    /// The school that was looked at last.
    school: Option<u64>,
}

impl Tally {
    pub(super) fn of(write: &Write<'_>) -> Tally {
        Tally {
            summary: Summary::default(),
            touches: write.touches(),
            school: None,
        }
    }

    /// Looks at a school before its records come: where nothing is yet, all that comes is new,
    /// and is not taken down record by record.
    pub(super) fn look_at(&mut self, write: &Write<'_>, school: u64) -> Result<()> {
        if !self.is_on() || self.school == Some(school) {
            return Ok(());
        }
        self.school = Some(school);
        if !write.has_records_of(school)? {
            self.touches.touch_all(Area::School(school));
        }
        Ok(())
    }

    /// Counts one record. `key` has the numbers of its key in the order of its fields, and
    /// then the learner whose own it is, if they do not say so.
    pub(super) fn count<K: AsRef<[u64]>>(
        &mut self,
        kind: Kind,
        change: Change,
        key: impl FnOnce() -> K,
    ) {
        self.summary.count(kind, change);
        if !change.is_none() && self.is_on() {
            self.touch(kind, key().as_ref());
        }
    }

    /// Whether anything is taken down.
    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.touches.is_on()
    }

    /// Takes a record down that was counted.
    pub(super) fn touch(&self, kind: Kind, key: &[u64]) {
        // Who may ask is the store's own.
        if kind.has_username() {
            return;
        }
        let (area, words) = match key.split_first() {
            Some((school, words)) if kind.is_of_school() => (Area::School(*school), words),
            _ => (Area::Global, key),
        };
        let mut touched = Touched {
            kind: kind as u8,
            words: Default::default(),
        };
        for (word, number) in touched.words.iter_mut().zip(words) {
            *word = *number;
        }
        self.touches.touch(area, touched);
    }

    /// Whether what changes of a school is taken down record by record.
    pub(super) fn wants(&self, school: u64) -> bool {
        self.touches.wants(Area::School(school))
    }
}
