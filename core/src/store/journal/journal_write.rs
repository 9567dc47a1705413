//! Ends a write: writes the changes of a transaction to the journal, and enforces the limit of each
//! log partition.

use super::journal_row::{self, JournalEntry};
use crate::error::Result;
use crate::store::changes::change_bits::ChangedSources;
use crate::store::changes::changed_key::{
    JOURNAL, LogPartition, LogPartitionHead, row_key, sequence_of,
};
use crate::store::changes::changed_keys::{ChangedInPartition, Journaling};
use crate::store::changes::incarnation::{self, History};
use crate::store::rows::read::next_sequence;
use crate::store::rows::table_definitions::{INCARNATIONS_KEY, SEQUENCE_KEY};
use crate::store::transaction::row_set_checksums::{ChecksumChanges, RowSet};
use crate::store::transaction::write::Write;
use redb::{AccessGuard, ReadableTable, Table};
use std::collections::HashSet;

/// The number of keys that are remembered while rows are merged.
const MAX_SEEN: usize = 1 << 16;

/// The space that a row needs in addition to its value.
const ROW_BYTES: usize = 32;

/// Returns how much of the limit of its log partition a row uses.
pub(crate) fn cost(row: &[u8]) -> u64 {
    (row.len() + ROW_BYTES) as u64
}

/// The rows of a log partition.
struct JournalRows<'a, 't> {
    table: &'a mut Table<'t, &'static [u8], &'static [u8]>,
    added: &'a mut ChecksumChanges,
    log_partition: LogPartition,
    head: LogPartitionHead,
}

impl Write<'_> {
    /// Writes the totals, the journal and the row-set checksums. Returns the changes, and the
    /// number of this commit.
    pub(crate) fn finish(mut self) -> Result<(ChangedSources, u64)> {
        self.write_totals()?;
        let sequence = next_sequence(&self.meta)?;
        if !self.changes.is_empty() {
            let incarnation = self.write_journal(sequence)?;
            self.put_meta(SEQUENCE_KEY, &incarnation::encode(sequence, incarnation))?;
        }
        Ok((self.write_checksums()?, sequence))
    }

    /// Writes the changes to the journal, under the number of this commit. Returns the
    /// incarnation, if there is a journal.
    fn write_journal(&mut self, sequence: u64) -> Result<Option<u64>> {
        let Some(Journaling { bytes, incarnation }) = self.journaling else {
            return Ok(None);
        };
        let (incarnations, oldest) = History::read(&self.meta)?.add(incarnation, sequence);
        if let Some(row) = incarnations {
            self.put_meta(INCARNATIONS_KEY, &row)?;
        }
        let changed = self.changed_keys.take();
        if changed.is_empty() {
            return Ok(Some(incarnation));
        }
        let mut table = self.transaction.open_table(JOURNAL)?;
        for (log_partition, of_log_partition) in changed {
            if let Some(before) = &self.before {
                before.check_journal(log_partition)?;
            }
            let mut rows = JournalRows {
                head: LogPartitionHead::read(&table, log_partition)?,
                table: &mut table,
                added: &mut self.added,
                log_partition,
            };
            rows.record(of_log_partition, sequence, bytes, oldest)?;
            let head = rows.head.encode();
            rows.replace(0, Some(&head))?;
        }
        Ok(Some(incarnation))
    }
}

impl Write<'_> {
    /// Removes everything that was recorded of a log partition, even if the store has no journal
    /// now. Followers must then assume that every record of it may have changed.
    pub(crate) fn remove_changed_keys(&mut self, log_partition: LogPartition) -> Result<()> {
        self.changed_keys.record_all(log_partition);
        let Some(before) = self.before.clone() else {
            return Ok(());
        };
        if !before.has_changed_keys(log_partition)? {
            return Ok(());
        }
        before.check_journal(log_partition)?;
        let sequence = next_sequence(&self.meta)?;
        let mut table = self.transaction.open_table(JOURNAL)?;
        let mut rows = JournalRows {
            head: LogPartitionHead::read(&table, log_partition)?,
            table: &mut table,
            added: &mut self.added,
            log_partition,
        };
        rows.truncate_to(sequence)?;
        let head = rows.head.encode();
        rows.replace(0, Some(&head))?;
        self.changes.other();
        Ok(())
    }
}

impl JournalRows<'_, '_> {
    /// Adds the row of a commit, and enforces the limit of the log partition.
    fn record(
        &mut self,
        mut of_log_partition: ChangedInPartition,
        sequence: u64,
        most: u64,
        oldest: u64,
    ) -> Result<()> {
        of_log_partition.keys.sort_unstable();
        of_log_partition.keys.dedup();
        let row = journal_row::encode(&of_log_partition.keys, of_log_partition.coverage);
        if of_log_partition.is_whole || cost(&row) > most / 4 {
            return self.truncate_to(sequence);
        }
        self.put(sequence, Some(&row))?;
        if self.head.bytes > most {
            self.truncate_to(oldest)?;
        }
        if self.head.bytes > most {
            self.merge()?;
            self.shrink(most / 4 * 3)?;
        }
        Ok(())
    }

    /// Removes a key from a row if a later commit changed the same record.
    fn merge(&mut self) -> Result<()> {
        let (mut seen, mut seen_coverage) = (HashSet::new(), false);
        let mut before = u64::MAX;
        while let Some((sequence, row)) = self.last_before(before)? {
            before = sequence;
            let (mut remaining, mut coverage) = (Vec::new(), false);
            journal_row::each(&row, &mut |entry| {
                match entry {
                    JournalEntry::Coverage => {
                        coverage = !std::mem::replace(&mut seen_coverage, true);
                    }
                    JournalEntry::Record(changed_key) => {
                        let is_new = if seen.len() < MAX_SEEN {
                            seen.insert(changed_key)
                        } else {
                            !seen.contains(&changed_key)
                        };
                        remaining.extend(is_new.then_some(changed_key));
                    }
                }
                Ok(())
            })?;
            let merged = journal_row::encode(&remaining, coverage);
            if remaining.is_empty() && !coverage {
                self.put(sequence, None)?;
            } else if merged != row {
                self.put(sequence, Some(&merged))?;
            }
        }
        Ok(())
    }

    /// Removes the oldest rows until the others use at most `most` bytes.
    fn shrink(&mut self, most: u64) -> Result<()> {
        while self.head.bytes > most
            && let Some(oldest) = self.oldest()?
        {
            self.truncate_to(oldest)?;
        }
        Ok(())
    }

    /// Moves the truncation point forward to a commit, and removes the rows up to it.
    fn truncate_to(&mut self, sequence: u64) -> Result<()> {
        while let Some(oldest) = self.oldest()?.filter(|oldest| *oldest <= sequence) {
            self.put(oldest, None)?;
        }
        self.head.truncation_point = self.head.truncation_point.max(sequence);
        Ok(())
    }

    /// Returns the number of the first commit that has a row.
    fn oldest(&self) -> Result<Option<u64>> {
        let (first, last) = (
            row_key(self.log_partition, 1),
            row_key(self.log_partition, u64::MAX),
        );
        let mut rows = self
            .table
            .range::<&[u8]>(first.as_slice()..=last.as_slice())?;
        let Some(row) = rows.next() else {
            return Ok(None);
        };
        sequence_of(row?.0.value()).map(Some)
    }

    /// Returns the last row before that of a commit.
    fn last_before(&self, sequence: u64) -> Result<Option<(u64, Vec<u8>)>> {
        let (first, last) = (
            row_key(self.log_partition, 1),
            row_key(self.log_partition, sequence),
        );
        let mut rows = self
            .table
            .range::<&[u8]>(first.as_slice()..last.as_slice())?;
        let Some(row) = rows.next_back() else {
            return Ok(None);
        };
        let (key, row) = row?;
        Ok(Some((sequence_of(key.value())?, row.value().to_vec())))
    }

    /// Stores or removes the row of a commit.
    fn put(&mut self, sequence: u64, row: Option<&[u8]>) -> Result<()> {
        let old = self.replace(sequence, row)?;
        let bytes = self.head.bytes.saturating_add(row.map_or(0, cost));
        self.head.bytes = bytes.saturating_sub(old);
        Ok(())
    }

    /// Replaces or removes a row, and returns the cost of the previous one.
    fn replace(&mut self, sequence: u64, row: Option<&[u8]>) -> Result<u64> {
        let key = row_key(self.log_partition, sequence);
        let old = match row {
            Some(row) => self.table.insert(key.as_slice(), row)?,
            None => self.table.remove(key.as_slice())?,
        };
        let old = old.as_ref().map(AccessGuard::value);
        let scope = RowSet::Journal(self.log_partition);
        self.added.replaced(scope, &key, old, row);
        Ok(old.map_or(0, cost))
    }
}
