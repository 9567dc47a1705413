//! An open database: its snapshot, its transactions, its compaction.

use super::backend::{Handle, SharedBackend};
use super::digests::{self, DIGESTS, Scope};
use super::half_made;
use super::memo::{Changes, Memo};
use super::migrate;
use super::options::StoreOptions;
use super::overlay::Overlay;
use super::page_lists;
use super::panics::{abandon, catch_panic, caught};
use super::read::{highest_rendering, read_cursor_key, read_number};
use super::scrub;
use super::snapshot::Snapshot;
use super::sorter::Sorter;
use super::tables::{FORMAT, FORMAT_KEY, META, STAGED_PREFIX, TOTALS_KEY, Totals};
use super::write::{Write, WriteWork, spill_table};
use crate::error::{Error, Failure, Result};
use redb::{
    Database, DatabaseError, Durability, ReadableDatabase, StorageBackend, StorageError,
    TableError, TableHandle, WriteTransaction,
};
use std::io::ErrorKind;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// How many bytes of decoded values a snapshot holds that is looked at once.
const MEMO_BYTES: usize = 8 << 20;

/// The cache for a first look at a file.
const RECOGNISE_BYTES: usize = 1 << 20;

/// How often a compaction may sync. It takes a few dozen syncs whatever the size; with
/// a damaged page redb 4.5 may commit without end.
const MOST_SYNCS: u64 = 10_000;

fn new_memo(options: StoreOptions) -> Memo {
    Memo::new(options.decoded_bytes, options.held_bytes())
}

pub(super) struct Open {
    database: Database,
    snapshot: RwLock<Arc<Snapshot>>,
    pub(super) backend: Arc<SharedBackend>,
    /// Whether it may be written to. Where redb's lists of pages are damaged it lies on a
    /// view of the file that keeps what is written to itself.
    is_sound: bool,
    /// Staged entries that were there when the store was opened: of loads whose
    /// process was killed, or that were under way when it was suspended.
    /// Forgetting them takes as long as they are large, so it waits until a
    /// load stages its own, or the store is compacted.
    left_behind: Mutex<Vec<String>>,
}

/// What a transaction came to.
pub(super) enum Committed {
    /// It is durable, and readers see it; or it had nothing to change.
    Yes(Changes),
    /// The commit failed, or readers could not be moved on: whether it landed
    /// shows when the store is opened anew and has this sequence number.
    Unsure(u64, Failure),
}

impl Open {
    /// Opens the store that is here.
    pub(super) fn existing(backend: Arc<SharedBackend>, options: StoreOptions) -> Result<Open> {
        let found = recognise(&backend, options)?;
        if !found.is_store {
            return Err(not_a_store());
        }
        Open::on(backend, found.is_sound, options)
    }

    /// Opens the store that is here, or makes one of bytes in which nothing is, or
    /// only what making one left when it was cut short.
    pub(super) fn existing_or_new(
        backend: Arc<SharedBackend>,
        options: StoreOptions,
    ) -> Result<Open> {
        let bytes = Handle(backend.clone());
        if bytes.len()? > 0 {
            match recognise(&backend, options) {
                Ok(found) => return Open::on(backend, found.is_sound, options),
                Err(error)
                    if matches!(*error, Error::NotAStore { .. })
                        && half_made::is_left_in(&bytes)? =>
                {
                    bytes.set_len(0)?;
                }
                Err(error) => return Err(error),
            }
        }
        Open::new(backend, options)
    }

    /// Makes a store of what is empty.
    pub(super) fn new(backend: Arc<SharedBackend>, options: StoreOptions) -> Result<Open> {
        Open::on(backend, true, options)
    }

    /// Opens what was recognised: to be read alone, unless it is sound.
    fn on(backend: Arc<SharedBackend>, is_sound: bool, options: StoreOptions) -> Result<Open> {
        let database = if is_sound {
            open_database(&backend, options)?
        } else {
            open_on(Overlay::new(backend.clone())?, options)?
        };
        let prepared = prepare(&database, is_sound, options)
            .and_then(|left| Ok((left, Snapshot::open(&database, new_memo(options))?)));
        match prepared {
            Ok((left_behind, snapshot)) => Ok(Open {
                database,
                snapshot: RwLock::new(Arc::new(snapshot)),
                backend,
                is_sound,
                left_behind: Mutex::new(left_behind),
            }),
            Err(error) => {
                abandon(database);
                Err(error)
            }
        }
    }

    /// Closes it as redb does, which commits once more, unless that could panic twice.
    pub(super) fn close(self) {
        if self.is_sound {
            drop(self);
        } else {
            abandon(self.database);
        }
    }

    /// Fails if it must not be written to.
    pub(super) fn check_writable(&self) -> Result<()> {
        check_writable(self.is_sound)
    }

    fn begin_write(&self) -> Result<WriteTransaction> {
        self.check_writable()?;
        Ok(self.database.begin_write()?)
    }

    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        let held = self.snapshot.read().unwrap_or_else(PoisonError::into_inner);
        held.clone()
    }

    /// Lets readers see what was committed.
    fn renew(&self, changes: &Changes) -> Result<()> {
        let memo = self.snapshot().memo_after(changes);
        let next = Arc::new(Snapshot::open(&self.database, memo)?);
        let mut held = self
            .snapshot
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *held = next;
        Ok(())
    }

    /// Has readers begin with nothing in memory.
    #[cfg(fuzzing)]
    pub(super) fn forget(&self) -> Result<()> {
        let next = Snapshot::open(&self.database, Memo::new(MEMO_BYTES, 0))?;
        *self
            .snapshot
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        Ok(())
    }

    /// Runs a write transaction; commits it if it changed something.
    pub(super) fn transact(&self, work: &mut WriteWork<'_>) -> Result<Committed> {
        let mut transaction = self.begin_write()?;
        // Otherwise a killed app would scan its whole file at the next start.
        transaction.set_quick_repair(true);
        let mut write = Write::new(&transaction, Some(self.snapshot()))?;
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
        match committed.and_then(|()| self.renew(&changes)) {
            Ok(()) => Ok(Committed::Yes(changes)),
            Err(error) => Ok(Committed::Unsure(sequence, self.backend.explain(error))),
        }
    }

    /// Moves a sorter's entries into a table. They need not survive a crash,
    /// so nothing is synced.
    pub(super) fn stage(&self, sorter: &mut Sorter, name: &str) -> Result<()> {
        self.forget_left_behind()?;
        let mut transaction = self.begin_write()?;
        transaction
            .set_durability(Durability::None)
            .map_err(|error| Error::corrupt(&error.to_string()))?;
        sorter.spill(&transaction, name)?;
        Ok(transaction.commit()?)
    }

    /// Forgets staged entries.
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

    fn forget_left_behind(&self) -> Result<()> {
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

    /// Gives free space back to the file system, and if told to scrub leaves
    /// nothing in the file of what was removed. Nobody else may hold a snapshot.
    pub(super) fn compact(self, scrub: bool, options: StoreOptions) -> Result<Open> {
        self.forget_left_behind()?;
        let Open {
            mut database,
            snapshot,
            backend,
            ..
        } = self;
        let snapshot = snapshot
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let memo = snapshot.memo_after(&Changes::default());
        drop(snapshot);
        if scrub {
            // On a damaged file redb may panic while it writes, and once more while
            // that unwinds, which ends the process.
            let view = Overlay::new(backend.clone())?;
            if !check(view, options.checking_cache_bytes(), |_| Ok(()))?.0 {
                return Err(Error::corrupt("the file fails redb's check"));
            }
            scrub::rewrite(&database)?;
        }
        backend.allow_syncs(MOST_SYNCS);
        if let Err(error) = database.compact() {
            return Err(if backend.has_syncs_left() {
                error.into()
            } else {
                Error::corrupt("compacting it does not end")
            });
        }
        // Closing trims the file and records the allocator's state, without
        // which a killed app would scan its whole file at the next start. A
        // commit would do the latter alone, and first double the file.
        drop(database);
        if scrub {
            scrub::clear_unused(&backend, options.checking_cache_bytes())?;
        }
        let database = open_database(&backend, options)?;
        let snapshot = Snapshot::open(&database, memo)?;
        Ok(Open {
            database,
            snapshot: RwLock::new(Arc::new(snapshot)),
            backend,
            is_sound: true,
            left_behind: Mutex::default(),
        })
    }
}

/// Makes a store of a file that is empty, and closes it.
pub(super) fn make(backend: &Arc<SharedBackend>, options: StoreOptions) -> Result<()> {
    let open = caught("making it", || Open::new(backend.clone(), options))?;
    // What redb could not write at the end, it writes when it opens the file.
    let _ = catch_panic(|| drop(open));
    Ok(backend.close()?)
}

/// Opens a database on bytes that only it sees, checks it, and hands its
/// snapshot over. Says whether redb found it sound.
pub(super) fn check<T>(
    backend: impl StorageBackend,
    cache_bytes: usize,
    inspect: impl FnOnce(&Snapshot) -> Result<T>,
) -> Result<(bool, T)> {
    let mut database = Database::builder()
        .set_cache_size(cache_bytes)
        .create_with_backend(backend)?;
    let sound = database.check_integrity()?;
    let snapshot = Snapshot::open(&database, Memo::new(MEMO_BYTES, 0))?;
    Ok((sound, inspect(&snapshot)?))
}

/// What lies here.
struct Found {
    /// It is a store; else it is a database with nothing in it.
    is_store: bool,
    /// redb may write to it.
    is_sound: bool,
}

/// Looks at what lies here without changing it: redb writes to whatever it
/// opens, and a file that is none of ours is not ours to change.
///
/// Fails as `newer_format` if something in it is unknown here.
fn recognise(backend: &Arc<SharedBackend>, options: StoreOptions) -> Result<Found> {
    let is_sound = page_lists::are_sound(&Handle(backend.clone()))?;
    let opened = Database::builder()
        .set_cache_size(RECOGNISE_BYTES)
        .create_with_backend(Overlay::new(backend.clone())?);
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
    Ok(Found {
        is_store: is_store?,
        is_sound,
    })
}

/// Whether a database is a store that can be opened; it is none yet if it is empty.
fn is_store(database: &Database, options: StoreOptions) -> Result<bool> {
    let transaction = database.begin_read()?;
    if transaction.list_tables()?.next().is_none() {
        return Ok(false);
    }
    let meta = match transaction.open_table(META) {
        Err(TableError::Storage(error)) => return Err(error.into()),
        Err(_) => return Err(not_a_store()),
        Ok(meta) => meta,
    };
    match read_number(&meta, FORMAT_KEY)? {
        0 => return Err(not_a_store()),
        found if found > FORMAT => return Err(Error::newer("format", found, FORMAT)),
        FORMAT => {
            digests::check(&transaction.open_table(DIGESTS)?, &meta, Scope::Meta)?;
            if let Some(totals) = meta.get(TOTALS_KEY)? {
                Totals::decode(totals.value())?.check(options.highest_kind)?;
            }
        }
        _ => {}
    }
    match highest_rendering(&meta)? {
        newer if newer > options.render_version => {
            Err(Error::newer("rendering", newer, options.render_version))
        }
        _ => Ok(true),
    }
}

/// Who knows the path names it.
fn not_a_store() -> Failure {
    Failure::from(Error::NotAStore {
        path: String::new(),
    })
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

/// Makes a store of a database that is new, brings one of an older format to this
/// one, and gives one that was made before cursors had a key its key; says which
/// staged entries loads left behind when their process was killed.
fn prepare(database: &Database, is_sound: bool, options: StoreOptions) -> Result<Vec<String>> {
    let (names, format, has_key) = {
        let transaction = database.begin_read()?;
        let tables = transaction.list_tables()?;
        let names: Vec<String> = tables.map(|table| table.name().to_owned()).collect();
        if names.is_empty() {
            (names, 0, false)
        } else {
            let meta = transaction.open_table(META)?;
            let has_key = read_cursor_key(&meta)?.is_some();
            (names, read_number(&meta, FORMAT_KEY)?, has_key)
        }
    };
    if !has_key || format != FORMAT {
        check_writable(is_sound)?;
        let mut transaction = database.begin_write()?;
        transaction.set_quick_repair(true);
        if format == 1 {
            migrate::from_format_1(&transaction, options.facts_from_format_1)?;
        }
        let mut write = Write::new(&transaction, None)?;
        if names.is_empty() {
            write.initialise(options.render_version)?;
        }
        if !has_key {
            write.set_cursor_key(&options.cursor_key)?;
        }
        write.finish()?;
        transaction.commit()?;
    }
    let staged = |name: &String| name.starts_with(STAGED_PREFIX);
    Ok(names.into_iter().filter(staged).collect())
}
