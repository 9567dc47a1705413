//! Rows of tables, read from a snapshot or from within a transaction.

use super::collection::Collection;
use super::directory::Directory;
use super::partition::{Partition, run_key};
use super::records::{EachRow, PinnedRun};
use super::tables::{
    CURSOR_KEY, CursorKey, RENDER_PREFIX, RENDERED_KEY, SEQUENCE_KEY, SYNCED_KEY, render_key,
};
use crate::error::{Error, Failure, Result};
use redb::ReadableTable;

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
) -> Result<PinnedRun<'_>> {
    let guard = table
        .get(run_key(partition, run).as_slice())?
        .ok_or_else(missing_run)?;
    Ok(PinnedRun::read(guard, partition.collection.layout()))
}

pub(super) fn missing_run() -> Failure {
    Error::corrupt("a run of records is missing")
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
fn unknown(key: &[u8]) -> Failure {
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

/// The schools that are synced, ascending.
pub(super) fn read_synced(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
) -> Result<Vec<u64>> {
    let Some(row) = table.get(SYNCED_KEY)? else {
        return Ok(Vec::new());
    };
    match row.value().as_chunks() {
        (schools, []) => Ok(schools.iter().copied().map(u64::from_le_bytes).collect()),
        _ => Err(Error::corrupt("the list of synced schools is cut")),
    }
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
