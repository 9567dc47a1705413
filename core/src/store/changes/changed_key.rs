//! The keys and rows of the journal, which records the keys of the records that each commit
//! changed. A follower of the store uses it to find the changes since its change position.
//!
//! The journal is a table with a row for each log partition and number of a commit. The row with
//! the number 0, which no commit has, contains the head of the log partition.

use crate::error::{Error, Failure, Result};
use crate::store::rows::table_definitions::Definition;
use redb::{AccessGuard, ReadableTable};

/// The table of changes, by log partition and number of the commit. It does not exist if nothing
/// was recorded yet.
pub(crate) const JOURNAL: Definition = Definition::new("journal");

/// The key of a record that a commit changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ChangedKey {
    /// The number of the kind of the record.
    pub(crate) kind: u8,
    /// The numbers of the key of the record without the school, padded with 0. If records of the
    /// kind belong to a learner but their key does not contain the learner, the last number is the
    /// learner.
    pub(crate) words: [u64; ChangedKey::WORDS],
}

impl ChangedKey {
    pub(crate) const WORDS: usize = 4;
}

/// A part of the journal that can be followed separately.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum LogPartition {
    /// The records that belong to no school.
    #[default]
    Global,
    /// The records of a school, including the record of the school itself.
    School(u64),
}

const GLOBAL: u8 = 0;
const SCHOOL: u8 = 1;

impl LogPartition {
    pub(crate) const BYTES: usize = 9;

    /// Returns the prefix of the keys of its rows.
    pub(crate) fn to_bytes(self) -> [u8; Self::BYTES] {
        let (prefix, school) = match self {
            LogPartition::Global => (GLOBAL, 0),
            LogPartition::School(school) => (SCHOOL, school),
        };
        let mut bytes = [prefix; Self::BYTES];
        let (_, number) = bytes.split_at_mut(1);
        number.copy_from_slice(&school.to_be_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<LogPartition> {
        let (prefix, school) = bytes.split_first()?;
        let school = u64::from_be_bytes(school.try_into().ok()?);
        match *prefix {
            GLOBAL if school == 0 => Some(LogPartition::Global),
            SCHOOL => Some(LogPartition::School(school)),
            _ => None,
        }
    }
}

pub(crate) type RowKey = [u8; LogPartition::BYTES + 8];

/// Returns the key of the row with the changes of a commit. The key with the number 0 is that of
/// the head.
pub(crate) fn row_key(log_partition: LogPartition, sequence: u64) -> RowKey {
    let mut key = [0; LogPartition::BYTES + 8];
    let (of, number) = key.split_at_mut(LogPartition::BYTES);
    of.copy_from_slice(&log_partition.to_bytes());
    number.copy_from_slice(&sequence.to_be_bytes());
    key
}

/// Returns the number of the commit from the key of a row.
pub(crate) fn sequence_of(key: &[u8]) -> Result<u64> {
    let number = key
        .get(LogPartition::BYTES..)
        .and_then(|number| number.try_into().ok());
    number.map(u64::from_be_bytes).ok_or_else(damaged)
}

pub(crate) fn damaged() -> Failure {
    Error::corrupt("the journal is damaged")
}

/// The state of a log partition, in addition to its rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LogPartitionHead {
    /// The truncation point: the journal has all changes after this commit, but not those before
    /// it.
    pub(crate) truncation_point: u64,
    /// The approximate size of the rows in bytes.
    pub(crate) bytes: u64,
}

impl LogPartitionHead {
    pub(crate) fn encode(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        let (truncation_point, size) = bytes.split_at_mut(8);
        truncation_point.copy_from_slice(&self.truncation_point.to_le_bytes());
        size.copy_from_slice(&self.bytes.to_le_bytes());
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<LogPartitionHead> {
        let (truncation_point, size) = bytes.split_first_chunk().ok_or_else(damaged)?;
        Ok(LogPartitionHead {
            truncation_point: u64::from_le_bytes(*truncation_point),
            bytes: u64::from_le_bytes(size.try_into().map_err(|_| damaged())?),
        })
    }

    /// Reads the head of a log partition. If nothing was recorded yet, it is the default.
    pub(crate) fn read(
        journal: &impl ReadableTable<&'static [u8], &'static [u8]>,
        log_partition: LogPartition,
    ) -> Result<LogPartitionHead> {
        let row = journal.get(row_key(log_partition, 0).as_slice())?;
        let row = row.as_ref().map(AccessGuard::value);
        row.map_or(Ok(LogPartitionHead::default()), LogPartitionHead::decode)
    }
}
