//! The care of the store.

use super::{Credentials, Engine, Verification, verify};
use crate::error::public::Result;
use crate::record::{Kind, integrator};
use crate::store::{self, LeftOut};
use std::path::Path;

/// How much the store holds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
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
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let found = engine.verify()?;
    /// assert!(found.is_sound(), "{:?}", found.problems);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
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
    /// ```
    /// use rollbook::{Compaction, Engine, Options};
    ///
    /// // At a moment that suits the app, and never by itself.
    /// let compaction = Compaction::Manual;
    /// let engine = Engine::memory(Options { compaction, ..Options::default() })?;
    /// engine.compact()?;
    /// # Ok::<(), rollbook::Error>(())
    /// ```
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
    /// ```
    /// use rollbook::{Credentials, Engine, Options};
    ///
    /// # let folder = std::env::temp_dir().join(format!("rollbook-backup-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("backup.redb");
    /// let engine = Engine::memory(Options::default())?;
    /// engine.backup(&path, Credentials::LeaveOut)?;
    /// let again = engine.backup(&path, Credentials::LeaveOut);
    /// assert_eq!(again.unwrap_err().code(), "exists");
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// `exists` if there is something at the path; `io` if it could not be
    /// written, and then nothing is left at the path.
    pub fn backup(&self, path: impl AsRef<Path>, credentials: Credentials) -> Result<()> {
        let lease = self.store.lease()?;
        let hashes = LeftOut {
            kind: Kind::Integrator as u8,
            is_one: integrator::is_integrator_row,
        };
        let left_out = (credentials == Credentials::LeaveOut).then_some(&hashes);
        Ok(lease.read(|snapshot| store::backup(snapshot, path.as_ref(), left_out))?)
    }

    /// Closes the file and lets go of its lock until
    /// [`resume`](Self::resume): for systems that kill an app which sleeps
    /// holding one.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// # let folder = std::env::temp_dir().join(format!("rollbook-suspend-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("school.redb");
    /// let engine = Engine::open(&path, Options::default())?;
    /// engine.suspend()?; // the app goes to the background
    /// assert_eq!(engine.stats().unwrap_err().code(), "suspended");
    /// engine.resume()?; // and comes back
    /// assert!(engine.stats().is_ok());
    /// # drop(engine);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), rollbook::Error>(())
    /// ```
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
    /// ```
    /// use rollbook::{Credentials, Engine, Options};
    ///
    /// # let folder = std::env::temp_dir().join(format!("rollbook-resume-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let (path, backup) = (folder.join("school.redb"), folder.join("backup.redb"));
    /// let engine = Engine::open(&path, Options::default())?;
    /// engine.backup(&backup, Credentials::Keep)?;
    /// engine.suspend()?;
    /// std::fs::rename(&backup, &path)?; // what is there by now is opened
    /// engine.resume()?;
    /// assert!(engine.verify()?.is_sound());
    /// # drop(engine);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), rollbook::Error>(())
    /// ```
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
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(&br#"{"type":"grade","school_id":1,"grade_id":9,"grade":"7"}"#[..])?;
    /// let stats = engine.stats()?;
    /// assert!(stats.records.contains(&("grade", 1)) && stats.bytes > 0);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// `suspended`, `closed`; `io` or `corrupt` if the store fails.
    pub fn stats(&self) -> Result<Stats> {
        let totals = self.store.read(|snapshot| snapshot.totals())?;
        let counted = |kind: Kind| (kind.name(), totals.of(kind as u8));
        let mut records: Vec<_> = Kind::ALL.into_iter().map(counted).collect();
        records.sort_unstable_by_key(|(name, _)| *name);
        Ok(Stats {
            bytes: self.store.bytes()?,
            records,
        })
    }
}
