//! One state of the store, held open for readers.

use super::collection::Collection;
use super::digests::{self, DIGESTS, Of};
use super::directory::Directory;
use super::memo::{Changes, Memo, MemoKey, Sources};
use super::partition::{Partition, run_key};
use super::records::{EachRow, Page, Reader};
use super::tables::{
    CURSOR_KEY, CursorKey, DIRECTORIES, INTEGRATORS, META, RENDER_PREFIX, RENDERED_KEY, RUNS,
    SEQUENCE_KEY, TOTALS_KEY, Totals, render_key,
};
use crate::error::{Error, Result};
use redb::{Database, ReadOnlyTable, ReadableDatabase, ReadableTable};
use std::any::Any;
use std::sync::Arc;

/// A read transaction with its tables open: beginning one and opening tables
/// costs more than a small query, so one is held and swapped at each commit.
pub(crate) struct Snapshot {
    runs: ReadOnlyTable<&'static [u8], &'static [u8]>,
    directories: ReadOnlyTable<&'static [u8], &'static [u8]>,
    integrators: ReadOnlyTable<&'static [u8], &'static [u8]>,
    pub(super) meta: ReadOnlyTable<&'static [u8], &'static [u8]>,
    digests: ReadOnlyTable<&'static [u8], &'static [u8]>,
    cursor_key: Option<CursorKey>,
    memo: Memo,
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
            runs: transaction.open_table(RUNS)?,
            directories: transaction.open_table(DIRECTORIES)?,
            integrators: transaction.open_table(INTEGRATORS)?,
            digests: transaction.open_table(DIGESTS)?,
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
        form: u8,
        of: Partition,
        sources: Sources,
        make: impl FnOnce() -> Result<(T, usize)>,
    ) -> Result<Arc<T>> {
        self.memo.get(MemoKey::new::<T>(form, of), sources, make)
    }

    /// Makes sure, once while the store is open, that the directories of a school
    /// are all there.
    #[cold]
    pub(super) fn check_directories(&self, school: u64) -> Result<()> {
        let of = Partition::of(school, Collection::Schools);
        self.decoded(0, of, Sources::NONE, || {
            let of = Of::School(school);
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
            let of = Of::Integrators;
            digests::check(&self.digests, &self.integrators, of)?;
            Ok((IntegratorsAreThere, 0))
        })
        .map(drop)
    }

    /// Makes sure that no digest tells of rows that are not there.
    pub(crate) fn check_digests(&self) -> Result<()> {
        digests::check(&self.digests, &self.meta, Of::Meta)?;
        self.check_integrators()?;
        self.check_directories_between(0, u64::MAX)
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
    fn page(&self, partition: Partition, run: u32) -> Result<Page<'_>> {
        read_page(&self.runs, partition, run)
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

pub(super) fn read_directory(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    partition: Partition,
) -> Result<Directory> {
    match table.get(partition.to_bytes().as_slice())? {
        Some(bytes) => Directory::decode(bytes.value()),
        None => Ok(Directory::default()),
    }
}

#[inline]
pub(super) fn read_page(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    partition: Partition,
    run: u32,
) -> Result<Page<'_>> {
    let guard = table
        .get(run_key(partition, run).as_slice())?
        .ok_or_else(|| Error::corrupt("a run of records is missing"))?;
    Ok(Page::new(guard, partition.collection.layout()))
}

pub(super) fn read_partitions(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    from: Partition,
    to: Partition,
) -> Result<Vec<Partition>> {
    let mut partitions = Vec::new();
    let (from, to) = (from.to_bytes(), to.to_bytes());
    for row in table.range::<&[u8]>(from.as_slice()..=to.as_slice())? {
        let (key, _) = row?;
        let partition = key.value().first_chunk().and_then(Partition::from_bytes);
        partitions.push(partition.ok_or_else(|| unknown(key.value()))?);
    }
    Ok(partitions)
}

/// A key that names no partition.
#[cold]
fn unknown(key: &[u8]) -> Box<Error> {
    let highest = Collection::ALL.len();
    match key.get(8) {
        Some(found) if usize::from(*found) > highest => {
            let highest = u32::try_from(highest).unwrap_or(u32::MAX);
            Error::newer("collection", u32::from(*found), highest)
        }
        _ => Error::corrupt("a directory has no partition's key"),
    }
}

pub(super) fn read_rows(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    prefix: &[u8],
    each: &mut EachRow<'_>,
) -> Result<()> {
    for row in table.range(prefix..)? {
        let (key, value) = row?;
        if !key.value().starts_with(prefix) {
            break;
        }
        each(key.value(), value.value())?;
    }
    Ok(())
}

pub(super) fn read_sequence(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
) -> Result<u64> {
    match table.get(SEQUENCE_KEY)? {
        Some(row) => {
            let number = row
                .value()
                .first_chunk()
                .map(|bytes| u64::from_le_bytes(*bytes));
            number.ok_or_else(|| Error::corrupt("the number of the last commit is cut"))
        }
        None => Ok(0),
    }
}

/// The number of the next commit.
pub(super) fn next_sequence(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
) -> Result<u64> {
    let next = read_sequence(table)?.checked_add(1);
    next.ok_or_else(|| Error::corrupt("the number of the last commit is damaged"))
}

/// A small number of the store itself; 0 if it is not there.
pub(super) fn read_number(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    key: &[u8],
) -> Result<u32> {
    match table.get(key)? {
        Some(row) => {
            let number = row
                .value()
                .first_chunk()
                .map(|bytes| u32::from_le_bytes(*bytes));
            number.ok_or_else(|| Error::corrupt("what the store says of itself is cut"))
        }
        None => Ok(0),
    }
}

/// The key under which cursors are made, if the store has one.
pub(super) fn read_cursor_key(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
) -> Result<Option<CursorKey>> {
    let row = table.get(CURSOR_KEY)?;
    Ok(row.and_then(|row| row.value().try_into().ok()))
}

/// The version by which a school's records are rendered: its own, or else that
/// of the store.
pub(super) fn read_rendered_of(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    school: u64,
) -> Result<u32> {
    let key = render_key(school);
    match table.get(key.as_slice())? {
        Some(_) => read_number(table, &key),
        None => read_number(table, RENDERED_KEY),
    }
}

/// The highest version by which any records are rendered.
pub(super) fn highest_rendering(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
) -> Result<u32> {
    let mut highest = read_number(table, RENDERED_KEY)?;
    read_rows(table, RENDER_PREFIX, &mut |_, value| {
        let version = value.try_into().map(u32::from_le_bytes);
        highest = highest.max(version.unwrap_or(0));
        Ok(())
    })?;
    Ok(highest)
}

/// Whether the store and every school of a version of its own have this one.
pub(super) fn are_all_rendered_by(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    version: u32,
) -> Result<bool> {
    let mut all = read_number(table, RENDERED_KEY)? == version;
    read_rows(table, RENDER_PREFIX, &mut |_, value| {
        all &= *value == version.to_le_bytes();
        Ok(())
    })?;
    Ok(all)
}
