//! Recognises a store in a file without changing the file.

use crate::error::{Error, Failure, Result};
use crate::store::file::backend::{Handle, SharedBackend};
use crate::store::file::copy_on_write::CopyOnWrite;
use crate::store::redb_guard::free_list_check;
use crate::store::redb_guard::panic_guard::abandon;
use crate::store::rows::read::{highest_rendering, read_number};
use crate::store::rows::table_definitions::{FORMAT, FORMAT_KEY, META, TOTALS_KEY, Totals};
use crate::store::store_options::StoreOptions;
use crate::store::transaction::row_set_checksums::{self, DIGESTS, RowSet};
use redb::{Database, DatabaseError, ReadableDatabase, StorageError, TableError};
use std::io::ErrorKind;
use std::sync::Arc;

/// The size of the page cache while a file is recognised.
const RECOGNISE_BYTES: usize = 1 << 20;

/// The result of recognising a file.
pub(crate) struct RecognisedFile {
    /// Whether it is a store. Otherwise it is an empty database.
    pub(crate) is_store: bool,
    /// Whether redb may write to it.
    pub(crate) is_sound: bool,
}

/// Examines a backend without changing it. redb writes to every file that it opens, and a file
/// that is not a store must not be changed.
///
/// Fails as `newer_format` if the store has a format, a kind of record or a rendering that this
/// version does not know.
pub(crate) fn recognise(
    backend: &Arc<SharedBackend>,
    options: StoreOptions,
) -> Result<RecognisedFile> {
    let is_sound = free_list_check::are_sound(&Handle(backend.clone()))?;
    let opened = Database::builder()
        .set_cache_size(RECOGNISE_BYTES)
        .create_with_backend(CopyOnWrite::new(backend.clone())?);
    let database = match opened {
        Err(DatabaseError::Storage(StorageError::Io(error)))
            if error.kind() == ErrorKind::InvalidData =>
        {
            return Err(not_a_store());
        }
        Err(DatabaseError::UpgradeRequired(_)) => return Err(not_a_store()),
        opened => opened?,
    };
    let is_store = is_store(&database, options);
    abandon(database);
    Ok(RecognisedFile {
        is_store: is_store?,
        is_sound,
    })
}

/// Returns whether a database is a store that can be opened. An empty database is not a store.
fn is_store(database: &Database, options: StoreOptions) -> Result<bool> {
    let transaction = database.begin_read()?;
    if transaction.list_tables()?.next().is_none() {
        return Ok(false);
    }
    // The database of another program has no table of row-set checksums.
    let digests = match transaction.open_table(DIGESTS) {
        Err(TableError::Storage(error)) => return Err(error.into()),
        digests => digests.ok(),
    };
    let no_format = || match digests {
        Some(_) => Error::corrupt("the number of its format is missing"),
        None => not_a_store(),
    };
    let meta = match transaction.open_table(META) {
        Err(TableError::Storage(error)) => return Err(error.into()),
        Err(_) => return Err(no_format()),
        Ok(meta) => meta,
    };
    match read_number(&meta, FORMAT_KEY)? {
        0 => return Err(no_format()),
        found if found > FORMAT => return Err(Error::newer("format", found, FORMAT)),
        _ => {}
    }
    row_set_checksums::check(&transaction.open_table(DIGESTS)?, &meta, RowSet::Meta)?;
    if let Some(totals) = meta.get(TOTALS_KEY)? {
        Totals::decode(totals.value())?.check(options.highest_kind)?;
    }
    match highest_rendering(&meta)? {
        newer if newer > options.render_version => {
            Err(Error::newer("rendering", newer, options.render_version))
        }
        _ => Ok(true),
    }
}

/// Returns an error without the path. Callers that know the path add it.
pub(crate) fn not_a_store() -> Failure {
    Failure::from(Error::NotAStore {
        path: String::new(),
    })
}
