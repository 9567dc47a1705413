//! Functions that read rows of tables, from a snapshot or within a write transaction.

use super::table_definitions::{
    CURSOR_KEY, CursorKey, RENDER_PREFIX, RENDERED_KEY, SEQUENCE_KEY, render_key,
};
use crate::error::{Error, Failure, Result};
use crate::store::blocks::block_index::BlockIndex;
use crate::store::blocks::collection::Collection;
use crate::store::blocks::partition::{Partition, block_key};
use crate::store::blocks::records::{EachInRange, EachRow, PinnedBlock};
use redb::ReadableTable;

pub(crate) fn read_block_index(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    partition: Partition,
) -> Result<BlockIndex> {
    match table.get(partition.to_bytes().as_slice())? {
        Some(bytes) => BlockIndex::decode(bytes.value()),
        None => Ok(BlockIndex::default()),
    }
}

#[inline]
pub(crate) fn pin_block(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    partition: Partition,
    block: u32,
) -> Result<PinnedBlock<'_>> {
    let guard = table
        .get(block_key(partition, block).as_slice())?
        .ok_or_else(missing_block)?;
    Ok(PinnedBlock::read(guard, partition.collection.layout()))
}

pub(crate) fn missing_block() -> Failure {
    Error::corrupt("a block of records is missing")
}

pub(crate) fn read_partitions(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    from: Partition,
    to: Partition,
) -> Result<Vec<Partition>> {
    let mut partitions = Vec::new();
    let (from, to) = (from.to_bytes(), to.to_bytes());
    for row in table.range::<&[u8]>(from.as_slice()..=to.as_slice())? {
        let (key, _) = row?;
        let partition = key.value().first_chunk().and_then(Partition::from_bytes);
        partitions.push(partition.ok_or_else(|| unknown_partition_error(key.value()))?);
    }
    Ok(partitions)
}

/// Returns the error of a key that is not the key of a partition.
#[cold]
fn unknown_partition_error(key: &[u8]) -> Failure {
    let highest = Collection::ALL.len();
    match key.get(8) {
        Some(found) if usize::from(*found) > highest => {
            let highest = u32::try_from(highest).unwrap_or(u32::MAX);
            Error::newer("collection", u32::from(*found), highest)
        }
        _ => Error::corrupt("the key of a block index is not a valid partition"),
    }
}

pub(crate) fn scan_prefix(
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

/// Reads the rows from one key to another, both included, in ascending or descending order, until
/// `each` breaks.
pub(crate) fn scan_range(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    (from, to): (&[u8], &[u8]),
    reverse: bool,
    each: &mut EachInRange<'_>,
) -> Result<()> {
    let mut rows = table.range::<&[u8]>(from..=to)?;
    while let Some(row) = if reverse {
        rows.next_back()
    } else {
        rows.next()
    } {
        let (key, value) = row?;
        if each(key.value(), value.value())?.is_break() {
            break;
        }
    }
    Ok(())
}

pub(crate) fn read_sequence(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
) -> Result<u64> {
    match table.get(SEQUENCE_KEY)? {
        Some(row) => {
            let number = row
                .value()
                .first_chunk()
                .map(|bytes| u64::from_le_bytes(*bytes));
            number.ok_or_else(|| Error::corrupt("the number of the last commit is truncated"))
        }
        None => Ok(0),
    }
}

/// Returns the number of the next commit.
pub(crate) fn next_sequence(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
) -> Result<u64> {
    let next = read_sequence(table)?.checked_add(1);
    next.ok_or_else(|| Error::corrupt("the number of the last commit is damaged"))
}

/// Reads a small number from `table`, which must be `meta`, or 0 if it does not exist.
pub(crate) fn read_number(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    key: &[u8],
) -> Result<u32> {
    match table.get(key)? {
        Some(row) => {
            let number = row
                .value()
                .first_chunk()
                .map(|bytes| u32::from_le_bytes(*bytes));
            number
                .ok_or_else(|| Error::corrupt("a number in the metadata of the store is truncated"))
        }
        None => Ok(0),
    }
}

/// Reads the key with which cursors are made.
pub(crate) fn read_cursor_key(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
) -> Result<CursorKey> {
    let row = table.get(CURSOR_KEY)?;
    let key = row.and_then(|row| row.value().try_into().ok());
    key.ok_or_else(|| Error::corrupt("the key of cursors is missing or truncated"))
}

/// Reads the render version of the records of a school: its own version, or else that of the
/// store.
pub(crate) fn read_render_version(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    school: u64,
) -> Result<u32> {
    let key = render_key(school);
    match table.get(key.as_slice())? {
        Some(_) => read_number(table, &key),
        None => read_number(table, RENDERED_KEY),
    }
}

/// Returns the highest render version of any records.
pub(crate) fn highest_rendering(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
) -> Result<u32> {
    let mut highest = read_number(table, RENDERED_KEY)?;
    scan_prefix(table, RENDER_PREFIX, &mut |_, value| {
        let version = value.try_into().map(u32::from_le_bytes);
        highest = highest.max(version.unwrap_or(0));
        Ok(())
    })?;
    Ok(highest)
}

/// Returns whether the store, and every school that has its own render version, have this version.
pub(crate) fn is_render_version_uniform(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    version: u32,
) -> Result<bool> {
    let mut all = read_number(table, RENDERED_KEY)? == version;
    scan_prefix(table, RENDER_PREFIX, &mut |_, value| {
        all &= *value == version.to_le_bytes();
        Ok(())
    })?;
    Ok(all)
}
