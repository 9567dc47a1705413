//! A sync, as whoever drives it has it.

use super::machine::Machine;
use super::options::SyncOptions;
use super::staging::Staging;
use super::step::{NoReply, Reply, Step, SyncProgress, Taken};
use super::turn::Turns;
use crate::error::{Error, Result};
use crate::store::Store;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The syncing of one school; not the marker of the standard library, which a glob
/// import of this crate would hide. It sends nothing itself and keeps no time: ask for
/// the [`next`](Self::next) step, send what it says, and [`take`](Self::take) the reply.
/// It can be used from several threads.
///
/// What is taken is in the store at once. A sync that is let go, or killed, is gone on with
/// by the next one of the school, if its options ask for the same. Of two at a time the one
/// that was started last goes on.
pub struct Sync {
    machine: Mutex<Machine>,
}

impl Sync {
    pub(crate) fn new(
        store: Arc<Store>,
        turns: &Turns,
        secret: u64,
        school: u64,
        options: SyncOptions,
    ) -> Result<Sync> {
        let staging = Staging::new(store, school, &options);
        let machine = Machine::new(staging, turns.next(school), secret, school, options)?;
        let machine = Mutex::new(machine);
        Ok(Sync { machine })
    }

    /// What is to be done at this instant, in seconds since 1970-01-01T00:00:00Z. A call
    /// is said once; if nothing is handed in for two minutes it counts as failed.
    ///
    /// # Errors
    /// Of keeping and publishing: `busy` if another writer does not end in time, `io` if the
    /// store could not be written, `unsupported` if the school has records meanwhile. Nothing
    /// is lost: ask again, and it tries again.
    pub fn next(&self, now: i64) -> Result<Step, Error> {
        Ok(self.machine().next(now)?)
    }

    /// Takes the reply to a call.
    ///
    /// # Errors
    /// `busy` or `io` if it could not be kept. The call is still out then: hand the reply
    /// in again.
    pub fn take(&self, call: u64, now: i64, reply: &Reply<'_>) -> Result<Taken, Error> {
        Ok(self.machine().take(call, now, reply)?)
    }

    /// There was no reply to a call.
    ///
    /// # Errors
    /// As of [`take`](Self::take).
    pub fn fail(&self, call: u64, now: i64, why: NoReply) -> Result<Taken, Error> {
        Ok(self.machine().fail(call, now, why)?)
    }

    /// Asks for this next, whether it was asked in this pass or not: a path and query of v1
    /// about the school. If the school is synced already, the answer is published as soon
    /// as it is there.
    ///
    /// # Errors
    /// `unsupported` if sync does not ask for such a target.
    pub fn want(&self, target: &str) -> Result<(), Error> {
        Ok(self.machine().want(target)?)
    }

    /// Says that what the report calls held is right: the next step publishes it.
    ///
    /// # Errors
    /// `unsupported` if nothing of this target is held back.
    pub fn confirm(&self, target: &str) -> Result<(), Error> {
        Ok(self.machine().confirm(target)?)
    }

    /// How far the pass has come.
    #[must_use]
    pub fn progress(&self) -> SyncProgress {
        self.machine().progress()
    }

    fn machine(&self) -> MutexGuard<'_, Machine> {
        self.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
