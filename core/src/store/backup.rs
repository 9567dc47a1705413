//! A copy of a snapshot in a file of its own.

use super::checksum::Digest;
use super::digests::{DIGESTS, Scope};
use super::file;
use super::journal::JOURNAL;
use super::panics::caught;
use super::snapshot::Snapshot;
use super::tables::{DIRECTORIES, Definition, INTEGRATORS, META, RECEIPT_PREFIX, RUNS};
use super::write::Write;
use crate::error::{Error, Result};
use redb::{Database, ReadableTable, Table};
use std::fs::{self, File};
use std::ops::Bound;
use std::path::Path;

/// Rows that a copy lacks.
pub(crate) struct LeftOut {
    /// The number of the kind of their records.
    pub(crate) kind: u8,
    /// Tells them by their keys among the rows of integrators.
    pub(crate) is_one: fn(&[u8]) -> bool,
}

/// Writes a new store, which gets its name when it is whole.
pub(crate) fn write(snapshot: &Snapshot, path: &Path, left_out: Option<&LeftOut>) -> Result<()> {
    file::publish(path, |file| {
        caught("copying it", || copy(snapshot, file, left_out))
    })?;
    let synced = file::sync_folder(path);
    if synced.is_err() {
        let _ = fs::remove_file(path);
    }
    Ok(synced?)
}

fn copy(snapshot: &Snapshot, file: &File, left_out: Option<&LeftOut>) -> Result<()> {
    let mut database = Database::builder()
        .set_cache_size(4 << 20)
        .create_with_backend(file::backend(file.try_clone()?)?)?;
    let mut transaction = database.begin_write()?;
    transaction.set_quick_repair(true);
    let tables = snapshot.tables();
    let is_kept = |key: &[u8]| left_out.is_none_or(|rows| !(rows.is_one)(key));
    let copy = |from, to: Definition, is_kept: &dyn Fn(&[u8]) -> bool| {
        copy_rows(from, &mut transaction.open_table(to)?, is_kept)
    };
    copy(tables.runs, RUNS, &|_| true)?;
    copy(tables.directories, DIRECTORIES, &|_| true)?;
    // What came of a dataset with a password tells of the password.
    let is_receipt = |key: &[u8]| key.starts_with(RECEIPT_PREFIX);
    let (_, receipts) = copy(tables.meta, META, &|key| {
        left_out.is_none() || !is_receipt(key)
    })?;
    let (missing, rows) = copy(tables.integrators, INTEGRATORS, &is_kept)?;
    copy(tables.digests, DIGESTS, &|_| true)?;
    if let Some(journal) = tables.journal {
        copy(journal, JOURNAL, &|_| true)?;
    }
    if let Some(left_out) = left_out {
        let mut write = Write::new(&transaction, None)?;
        write.count(left_out.kind, 0, missing);
        write.leave_out(Scope::Meta, receipts);
        write.leave_out(Scope::Integrators, rows);
        write.finish()?;
    }
    transaction.commit()?;
    database.compact()?;
    // Closing trims the file and records the allocator's state.
    drop(database);
    Ok(())
}

/// Copies the rows of a table whose keys are to be kept into an empty one; says
/// how many were left out, and their digest. They come in order, so a cursor at the end takes
/// them without searching.
pub(super) fn copy_rows(
    from: &impl ReadableTable<&'static [u8], &'static [u8]>,
    to: &mut Table<'_, &'static [u8], &'static [u8]>,
    is_kept: &dyn Fn(&[u8]) -> bool,
) -> Result<(u64, Digest)> {
    let mut end = to.upper_bound_mut(Bound::Unbounded::<&[u8]>)?;
    let (mut left_out, mut digest) = (0, Digest::default());
    for row in from.iter()? {
        let (key, value) = row?;
        if is_kept(key.value()) {
            end.insert_before(key.value(), value.value())
                .map_err(|error| Error::corrupt(&error.to_string()))?;
        } else {
            left_out += 1;
            digest.add(key.value(), value.value());
        }
    }
    end.close()?;
    Ok((left_out, digest))
}
