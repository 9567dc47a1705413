//! The engine: open a store, ask, load, maintain.
//!
//! - `options`: what an engine is opened with. `ask`: requests and questions.
//! - `data`: datasets in and out. `once`: changes that may be repeated.
//! - `sync`: schools that are synced. `follow`: stores that follow another one.
//! - `observe`: answers that follow what changes. `revision`: whether they may have changed, for
//!   who cannot watch.
//! - `maintain`: the care of the store. `verify`: whether it is sound.

mod ask;
mod data;
#[cfg(feature = "sync")]
mod follow;
#[cfg(test)]
mod followed;
mod maintain;
mod observe;
mod once;
mod options;
mod revision;
mod sync;
#[cfg(test)]
mod unseen;
mod verify;

#[cfg(all(feature = "sync", not(target_family = "wasm")))]
pub use follow::FeedObservation;
pub use maintain::Stats;
#[cfg(all(feature = "stream", not(target_family = "wasm")))]
pub use observe::Answers;
pub use observe::{Observation, Observed};
pub use once::Once;
pub use options::{Compaction, Credentials, Options};
pub use verify::Verification;

use crate::api;
use crate::clock::Clock;
use crate::dataset::Freshness;
use crate::entropy::Entropy;
use crate::error::public::Result;
use crate::record::Kind;
use crate::record::bake::RENDER_VERSION;
use crate::record::facts;
use crate::store::{Location, Store, StoreOptions};
use redb::StorageBackend;
use std::path::Path;
use std::sync::Arc;

/// The integration API over a store of its own.
///
/// An engine is asked from any number of threads at once; readers never wait
/// for a load. Close it by dropping it, or with [`close`](Engine::close) where
/// the moment matters.
///
/// ```
/// use rollbook::{Engine, Options, Request};
/// # fn main() -> rollbook::Result<()> {
/// let engine = Engine::memory(Options::default())?;
/// engine.apply(r#"
/// {"type":"school","school_id":1000,"school_name":"d6+ Primary School","current_year":2026}
/// {"type":"api_type","api_type_id":8,"api_type":"Admin+ API","family":"administration"}
/// {"type":"integrator","username":"demo","password":"demo"}
/// {"type":"client_integration","username":"demo","school_id":1000,"api_type_id":8,"state":1}
/// {"type":"learner","school_id":1000,"id":1,"first_name":"John","last_name":"Smith"}
/// "#.as_bytes())?;
/// let answer = engine.request(&Request {
///     target: "/api/v1/adminplus/learners/1000?name=smith",
///     headers: &[("HTTP-X-USERNAME", "demo"), ("HTTP-X-PASSWORD", "demo")],
///     ..Request::default()
/// });
/// assert_eq!(answer.status.code, 200);
/// assert!(answer.text().starts_with(r#"[{"id":"1","first_name":"John","last_name":"Smith","#));
/// # Ok(())
/// # }
/// ```
pub struct Engine {
    store: Arc<Store>,
    logins: api::LoginCache,
    freshness: Arc<Freshness>,
    entropy: Entropy,
    clock: Clock,
    limits: api::Limits,
    #[cfg(not(target_family = "wasm"))]
    attendant: Arc<observe::Attendant>,
    #[cfg(feature = "sync")]
    syncs: crate::sync::Turns,
}

impl Engine {
    /// Opens the store in a file, and makes one where nothing is: a file that is
    /// empty is no store. A new store is written beside the path as
    /// `rollbook-….part`; should the process be killed meanwhile, that file stays,
    /// and may be removed.
    ///
    /// A process that is forked opens a store of its own: of an engine that it
    /// inherits it reads what lies in memory, and every other call fails as
    /// `unsupported`.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// # let folder = std::env::temp_dir().join(format!("rollbook-open-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("school.redb");
    /// let engine = Engine::open(&path, Options::default())?;
    /// engine.apply(&br#"{"type":"grade","school_id":1,"grade_id":9,"grade":"7"}"#[..])?;
    /// engine.close()?;
    ///
    /// let engine = Engine::open(&path, Options::default())?;
    /// assert!(engine.stats()?.records.contains(&("grade", 1)));
    /// # drop(engine);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// `already_open` if an engine holds it, here or in another process;
    /// `not_a_store`, `newer_format` or `corrupt` if it cannot be read. Every
    /// change fails as `missing` once the file is no longer at the path;
    /// questions, an export and a backup still see what is open.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Engine> {
        Engine::on(Location::File(path.as_ref().to_owned()), options)
    }

    /// Opens an empty store that lives in memory and goes with the engine. Of
    /// `cache_bytes` it takes 32 MiB at most.
    ///
    /// ```
    /// use rollbook::{Clock, Engine, Options};
    ///
    /// // A test on a day of its own choice.
    /// let clock = Clock::Fixed(1_778_745_600); // 2026-05-14T08:00:00Z
    /// let engine = Engine::memory(Options { clock, ..Options::default() })?;
    /// assert!(engine.verify()?.is_sound());
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn memory(options: Options) -> Result<Engine> {
        Engine::on(Location::Memory, options.in_memory())
    }

    /// Opens the store on a backend of the app's own, such as the browser's
    /// file system, and makes one in an empty one. One that wraps another
    /// delegates its `close` and its locks.
    ///
    /// ```
    /// use rollbook::{Engine, Options, backend::InMemoryBackend};
    /// let engine = Engine::open_with_backend(InMemoryBackend::new(), Options::default())?;
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn open_with_backend(backend: impl StorageBackend, options: Options) -> Result<Engine> {
        Engine::on(Location::Backend(Box::new(backend)), options)
    }

    fn on(location: Location, options: Options) -> Result<Engine> {
        options.clock.check()?;
        let limits = options.limits()?;
        let logins = api::LoginCache::new(options.entropy.bytes()?);
        let store = Store::open(
            location,
            StoreOptions {
                cache_bytes: options.cache_bytes,
                decoded_bytes: options.decoded_bytes,
                wait: options.writer_wait,
                render_version: RENDER_VERSION,
                highest_kind: Kind::HIGHEST,
                facts_from_format_1: facts::from_format_1,
                cursor_key: options.entropy.bytes()?,
                journal_bytes: options.journal_bytes,
                generation_seed: options.entropy.bytes()?,
                opening: 0,
                compact: options.compaction == Compaction::Auto,
            },
        )?;
        Ok(Engine {
            #[cfg(not(target_family = "wasm"))]
            attendant: observe::Attendant::new(&options.clock),
            freshness: Arc::new(Freshness::of(&store)?),
            store: Arc::new(store),
            logins,
            entropy: options.entropy,
            clock: options.clock,
            limits,
            #[cfg(feature = "sync")]
            syncs: crate::sync::Turns::default(),
        })
    }

    #[cfg(fuzzing)]
    pub(crate) fn forget(&self) -> crate::error::Result<()> {
        self.store.forget()
    }

    /// Closes the store and gives its file back. Every later call fails with
    /// `closed`; closing again does nothing.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.close()?;
    /// assert_eq!(engine.stats().unwrap_err().code(), "closed");
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// `busy` if a load does not end in time.
    pub fn close(&self) -> Result<()> {
        Ok(self.store.close()?)
    }
}

/// A load, an export or a sync may hold the store longer.
impl Drop for Engine {
    fn drop(&mut self) {
        self.store.end_watches();
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("clock", &self.clock)
            .finish_non_exhaustive()
    }
}
