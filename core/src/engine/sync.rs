//! Schools that are kept in step with the service.

use super::Engine;
use crate::dataset::{self, Coverage};
#[cfg(feature = "sync")]
use crate::error::Error;
use crate::error::public::Result;
#[cfg(feature = "sync")]
use crate::record::position::Followed;

impl Engine {
    /// What was seen of a school that is synced, and when; nothing of any other school.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(&br#"{"type":"school","school_id":1,"current_year":2026}"#[..])?;
    /// // A school from a dataset has all there is.
    /// assert_eq!(engine.synced(1)?, None);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// `suspended`, `closed`; `io` or `corrupt` if the store fails.
    pub fn synced(&self, school: u64) -> Result<Option<Coverage>> {
        let read = self
            .store
            .read(|snapshot| dataset::coverage::of_school(snapshot, school));
        Ok(read?)
    }

    /// Ends the syncing of a school. Its records stay, and are taken for all there is:
    /// what was not seen is answered as if there were nothing. The app may change them
    /// from here on. A school that is not synced stays as it is.
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
    /// `busy` or `io`; nothing is changed then.
    pub fn forget_sync(&self, school: u64) -> Result<()> {
        let forgotten = self.store.write(|write| {
            dataset::ledger::forget(write, school)?;
            #[cfg(feature = "sync")]
            dataset::followed::let_go_of(write, school)?;
            dataset::coverage::forget(write, school)
        });
        Ok(forgotten?)
    }
}

#[cfg(feature = "sync")]
impl Engine {
    /// Fills a school from the service: see [`Sync`](crate::Sync). What was not seen of it
    /// is `not_synced` afterwards, and in requests a 503.
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
    /// A pass that was left under way is gone on with. Of two syncs of a school the one that
    /// was started last goes on, and the other stops.
    ///
    /// # Errors
    /// `unsupported` if an option is of no form that it may have; `busy`, `suspended`,
    /// `closed`, `io`.
    pub fn sync(&self, school: u64, options: crate::SyncOptions) -> Result<crate::Sync> {
        let secret = self.store.read(|snapshot| {
            let followed = Followed::read(&**snapshot)?;
            if followed.is_some_and(|followed| followed.held(school).is_some()) {
                return Err(Error::unsupported(&format!(
                    "school {school} follows another store: sync it there, or call forget_sync first"
                )));
            }
            let key = snapshot.cursor_key()?;
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
