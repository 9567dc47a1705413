//! The public handle of a sync.

use super::fetch::machine::Machine;
use super::fetch::staging::Staging;
use super::ownership::OwnershipTokens;
use super::step::{
    CallFailure, QuarantinedAnswer, Reply, ReplyOutcome, Step, SyncProgress, SyncReport,
};
use super::sync_options::SyncOptions;
use crate::error::{Error, Result};
use crate::store::Store;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The sync of one school. It is not the marker trait of the standard library, which a glob import
/// of this crate would hide.
///
/// It sends nothing itself and has no clock: call [`next`](Self::next), send the call that it
/// returns, and pass the reply to [`handle_reply`](Self::handle_reply). It can be used from several
/// threads.
///
/// The outcome of each reply is stored before `handle_reply` returns. If a sync is dropped or its
/// process ends, the next sync of the school resumes the pass, provided that its `days_from` and
/// `utc_offset` are the same. If two syncs of a school exist at a time, only the one that was
/// started last continues.
pub struct Sync {
    machine: Mutex<Machine>,
}

impl Sync {
    pub(crate) fn new(
        store: Arc<Store>,
        tokens: &OwnershipTokens,
        secret: u64,
        school: u64,
        options: SyncOptions,
    ) -> Result<Sync> {
        let staging = Staging::new(store, school, &options);
        let machine = Machine::new(staging, tokens.next(school), secret, school, options)?;
        let machine = Mutex::new(machine);
        Ok(Sync { machine })
    }

    /// Returns what to do at the instant `now`, in seconds since 1970-01-01T00:00:00Z. A call is
    /// returned once. If no reply to it is passed within two minutes, it counts as failed.
    ///
    /// # Errors
    /// Fails if storing or publishing fails: with `busy` if another writer does not finish in time,
    /// with `io` if the store cannot be written, with `unsupported` if the school has records that
    /// no sync made. Nothing is lost: call it again to retry.
    pub fn next(&self, now: i64) -> Result<Step, Error> {
        Ok(self.machine().next(now)?)
    }

    /// Evaluates the reply to a call and stores the outcome.
    ///
    /// # Errors
    /// Fails with `busy` or `io` if the outcome cannot be stored. The call is then still in flight:
    /// pass the reply again.
    pub fn handle_reply(
        &self,
        call: u64,
        now: i64,
        reply: &Reply<'_>,
    ) -> Result<ReplyOutcome, Error> {
        Ok(self.machine().handle_reply(call, now, reply)?)
    }

    /// Reports that there was no reply to a call.
    ///
    /// # Errors
    /// Fails as [`handle_reply`](Self::handle_reply) does.
    pub fn handle_failure(
        &self,
        call: u64,
        now: i64,
        failure: CallFailure,
    ) -> Result<ReplyOutcome, Error> {
        Ok(self.machine().handle_failure(call, now, failure)?)
    }

    /// Requests a target next, even if it was requested in this pass before. The target is a path
    /// and query of v1 about the school. If the school is already synced, the answer is published
    /// as soon as it has arrived.
    ///
    /// # Errors
    /// Fails with `unsupported` if a sync does not request such a target.
    pub fn prioritise(&self, target: &str) -> Result<(), Error> {
        Ok(self.machine().prioritise(target)?)
    }

    /// Returns the quarantined answers: those that are stored but not published because they would
    /// remove much, and those that are published only together with them. They are read from the
    /// store: a sync that was just started returns those of the last pass, and needs no new pass.
    ///
    /// # Errors
    /// Fails with `suspended` or `closed`, and with `io` or `corrupt` if the store fails.
    pub fn quarantined(&self) -> Result<Vec<QuarantinedAnswer>, Error> {
        Ok(self.machine().pass.quarantined()?)
    }

    /// Approves a quarantined answer. The next step publishes it together with everything that
    /// belongs to it, as soon as none of that is quarantined. The order in which answers are
    /// approved makes no difference. Approving a target that is not quarantined (any more) has no
    /// effect. The approval is stored, so that a sync that is started later publishes the answer.
    ///
    /// # Errors
    /// Fails with `unsupported` if a sync does not request such a target, or if another sync of the
    /// school was started since, and with `busy` or `io` if the approval cannot be stored.
    pub fn approve(&self, target: &str) -> Result<(), Error> {
        Ok(self.machine().approve(target)?)
    }

    /// Discards a quarantined answer, together with those that would be published with it. The
    /// records remain unchanged, and the next pass requests the answers again. Rejecting a target
    /// that is not quarantined (any more) has no effect.
    ///
    /// # Errors
    /// Fails as [`approve`](Self::approve) does.
    pub fn reject(&self, target: &str) -> Result<(), Error> {
        Ok(self.machine().reject(target)?)
    }

    /// Returns the results of the sync so far. It returns the same as [`Step::Done`] contains, and
    /// is also available while the sync is running and after it has stopped.
    ///
    /// # Errors
    /// Fails with `suspended` or `closed`, and with `io` or `corrupt` if the store fails.
    pub fn report(&self) -> Result<SyncReport, Error> {
        let machine = self.machine();
        Ok(machine.report.complete(&machine.pass)?)
    }

    /// Returns the progress of the pass.
    #[must_use]
    pub fn progress(&self) -> SyncProgress {
        self.machine().progress()
    }

    fn machine(&self) -> MutexGuard<'_, Machine> {
        self.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
