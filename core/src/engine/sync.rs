//! Schools that are synced with the service.

use super::Engine;
use crate::dataset::{self, Coverage};
use crate::error::public::Result;
use crate::sync::check_not_followed;

impl Engine {
    /// Returns the coverage of a synced school: which data was fetched, and when. Returns `None`
    /// for any other school.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(&br#"{"type":"school","school_id":1,"current_year":2026}"#[..])?;
    /// // A school from a dataset is complete and has no coverage.
    /// assert_eq!(engine.synced(1)?, None);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails with `suspended` or `closed`, and with `io` or `corrupt` if the store fails.
    pub fn synced(&self, school: u64) -> Result<Option<Coverage>> {
        let read = self
            .store
            .read(|snapshot| dataset::replication::stored_coverage::of_school(snapshot, school));
        Ok(read?)
    }

    /// Ends the sync of a school. Its records remain, and count as complete: data that was not
    /// fetched is answered as if it did not exist. From then on, the app may change the records. A
    /// school that is not synced remains unchanged.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.forget_sync(1)?;
    /// engine.apply(&br#"{"type":"grade","school_id":1,"grade_id":9,"grade":"7"}"#[..])?;
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails with `busy` or `io`; nothing is changed in this case.
    pub fn forget_sync(&self, school: u64) -> Result<()> {
        let forgotten = self.store.write(|write| {
            dataset::replication::stored_fetch_log::remove_log(write, school)?;
            dataset::replication::follower_state::stop_following(write, school)?;
            dataset::replication::stored_coverage::end_sync(write, school)
        });
        Ok(forgotten?)
    }
}

impl Engine {
    /// Starts a sync, which fills a school from the service. See [`Sync`](crate::Sync). As soon as
    /// the first pass has stored records, questions about data that was not fetched fail with
    /// `not_synced`, and requests are answered with 503. Until then, the school has no records.
    ///
    /// ```
    /// # fn main() -> rollbook::Result<()> {
    /// use rollbook::{Engine, Options, Step, SyncOptions};
    /// let engine = Engine::memory(Options::default())?;
    /// let sync = engine.sync(1000, SyncOptions::default())?;
    /// let now = 1_778_745_600; // 2026-05-14T08:00:00Z
    /// let Step::Send(call) = sync.next(now)? else { return Ok(()) };
    /// assert_eq!(call.target, "/api/v1/finplus/debtmanagement/schools/1000");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// An unfinished pass is resumed. If two syncs of a school exist, the one that was started last
    /// continues, and the other one stops.
    ///
    /// # Errors
    /// Fails with `unsupported` if an option is invalid, or if the school follows another store;
    /// with `busy`, `suspended`, `closed` or `io`.
    pub fn sync(&self, school: u64, options: crate::SyncOptions) -> Result<crate::Sync> {
        let secret = self.store.read(|snapshot| {
            check_not_followed(snapshot.owners().get(school), school)?;
            let key = snapshot.cursor_key();
            let (half, _) = key.split_first_chunk().unwrap_or((&[0; 8], &[]));
            Ok(u64::from_le_bytes(*half))
        })?;
        let store = self.store.clone();
        Ok(crate::Sync::new(
            store,
            &self.syncs,
            secret,
            school,
            options,
        )?)
    }
}
