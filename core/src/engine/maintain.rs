//! Maintenance of the store.

use super::{Credentials, Engine, Verification, verify};
use crate::error::public::Result;
use crate::record::Kind;
use crate::record::kinds::integrator;
use crate::store::{self, OmittedRows};
use std::path::Path;

/// The size of the store.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// The size of the store on disk or in memory, in bytes.
    pub bytes: u64,
    /// The number of records of each kind, by the value of their `type`. It contains all kinds, in
    /// alphabetical order.
    pub records: Vec<(&'static str, u64)>,
}

impl Engine {
    /// Checks the whole store for damage and for inconsistent records. Changes nothing; questions
    /// are answered meanwhile.
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
    /// Fails with `busy` if a change does not finish in time. Damage is part of the result and not
    /// an error.
    pub fn verify(&self) -> Result<Verification> {
        Ok(verify::verify(&self.store)?)
    }

    /// Returns free space to the file system, and removes all remains of removed records from the
    /// file. Questions wait meanwhile, and the file temporarily needs up to twice the space.
    ///
    /// ```
    /// use rollbook::{Compaction, Engine, Options};
    ///
    /// // The store is compacted only when the app requests it.
    /// let compaction = Compaction::Manual;
    /// let engine = Engine::memory(Options { compaction, ..Options::default() })?;
    /// engine.compact()?;
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails with `busy` if a change or a backup does not finish in time; an export or a feed that
    /// is not read completely by then fails with `reader_ended`. In a browser, it fails with `busy`
    /// at once while one of them is being read. Fails with `io` if there is not enough space, with
    /// `corrupt` if the file is damaged, and with `missing` if it was deleted or replaced. In these
    /// cases the store remains unchanged.
    pub fn compact(&self) -> Result<()> {
        Ok(self.store.compact()?)
    }

    /// Writes a copy of the current state of the store to a new file. Changes and questions
    /// continue meanwhile. Only the owner of the file can read it, because it contains personal
    /// data, and password hashes if credentials are included.
    ///
    /// Until the copy is complete, its name is `rollbook-….part`, in the same folder. If the
    /// process is killed meanwhile, that file remains and contains personal data: remove it.
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
    /// Fails with `exists` if there is a file at the path, and with `io` if the copy cannot be
    /// written. In the latter case nothing remains at the path.
    pub fn backup(&self, path: impl AsRef<Path>, credentials: Credentials) -> Result<()> {
        let lease = self.store.lease()?;
        let hashes = OmittedRows {
            kind: Kind::Integrator as u8,
            is_matching: integrator::is_integrator_row,
        };
        let left_out = (credentials == Credentials::LeaveOut).then_some(&hashes);
        Ok(lease.read(|snapshot| store::backup(snapshot, path.as_ref(), left_out))?)
    }

    /// Closes the file and releases its lock until [`resume`](Self::resume) is called. This is for
    /// systems that kill a sleeping app that has a lock.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// # let folder = std::env::temp_dir().join(format!("rollbook-suspend-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("school.redb");
    /// let engine = Engine::open(&path, Options::default())?;
    /// engine.suspend()?; // the app is in the background
    /// assert_eq!(engine.stats().unwrap_err().code(), "suspended");
    /// engine.resume()?; // the app is in the foreground again
    /// assert!(engine.stats().is_ok());
    /// # drop(engine);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails with `unsupported` unless the store is in a file, and with `busy` if a change or a
    /// backup does not finish in time. An export or a feed that is not read completely by then
    /// fails with `reader_ended`.
    pub fn suspend(&self) -> Result<()> {
        self.store.suspend()?;
        self.freshness.invalidate();
        Ok(())
    }

    /// Opens the file again after [`suspend`](Self::suspend). The store that is now at the path is
    /// opened: another process may have changed it, or a backup may have replaced it.
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
    /// std::fs::rename(&backup, &path)?;
    /// engine.resume()?; // opens the file that is now at the path
    /// assert!(engine.verify()?.is_sound());
    /// # drop(engine);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails as [`open`](Engine::open) does, but with `missing` if there is no file, because none
    /// is created.
    pub fn resume(&self) -> Result<()> {
        self.store.resume()?;
        let _ = self.store.erase_leftovers();
        // If this fails, every question repeats the check itself.
        let _ = self.freshness.refresh(&self.store);
        Ok(())
    }

    /// Returns the size of the store and the number of its records.
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
    /// Fails with `suspended` or `closed`, and with `io` or `corrupt` if the store fails.
    pub fn stats(&self) -> Result<Stats> {
        let totals = self.store.read(|snapshot| snapshot.totals())?;
        let counted = |kind: Kind| (kind.name(), totals.get(kind as u8));
        let mut records: Vec<_> = Kind::ALL.into_iter().map(counted).collect();
        records.sort_unstable_by_key(|(name, _)| *name);
        Ok(Stats {
            bytes: self.store.bytes()?,
            records,
        })
    }
}
