//! Who may use the store when: readers always, one writer, and now and then
//! somebody who needs it alone. After a fault it is opened anew.

use super::backend::SharedBackend;
use super::file;
use super::open::{self, Committed, Open};
use super::options::StoreOptions;
use super::overlay::Overlay;
use super::owner::Owner;
use super::panics::{catch_panic, caught};
use super::snapshot::Snapshot;
use super::sorter::Sorter;
use super::tables::STAGED_PREFIX;
use super::write::{Write, WriteWork};
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
    pub(super) state: RwLock<State>,
    pub(super) writer: WriterLock,
    /// Exports and backups that hold a snapshot.
    pub(super) live: AtomicUsize,
    /// Counts up whenever the store is opened, and with every load.
    numbers: AtomicU64,
    pub(super) path: Option<PathBuf>,
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
    pub(super) fn end(self) {
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

/// What is asked of a snapshot.
type ReadWork<'a> = dyn FnMut(&Arc<Snapshot>) -> Result<()> + 'a;

/// How a store is opened.
pub(super) type How = fn(Arc<SharedBackend>, StoreOptions) -> Result<Open>;

/// What became of a piece of work on the store.
enum Fault {
    /// The work's own error; the store is as good as before.
    No(Failure),
    /// The device failed, or redb panicked: the store opened under this
    /// number must be opened anew.
    Reopen(u64, Failure),
}

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
        *store.alone() = opened;
        Ok(store)
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn alone(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn backend(&self) -> Result<Arc<SharedBackend>> {
        self.state().open().map(|(open, _)| open.backend.clone())
    }

    fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn opened(&self, backend: Arc<SharedBackend>, open: How) -> Result<State> {
        let opened = caught("opening it", || open(backend, self.options));
        let path = || match &self.path {
            Some(path) => path.display().to_string(),
            None => "the backend".to_owned(),
        };
        match opened {
            Ok(open) => Ok(State::Open(Box::new(open), self.number())),
            Err(error) => Err(match *error {
                Error::NotAStore { .. } => Failure::from(Error::NotAStore { path: path() }),
                Error::AlreadyOpen { .. } => Failure::from(Error::AlreadyOpen { path: path() }),
                _ => error,
            }),
        }
    }

    /// Answers from the newest snapshot. After a fault of the device the store
    /// is opened anew and asked once more.
    #[inline]
    pub(crate) fn read<T>(&self, mut query: impl FnMut(&Arc<Snapshot>) -> Result<T>) -> Result<T> {
        let mut answer = None;
        self.ask(&mut |snapshot| {
            answer = Some(query(snapshot)?);
            Ok(())
        })?;
        answer.ok_or_else(|| Error::Closed.into())
    }

    /// What [`read`](Self::read) does, compiled once.
    fn ask(&self, query: &mut ReadWork<'_>) -> Result<()> {
        let mut ask = || self.attempt(&mut |open| query(&open.snapshot()));
        match ask() {
            Ok(()) => Ok(()),
            Err(Fault::No(error)) => Err(error),
            Err(Fault::Reopen(number, error)) => {
                let guard = self.writer.take(self.options.wait)?;
                self.reopen(&guard, number)?;
                drop(guard);
                match *error {
                    Error::Io { .. } => ask().map_err(Fault::error),
                    _ => Err(error),
                }
            }
        }
    }

    #[cfg(fuzzing)]
    pub(crate) fn forget(&self) -> Result<()> {
        self.state().open()?.0.forget()
    }

    /// Works on the open store, and tells its own errors from faults. A forked
    /// process has what lay in memory when it was forked, and nothing else.
    fn attempt(&self, work: &mut dyn FnMut(&Open) -> Result<()>) -> Result<(), Fault> {
        self.attempt_here(work)
            .map_err(|fault| match self.owner.check() {
                Ok(()) => fault,
                Err(forked) => Fault::No(forked),
            })
    }

    fn attempt_here(&self, work: &mut dyn FnMut(&Open) -> Result<()>) -> Result<(), Fault> {
        let state = self.state();
        if let State::Failed(_) = &*state {
            return Err(Fault::Reopen(
                u64::MAX,
                state.open().err().unwrap_or_else(|| Error::Closed.into()),
            ));
        }
        let (open, number) = state.open().map_err(Fault::No)?;
        match catch_panic(|| work(open)) {
            Some(Ok(())) => Ok(()),
            Some(Err(error)) if matches!(*error, Error::Io { .. }) => {
                Err(Fault::Reopen(number, open.backend.explain(error)))
            }
            Some(Err(error)) => Err(Fault::No(error)),
            None => Err(Fault::Reopen(
                number,
                Error::corrupt("reading or writing it failed"),
            )),
        }
    }

    /// Opens the store anew, unless somebody has done so since this opening.
    fn reopen(&self, _guard: &WriterGuard<'_>, number: u64) -> Result<()> {
        let mut state = self.alone();
        let backend = match &*state {
            State::Open(_, now) if *now != number => return Ok(()),
            State::Open(open, _) => open.backend.clone(),
            State::Failed(backend) => backend.clone(),
            State::Suspended | State::Closed => return Ok(()),
        };
        let broken = std::mem::replace(&mut *state, State::Failed(backend.clone()));
        // redb may well stumble over what broke it.
        let _ = catch_panic(|| broken.end());
        *state = self.opened(backend, Open::existing)?;
        Ok(())
    }

    /// Carries out a write transaction. Readers go on meanwhile.
    pub(crate) fn write<T>(&self, work: impl FnOnce(&mut Write<'_>) -> Result<T>) -> Result<T> {
        let mut work = Some(work);
        let mut outcome = None;
        self.change(&mut |write| {
            if let Some(work) = work.take() {
                outcome = Some(work(write)?);
            }
            Ok(())
        })?;
        outcome.ok_or_else(|| Error::Closed.into())
    }

    /// What [`write`](Self::write) does, compiled once.
    fn change(&self, work: &mut WriteWork<'_>) -> Result<()> {
        let guard = self.writer()?;
        let mut committed = Committed::Yes;
        let number = self.alter(&guard, &mut |open| {
            committed = open.transact(work)?;
            Ok(())
        })?;
        match committed {
            Committed::Yes => Ok(()),
            Committed::Unsure(sequence, error) => {
                self.reopen(&guard, number)?;
                let landed = self.state().open()?.0.snapshot().sequence()? == sequence;
                if landed { Ok(()) } else { Err(error) }
            }
        }
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

    /// Works on the open store as its writer; says under which number it is
    /// open. After a fault it is opened anew.
    fn alter(
        &self,
        guard: &WriterGuard<'_>,
        work: &mut dyn FnMut(&Open) -> Result<()>,
    ) -> Result<u64> {
        let number = self.state().open()?.1;
        match self.attempt(work) {
            Ok(()) => Ok(number),
            Err(Fault::No(error)) => Err(error),
            Err(Fault::Reopen(number, error)) => {
                // The error that counts is the first; the next call meets the
                // other one if it persists.
                let _ = self.reopen(guard, number);
                Err(error)
            }
        }
    }

    /// A name for the staged entries of one load.
    pub(crate) fn staging_name(&self) -> String {
        format!("{STAGED_PREFIX}{}", self.number())
    }

    /// Moves a sorter's entries into the store, to be read by a later write.
    pub(crate) fn stage(&self, sorter: &mut Sorter, name: &str) -> Result<()> {
        let guard = self.writer()?;
        self.alter(&guard, &mut |open| open.stage(sorter, name))?;
        Ok(())
    }

    /// Forgets staged entries.
    pub(crate) fn unstage(&self, name: &str) -> Result<()> {
        let guard = self.writer()?;
        self.alter(&guard, &mut |open| open.unstage(name))?;
        Ok(())
    }

    /// How many bytes the store has.
    pub(crate) fn bytes(&self) -> Result<u64> {
        Ok(self.backend()?.len()?)
    }

    /// Compacts after a load that leaves much of the file unused. What was
    /// loaded is kept whatever comes of it.
    pub(crate) fn tidy(&self) {
        /// A file of this size is left as it is.
        const SMALL: u64 = 8 << 20;
        let wasteful = || {
            let live = self.read(|snapshot| Ok(snapshot.totals()?.live))?;
            let bytes = self.bytes()?;
            Ok::<_, Failure>(bytes > SMALL && bytes.saturating_sub(live) > bytes / 10 * 4)
        };
        if self.options.compact && wasteful().unwrap_or(false) {
            let _ = self.compact_store(false);
        }
    }

    /// Gives free space back to the file system, and leaves nothing in the file
    /// of what was removed.
    pub(crate) fn compact(&self) -> Result<()> {
        self.compact_store(true)
    }

    fn compact_store(&self, scrub: bool) -> Result<()> {
        let guard = self.writer()?;
        let mut state = self.take_alone("an export or backup is being read")?;
        state.open()?.0.check_writable()?;
        let Some(backend) = state.backend().cloned() else {
            return Err(Error::Closed.into());
        };
        backend.check_path()?;
        let State::Open(open, number) = std::mem::replace(&mut *state, State::Failed(backend))
        else {
            return Err(Error::Closed.into());
        };
        let compacted = caught("compacting it", || open.compact(scrub, self.options));
        match compacted {
            Ok(open) => {
                *state = State::Open(Box::new(open), number);
                Ok(())
            }
            Err(error) => {
                drop(state);
                let _ = self.reopen(&guard, number);
                Err(error)
            }
        }
    }

    /// Checks a copy-on-write view of the store; says whether redb found it
    /// sound, and what else was found in it. Readers go on meanwhile.
    pub(crate) fn check<T>(
        &self,
        inspect: impl FnOnce(&Snapshot) -> Result<T>,
    ) -> Result<(bool, T)> {
        let _guard = self.writer()?;
        let backend = self.backend()?;
        let overlay = Overlay::new(backend)?;
        caught("checking it", || {
            open::check(overlay, self.options.cache_bytes / 4, inspect)
        })
    }

    pub(super) fn take_alone(&self, reader: &str) -> Result<RwLockWriteGuard<'_, State>> {
        let state = self.alone();
        if self.live.load(Ordering::Acquire) > 0 {
            return Err(Error::Busy {
                what: reader.to_owned(),
            }
            .into());
        }
        Ok(state)
    }
}

impl Fault {
    fn error(self) -> Failure {
        match self {
            Fault::No(error) | Fault::Reopen(_, error) => error,
        }
    }
}
