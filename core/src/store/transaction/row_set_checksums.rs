//! Digests of sets of rows. They detect a row that redb no longer finds, and a row that remains
//! from an older commit.
//!
//! A digest is the sum of the checksums of the rows of a set: the block indexes of one school, the
//! rows of the integrators, the rows of `meta`, or the journal of one log partition. A set without
//! a digest must be empty.

use crate::error::{Error, Failure, Result};
use crate::store::blocks::records::EachRow;
use crate::store::changes::changed_key::LogPartition;
use crate::store::checksum::Digest;
use crate::store::rows::read::scan_prefix;
use crate::store::rows::table_definitions::Definition;
use redb::{ReadableTable, Table};
use std::collections::{BTreeMap, HashSet};
use std::sync::{PoisonError, RwLock};

/// The table of digests, by the set of rows.
pub(crate) const DIGESTS: Definition = Definition::new("digests");

/// A set of rows that has a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum RowSet {
    /// The block indexes of a school. School 0 has those of the global collections.
    School(u64),
    Integrators,
    Meta,
    /// The journal of a log partition.
    Journal(LogPartition),
}

const SCHOOL: u8 = b's';
const JOURNAL: u8 = b'j';

impl RowSet {
    fn key(self) -> Vec<u8> {
        match self {
            RowSet::School(school) => [[SCHOOL].as_slice(), &school.to_be_bytes()].concat(),
            RowSet::Integrators => b"integrators".to_vec(),
            RowSet::Meta => b"meta".to_vec(),
            RowSet::Journal(log_partition) => {
                [[JOURNAL].as_slice(), &log_partition.to_bytes()].concat()
            }
        }
    }

    /// Returns the prefix of the keys of the rows.
    fn prefix(self) -> Vec<u8> {
        match self {
            RowSet::School(school) => school.to_be_bytes().to_vec(),
            RowSet::Journal(log_partition) => log_partition.to_bytes().to_vec(),
            RowSet::Integrators | RowSet::Meta => Vec::new(),
        }
    }
}

type ChecksumRows<'a> = &'a dyn ReadableRows;

/// A table of byte strings. It is used through a pointer, so that the code is compiled once.
pub(crate) trait ReadableRows {
    fn value(&self, key: &[u8]) -> Result<Option<Vec<u8>>>;
    fn each(&self, prefix: &[u8], each: &mut EachRow<'_>) -> Result<()>;
}

impl<T: ReadableTable<&'static [u8], &'static [u8]>> ReadableRows for T {
    fn value(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(self.get(key)?.map(|row| row.value().to_vec()))
    }

    fn each(&self, prefix: &[u8], each: &mut EachRow<'_>) -> Result<()> {
        scan_prefix(self, prefix, each)
    }
}

/// A table that does not exist.
pub(crate) struct NoRows;

impl ReadableRows for NoRows {
    fn value(&self, _: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    fn each(&self, _: &[u8], _: &mut EachRow<'_>) -> Result<()> {
        Ok(())
    }
}

fn read(digests: ChecksumRows<'_>, scope: RowSet) -> Result<Digest> {
    let Some(row) = digests.value(&scope.key())? else {
        return Ok(Digest::default());
    };
    let row = row.as_slice().try_into();
    row.map(Digest::decode).map_err(|_| damaged(scope))
}

/// Checks that the rows match their digest, and that each row is found by its key. A row that is
/// not found afterwards does not exist.
pub(crate) fn check(
    digests: ChecksumRows<'_>,
    rows: ChecksumRows<'_>,
    scope: RowSet,
) -> Result<()> {
    let mut sum = Digest::default();
    rows.each(&scope.prefix(), &mut |key, value| {
        sum.add(key, value);
        match rows.value(key)? {
            Some(found) if found == value => Ok(()),
            _ => Err(damaged(scope)),
        }
    })?;
    if sum == read(digests, scope)? {
        Ok(())
    } else {
        Err(damaged(scope))
    }
}

/// The row sets that were checked while the store is open. Commits update the digests, so the sets
/// remain valid.
#[derive(Default)]
pub(crate) struct Checked(RwLock<HashSet<RowSet, foldhash::fast::RandomState>>);

/// The maximum number of sets that are recorded as checked. When it is reached, all of them are
/// removed, and checked again when needed.
const MAX_CHECKED: usize = 1 << 17;

impl Checked {
    /// Runs the check of a set, unless it has succeeded before.
    pub(crate) fn once(&self, scope: RowSet, check: impl FnOnce() -> Result<()>) -> Result<()> {
        let checked = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if checked.contains(&scope) {
            return Ok(());
        }
        drop(checked);
        check()?;
        let mut checked = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if checked.len() >= MAX_CHECKED {
            checked.clear();
        }
        checked.insert(scope);
        Ok(())
    }
}

/// Returns the schools that have a digest.
pub(crate) fn schools(digests: ChecksumRows<'_>) -> Result<Vec<u64>> {
    let mut schools = Vec::new();
    digests.each(&[SCHOOL], &mut |key, _| {
        let school = key.get(1..).and_then(|school| school.try_into().ok());
        schools.extend(school.map(u64::from_be_bytes));
        Ok(())
    })?;
    Ok(schools)
}

/// Returns the log partitions that have a digest.
pub(crate) fn journals(digests: ChecksumRows<'_>) -> Result<Vec<LogPartition>> {
    let mut log_partitions = Vec::new();
    digests.each(&[JOURNAL], &mut |key, _| {
        log_partitions.extend(key.get(1..).and_then(LogPartition::from_bytes));
        Ok(())
    })?;
    Ok(log_partitions)
}

fn damaged(scope: RowSet) -> Failure {
    Error::corrupt(&match scope {
        RowSet::School(school) => {
            format!("the block indexes of school {school} do not match their checksum")
        }
        RowSet::Integrators => "the rows of integrators do not match their checksum".to_owned(),
        RowSet::Journal(LogPartition::Global) => {
            "the rows of the journal that belong to no school do not match their checksum"
                .to_owned()
        }
        RowSet::Journal(LogPartition::School(school)) => {
            format!("the rows of the journal of school {school} do not match their checksum")
        }
        RowSet::Meta => "the metadata of the store does not match its checksum".to_owned(),
    })
}

/// The changes of digests by a transaction.
///
/// They are written in the order of their keys, so that each page is read only once.
#[derive(Debug, Default)]
pub(crate) struct ChecksumChanges(BTreeMap<RowSet, Digest>);

impl ChecksumChanges {
    /// Records that a row was replaced, added or removed.
    pub(crate) fn replaced(
        &mut self,
        scope: RowSet,
        key: &[u8],
        old: Option<&[u8]>,
        new: Option<&[u8]>,
    ) {
        let added = self.0.entry(scope).or_default();
        if let Some(old) = old {
            added.remove(key, old);
        }
        if let Some(new) = new {
            added.add(key, new);
        }
    }

    /// Subtracts rows that are not in the table, although the digest includes them.
    pub(crate) fn subtract(&mut self, scope: RowSet, rows: Digest) {
        let added = self.0.entry(scope).or_default();
        *added = added.without(rows);
    }

    /// Adds the changes to the stored digests.
    pub(crate) fn write(self, digests: &mut Table<'_, &'static [u8], &'static [u8]>) -> Result<()> {
        for (scope, added) in self.0 {
            let sum = read(digests, scope)?.with(added);
            let key = scope.key();
            if sum == Digest::default() {
                digests.remove(key.as_slice())?;
            } else {
                digests.insert(key.as_slice(), sum.encode().as_slice())?;
            }
        }
        Ok(())
    }
}
