//! Reads from the journal what was changed since a change position.

use super::journal_row::{self, JournalEntry};
use super::journal_write::cost;
use crate::error::Result;
use crate::store::changes::changed_key::{ChangedKey, LogPartition, LogPartitionHead, row_key};
use crate::store::changes::incarnation::History;
use crate::store::checksum;
use crate::store::rows::read::scan_prefix;
use crate::store::transaction::snapshot::Snapshot;
use std::collections::BTreeSet;

/// A position in the history of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ChangePosition {
    /// The incarnation that made the commit. If the commit is not recorded in the journal, it is a
    /// digest of the content of the store.
    pub(crate) incarnation: u64,
    /// The number of the commit.
    pub(crate) sequence: u64,
}

impl ChangePosition {
    /// A change position that no store has.
    pub(crate) const NONE: ChangePosition = ChangePosition {
        incarnation: 0,
        sequence: 0,
    };
}

/// The changes of a log partition since a change position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangesSince {
    /// The journal has all changes. [`Snapshot::changed_keys`] returns the keys.
    Listed {
        /// Whether the coverage of the school was changed.
        coverage: bool,
        /// The number of bytes of these rows, as part of the limit of the log partition.
        bytes: u64,
    },
    /// The journal does not have all changes. Any record may have changed.
    Whole,
}

impl Snapshot {
    /// Returns the change position of this snapshot.
    pub(crate) fn change_position(&self) -> Result<ChangePosition> {
        let (sequence, incarnation) = History::read(&self.meta)?.last;
        let incarnation = match incarnation {
            Some(incarnation) => incarnation,
            None => self.content()?,
        };
        Ok(ChangePosition {
            incarnation,
            sequence,
        })
    }

    /// Returns a digest of the content, which replaces the incarnation if the last commit was not
    /// recorded. It distinguishes this content from any other, so a follower with the same digest
    /// has missed nothing.
    fn content(&self) -> Result<u64> {
        let mut content: u64 = 0;
        scan_prefix(&self.digests, &[], &mut |key, digest| {
            content = checksum::compute(&[key, &content.to_le_bytes()].concat(), digest);
            Ok(())
        })?;
        Ok(content)
    }

    /// Returns whether the journal covers all changes since a change position: the position
    /// belongs to the history of this store, and every commit since then was recorded.
    pub(crate) fn covers(&self, change_position: ChangePosition) -> Result<bool> {
        let history = History::read(&self.meta)?;
        Ok(match history.last.1 {
            Some(_) => history.covers(change_position.incarnation, change_position.sequence),
            None => change_position == self.change_position()?,
        })
    }

    /// Returns the changes of a log partition since a change position.
    pub(crate) fn since(
        &self,
        log_partition: LogPartition,
        change_position: ChangePosition,
    ) -> Result<ChangesSince> {
        if !self.covers(change_position)? {
            return Ok(ChangesSince::Whole);
        }
        self.check_journal(log_partition)?;
        let (mut coverage, mut bytes) = (false, 0);
        if let Some(journal) = &self.journal {
            if change_position.sequence
                < LogPartitionHead::read(journal, log_partition)?.truncation_point
            {
                return Ok(ChangesSince::Whole);
            }
            self.rows_after(log_partition, change_position, &mut |row| {
                coverage |= journal_row::has_coverage(row)?;
                bytes += cost(row);
                Ok(())
            })?;
        }
        Ok(ChangesSince::Listed { coverage, bytes })
    }

    /// Returns the keys after `from` that were changed since a change position and for which
    /// `is_wanted` returns true. At most `most` of them are returned, the first ones in order. The
    /// records may in fact be unchanged.
    pub(crate) fn changed_keys(
        &self,
        log_partition: LogPartition,
        change_position: ChangePosition,
        from: Option<ChangedKey>,
        most: usize,
        is_wanted: &mut dyn FnMut(&ChangedKey) -> Result<bool>,
    ) -> Result<BTreeSet<ChangedKey>> {
        let mut found = BTreeSet::new();
        self.rows_after(log_partition, change_position, &mut |row| {
            journal_row::each(row, &mut |entry| {
                let JournalEntry::Record(record) = entry else {
                    return Ok(());
                };
                let is_beyond = found.len() >= most && found.last() < Some(&record);
                if Some(record) <= from || is_beyond || !is_wanted(&record)? {
                    return Ok(());
                }
                found.insert(record);
                if found.len() > most {
                    found.pop_last();
                }
                Ok(())
            })
        })?;
        Ok(found)
    }

    /// Passes the rows of a log partition after a change position to `each`.
    fn rows_after(
        &self,
        log_partition: LogPartition,
        change_position: ChangePosition,
        each: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let Some(journal) = &self.journal else {
            return Ok(());
        };
        let after = row_key(log_partition, change_position.sequence.saturating_add(1));
        let last = row_key(log_partition, u64::MAX);
        for row in journal.range::<&[u8]>(after.as_slice()..=last.as_slice())? {
            let (_, row) = row?;
            each(row.value())?;
        }
        Ok(())
    }
}
