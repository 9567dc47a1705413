//! One state of the store, held open for readers.

use super::collection::Collection;
use super::digests::{self, DIGESTS, NoRows, Scope};
use super::directory::Directory;
use super::journal::JOURNAL;
use super::memo::{Changes, Memo, MemoKey, Sources};
use super::partition::{Partition, run_key};
use super::read::{
    are_all_rendered_by, missing_run, read_cursor_key, read_directory, read_number, read_page,
    read_partitions, read_rendered_of, read_rows, read_sequence, read_synced,
};
use super::records::{EachRow, PinnedRun, Reader};
use super::tables::{
    CursorKey, DIRECTORIES, INTEGRATORS, META, RENDERED_KEY, RUNS, TOTALS_KEY, Totals,
};
use crate::error::{Error, Result};
use redb::{Database, ReadOnlyTable, ReadableDatabase, TableError};
use std::any::Any;
use std::sync::Arc;

/// A read transaction with its tables open: beginning one and opening tables
/// costs more than a small query, so one is held and swapped at each commit.
pub(crate) struct Snapshot {
    /// Before the tables: what it holds of them goes first.
    memo: Memo,
    runs: ReadOnlyTable<&'static [u8], &'static [u8]>,
    directories: ReadOnlyTable<&'static [u8], &'static [u8]>,
    integrators: ReadOnlyTable<&'static [u8], &'static [u8]>,
    pub(super) meta: ReadOnlyTable<&'static [u8], &'static [u8]>,
    pub(super) digests: ReadOnlyTable<&'static [u8], &'static [u8]>,
    /// None if nothing was noted yet.
    pub(super) journal: Option<ReadOnlyTable<&'static [u8], &'static [u8]>>,
    cursor_key: Option<CursorKey>,
    synced: Vec<u64>,
}

/// What was found once while the store is open: all directories of a school,
struct DirectoriesAreThere;
/// and all rows of integrators.
struct IntegratorsAreThere;

impl Snapshot {
    pub(crate) fn open(database: &Database, memo: Memo) -> Result<Snapshot> {
        let transaction = database.begin_read()?;
        let meta = transaction.open_table(META)?;
        Ok(Snapshot {
            cursor_key: read_cursor_key(&meta)?,
            synced: read_synced(&meta)?,
            runs: transaction.open_table(RUNS)?,
            directories: transaction.open_table(DIRECTORIES)?,
            integrators: transaction.open_table(INTEGRATORS)?,
            digests: transaction.open_table(DIGESTS)?,
            journal: match transaction.open_table(JOURNAL) {
                Err(TableError::TableDoesNotExist(_)) => None,
                journal => Some(journal?),
            },
            meta,
            memo,
        })
    }

    /// The memo for the snapshot that follows this one.
    pub(crate) fn memo_after(&self, changes: &Changes) -> Memo {
        self.memo.after(changes)
    }

    /// A value decoded from the store, kept while what it came from stays. `form` tells
    /// it from others of its type.
    #[inline]
    pub(crate) fn decoded<T: Any + Send + Sync>(
        &self,
        form: u64,
        of: Partition,
        sources: Sources,
        make: impl FnOnce() -> Result<(T, usize)>,
    ) -> Result<Arc<T>> {
        self.memo.get(MemoKey::new::<T>(form, of), sources, make)
    }

    #[cfg(test)]
    pub(super) fn held_bytes(&self) -> usize {
        self.memo.room.taken()
    }

    /// How many bytes one decoded value may have so that others stay beside it.
    pub(crate) fn most_decoded(&self) -> usize {
        self.memo.limit() / 4
    }

    /// Makes sure, once while the store is open, that the directories of a school
    /// are all there.
    #[cold]
    pub(super) fn check_directories(&self, school: u64) -> Result<()> {
        let of = Partition::of(school, Collection::Schools);
        self.decoded(0, of, Sources::NONE, || {
            let of = Scope::School(school);
            digests::check(&self.digests, &self.directories, of)?;
            Ok((DirectoriesAreThere, 0))
        })
        .map(drop)
    }

    /// The same for all schools from one to another.
    pub(super) fn check_directories_between(&self, from: u64, to: u64) -> Result<()> {
        if from == to {
            return self.check_directories(from);
        }
        let schools = digests::schools(&self.digests)?;
        let mut schools = schools.into_iter();
        schools.try_for_each(|school| self.check_directories(school))
    }

    /// The same for the rows of integrators.
    #[cold]
    pub(super) fn check_integrators(&self) -> Result<()> {
        let of = Partition::global(Collection::Schools);
        self.decoded(0, of, Sources::NONE, || {
            let of = Scope::Integrators;
            digests::check(&self.digests, &self.integrators, of)?;
            Ok((IntegratorsAreThere, 0))
        })
        .map(drop)
    }

    /// Makes sure that no digest tells of rows that are not there.
    pub(crate) fn check_digests(&self) -> Result<()> {
        digests::check(&self.digests, &self.meta, Scope::Meta)?;
        self.check_integrators()?;
        self.check_directories_between(0, u64::MAX)?;
        self.check_whole_journal()
    }

    /// Makes sure that the rows of the journal are those that a digest is the sum of.
    pub(super) fn check_digest(&self, of: Scope) -> Result<()> {
        match &self.journal {
            Some(journal) => digests::check(&self.digests, journal, of),
            None => digests::check(&self.digests, &NoRows, of),
        }
    }

    /// The number of the last commit.
    pub(crate) fn sequence(&self) -> Result<u64> {
        read_sequence(&self.meta)
    }

    pub(crate) fn totals(&self) -> Result<Totals> {
        match self.meta.get(TOTALS_KEY)? {
            Some(row) => Totals::decode(row.value()),
            None => Ok(Totals::default()),
        }
    }

    /// The key under which cursors are made.
    pub(crate) fn cursor_key(&self) -> Result<&CursorKey> {
        let key = self.cursor_key.as_ref();
        key.ok_or_else(|| Error::corrupt("the key of cursors is missing"))
    }

    /// Whether any school is synced.
    #[inline]
    pub(crate) fn has_synced(&self) -> bool {
        !self.synced.is_empty()
    }

    /// The schools that are synced, ascending.
    pub(crate) fn synced(&self) -> &[u64] {
        &self.synced
    }

    /// Whether a school is synced, so that what was not seen of it is unknown.
    pub(crate) fn is_synced(&self, school: u64) -> bool {
        self.synced.binary_search(&school).is_ok()
    }

    /// The version by which all records are rendered, but for the schools that
    /// have one of their own.
    pub(crate) fn rendered(&self) -> Result<u32> {
        read_number(&self.meta, RENDERED_KEY)
    }

    /// The version by which a school's records are rendered.
    pub(crate) fn rendered_of(&self, school: u64) -> Result<u32> {
        read_rendered_of(&self.meta, school)
    }

    /// Whether every record is rendered by this version.
    pub(crate) fn all_rendered_by(&self, version: u32) -> Result<bool> {
        are_all_rendered_by(&self.meta, version)
    }

    /// All rows of the tables, for a copy of the store.
    pub(crate) fn tables(&self) -> SnapshotTables<'_> {
        SnapshotTables {
            runs: &self.runs,
            directories: &self.directories,
            integrators: &self.integrators,
            meta: &self.meta,
            digests: &self.digests,
            journal: self.journal.as_ref(),
        }
    }
}

/// The open tables of a snapshot.
pub(crate) struct SnapshotTables<'a> {
    pub(crate) runs: &'a ReadOnlyTable<&'static [u8], &'static [u8]>,
    pub(crate) directories: &'a ReadOnlyTable<&'static [u8], &'static [u8]>,
    pub(crate) integrators: &'a ReadOnlyTable<&'static [u8], &'static [u8]>,
    pub(crate) meta: &'a ReadOnlyTable<&'static [u8], &'static [u8]>,
    pub(crate) digests: &'a ReadOnlyTable<&'static [u8], &'static [u8]>,
    pub(crate) journal: Option<&'a ReadOnlyTable<&'static [u8], &'static [u8]>>,
}

impl Reader for Snapshot {
    #[inline]
    fn directory(&self, partition: Partition) -> Result<Arc<Directory>> {
        let sources = Sources::of(&[partition.collection]);
        self.decoded(0, partition, sources, || {
            self.check_directories(partition.school)?;
            let directory = read_directory(&self.directories, partition)?;
            let former = MemoKey::former_directory(partition);
            if let Some(before) = self.memo.find(&former) {
                directory.inherit(&before);
            }
            let bytes = directory.bytes();
            Ok((directory, bytes))
        })
    }

    #[inline]
    fn pin(&self, partition: Partition, run: u32) -> Result<PinnedRun<'_>> {
        read_page(&self.runs, partition, run)
    }

    fn pin_checked(
        &self,
        partition: Partition,
        directory: &Directory,
        position: usize,
        run: u32,
    ) -> Result<PinnedRun<'_>> {
        let guard = self.runs.get_owned(run_key(partition, run).as_slice())?;
        let guard = guard.ok_or_else(missing_run)?;
        directory.check(partition, position, guard.value())?;
        let bytes = guard.value().len();
        let held = Arc::new(self.memo.room.take(guard));
        if self.memo.make_room(bytes) {
            directory.hold(position, held.clone());
        }
        Ok(PinnedRun::held(held, partition.collection.layout()))
    }

    fn partitions(&self, from: Partition, to: Partition) -> Result<Vec<Partition>> {
        self.check_directories_between(from.school, to.school)?;
        read_partitions(&self.directories, from, to)
    }

    fn integrator_rows(&self, prefix: &[u8], each: &mut EachRow<'_>) -> Result<()> {
        self.check_integrators()?;
        read_rows(&self.integrators, prefix, each)
    }

    fn integrator_row(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.check_integrators()?;
        Ok(self.integrators.get(key)?.map(|row| row.value().to_vec()))
    }
}
