//! Counts the changes of a commit, and passes the key of each changed record to the journal.

use crate::dataset::summary::{Change, Summary};
use crate::error::Result;
use crate::record::Kind;
use crate::store::{ChangedKey, ChangedKeys, Decision, LogPartition, Write};

pub(super) struct ChangeCounter {
    pub(super) summary: Summary,
    changed_keys: ChangedKeys,
    /// The school that was checked last.
    school: Option<u64>,
}

impl ChangeCounter {
    pub(super) fn new(write: &Write<'_>) -> ChangeCounter {
        ChangeCounter {
            summary: Summary::default(),
            changed_keys: write.changed_keys(),
            school: None,
        }
    }

    /// Checks a school before its records are merged. If it has no records yet, the journal records
    /// that all of it may have changed, instead of the single keys.
    pub(super) fn check_school(&mut self, write: &Write<'_>, school: u64) -> Result<()> {
        if !self.is_on() || self.school == Some(school) {
            return Ok(());
        }
        self.school = Some(school);
        if !write.has_records_of(school)? {
            self.changed_keys.record_all(LogPartition::School(school));
        }
        Ok(())
    }

    /// Counts one record. `key` contains the numbers of its key in the order of its fields,
    /// followed by its learner if the key does not contain the learner.
    pub(super) fn count<K: AsRef<[u64]>>(
        &mut self,
        kind: Kind,
        change: Change,
        key: impl FnOnce() -> K,
    ) {
        self.summary.count(kind, change);
        if !change.is_none() && self.is_on() {
            self.record(kind, key().as_ref());
        }
    }

    /// Returns whether changes are recorded in the journal.
    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.changed_keys.is_on()
    }

    /// Passes the key of a changed record to the journal.
    pub(super) fn record(&self, kind: Kind, key: &[u64]) {
        // Integrators and client integrations are never sent to followers.
        if kind.has_username() {
            return;
        }
        let (log_partition, words) = match key.split_first() {
            Some((school, words)) if kind.is_of_school() => (LogPartition::School(*school), words),
            _ => (LogPartition::Global, key),
        };
        let mut changed_key = ChangedKey {
            kind: kind as u8,
            words: Default::default(),
        };
        for (word, number) in changed_key.words.iter_mut().zip(words) {
            *word = *number;
        }
        self.changed_keys.record(log_partition, changed_key);
    }

    /// Returns whether the journal needs the single keys of the changed records of a school.
    pub(super) fn needs_keys(&self, school: u64) -> bool {
        self.changed_keys.accepts(LogPartition::School(school))
    }
}

/// Returns the decision for a block that follows from the change of a record in it.
pub(crate) fn decision(change: Change) -> Decision {
    match change {
        Change::Added | Change::Changed => Decision::Put,
        Change::Removed => Decision::Remove,
        Change::Unchanged | Change::Absent => Decision::Unchanged,
    }
}
