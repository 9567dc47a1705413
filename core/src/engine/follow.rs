//! Stores that follow another one.

use super::Engine;
use crate::dataset::Export;
use crate::error::public::Result;
use crate::feed::{Feed, Follow};
use crate::record::position::Followed;
use crate::record::scope::Scope;

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
    /// names more than it has; `suspended`, `closed`, `io`, `corrupt`.
    pub fn feed(&self, scope: &Scope, after: Option<&str>) -> Result<Feed> {
        Ok(Feed::new(self.store.lease()?, scope, after)?)
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
    /// after. Nothing if it has not, and after a feed that began anew and did not end.
    ///
    /// # Errors
    /// `suspended`, `closed`; `io` or `corrupt` if the store fails.
    pub fn followed(&self) -> Result<Option<String>> {
        let followed = self.store.read(|snapshot| Followed::read(&**snapshot))?;
        Ok(followed.map(|followed| followed.position.to_text()))
    }
}
