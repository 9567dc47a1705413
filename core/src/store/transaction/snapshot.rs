//! One state of the store, open for reading.

use crate::error::Result;
use crate::store::blocks::block_index::BlockIndex;
use crate::store::blocks::collection::Collection;
use crate::store::blocks::partition::{Partition, block_key};
use crate::store::blocks::records::{EachInRange, EachRow, PinnedBlock, Reader};
use crate::store::changes::change_bits::{ChangedSources, Sources};
use crate::store::changes::changed_key::JOURNAL;
use crate::store::rows::read::{
    is_render_version_uniform, missing_block, pin_block, read_block_index, read_cursor_key,
    read_number, read_partitions, read_render_version, read_sequence, scan_prefix, scan_range,
};
use crate::store::rows::table_definitions::{
    BLOCK_INDEXES, BLOCKS, CursorKey, ERASING_KEY, INTEGRATORS, META, RENDERED_KEY, TOTALS_KEY,
    Totals,
};
use crate::store::transaction::decoded_cache::{DecodedCache, DecodedKey};
use crate::store::transaction::row_set_checksums::{self, DIGESTS, NoRows, RowSet};
use crate::store::transaction::school_owner::SchoolOwners;
use redb::{Database, ReadOnlyTable, ReadableDatabase, TableError};
use std::any::Any;
use std::sync::{Arc, OnceLock};

/// A read transaction with its tables open. Beginning a transaction and opening its tables costs
/// more than a small query, so readers share one snapshot, which is replaced at each commit.
pub(crate) struct Snapshot {
    /// This field precedes the tables, so that its cached blocks are dropped before them.
    decoded_cache: DecodedCache,
    blocks: ReadOnlyTable<&'static [u8], &'static [u8]>,
    block_indexes: ReadOnlyTable<&'static [u8], &'static [u8]>,
    integrators: ReadOnlyTable<&'static [u8], &'static [u8]>,
    pub(crate) meta: ReadOnlyTable<&'static [u8], &'static [u8]>,
    pub(crate) digests: ReadOnlyTable<&'static [u8], &'static [u8]>,
    /// `None` if nothing was recorded yet.
    pub(crate) journal: Option<ReadOnlyTable<&'static [u8], &'static [u8]>>,
    cursor_key: CursorKey,
    owners: SchoolOwners,
    /// Whether the store follows another one, once this was looked up.
    follows: OnceLock<bool>,
}

impl Snapshot {
    pub(crate) fn open(database: &Database, decoded_cache: DecodedCache) -> Result<Snapshot> {
        let transaction = database.begin_read()?;
        let meta = transaction.open_table(META)?;
        Ok(Snapshot {
            cursor_key: read_cursor_key(&meta)?,
            owners: SchoolOwners::read(&meta)?,
            blocks: transaction.open_table(BLOCKS)?,
            block_indexes: transaction.open_table(BLOCK_INDEXES)?,
            integrators: transaction.open_table(INTEGRATORS)?,
            digests: transaction.open_table(DIGESTS)?,
            journal: match transaction.open_table(JOURNAL) {
                Err(TableError::TableDoesNotExist(_)) => None,
                journal => Some(journal?),
            },
            meta,
            decoded_cache,
            follows: OnceLock::new(),
        })
    }

    /// Returns whether the store follows another one, or has followed one before.
    #[inline]
    pub(crate) fn follows(&self) -> Result<bool> {
        match self.follows.get() {
            Some(follows) => Ok(*follows),
            None => self.read_follows(),
        }
    }

    #[cold]
    fn read_follows(&self) -> Result<bool> {
        let followed = self.records(Partition::global(Collection::Followed))?;
        let follows = followed.blocks() > 0;
        Ok(*self.follows.get_or_init(|| follows))
    }

    /// Returns the decoded cache for the next snapshot.
    pub(crate) fn decoded_after(&self, changes: &ChangedSources) -> DecodedCache {
        self.decoded_cache.after(changes)
    }

    /// Returns a value decoded from the store. It is cached until one of its sources changes.
    /// `form` distinguishes it from other values of the same type and partition.
    #[inline]
    pub(crate) fn decoded<T: Any + Send + Sync>(
        &self,
        form: u64,
        of: Partition,
        sources: Sources,
        make: impl FnOnce() -> Result<(T, usize)>,
    ) -> Result<Arc<T>> {
        self.decoded_cache
            .get(DecodedKey::new::<T>(form, of), sources, make)
    }

    #[cfg(test)]
    pub(crate) fn block_cache_bytes(&self) -> usize {
        self.decoded_cache.budget.used()
    }

    /// The maximum size of one decoded value, so that there is space for others in the cache.
    pub(crate) fn most_decoded(&self) -> usize {
        self.decoded_cache.limit() / 4
    }

    /// Checks, once while the store is open, that no block index of a school is missing.
    #[cold]
    pub(crate) fn check_block_indexes(&self, school: u64) -> Result<()> {
        let of = RowSet::School(school);
        self.once(of, || {
            row_set_checksums::check(&self.digests, &self.block_indexes, of)
        })
    }

    /// Checks the block indexes of `from` if both schools are the same, and otherwise those of all
    /// schools.
    pub(crate) fn check_block_indexes_between(&self, from: u64, to: u64) -> Result<()> {
        if from == to {
            return self.check_block_indexes(from);
        }
        let schools = row_set_checksums::schools(&self.digests)?;
        let mut schools = schools.into_iter();
        schools.try_for_each(|school| self.check_block_indexes(school))
    }

    /// Checks, once while the store is open, that no row of the integrators is missing.
    #[cold]
    pub(crate) fn check_integrators(&self) -> Result<()> {
        let of = RowSet::Integrators;
        self.once(of, || {
            row_set_checksums::check(&self.digests, &self.integrators, of)
        })
    }

    /// Passes the rows of integrators whose keys start with `prefix` to `each`, in order.
    pub(crate) fn integrator_rows(&self, prefix: &[u8], each: &mut EachRow<'_>) -> Result<()> {
        self.check_integrators()?;
        scan_prefix(&self.integrators, prefix, each)
    }

    /// Runs a check of a row set, once while the store is open.
    pub(crate) fn once(&self, of: RowSet, check: impl FnOnce() -> Result<()>) -> Result<()> {
        self.decoded_cache.checked.once(of, check)
    }

    /// Checks all row sets of the store, except those of the journal.
    pub(crate) fn check_digests(&self) -> Result<()> {
        row_set_checksums::check(&self.digests, &self.meta, RowSet::Meta)?;
        self.check_integrators()?;
        self.check_block_indexes_between(0, u64::MAX)
    }

    /// Checks that the rows of a journal match their row-set checksum.
    pub(crate) fn check_digest(&self, of: RowSet) -> Result<()> {
        match &self.journal {
            Some(journal) => row_set_checksums::check(&self.digests, journal, of),
            None => row_set_checksums::check(&self.digests, &NoRows, of),
        }
    }

    /// Returns the number of the last commit.
    pub(crate) fn sequence(&self) -> Result<u64> {
        read_sequence(&self.meta)
    }

    pub(crate) fn totals(&self) -> Result<Totals> {
        match self.meta.get(TOTALS_KEY)? {
            Some(row) => Totals::decode(row.value()),
            None => Ok(Totals::default()),
        }
    }

    /// Returns whether the file may contain data of a person who was erased.
    pub(crate) fn has_leftovers(&self) -> Result<bool> {
        Ok(self.meta.get(ERASING_KEY)?.is_some())
    }

    /// Returns the key with which cursors are made.
    pub(crate) fn cursor_key(&self) -> &CursorKey {
        &self.cursor_key
    }

    /// Returns the owners of schools.
    #[inline]
    pub(crate) fn owners(&self) -> &SchoolOwners {
        &self.owners
    }

    /// Returns the render version of all records, except those of schools that have their own
    /// version.
    pub(crate) fn rendered(&self) -> Result<u32> {
        read_number(&self.meta, RENDERED_KEY)
    }

    /// Returns the render version of the records of a school.
    pub(crate) fn rendered_of(&self, school: u64) -> Result<u32> {
        read_render_version(&self.meta, school)
    }

    /// Returns whether every record has this render version.
    pub(crate) fn all_rendered_by(&self, version: u32) -> Result<bool> {
        is_render_version_uniform(&self.meta, version)
    }

    /// Returns the tables, for a copy of the store.
    pub(crate) fn tables(&self) -> SnapshotTables<'_> {
        SnapshotTables {
            blocks: &self.blocks,
            block_indexes: &self.block_indexes,
            integrators: &self.integrators,
            meta: &self.meta,
            digests: &self.digests,
            journal: self.journal.as_ref(),
        }
    }
}

/// The open tables of a snapshot.
pub(crate) struct SnapshotTables<'a> {
    pub(crate) blocks: &'a ReadOnlyTable<&'static [u8], &'static [u8]>,
    pub(crate) block_indexes: &'a ReadOnlyTable<&'static [u8], &'static [u8]>,
    pub(crate) integrators: &'a ReadOnlyTable<&'static [u8], &'static [u8]>,
    pub(crate) meta: &'a ReadOnlyTable<&'static [u8], &'static [u8]>,
    pub(crate) digests: &'a ReadOnlyTable<&'static [u8], &'static [u8]>,
    pub(crate) journal: Option<&'a ReadOnlyTable<&'static [u8], &'static [u8]>>,
}

impl Reader for Snapshot {
    #[inline]
    fn block_index(&self, partition: Partition) -> Result<Arc<BlockIndex>> {
        let sources = Sources::new(&[partition.collection]);
        self.decoded(0, partition, sources, || {
            self.check_block_indexes(partition.school)?;
            let block_index = read_block_index(&self.block_indexes, partition)?;
            let former = DecodedKey::former_block_index(partition);
            if let Some(before) = self.decoded_cache.take(&former) {
                block_index.inherit(&before);
            }
            let bytes = block_index.bytes();
            Ok((block_index, bytes))
        })
    }

    #[inline]
    fn pin(&self, partition: Partition, block: u32) -> Result<PinnedBlock<'_>> {
        pin_block(&self.blocks, partition, block)
    }

    fn pin_checked(
        &self,
        partition: Partition,
        block_index: &BlockIndex,
        position: usize,
        block: u32,
    ) -> Result<PinnedBlock<'_>> {
        let guard = self
            .blocks
            .get_owned(block_key(partition, block).as_slice())?;
        let guard = guard.ok_or_else(missing_block)?;
        block_index.check(partition, position, guard.value())?;
        let cached = Arc::new(self.decoded_cache.budget.count_block(guard));
        self.decoded_cache
            .cache_block(partition, block_index, position, &cached);
        Ok(PinnedBlock::cached(cached, partition.collection.layout()))
    }

    fn partitions(&self, from: Partition, to: Partition) -> Result<Vec<Partition>> {
        self.check_block_indexes_between(from.school, to.school)?;
        read_partitions(&self.block_indexes, from, to)
    }

    fn integrator_range(
        &self,
        range: (&[u8], &[u8]),
        reverse: bool,
        each: &mut EachInRange<'_>,
    ) -> Result<()> {
        self.check_integrators()?;
        scan_range(&self.integrators, range, reverse, each)
    }

    fn integrator_row(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.check_integrators()?;
        Ok(self.integrators.get(key)?.map(|row| row.value().to_vec()))
    }
}
