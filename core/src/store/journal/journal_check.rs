//! Checks that no row of the journal is missing, and that all rows can be read.

use super::journal_row;
use crate::error::Result;
use crate::store::changes::changed_key::{
    LogPartition, LogPartitionHead, damaged, row_key, sequence_of,
};
use crate::store::changes::incarnation;
use crate::store::rows::read::scan_prefix;
use crate::store::transaction::row_set_checksums::{self, RowSet};
use crate::store::transaction::snapshot::Snapshot;

impl Snapshot {
    /// Returns whether a log partition has any rows.
    pub(crate) fn has_changed_keys(&self, log_partition: LogPartition) -> Result<bool> {
        let Some(journal) = &self.journal else {
            return Ok(false);
        };
        let (first, last) = (row_key(log_partition, 1), row_key(log_partition, u64::MAX));
        let mut rows = journal.range::<&[u8]>(first.as_slice()..=last.as_slice())?;
        Ok(rows.next().transpose()?.is_some())
    }

    /// Checks, once while the store is open, that no row of a log partition is missing.
    pub(crate) fn check_journal(&self, log_partition: LogPartition) -> Result<()> {
        let scope = RowSet::Journal(log_partition);
        self.once(scope, || self.check_digest(scope))
    }

    /// Checks that no row of the whole journal is missing, and that all rows can be read.
    pub(crate) fn check_whole_journal(&self) -> Result<()> {
        let log_partitions = row_set_checksums::journals(&self.digests)?;
        log_partitions
            .into_iter()
            .try_for_each(|log_partition| self.check_journal(log_partition))?;
        let Some(journal) = &self.journal else {
            return Ok(());
        };
        scan_prefix(journal, &[], &mut |key, value| {
            let log_partition = key
                .get(..LogPartition::BYTES)
                .and_then(LogPartition::from_bytes);
            self.check_journal(log_partition.ok_or_else(damaged)?)?;
            match sequence_of(key)? {
                0 => LogPartitionHead::decode(value).map(drop),
                _ => journal_row::each(value, &mut |_| Ok(())),
            }
        })?;
        incarnation::check(&self.meta)
    }
}
