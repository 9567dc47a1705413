//! A copy of a snapshot in a file of its own.

use super::file;
use super::snapshot::Snapshot;
use super::tables::{DIRECTORIES, Definition, INTEGRATORS, META, RUNS};
use crate::{Error, Result};
use redb::{Database, ReadOnlyTable, ReadableTable, WriteTransaction};
use std::fs;
use std::io::ErrorKind;
use std::ops::Bound;
use std::path::{Path, PathBuf};

/// Writes a new store to a temporary file beside the path, syncs it and gives
/// it its name. Rows of integrators that `keep` refuses are left out.
pub(crate) fn write(snapshot: &Snapshot, path: &Path, keep: &dyn Fn(&[u8]) -> bool) -> Result<()> {
    // The name is taken first, so that two backups never share it.
    let reserved = file::create_new(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Error::Exists {
            path: path.display().to_string(),
        },
        _ => Error::from(error),
    })?;
    drop(reserved);
    let temporary = beside(path);
    let written = copy(snapshot, &temporary, keep).and_then(|()| {
        fs::rename(&temporary, path)?;
        Ok(file::sync_folder(path)?)
    });
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
        let _ = fs::remove_file(path);
    }
    written
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

fn copy(snapshot: &Snapshot, path: &Path, keep: &dyn Fn(&[u8]) -> bool) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    let new = file::create_new(path)?;
    let mut database = Database::builder()
        .set_cache_size(4 << 20)
        .create_with_backend(file::backend(new)?)?;
    let mut transaction = database.begin_write()?;
    transaction.set_quick_repair(true);
    let tables = snapshot.tables();
    copy_table(tables.runs, &transaction, RUNS, &|_| true)?;
    copy_table(tables.directories, &transaction, DIRECTORIES, &|_| true)?;
    copy_table(tables.integrators, &transaction, INTEGRATORS, &|key| {
        keep(key)
    })?;
    copy_table(tables.meta, &transaction, META, &|_| true)?;
    transaction.commit()?;
    database.compact()?;
    let mut transaction = database.begin_write()?;
    transaction.set_quick_repair(true);
    Ok(transaction.commit()?)
}

/// Rows come in order, so a cursor at the end takes them without searching.
fn copy_table(
    from: &ReadOnlyTable<&'static [u8], &'static [u8]>,
    transaction: &WriteTransaction,
    definition: Definition,
    keep: &dyn Fn(&[u8]) -> bool,
) -> Result<()> {
    let mut to = transaction.open_table(definition)?;
    let mut end = to.upper_bound_mut(Bound::Unbounded::<&[u8]>)?;
    for row in from.iter()? {
        let (key, value) = row?;
        if keep(key.value()) {
            end.insert_before(key.value(), value.value())
                .map_err(|error| Error::corrupt(error.to_string()))?;
        }
    }
    Ok(end.close()?)
}
