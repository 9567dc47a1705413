//! A copy of a snapshot in its own file.

use crate::error::{Error, Result};
use crate::store::changes::changed_key::JOURNAL;
use crate::store::checksum::Digest;
use crate::store::file::locked_file;
use crate::store::file::open_failure::cannot_open;
use crate::store::redb_guard::panic_guard::caught;
use crate::store::rows::table_definitions::{
    BLOCK_INDEXES, BLOCKS, Definition, IDEMPOTENCY_PREFIX, INTEGRATORS, META,
};
use crate::store::transaction::row_set_checksums::{DIGESTS, RowSet};
use crate::store::transaction::snapshot::Snapshot;
use crate::store::transaction::write::Write;
use redb::{Database, ReadableTable, Table};
use std::fs::{self, File};
use std::ops::Bound;
use std::path::Path;

/// The rows that a copy omits.
pub(crate) struct OmittedRows {
    /// The number of the kind of their records.
    pub(crate) kind: u8,
    /// Returns whether a key of the table of integrators belongs to such a row.
    pub(crate) is_matching: fn(&[u8]) -> bool,
}

/// Writes a copy of the store to a new file. The file gets its name only when it is complete.
pub(crate) fn write(snapshot: &Snapshot, path: &Path, omitted: Option<&OmittedRows>) -> Result<()> {
    locked_file::publish(path, |file| {
        caught("copying it", || copy(snapshot, file, omitted))
    })?;
    let synced = locked_file::sync_folder(path);
    if synced.is_err() {
        let _ = fs::remove_file(path);
    }
    synced.map_err(|error| cannot_open(path, &error))
}

fn copy(snapshot: &Snapshot, file: &File, omitted: Option<&OmittedRows>) -> Result<()> {
    let mut database = Database::builder()
        .set_cache_size(4 << 20)
        .create_with_backend(locked_file::backend(file.try_clone()?)?)?;
    let mut transaction = database.begin_write()?;
    transaction.set_quick_repair(true);
    let tables = snapshot.tables();
    let is_copied = |key: &[u8]| omitted.is_none_or(|rows| !(rows.is_matching)(key));
    let copy = |from, to: Definition, is_copied: &dyn Fn(&[u8]) -> bool| {
        copy_rows(from, &mut transaction.open_table(to)?, is_copied)
    };
    copy(tables.blocks, BLOCKS, &|_| true)?;
    copy(tables.block_indexes, BLOCK_INDEXES, &|_| true)?;
    // The idempotency record of a dataset with a password is derived from the password.
    let is_idempotency_record = |key: &[u8]| key.starts_with(IDEMPOTENCY_PREFIX);
    let (_, idempotency_records) = copy(tables.meta, META, &|key| {
        omitted.is_none() || !is_idempotency_record(key)
    })?;
    let (missing, rows) = copy(tables.integrators, INTEGRATORS, &is_copied)?;
    copy(tables.digests, DIGESTS, &|_| true)?;
    if let Some(journal) = tables.journal {
        copy(journal, JOURNAL, &|_| true)?;
    }
    if let Some(omitted) = omitted {
        let mut write = Write::new(&transaction, None)?;
        write.count(omitted.kind, 0, missing);
        write.subtract_omitted(RowSet::Meta, idempotency_records);
        write.subtract_omitted(RowSet::Integrators, rows);
        write.finish()?;
    }
    transaction.commit()?;
    database.compact()?;
    // Closing truncates the file and records the state of the allocator.
    drop(database);
    Ok(())
}

/// Copies the rows of a table for which `is_copied` returns true into an empty table. Returns the
/// number of the other rows, and their checksum. The rows are in order, so each is inserted at the
/// end without a search.
pub(crate) fn copy_rows(
    from: &impl ReadableTable<&'static [u8], &'static [u8]>,
    to: &mut Table<'_, &'static [u8], &'static [u8]>,
    is_copied: &dyn Fn(&[u8]) -> bool,
) -> Result<(u64, Digest)> {
    let mut end = to.upper_bound_mut(Bound::Unbounded::<&[u8]>)?;
    let (mut omitted, mut digest) = (0, Digest::default());
    for row in from.iter()? {
        let (key, value) = row?;
        if is_copied(key.value()) {
            end.insert_before(key.value(), value.value())
                .map_err(|error| Error::corrupt(&error.to_string()))?;
        } else {
            omitted += 1;
            digest.add(key.value(), value.value());
        }
    }
    end.close()?;
    Ok((omitted, digest))
}
