//! Reading and writing the store while it is open. After a fault it is opened anew,
//! and a reader asks once more.

use super::lifecycle::{State, Store};
use super::open::{self, Committed, Open};
use super::overlay::Overlay;
use super::panics::{catch_panic, caught};
use super::snapshot::Snapshot;
use super::sorter::Sorter;
use super::tables::STAGED_PREFIX;
use super::write::{Write, WriteWork};
use super::writer_lock::WriterGuard;
use crate::error::{Error, Failure, Result};
use std::sync::Arc;

/// What is asked of a snapshot.
type ReadWork<'a> = dyn FnMut(&Arc<Snapshot>) -> Result<()> + 'a;

/// Why a piece of work on the store failed.
enum WorkError {
    /// The work's own error; the store is as good as before.
    Own(Failure),
    /// The device failed, or redb panicked: the store opened under this
    /// number must be opened anew.
    Broken(u64, Failure),
}

impl Store {
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

    #[cfg(fuzzing)]
    pub(crate) fn forget(&self) -> Result<()> {
        self.state().open()?.0.forget()
    }

    /// Works on the open store, and tells its own errors from faults. A forked
    /// process has what lay in memory when it was forked, and nothing else.
    fn attempt(&self, work: &mut dyn FnMut(&Open) -> Result<()>) -> Result<(), WorkError> {
        self.attempt_here(work)
            .map_err(|failed| match self.owner.check() {
                Ok(()) => failed,
                Err(forked) => WorkError::Own(forked),
            })
    }

    fn attempt_here(&self, work: &mut dyn FnMut(&Open) -> Result<()>) -> Result<(), WorkError> {
        let state = self.state();
        if let State::Failed(_) = &*state {
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
        let mut committed = None;
        let number = self.alter(&guard, &mut |open| {
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
                self.writer.watchers.mark_all();
                self.reopen(&guard, number)?;
                let landed = self.state().open()?.0.snapshot().sequence()? == sequence;
                if landed { Ok(()) } else { Err(error) }
            }
        }
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
            Err(WorkError::Own(error)) => Err(error),
            Err(WorkError::Broken(number, error)) => {
                // The error that counts is the first; the next call meets the
                // other one if it persists.
                let _ = self.reopen(guard, number);
                // It may have landed all the same.
                self.writer.watchers.mark_all();
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
        let mut state = self.take_exclusive()?;
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
            open::check(overlay, self.options.checking_cache_bytes(), inspect)
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
