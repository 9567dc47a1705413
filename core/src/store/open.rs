//! An open database, with its current snapshot, its transactions and its compaction.

use super::file::interrupted_creation;
use super::redb_guard::panic_guard::{abandon, catch_panic, caught};
use super::rows::table_definitions::{ERASING_KEY, STAGED_PREFIX};
use super::sort::external_sort::Sorter;
use super::store_options::StoreOptions;
use crate::error::{Error, Failure, Result};
use crate::store::changes::change_bits::ChangedSources;
use crate::store::changes::changed_keys::Journaling;
use crate::store::file::backend::{Handle, SharedBackend};
use crate::store::file::copy_on_write::CopyOnWrite;
use crate::store::maintenance::file_recognition::{not_a_store, recognise};
use crate::store::maintenance::secure_erase;
use crate::store::transaction::decoded_cache::DecodedCache;
use crate::store::transaction::snapshot::Snapshot;
use crate::store::transaction::write::{Write, WriteWork, spill_table};
use redb::{Database, Durability, ReadableDatabase, StorageBackend, TableHandle, WriteTransaction};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// The limit in bytes of the decoded cache of a snapshot that is used for one operation.
const DECODED_BYTES: usize = 8 << 20;

/// The number of syncs that a compaction may make. It needs a few dozen, whatever the size of the
/// file; with a damaged page, redb 4.5 may commit forever.
const MAX_SYNCS: u64 = 10_000;

fn new_decoded_cache(options: StoreOptions) -> DecodedCache {
    DecodedCache::new(options.decoded_bytes, options.block_cache_bytes())
}

pub(super) struct Open {
    database: Database,
    snapshot: RwLock<Arc<Snapshot>>,
    pub(super) backend: Arc<SharedBackend>,
    /// Whether the store may be written to. If the free lists of redb are damaged, the database is
    /// opened on a copy-on-write view of the file, and nothing is written to the file.
    is_sound: bool,
    /// The staging tables that existed when the store was opened. They belong to loads whose
    /// process was killed, or that were in progress when the store was suspended. The time to
    /// delete them depends on their size, so they are deleted only when a load stages entries or
    /// the store is compacted.
    left_behind: Mutex<Vec<String>>,
    journaling: Option<Journaling>,
}

/// The outcome of a write transaction.
pub(super) enum Committed {
    /// The change is durable and visible to readers, or there was nothing to change.
    Yes(ChangedSources),
    /// The commit failed, or the new snapshot could not be opened. The change was committed if the
    /// store has this sequence number when it is reopened.
    Unsure(u64, Failure),
}

impl Open {
    /// Opens an existing store.
    pub(super) fn open_existing(
        backend: Arc<SharedBackend>,
        options: StoreOptions,
    ) -> Result<Open> {
        let found = recognise(&backend, options)?;
        if !found.is_store {
            return Err(not_a_store());
        }
        Open::open_recognised(backend, found.is_sound, options)
    }

    /// Opens an existing store, or creates one if there are no bytes, or only those that an
    /// interrupted creation has left.
    pub(super) fn existing_or_new(
        backend: Arc<SharedBackend>,
        options: StoreOptions,
    ) -> Result<Open> {
        let bytes = Handle(backend.clone());
        if bytes.len()? > 0 {
            match recognise(&backend, options) {
                Ok(found) => return Open::open_recognised(backend, found.is_sound, options),
                Err(error)
                    if matches!(*error, Error::NotAStore { .. })
                        && interrupted_creation::is_left_in(&bytes)? =>
                {
                    bytes.set_len(0)?;
                }
                Err(error) => return Err(error),
            }
        }
        Open::new(backend, options)
    }

    /// Creates a store in an empty backend.
    pub(super) fn new(backend: Arc<SharedBackend>, options: StoreOptions) -> Result<Open> {
        Open::open_recognised(backend, true, options)
    }

    /// Opens a database that was recognised. It is read-only if it is not sound.
    fn open_recognised(
        backend: Arc<SharedBackend>,
        is_sound: bool,
        options: StoreOptions,
    ) -> Result<Open> {
        let database = if is_sound {
            open_database(&backend, options)?
        } else {
            open_on(CopyOnWrite::new(backend.clone())?, options)?
        };
        let prepared = prepare(&database, is_sound, options)
            .and_then(|left| Ok((left, Snapshot::open(&database, new_decoded_cache(options))?)));
        match prepared {
            Ok((left_behind, snapshot)) => Ok(Open {
                database,
                snapshot: RwLock::new(Arc::new(snapshot)),
                backend,
                is_sound,
                left_behind: Mutex::new(left_behind),
                journaling: options.journaling(),
            }),
            Err(error) => {
                abandon(database);
                Err(error)
            }
        }
    }

    /// Closes the database. Normally redb commits once more; this is omitted if the database is
    /// not sound, because the commit might panic twice.
    pub(super) fn close(self) {
        if self.is_sound {
            drop(self);
        } else {
            abandon(self.database);
        }
    }

    /// Fails if the store must not be written to.
    pub(super) fn check_writable(&self) -> Result<()> {
        check_writable(self.is_sound)
    }

    fn begin_write(&self) -> Result<WriteTransaction> {
        self.check_writable()?;
        Ok(self.database.begin_write()?)
    }

    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        let current = self.snapshot.read().unwrap_or_else(PoisonError::into_inner);
        current.clone()
    }

    /// Makes a commit visible to readers.
    fn publish_snapshot(&self, changes: &ChangedSources) -> Result<()> {
        let decoded_cache = self.snapshot().decoded_after(changes);
        let next = Arc::new(Snapshot::open(&self.database, decoded_cache)?);
        let mut current = self
            .snapshot
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *current = next;
        Ok(())
    }

    /// Replaces the snapshot by one with an empty cache.
    #[cfg(any(test, fuzzing))]
    pub(super) fn clear_caches(&self) -> Result<()> {
        let next = Snapshot::open(&self.database, DecodedCache::new(DECODED_BYTES, 0))?;
        *self
            .snapshot
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        Ok(())
    }

    /// Runs a write transaction, and commits it if it changed anything.
    pub(super) fn transact(&self, work: &mut WriteWork<'_>) -> Result<Committed> {
        let mut transaction = self.begin_write()?;
        // Without this, a killed app would scan the whole file at its next start.
        transaction.set_quick_repair(true);
        let write = Write::new(&transaction, Some(self.snapshot()))?;
        let mut write = write.journaled(self.journaling);
        if let Err(error) = work(&mut write) {
            drop(write);
            transaction.abort()?;
            return Err(error);
        }
        let (changes, sequence) = write.finish()?;
        if let Err(moved) = self.backend.check_path() {
            transaction.abort()?;
            return Err(moved);
        }
        if changes.is_empty() {
            transaction.abort()?;
            return Ok(Committed::Yes(changes));
        }
        let committed = transaction.commit().map_err(Failure::from);
        match committed.and_then(|()| self.publish_snapshot(&changes)) {
            Ok(()) => Ok(Committed::Yes(changes)),
            Err(error) => Ok(Committed::Unsure(sequence, self.backend.explain(error))),
        }
    }

    /// Moves the entries of a sorter into a table. They need not survive a crash, so nothing is
    /// synced.
    pub(super) fn stage(&self, sorter: &mut Sorter, name: &str) -> Result<()> {
        self.delete_left_behind()?;
        let mut transaction = self.begin_write()?;
        transaction
            .set_durability(Durability::None)
            .map_err(|error| Error::corrupt(&error.to_string()))?;
        sorter.spill(&transaction, name)?;
        Ok(transaction.commit()?)
    }

    /// Deletes a staging table.
    pub(super) fn unstage(&self, name: &str) -> Result<()> {
        self.unstage_all(&[name])
    }

    fn unstage_all(&self, names: &[impl AsRef<str>]) -> Result<()> {
        let mut transaction = self.begin_write()?;
        transaction
            .set_durability(Durability::None)
            .map_err(|error| Error::corrupt(&error.to_string()))?;
        for name in names {
            transaction.delete_table(spill_table(name.as_ref()))?;
        }
        Ok(transaction.commit()?)
    }

    fn delete_left_behind(&self) -> Result<()> {
        let mut left_behind = self
            .left_behind
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !left_behind.is_empty() {
            self.unstage_all(&left_behind)?;
            left_behind.clear();
        }
        Ok(())
    }

    /// Returns free space to the file system. If `erase` is true, it also erases removed data from
    /// the bytes of the file. There must be no other reference to the snapshot.
    pub(super) fn compact(self, erase: bool, options: StoreOptions) -> Result<Open> {
        self.delete_left_behind()?;
        let Open {
            mut database,
            snapshot,
            backend,
            journaling,
            ..
        } = self;
        let snapshot = snapshot
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let decoded_cache = snapshot.decoded_after(&ChangedSources::default());
        drop(snapshot);
        if erase {
            // If the file is damaged, redb may panic while it writes, and again while that panic
            // unwinds, which ends the process.
            let view = CopyOnWrite::new(backend.clone())?;
            if !check(view, options.checking_cache_bytes(), |_| Ok(()))?.0 {
                return Err(Error::corrupt("the file fails redb's check"));
            }
            secure_erase::rewrite(&database)?;
        }
        backend.allow_syncs(MAX_SYNCS);
        if let Err(error) = database.compact() {
            return Err(if backend.has_syncs_left() {
                error.into()
            } else {
                Error::corrupt("compacting it does not finish: restore a backup")
            });
        }
        // Closing truncates the file and records the state of the allocator. Without that state, a
        // killed app would scan the whole file at its next start. A commit would also record the
        // state, but would first double the file.
        drop(database);
        if erase {
            secure_erase::clear_unused(&backend, options.checking_cache_bytes())?;
        }
        let database = open_database(&backend, options)?;
        let snapshot = Snapshot::open(&database, decoded_cache)?;
        let open = Open {
            database,
            snapshot: RwLock::new(Arc::new(snapshot)),
            backend,
            is_sound: true,
            left_behind: Mutex::default(),
            journaling,
        };
        if erase && open.snapshot().has_leftovers()? {
            open.note_erased()?;
        }
        Ok(open)
    }

    /// Records that no data of erased persons is left. This changes no record, so it is not a
    /// change for followers.
    fn note_erased(&self) -> Result<()> {
        let mut transaction = self.begin_write()?;
        transaction.set_quick_repair(true);
        let mut write = Write::new(&transaction, Some(self.snapshot()))?;
        write.remove_all_but_last(ERASING_KEY, 0)?;
        let (changes, _) = write.finish()?;
        transaction.commit()?;
        self.publish_snapshot(&changes)
    }
}

/// Creates a store in an empty file, and closes it.
pub(super) fn make(backend: &Arc<SharedBackend>, options: StoreOptions) -> Result<()> {
    let open = caught("making it", || Open::new(backend.clone(), options))?;
    // redb writes the rest when it opens the file, if it could not write it here.
    let _ = catch_panic(|| drop(open));
    Ok(backend.close()?)
}

/// Opens a database on bytes that no other database uses, checks it, and passes its snapshot to
/// `inspect`. Returns whether redb found it sound, and the result of `inspect`.
pub(super) fn check<T>(
    backend: impl StorageBackend,
    cache_bytes: usize,
    inspect: impl FnOnce(&Snapshot) -> Result<T>,
) -> Result<(bool, T)> {
    let mut database = Database::builder()
        .set_cache_size(cache_bytes)
        .create_with_backend(backend)?;
    let sound = database.check_integrity()?;
    let snapshot = Snapshot::open(&database, DecodedCache::new(DECODED_BYTES, 0))?;
    Ok((sound, inspect(&snapshot)?))
}

fn check_writable(is_sound: bool) -> Result<()> {
    if is_sound {
        return Ok(());
    }
    Err(Error::corrupt(
        "its lists of free pages are damaged, so that it can be read but not changed: load an export of it into a new store",
    ))
}

fn open_database(backend: &Arc<SharedBackend>, options: StoreOptions) -> Result<Database> {
    backend.allow_syncs(u64::MAX);
    open_on(Handle(backend.clone()), options)
}

fn open_on(bytes: impl StorageBackend, options: StoreOptions) -> Result<Database> {
    let opened = Database::builder()
        .set_cache_size(options.page_cache_bytes())
        .create_with_backend(bytes);
    Ok(opened?)
}

/// Initialises a new database as a store. Returns the names of the staging tables that loads left
/// behind when their process was killed.
fn prepare(database: &Database, is_sound: bool, options: StoreOptions) -> Result<Vec<String>> {
    let transaction = database.begin_read()?;
    let tables = transaction.list_tables()?;
    let names: Vec<String> = tables.map(|table| table.name().to_owned()).collect();
    drop(transaction);
    if names.is_empty() {
        check_writable(is_sound)?;
        let mut transaction = database.begin_write()?;
        transaction.set_quick_repair(true);
        let mut write = Write::new(&transaction, None)?;
        write.initialise(options.render_version)?;
        write.set_cursor_key(&options.cursor_key)?;
        write.finish()?;
        transaction.commit()?;
    }
    let staged = |name: &String| name.starts_with(STAGED_PREFIX);
    Ok(names.into_iter().filter(staged).collect())
}
