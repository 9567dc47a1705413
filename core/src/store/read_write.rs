//! Reading from and writing to a store while it is open. After a fault the store is reopened, and
//! a read that failed with an I/O error is repeated once.

use crate::error::{Error, Failure, Result};
use crate::store::file::copy_on_write::CopyOnWrite;
use crate::store::lifecycle::{Store, StoreState};
use crate::store::open::{self, Committed, Open};
use crate::store::redb_guard::panic_guard::{catch_panic, caught};
use crate::store::rows::table_definitions::STAGED_PREFIX;
use crate::store::sort::external_sort::Sorter;
use crate::store::transaction::snapshot::Snapshot;
use crate::store::transaction::write::{Write, WriteWork};
use crate::store::writer_lock::WriterGuard;
use std::sync::Arc;

/// A query that is run on a snapshot.
type ReadWork<'a> = dyn FnMut(&Arc<Snapshot>) -> Result<()> + 'a;

/// The reason why work on the store failed.
enum WorkError {
    /// The work itself returned an error. The store is intact.
    Own(Failure),
    /// The device failed, or redb panicked. The store, whose opening has this number, must be
    /// reopened.
    Broken(u64, Failure),
}

impl Store {
    /// Runs a query on the newest snapshot. After a fault of the device, the store is reopened and
    /// the query is repeated once.
    #[inline]
    pub(crate) fn read<T>(&self, mut query: impl FnMut(&Arc<Snapshot>) -> Result<T>) -> Result<T> {
        let mut answer = None;
        self.ask(&mut |snapshot| {
            answer = Some(query(snapshot)?);
            Ok(())
        })?;
        answer.ok_or_else(|| Error::Closed.into())
    }

    /// Implements [`read`](Self::read) without a type parameter, so that it is compiled only once.
    fn ask(&self, query: &mut ReadWork<'_>) -> Result<()> {
        let mut ask = || self.run(&mut |open| query(&open.snapshot()));
        match ask() {
            Ok(()) => Ok(()),
            Err(WorkError::Own(error)) => Err(error),
            Err(WorkError::Broken(number, error)) => {
                let guard = self.writer.take(self.options.wait)?;
                self.reopen(&guard, number)?;
                drop(guard);
                match *error {
                    Error::Io { .. } => ask().map_err(WorkError::error),
                    _ => Err(error),
                }
            }
        }
    }

    /// Reopens the store after a lease failed with `error`, if the device of the store has failed.
    /// A backup also fails with an I/O error if its copy cannot be written, and this is no fault
    /// of the store. Returns the error with the message of the device.
    pub(crate) fn recover(&self, opening: u64, error: Failure) -> Failure {
        let backend = match (&*error, self.backend()) {
            (Error::Io { .. }, Ok(backend)) if backend.has_failed() => backend,
            _ => return error,
        };
        if let Ok(guard) = self.writer.take(self.options.wait) {
            // If the store cannot be reopened, the next call tries again.
            let _ = self.reopen(&guard, opening);
        }
        backend.explain(error)
    }

    #[cfg(any(test, fuzzing))]
    pub(crate) fn clear_caches(&self) -> Result<()> {
        self.state().open()?.0.clear_caches()
    }

    /// Runs `work` on the open store, and distinguishes errors of the work from faults of the
    /// store. A forked process has only the data that was in memory at the fork, so there any
    /// failure is reported as an access by the wrong process.
    fn run(&self, work: &mut dyn FnMut(&Open) -> Result<()>) -> Result<(), WorkError> {
        self.run_unchecked(work)
            .map_err(|failed| match self.owner.check() {
                Ok(()) => failed,
                Err(forked) => WorkError::Own(forked),
            })
    }

    fn run_unchecked(&self, work: &mut dyn FnMut(&Open) -> Result<()>) -> Result<(), WorkError> {
        let state = self.state();
        if let StoreState::Failed(_) = &*state {
            return Err(WorkError::Broken(
                u64::MAX,
                state.open().err().unwrap_or_else(|| Error::Closed.into()),
            ));
        }
        let (open, number) = state.open().map_err(WorkError::Own)?;
        match catch_panic(|| work(open)) {
            Some(Ok(())) => Ok(()),
            Some(Err(error)) if matches!(*error, Error::Io { .. }) => {
                Err(WorkError::Broken(number, open.backend.explain(error)))
            }
            Some(Err(error)) => Err(WorkError::Own(error)),
            None => Err(WorkError::Broken(
                number,
                Error::corrupt("reading or writing it failed"),
            )),
        }
    }

    /// Runs a write transaction. Readers are not blocked meanwhile.
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

    /// Implements [`write`](Self::write) without a type parameter, so that it is compiled only
    /// once.
    fn change(&self, work: &mut WriteWork<'_>) -> Result<()> {
        let guard = self.writer()?;
        let mut committed = None;
        let number = self.run_as_writer(&guard, &mut |open| {
            committed = Some(open.transact(work)?);
            Ok(())
        })?;
        match committed {
            None => Err(Error::Closed.into()),
            Some(Committed::Yes(changes)) => {
                self.writer.watchers.mark(&changes);
                Ok(())
            }
            Some(Committed::Unsure(sequence, error)) => {
                let reopened = self.reopen(&guard, number);
                // Readers see the change, if it was committed, only since the store was reopened.
                self.writer.watchers.mark_all();
                reopened?;
                let is_committed = self.state().open()?.0.snapshot().sequence()? == sequence;
                if is_committed { Ok(()) } else { Err(error) }
            }
        }
    }

    /// Runs `work` as the writer, and returns the number of the opening that it ran on. After a
    /// fault, the store is reopened.
    fn run_as_writer(
        &self,
        guard: &WriterGuard<'_>,
        work: &mut dyn FnMut(&Open) -> Result<()>,
    ) -> Result<u64> {
        let number = self.state().open()?.1;
        match self.run(work) {
            Ok(()) => Ok(number),
            Err(WorkError::Own(error)) => Err(error),
            Err(WorkError::Broken(number, error)) => {
                // The first error is returned. If reopening fails as well, the next call reports
                // it.
                let _ = self.reopen(guard, number);
                // The change may have been committed despite the error.
                self.writer.watchers.mark_all();
                Err(error)
            }
        }
    }

    /// Returns the name of a staging table for one load.
    pub(crate) fn staging_name(&self) -> String {
        format!("{STAGED_PREFIX}{}", self.number())
    }

    /// Moves the entries of a sorter into a staging table, from which a later write reads them.
    pub(crate) fn stage(&self, sorter: &mut Sorter, name: &str) -> Result<()> {
        let guard = self.writer()?;
        self.run_as_writer(&guard, &mut |open| open.stage(sorter, name))?;
        Ok(())
    }

    /// Deletes a staging table.
    pub(crate) fn unstage(&self, name: &str) -> Result<()> {
        let guard = self.writer()?;
        self.run_as_writer(&guard, &mut |open| open.unstage(name))?;
        Ok(())
    }

    /// Returns the length of the store in bytes.
    pub(crate) fn bytes(&self) -> Result<u64> {
        Ok(self.backend()?.len()?)
    }

    /// Compacts the store after a load if much of the file is unused. Errors are ignored, because
    /// the load is already committed.
    pub(crate) fn compact_if_wasteful(&self) {
        /// Files of at most this size are not compacted.
        const SMALL: u64 = 8 << 20;
        let wasteful = || {
            let live = self.read(|snapshot| Ok(snapshot.totals()?.live))?;
            let bytes = self.bytes()?;
            Ok::<_, Failure>(bytes > SMALL && bytes.saturating_sub(live) > bytes / 10 * 4)
        };
        if self.options.compact && wasteful().unwrap_or(false) {
            // Compaction is skipped if there are leases: an open export is more important than
            // space.
            if let Ok(_access) = self.leases.take_exclusive_access(None) {
                let _ = self.compact_store(false);
            }
        }
    }

    /// Returns free space to the file system, and erases removed data from the bytes of the file.
    pub(crate) fn compact(&self) -> Result<()> {
        let _access = self.take_exclusive_access()?;
        self.compact_store(true)
    }

    /// Erases the data of erased persons from the bytes of the file, if a commit left this to do.
    pub(crate) fn erase_leftovers(&self) -> Result<()> {
        if self.read(|snapshot| snapshot.has_leftovers())? {
            self.compact()?;
        }
        Ok(())
    }

    /// Compacts the store. The caller must have exclusive access, which `take_exclusive_access`
    /// returns.
    fn compact_store(&self, erase: bool) -> Result<()> {
        let guard = self.writer()?;
        let mut state = self.exclusive();
        state.open()?.0.check_writable()?;
        let Some(backend) = state.backend().cloned() else {
            return Err(Error::Closed.into());
        };
        backend.check_path()?;
        let StoreState::Open(open, number) =
            std::mem::replace(&mut *state, StoreState::Failed(backend))
        else {
            return Err(Error::Closed.into());
        };
        let compacted = caught("compacting it", || open.compact(erase, self.options));
        match compacted {
            Ok(open) => {
                *state = StoreState::Open(Box::new(open), number);
                Ok(())
            }
            Err(error) => {
                drop(state);
                let _ = self.reopen(&guard, number);
                Err(error)
            }
        }
    }

    /// Checks a copy-on-write view of the store. Returns whether redb found it sound, and the
    /// result of `inspect`. Readers are not blocked meanwhile.
    pub(crate) fn check<T>(
        &self,
        inspect: impl FnOnce(&Snapshot) -> Result<T>,
    ) -> Result<(bool, T)> {
        let _guard = self.writer()?;
        let backend = self.backend()?;
        let view = CopyOnWrite::new(backend)?;
        caught("checking it", || {
            open::check(view, self.options.checking_cache_bytes(), inspect)
        })
    }
}

impl WorkError {
    fn error(self) -> Failure {
        match self {
            WorkError::Own(error) | WorkError::Broken(_, error) => error,
        }
    }
}
