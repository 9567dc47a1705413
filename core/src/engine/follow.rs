//! Stores that follow another one.

use super::Engine;
use crate::dataset::Export;
#[cfg(not(target_family = "wasm"))]
use crate::error::Error;
use crate::error::public::Result;
use crate::feed::{Feed, Follow};
use crate::record::position::Followed;
use crate::record::scope::Scope;
#[cfg(not(target_family = "wasm"))]
use crate::store::{Collection, Sources, Store, Watch};
#[cfg(not(target_family = "wasm"))]
use std::sync::{Arc, Weak};

impl Engine {
    /// The records of a scope, as a dataset: see [`export`](Self::export). Integrators and
    /// client integrations are never among them.
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
    /// `suspended`, `closed`; `io` or `corrupt` if the store fails.
    pub fn export_scope(&self, scope: &Scope) -> Result<Export> {
        Ok(Export::of_scope(self.store.lease()?, scope))
    }

    /// What brings a follower of a scope from a position to now; from nothing without one.
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
    /// `begin_anew` if the position is of another store, or lies before what this one has
    /// noted of its changes; `unsupported` if this store follows another one and the scope
    /// names more than it has, or if it names learners beyond some 30,000; `suspended`, `closed`, `io`, `corrupt`.
    pub fn feed(&self, scope: &Scope, after: Option<&str>) -> Result<Feed> {
        Ok(Feed::new(self.store.lease()?, scope, after)?)
    }

    /// Observes the feeds of a scope, for who waits with an answer until something changed.
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
    #[cfg(not(target_family = "wasm"))]
    pub fn observe_feed(&self, scope: Scope) -> FeedObservation {
        let schools = scope.schools.keys();
        let of_schools = schools.map(|school| self.store.watch(Some(*school), Sources::RECORDS));
        let mut watches: Vec<_> = of_schools.collect();
        watches.push(self.store.watch(None, Sources::of(&[Collection::Followed])));
        FeedObservation {
            store: Arc::downgrade(&self.store),
            scope,
            watches,
        }
    }

    /// A feed of another store, to be taken into this one: see [`feed`](Self::feed).
    ///
    /// Schools that are followed are the source's to change: `apply` refuses them as
    /// `synced`, but for client integrations. A question about more than the scope has is
    /// `not_synced`. [`remove_school`](Self::remove_school) takes a school back, and
    /// [`forget_sync`](Self::forget_sync) makes it the app's.
    pub fn follow(&self) -> Follow {
        Follow::new(self.store.clone())
    }

    /// How far this store has followed another one: the position to ask for the next feed
    /// after. Nothing if it has not.
    ///
    /// # Errors
    /// `suspended`, `closed`; `io` or `corrupt` if the store fails.
    pub fn followed(&self) -> Result<Option<String>> {
        let followed = self.store.read(|snapshot| Followed::read(&**snapshot))?;
        Ok(followed.map(|followed| followed.position.to_text()))
    }
}

/// The feeds of a scope, one after the other: see [`Engine::observe_feed`].
#[cfg(not(target_family = "wasm"))]
pub struct FeedObservation {
    store: Weak<Store>,
    scope: Scope,
    watches: Vec<Watch>,
}

#[cfg(not(target_family = "wasm"))]
impl FeedObservation {
    /// The feed after a position, if it has changes. It costs next to nothing as long as
    /// nothing was changed of its schools; the first one is looked for in any case.
    ///
    /// # Errors
    /// As [`Engine::feed`].
    pub fn poll(&mut self, after: Option<&str>) -> Option<Result<Feed>> {
        let touched = self.watches.iter().filter(|watch| watch.take());
        if touched.count() == 0 {
            return None;
        }
        let store = self.store.upgrade().filter(|_| !self.is_over())?;
        let lease = store.lease().map_err(Error::from);
        let feed = lease.and_then(|lease| Ok(Feed::new(lease, &self.scope, after)?));
        feed.map(|feed| feed.has_changes().then_some(feed))
            .transpose()
    }

    /// Has this called when it is time to poll again, by the thread that made the change: it
    /// is to be quick.
    pub fn on_change(&mut self, changed: impl Fn() + Send + Sync + 'static) {
        let changed: Arc<dyn Fn() + Send + Sync> = Arc::new(changed);
        for watch in &self.watches {
            watch.on_touch(Some(changed.clone()));
        }
    }

    /// Whether the engine was closed or dropped. No feed follows.
    pub fn is_over(&self) -> bool {
        self.watches.iter().any(Watch::has_ended)
    }
}
