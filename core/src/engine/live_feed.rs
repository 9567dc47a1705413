//! Stores that follow another one, and the feeds for them.

use super::Engine;
use crate::dataset::Export;
use crate::error::Error;
use crate::error::public::Result;
use crate::feed::{Feed, Follow};
use crate::record::presence::{RECORDS, STATE};
use crate::record::replication::position::FollowerState;
use crate::record::replication::scope::Scope;
use crate::store::{Sources, Store, Watch};
use std::sync::{Arc, Weak};

impl Engine {
    /// Exports the records of a scope as a dataset, as [`export`](Self::export) does. Integrators
    /// and client integrations are never included.
    ///
    /// ```
    /// use rollbook::{Engine, Options, Scope};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(r#"
    /// {"type":"learner","school_id":1,"id":7,"last_name":"Smith"}
    /// {"type":"learner","school_id":1,"id":8,"last_name":"Dlamini"}
    /// "#.as_bytes())?;
    /// let lines = engine.export_scope(&Scope::default().learners(1, [8]))?;
    /// let lines = lines.collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(lines, [r#"{"type":"learner","school_id":1,"id":8,"last_name":"Dlamini"}"#]);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails with `suspended` or `closed`, and with `io` or `corrupt` if the store fails.
    pub fn export_scope(&self, scope: &Scope) -> Result<Export> {
        Ok(Export::of_scope(self.store.lease()?, scope))
    }

    /// Returns the feed that brings a follower of a scope from a position to the current state.
    /// Without a position, the feed contains the whole scope. If the position belongs to another
    /// store, or is older than the recorded changes of this one, the feed also contains the whole
    /// scope, and replaces the data of the follower. A follower accepts only a feed that was
    /// requested with its own position. Send the feed if it [`has_changes`](Feed::has_changes):
    /// then the position of a follower that polls from time to time never becomes too old.
    ///
    /// ```
    /// use rollbook::{Engine, Options, Scope};
    ///
    /// let server = Engine::memory(Options::default())?;
    /// server.apply(r#"
    /// {"type":"school","school_id":1,"current_year":2026}
    /// {"type":"learner","school_id":1,"id":7,"last_name":"Smith"}
    /// {"type":"learner","school_id":1,"id":8,"last_name":"Dlamini"}
    /// "#.as_bytes())?;
    /// let phone = Engine::memory(Options::default())?;
    /// let family = Scope::default().learners(1, [8]);
    /// for _ in 0..2 {
    ///     let after = phone.followed()?;
    ///     let mut follow = phone.follow();
    ///     for line in server.feed(&family, after.as_deref())? {
    ///         follow.push(format!("{}\n", line?).as_bytes())?; // over the network
    ///     }
    ///     follow.finish()?;
    ///     server.apply(&br#"{"type":"learner","school_id":1,"id":8,"last_name":"Naidoo"}"#[..])?;
    /// }
    /// let learners = phone.ask(&rollbook::Learners {
    ///     school: 1,
    ///     learner_id: Some(8),
    ///     ..rollbook::Learners::default()
    /// })?;
    /// assert!(learners.text().contains("Naidoo"));
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails with `resync_required` if the text is not a position; with `not_synced` if the first
    /// pass of the sync of a school has not published anything yet; with `unsupported` if this store
    /// follows another one and the scope contains more than it has, or if the scope contains more
    /// than about 100,000 learners and schools; with `suspended`, `closed`, `io` or `corrupt`.
    pub fn feed(&self, scope: &Scope, after: Option<&str>) -> Result<Feed> {
        Ok(Feed::new(self.store.lease()?, scope, after)?)
    }

    /// Observes the feeds of a scope, for servers that delay their answer until something changes.
    ///
    /// ```
    /// use rollbook::{Engine, Options, Scope};
    ///
    /// let server = Engine::memory(Options::default())?;
    /// let mut feeds = server.observe_feed(Scope::default().school(1));
    /// let Some(feed) = feeds.poll(None).transpose()? else { return Ok(()) };
    /// let position = feed.position();
    /// drop(feed);
    /// assert!(feeds.poll(Some(&position)).is_none());
    /// server.apply(&br#"{"type":"grade","school_id":1,"grade_id":9}"#[..])?;
    /// assert!(feeds.poll(Some(&position)).is_some());
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn observe_feed(&self, scope: Scope) -> LiveFeed {
        let schools = scope.schools.keys();
        let sources = RECORDS.union(STATE);
        let of_schools = schools.map(|school| self.store.watch(Some(*school), sources));
        let mut watches: Vec<_> = of_schools.collect();
        // A scope without schools contains only the tables that belong to no school.
        watches.push(self.store.watch(None, Sources::GLOBAL));
        LiveFeed {
            store: Arc::downgrade(&self.store),
            scope,
            watches,
            current: None,
        }
    }

    /// Begins to apply a feed of another store to this one. See [`feed`](Self::feed).
    ///
    /// Schools that are followed belong to the source, and so do the lists that are the same for
    /// all schools: `apply` refuses their records with `synced`, except for client integrations. A
    /// question about data outside the scope fails with `not_synced`.
    /// [`remove_school`](Self::remove_school) removes a followed school, and
    /// [`forget_sync`](Self::forget_sync) turns it into a school of the app.
    pub fn follow(&self) -> Follow {
        Follow::new(self.store.clone())
    }

    /// Returns the position of this store in the history of the store that it follows, which is the
    /// position for requesting the next feed. Returns `None` if it does not follow another store.
    ///
    /// # Errors
    /// Fails with `suspended` or `closed`, and with `io` or `corrupt` if the store fails.
    pub fn followed(&self) -> Result<Option<String>> {
        let followed = self
            .store
            .read(|snapshot| FollowerState::read(&**snapshot))?;
        Ok(followed.map(|followed| followed.position.to_text()))
    }
}

/// Observes the feeds of a scope, one after the other. See [`Engine::observe_feed`].
pub struct LiveFeed {
    store: Weak<Store>,
    scope: Scope,
    watches: Vec<Watch>,
    /// The position for which the last poll returned no feed, which is empty if there was none.
    /// Until something is changed, there is no feed for this position. A feed that was returned may
    /// be lost, so that it is made again.
    current: Option<String>,
}

impl LiveFeed {
    /// Returns the feed after a position if the follower should apply it (see
    /// [`Feed::has_changes`]). If the last poll had the same position and returned nothing, and
    /// nothing was changed in the schools of the scope since, a poll costs almost nothing and returns
    /// `None` again.
    ///
    /// # Errors
    /// Fails as [`Engine::feed`] does, except that it returns `None` while the engine is suspended.
    /// The next poll tries again.
    pub fn poll(&mut self, after: Option<&str>) -> Option<Result<Feed>> {
        let touched = self.watches.iter().filter(|watch| watch.take_changed());
        let current = self.current.take();
        if touched.count() == 0 && current.as_deref() == Some(after.unwrap_or_default()) {
            self.current = current;
            return None;
        }
        let store = self.store.upgrade().filter(|_| !self.is_over())?;
        let lease = store.lease().map_err(Error::from);
        let feed = lease.and_then(|lease| Ok(Feed::new(lease, &self.scope, after)?));
        // The watches are notified when the engine is resumed.
        if let Err(Error::Suspended) = feed {
            return None;
        }
        let feed = feed.map(|feed| feed.has_changes().then_some(feed));
        if let Ok(None) = feed {
            self.current = Some(after.unwrap_or_default().to_owned());
        }
        feed.transpose()
    }

    /// Sets a callback for the time when a poll may return a feed. It is called by the thread that
    /// made the change, and must be quick.
    pub fn on_change(&mut self, changed: impl Fn() + Send + Sync + 'static) {
        let changed: Arc<dyn Fn() + Send + Sync> = Arc::new(changed);
        for watch in &self.watches {
            watch.on_change(Some(changed.clone()));
        }
    }

    /// Returns whether the engine was closed or dropped. No feed follows.
    pub fn is_over(&self) -> bool {
        self.watches.iter().any(Watch::has_ended)
    }
}
