//! The care of the store.

use super::{Credentials, Engine, Verification, verify};
use crate::Result;
use crate::record::{Kind, integrator};
use crate::store::{self, LeftOut};
use std::path::Path;

/// How much the store holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stats {
    /// How many bytes the store takes on disk, or in memory.
    pub bytes: u64,
    /// How many records of each kind there are, by the name that their `type`
    /// bears; all kinds, in alphabetical order.
    pub records: Vec<(&'static str, u64)>,
}

impl Engine {
    /// Looks through the whole store for damage and for records that do not
    /// agree with each other. Changes nothing; questions go on meanwhile.
    ///
    /// # Errors
    /// `busy` if a change does not end in time. Damage is a finding.
    pub fn verify(&self) -> Result<Verification> {
        Ok(verify::verify(&self.store)?)
    }

    /// Gives free space back to the file system, and leaves nothing in the
    /// file of what was removed. Questions wait meanwhile; for a while the file
    /// is up to twice as long.
    ///
    /// # Errors
    /// `busy` while a change is written or an export or backup is read; `io` if
    /// there is no room, `corrupt` if the file is damaged, `missing` if it was
    /// deleted or replaced, and then the store is as it was.
    pub fn compact(&self) -> Result<()> {
        Ok(self.store.compact()?)
    }

    /// Writes a copy of the store to a new file, as it is now; changes and
    /// questions go on meanwhile. The file is readable by its owner alone: it
    /// holds personal data, and password hashes if credentials are kept.
    ///
    /// Until it is whole, the copy is called `rollbook-….part`, in the same
    /// folder; should the process be killed meanwhile, that file stays, with
    /// personal data: remove it.
    ///
    /// # Errors
    /// `exists` if there is something at the path; `io` if it could not be
    /// written, and then nothing is left at the path.
    pub fn backup(&self, path: impl AsRef<Path>, credentials: Credentials) -> Result<()> {
        let lease = self.store.lease()?;
        let hashes = LeftOut {
            kind: Kind::Integrator as usize,
            is_one: integrator::is_integrator_row,
        };
        let left_out = (credentials == Credentials::LeaveOut).then_some(&hashes);
        Ok(lease.read(|snapshot| store::backup(snapshot, path.as_ref(), left_out))?)
    }

    /// Closes the file and lets go of its lock until
    /// [`resume`](Self::resume): for systems that kill an app which sleeps
    /// holding one.
    ///
    /// # Errors
    /// `unsupported` unless the store is in a file; `busy` while a change is
    /// written or an export or backup is read: cancel it first.
    pub fn suspend(&self) -> Result<()> {
        self.store.suspend()?;
        self.freshness.forget();
        Ok(())
    }

    /// Opens the file again after [`suspend`](Self::suspend): whatever store is at
    /// its path by now, so that another process may have changed it, or a backup
    /// have been put there.
    ///
    /// # Errors
    /// As [`open`](Engine::open), but `missing` where nothing is: none is made.
    pub fn resume(&self) -> Result<()> {
        self.store.resume()?;
        // Should it fail, every question looks for itself.
        let _ = self.freshness.look_again(&self.store);
        Ok(())
    }

    /// How much the store holds.
    ///
    /// # Errors
    /// `suspended`, `closed`; `io` or `corrupt` if the store fails.
    pub fn stats(&self) -> Result<Stats> {
        let totals = self.store.read(|snapshot| snapshot.totals())?;
        let kinds = Kind::ALL.into_iter().map(Kind::name);
        let mut records: Vec<_> = kinds.zip(totals.records).collect();
        records.sort_unstable_by_key(|(name, _)| *name);
        Ok(Stats {
            bytes: self.store.bytes()?,
            records,
        })
    }
}
