//! The life of a store in a process: it is opened, reopened after a fault, suspended, and closed.
//! There can be any number of readers, one writer at a time, and callers that need exclusive
//! access.

use super::file::locked_file;
use super::file::open_failure::{cannot_open, check_path, with_path};
use super::file::owner::Owner;
use super::leases::{ExclusiveAccess, Leases};
use super::open::{self, Open};
use super::redb_guard::panic_guard::{catch_panic, caught};
use super::store_options::StoreOptions;
use super::watchers::Watch;
use super::writer_lock::{WriterGuard, WriterLock};
use crate::error::{Error, Failure, Result};
use crate::store::changes::change_bits::Sources;
use crate::store::file::backend::SharedBackend;
use redb::StorageBackend;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The location of a store.
pub(crate) enum Location {
    File(PathBuf),
    Memory,
    Backend(Box<dyn StorageBackend>),
}

/// A store, shared by all threads that use it.
pub(crate) struct Store {
    /// Locked for reading by every query and writer, and for writing by operations that need
    /// exclusive access. Such an operation locks `writer` first, so that readers never wait for a
    /// load.
    state: RwLock<StoreState>,
    pub(super) writer: WriterLock,
    /// The snapshots of exports, feeds and backups.
    pub(super) leases: Leases,
    /// The next number for an opening of the store or for a load.
    numbers: AtomicU64,
    path: Option<PathBuf>,
    pub(super) owner: Owner,
    pub(super) options: StoreOptions,
}

pub(super) enum StoreState {
    /// The store is open. The number identifies this opening.
    Open(Box<Open>, u64),
    Suspended,
    Closed,
    /// The store could not be reopened after a fault. The next call tries again.
    Failed(Arc<SharedBackend>),
}

impl StoreState {
    pub(super) fn open(&self) -> Result<(&Open, u64)> {
        match self {
            StoreState::Open(open, number) => Ok((open, *number)),
            StoreState::Suspended => Err(Error::Suspended.into()),
            StoreState::Closed => Err(Error::Closed.into()),
            StoreState::Failed(_) => Err(Error::Io {
                detail: "it could not be opened again after a fault".into(),
            }
            .into()),
        }
    }

    /// Closes the database if it is open.
    fn end(self) {
        if let StoreState::Open(open, _) = self {
            open.close();
        }
    }

    pub(super) fn backend(&self) -> Option<&Arc<SharedBackend>> {
        match self {
            StoreState::Open(open, _) => Some(&open.backend),
            StoreState::Failed(backend) => Some(backend),
            StoreState::Suspended | StoreState::Closed => None,
        }
    }
}

/// A function that opens a store.
type Opener = fn(Arc<SharedBackend>, StoreOptions) -> Result<Open>;

impl Store {
    pub(crate) fn open(location: Location, options: StoreOptions) -> Result<Store> {
        let (backend, path) = match location {
            Location::File(path) => {
                check_path(&path)?;
                // The process may change its working directory later.
                let path =
                    std::path::absolute(&path).map_err(|error| cannot_open(&path, &error))?;
                let make = |backend: &Arc<SharedBackend>| open::make(backend, options);
                (locked_file::open_or_make(&path, make)?, Some(path))
            }
            Location::Memory => (SharedBackend::in_memory(), None),
            Location::Backend(backend) => (SharedBackend::new(backend), None),
        };
        let open = match path {
            Some(_) => Open::open_existing,
            None => Open::existing_or_new,
        };
        let store = Store {
            state: RwLock::new(StoreState::Closed),
            writer: WriterLock::default(),
            leases: Leases::default(),
            numbers: AtomicU64::new(0),
            path,
            owner: backend.owner,
            options,
        };
        let opened = store.opened(backend, open);
        let opened = opened.map_err(|error| match &store.path {
            Some(path) => with_path(path, error),
            None => error,
        });
        *store.exclusive() = opened?;
        Ok(store)
    }

    fn opened(&self, backend: Arc<SharedBackend>, open: Opener) -> Result<StoreState> {
        let number = self.number();
        let options = StoreOptions {
            opening: number,
            ..self.options
        };
        let opened = caught("opening it", || open(backend, options));
        let path = || match &self.path {
            Some(path) => path.display().to_string(),
            None => "the backend".to_owned(),
        };
        match opened {
            Ok(open) => Ok(StoreState::Open(Box::new(open), number)),
            Err(error) => Err(match *error {
                Error::NotAStore { .. } => Failure::from(Error::NotAStore { path: path() }),
                Error::AlreadyOpen { .. } => Failure::from(Error::AlreadyOpen { path: path() }),
                _ => error,
            }),
        }
    }

    /// Reopens the store, unless it was already reopened since the opening `number`.
    pub(super) fn reopen(&self, _guard: &WriterGuard<'_>, number: u64) -> Result<()> {
        let mut state = self.exclusive();
        let mut had_failed = false;
        let backend = match &*state {
            StoreState::Open(_, now) if *now != number => return Ok(()),
            StoreState::Open(open, _) => open.backend.clone(),
            StoreState::Failed(backend) => {
                had_failed = true;
                backend.clone()
            }
            StoreState::Suspended | StoreState::Closed => return Ok(()),
        };
        let broken = std::mem::replace(&mut *state, StoreState::Failed(backend.clone()));
        // redb may panic again because of the fault.
        let _ = catch_panic(|| broken.end());
        *state = self.opened(backend, Open::open_existing)?;
        // If an earlier attempt to reopen the store failed, the outcome of the change before it is
        // known only now, so watchers are notified. They are not notified after a fault of a
        // reader, which changes nothing: with a faulty device, they would read again and again.
        if had_failed {
            self.writer.watchers.mark_all();
        }
        Ok(())
    }

    pub(super) fn state(&self) -> RwLockReadGuard<'_, StoreState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn exclusive(&self) -> RwLockWriteGuard<'_, StoreState> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn backend(&self) -> Result<Arc<SharedBackend>> {
        self.state().open().map(|(open, _)| open.backend.clone())
    }

    /// Returns a number that was not returned before.
    pub(super) fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// Locks the store for writing. If the store could not be reopened after a fault, it is
    /// reopened first.
    pub(super) fn writer(&self) -> Result<WriterGuard<'_>> {
        // This is checked first, because the lock may belong to a thread that only the parent
        // process has.
        self.owner.check()?;
        let guard = self.writer.take(self.options.wait)?;
        if matches!(&*self.state(), StoreState::Failed(_)) {
            self.reopen(&guard, u64::MAX)?;
        }
        Ok(guard)
    }

    /// Returns exclusive access, during which there are no leases, after waiting for their end.
    pub(super) fn take_exclusive_access(&self) -> Result<ExclusiveAccess<'_>> {
        self.owner.check()?;
        self.leases.take_exclusive_access(Some(self.options.wait))
    }

    /// Closes the file and releases its lock until [`resume`](Self::resume).
    pub(crate) fn suspend(&self) -> Result<()> {
        if self.path.is_none() {
            return Err(Error::unsupported(
                "only a store in a file can be suspended: keep this one open",
            ));
        }
        let _access = self.take_exclusive_access()?;
        let _guard = self.writer()?;
        let mut state = self.exclusive();
        if matches!(&*state, StoreState::Suspended) {
            return Ok(());
        }
        state.open()?;
        self.release(std::mem::replace(&mut *state, StoreState::Suspended))
    }

    /// Opens the store that is at the path now. It is not created if it does not exist.
    pub(crate) fn resume(&self) -> Result<()> {
        self.owner.check()?;
        let _guard = self.writer.take(self.options.wait)?;
        let mut state = self.exclusive();
        match (&*state, &self.path) {
            (StoreState::Suspended, Some(path)) => {
                let backend = locked_file::open(path)?.ok_or_else(|| Error::missing(path))?;
                *state = self.opened(backend, Open::open_existing)?;
                self.writer.watchers.mark_all();
                Ok(())
            }
            (StoreState::Closed, _) => Err(Error::Closed.into()),
            _ => Ok(()),
        }
    }

    /// Closes the store permanently. An export, feed or backup that is being read fails as
    /// `closed` from now on.
    pub(crate) fn close(&self) -> Result<()> {
        if self.owner.check().is_err() {
            // A lock that a thread of the parent process had at the fork is never released in this
            // process.
            if let Ok(mut state) = self.state.try_write() {
                self.release(std::mem::replace(&mut *state, StoreState::Closed))?;
            }
            return Ok(());
        }
        let _guard = self.writer.take(self.options.wait)?;
        let mut state = self.exclusive();
        self.writer.watchers.end();
        self.leases.close();
        self.release(std::mem::replace(&mut *state, StoreState::Closed))
    }

    /// Watches the sources of an answer, for one school or for all schools.
    pub(crate) fn watch(&self, school: Option<u64>, sources: Sources) -> Watch {
        self.writer.watchers.watch(school, sources)
    }

    /// Ends all watches of the store. Other owners may continue to use the store.
    pub(crate) fn end_watches(&self) {
        self.writer.watchers.end();
        self.writer.watchers.wake();
    }

    /// Closes the database and releases the locks of its file.
    fn release(&self, state: StoreState) -> Result<()> {
        if self.owner.check().is_err() {
            // redb would write while it closes, and might wait forever.
            std::mem::forget(state);
            return Ok(());
        }
        let backend = state.backend().cloned();
        let _ = catch_panic(|| state.end());
        match backend {
            Some(backend) => Ok(backend.close()?),
            None => Ok(()),
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let state = std::mem::replace(state, StoreState::Closed);
        // A failure cannot be reported to any caller.
        let _ = self.release(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redb::backends::InMemoryBackend;
    use std::io;
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;

    /// A backend that counts writes and the call of `close`.
    #[derive(Debug)]
    struct CallCounter(InMemoryBackend, Arc<AtomicUsize>);

    impl StorageBackend for CallCounter {
        fn len(&self) -> io::Result<u64> {
            self.0.len()
        }

        fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
            self.0.read(offset, out)
        }

        fn set_len(&self, len: u64) -> io::Result<()> {
            self.0.set_len(len)
        }

        fn sync_data(&self) -> io::Result<()> {
            Ok(())
        }

        fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.write(offset, data)
        }

        fn close(&self) -> io::Result<()> {
            self.1.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
    }

    fn code<T>(result: Result<T>) -> &'static str {
        result.map_or_else(|error| error.code(), |_| "ok")
    }

    /// Tests a process that was forked from the one that opened the store.
    #[test]
    fn a_forked_process_is_refused_and_leaves_the_store_alone() -> Result<()> {
        let count = Arc::new(AtomicUsize::new(0));
        let bytes = CallCounter(InMemoryBackend::new(), count.clone());
        let mut store = Store::open(Location::Backend(Box::new(bytes)), StoreOptions::for_test())?;
        assert_eq!(code(store.write(|_| Ok(()))), "ok");
        // A thread of the parent process is in the middle of a change.
        let guard = store.writer.take(Duration::ZERO)?;
        std::mem::forget(guard);
        store.owner = Owner::ANOTHER;
        let before = count.load(Ordering::Relaxed);

        let refused = store.write(|_| Ok(())).err();
        assert_eq!(
            refused.as_ref().map(|error| error.code()),
            Some("unsupported")
        );
        let message = refused.map(|error| error.to_string()).unwrap_or_default();
        assert!(
            message.contains("open the store again in this process"),
            "{message}"
        );
        assert_eq!(code(store.compact()), "unsupported");
        assert_eq!(code(store.unstage("nothing")), "unsupported");
        assert_eq!(code(store.check(|_| Ok(()))), "unsupported");
        assert_eq!(code(store.resume()), "unsupported");
        assert_eq!(code(store.read(|snapshot| snapshot.sequence())), "ok");
        let failed = store.read(|_| Err::<(), _>(Error::corrupt("for the test")));
        assert_eq!(code(failed), "unsupported");
        assert_eq!(code(store.close()), "ok");
        drop(store);
        assert_eq!(count.load(Ordering::Relaxed), before);
        Ok(())
    }

    /// A store in memory is copied by a fork.
    #[test]
    fn a_store_in_memory_belongs_to_every_process() -> Result<()> {
        assert!(SharedBackend::in_memory().owner.check().is_ok());
        Owner::this_process().check()
    }
}
