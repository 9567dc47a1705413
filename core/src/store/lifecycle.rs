//! The life of a store in a process: it is opened, opened anew after a fault, closed for
//! a while and for good. And who may use it when: readers always, one writer, and now
//! and then somebody who needs it alone.

use super::backend::SharedBackend;
use super::file;
use super::memo::Sources;
use super::open::{self, Open};
use super::options::StoreOptions;
use super::owner::Owner;
use super::panics::{catch_panic, caught};
use super::watchers::Watch;
use super::writer_lock::{WriterGuard, WriterLock};
use crate::error::{Error, Failure, Result};
use redb::StorageBackend;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Where a store lies.
pub(crate) enum Location {
    File(PathBuf),
    Memory,
    Backend(Box<dyn StorageBackend>),
}

/// A store and everybody's way to it.
pub(crate) struct Store {
    /// Read by every query and writer, written by who needs the store alone.
    /// That one holds the writer's lock first, so that readers never wait for
    /// a load.
    state: RwLock<State>,
    pub(super) writer: WriterLock,
    /// Exports and backups that hold a snapshot.
    pub(super) live: AtomicUsize,
    /// Counts up whenever the store is opened, and with every load.
    numbers: AtomicU64,
    path: Option<PathBuf>,
    pub(super) owner: Owner,
    pub(super) options: StoreOptions,
}

pub(super) enum State {
    /// With the number of its opening.
    Open(Box<Open>, u64),
    Suspended,
    Closed,
    /// It could not be opened anew after a fault; the next call tries again.
    Failed(Arc<SharedBackend>),
}

impl State {
    pub(super) fn open(&self) -> Result<(&Open, u64)> {
        match self {
            State::Open(open, number) => Ok((open, *number)),
            State::Suspended => Err(Error::Suspended.into()),
            State::Closed => Err(Error::Closed.into()),
            State::Failed(_) => Err(Error::Io {
                detail: "it could not be opened again after a fault".into(),
            }
            .into()),
        }
    }

    /// Closes what is open.
    fn end(self) {
        if let State::Open(open, _) = self {
            open.close();
        }
    }

    pub(super) fn backend(&self) -> Option<&Arc<SharedBackend>> {
        match self {
            State::Open(open, _) => Some(&open.backend),
            State::Failed(backend) => Some(backend),
            State::Suspended | State::Closed => None,
        }
    }
}

/// How a store is opened.
type Opener = fn(Arc<SharedBackend>, StoreOptions) -> Result<Open>;

impl Store {
    pub(crate) fn open(location: Location, options: StoreOptions) -> Result<Store> {
        let (backend, path) = match location {
            Location::File(path) => {
                // The process may work in another folder later.
                let path = std::path::absolute(path)?;
                let make = |backend: &Arc<SharedBackend>| open::make(backend, options);
                (file::open_or_make(&path, make)?, Some(path))
            }
            Location::Memory => (SharedBackend::in_memory(), None),
            Location::Backend(backend) => (SharedBackend::new(backend), None),
        };
        let open = match path {
            Some(_) => Open::existing,
            None => Open::existing_or_new,
        };
        let store = Store {
            state: RwLock::new(State::Closed),
            writer: WriterLock::default(),
            live: AtomicUsize::new(0),
            numbers: AtomicU64::new(0),
            path,
            owner: backend.owner,
            options,
        };
        let opened = store.opened(backend, open)?;
        *store.exclusive() = opened;
        Ok(store)
    }

    fn opened(&self, backend: Arc<SharedBackend>, open: Opener) -> Result<State> {
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
            Ok(open) => Ok(State::Open(Box::new(open), number)),
            Err(error) => Err(match *error {
                Error::NotAStore { .. } => Failure::from(Error::NotAStore { path: path() }),
                Error::AlreadyOpen { .. } => Failure::from(Error::AlreadyOpen { path: path() }),
                _ => error,
            }),
        }
    }

    /// Opens the store anew, unless somebody has done so since this opening.
    pub(super) fn reopen(&self, _guard: &WriterGuard<'_>, number: u64) -> Result<()> {
        let mut state = self.exclusive();
        let mut had_failed = false;
        let backend = match &*state {
            State::Open(_, now) if *now != number => return Ok(()),
            State::Open(open, _) => open.backend.clone(),
            State::Failed(backend) => {
                had_failed = true;
                backend.clone()
            }
            State::Suspended | State::Closed => return Ok(()),
        };
        let broken = std::mem::replace(&mut *state, State::Failed(backend.clone()));
        // redb may well stumble over what broke it.
        let _ = catch_panic(|| broken.end());
        *state = self.opened(backend, Open::existing)?;
        // Only now it shows what came of the change at which it failed. A reader's fault
        // changes nothing: told of that, watchers of a bad device would ask without end.
        if had_failed {
            self.writer.watchers.mark_all();
        }
        Ok(())
    }

    pub(super) fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn exclusive(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn backend(&self) -> Result<Arc<SharedBackend>> {
        self.state().open().map(|(open, _)| open.backend.clone())
    }

    /// A number that nothing had before.
    pub(super) fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// The writer's lock, on a store that was opened again if it could not be
    /// after a fault.
    pub(super) fn writer(&self) -> Result<WriterGuard<'_>> {
        // Before it waits for a thread that only the other process has.
        self.owner.check()?;
        let guard = self.writer.take(self.options.wait)?;
        if matches!(&*self.state(), State::Failed(_)) {
            self.reopen(&guard, u64::MAX)?;
        }
        Ok(guard)
    }

    /// The store for one alone, while nobody reads an export or backup.
    pub(super) fn take_exclusive(&self) -> Result<RwLockWriteGuard<'_, State>> {
        let state = self.exclusive();
        if self.live.load(Ordering::Acquire) > 0 {
            return Err(Error::Busy {
                what: "an export or backup is being read".to_owned(),
            }
            .into());
        }
        Ok(state)
    }

    /// Closes the file and gives its lock back, until [`resume`](Self::resume).
    pub(crate) fn suspend(&self) -> Result<()> {
        if self.path.is_none() {
            return Err(Error::unsupported(
                "only a store in a file can be suspended: keep this one open",
            ));
        }
        let _guard = self.writer()?;
        let mut state = self.take_exclusive()?;
        if matches!(&*state, State::Suspended) {
            return Ok(());
        }
        state.open()?;
        self.release(std::mem::replace(&mut *state, State::Suspended))
    }

    /// Opens what store is at the path by now. Where there is none, none is made.
    pub(crate) fn resume(&self) -> Result<()> {
        self.owner.check()?;
        let _guard = self.writer.take(self.options.wait)?;
        let mut state = self.exclusive();
        match (&*state, &self.path) {
            (State::Suspended, Some(path)) => {
                let backend = file::open(path)?.ok_or_else(|| Error::missing(path))?;
                *state = self.opened(backend, Open::existing)?;
                self.writer.watchers.mark_all();
                Ok(())
            }
            (State::Closed, _) => Err(Error::Closed.into()),
            _ => Ok(()),
        }
    }

    /// Closes the store for good. A live export or backup fails from here on.
    pub(crate) fn close(&self) -> Result<()> {
        if self.owner.check().is_err() {
            // What a thread of the other process held when this one was forked is
            // held for ever here.
            if let Ok(mut state) = self.state.try_write() {
                self.release(std::mem::replace(&mut *state, State::Closed))?;
            }
            return Ok(());
        }
        let _guard = self.writer.take(self.options.wait)?;
        let mut state = self.exclusive();
        self.writer.watchers.end();
        self.release(std::mem::replace(&mut *state, State::Closed))
    }

    /// Watches what an answer is made from, of one school or of all.
    pub(crate) fn watch(&self, school: Option<u64>, sources: Sources) -> Watch {
        self.writer.watchers.watch(school, sources)
    }

    /// Ends what watches the store. Others may hold it still.
    pub(crate) fn end_watches(&self) {
        self.writer.watchers.end();
        #[cfg(not(target_family = "wasm"))]
        self.writer.watchers.wake();
    }

    /// Drops what was open, and gives its locks back.
    fn release(&self, state: State) -> Result<()> {
        if self.owner.check().is_err() {
            // redb would write as it closes, and may wait for ever, too.
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
        let state = std::mem::replace(state, State::Closed);
        // Nobody is left to report a failure to.
        let _ = self.release(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redb::backends::InMemoryBackend;
    use std::io;
    use std::time::Duration;

    /// Counts what is written, and closing.
    #[derive(Debug)]
    struct Counting(InMemoryBackend, Arc<AtomicUsize>);

    impl StorageBackend for Counting {
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

    /// What a process meets that was forked from the one that opened the store.
    #[test]
    fn a_forked_process_is_refused_and_leaves_the_store_alone() -> Result<()> {
        let count = Arc::new(AtomicUsize::new(0));
        let bytes = Counting(InMemoryBackend::new(), count.clone());
        let mut store = Store::open(Location::Backend(Box::new(bytes)), StoreOptions::for_test())?;
        assert_eq!(code(store.write(|_| Ok(()))), "ok");
        // A thread of the other process is in the middle of a change.
        let guard = store.writer.take(Duration::ZERO)?;
        std::mem::forget(guard);
        store.owner = Owner::ANOTHER;
        let before = count.load(Ordering::Relaxed);

        let refused = store.write(|_| Ok(())).err();
        assert_eq!(
            refused.as_ref().map(|error| error.code()),
            Some("unsupported")
        );
        let says = refused.map(|error| error.to_string()).unwrap_or_default();
        assert!(
            says.contains("open the store anew in this process"),
            "{says}"
        );
        assert_eq!(code(store.compact()), "unsupported");
        assert_eq!(code(store.unstage("nothing")), "unsupported");
        assert_eq!(code(store.check(|_| Ok(()))), "unsupported");
        assert_eq!(code(store.resume()), "unsupported");
        assert_eq!(code(store.read(|snapshot| snapshot.sequence())), "ok");
        let failed = store.read(|_| Err::<(), _>(Error::corrupt("as told")));
        assert_eq!(code(failed), "unsupported");
        assert_eq!(code(store.close()), "ok");
        drop(store);
        assert_eq!(count.load(Ordering::Relaxed), before);
        Ok(())
    }

    /// What lies in memory is copied by a fork.
    #[test]
    fn a_store_in_memory_is_everybodys_own() -> Result<()> {
        assert!(SharedBackend::in_memory().owner.check().is_ok());
        Owner::this_process().check()
    }
}
