//! The engine: opens a store, answers questions, applies changes and maintains the store.
//!
//! - `engine_options`: the options of an engine. `ask`: requests and typed questions.
//! - `data`: imports and exports datasets. `keyed_changes`: idempotent changes.
//! - `sync`: synced schools. `live_feed`: stores that follow another one.
//! - `observe`: live queries. `timer_thread`: wakes those that wait for midnight. `revision`: shows
//!   whether an answer may have changed, for callers that cannot use live queries.
//! - `maintain`: maintenance of the store. `verify`: checks the store for damage.

mod ask;
mod data;
mod engine_options;
mod keyed_changes;
mod live_feed;
mod maintain;
mod observe;
mod revision;
mod sync;
#[cfg(test)]
mod tests;
mod timer_thread;
mod verify;

pub use engine_options::{Compaction, Credentials, Options};
pub use keyed_changes::KeyedChanges;
pub use live_feed::LiveFeed;
pub use maintain::Stats;
pub use observe::{Answers, LiveQuery, Observable};
pub use verify::Verification;

use crate::api;
use crate::clock::Clock;
use crate::dataset::Freshness;
use crate::entropy::Entropy;
use crate::error::public::Result;
use crate::record::Kind;
use crate::record::stored::pre_render::RENDER_VERSION;
use crate::store::{Location, Store, StoreOptions};
use redb::StorageBackend;
use std::path::Path;
use std::sync::Arc;
use timer_thread::TimerThread;

/// The integration API over its own store.
///
/// An engine can be used from any number of threads at once; readers never wait for a load. Drop it
/// to close it, or call [`close`](Engine::close) to close it at a definite time.
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
    timer_thread: Arc<TimerThread>,
    syncs: crate::sync::OwnershipTokens,
}

impl Engine {
    /// Opens the store in a file, or creates one if no file exists. An empty file is not a store. A
    /// new store is first written next to the path as `rollbook-….part`. If the process is killed
    /// meanwhile, that file remains and can be removed.
    ///
    /// A forked process must open its own store. With an engine inherited from its parent it can
    /// only read what is in memory; every other call fails with `unsupported`.
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
    /// Fails with `already_open` if another engine, in this or another process, has the store open;
    /// with `not_a_store`, `newer_format` or `corrupt` if it cannot be read; with `io` if the file
    /// cannot be opened or created, for example because its folder does not exist or the file may
    /// only be read. In this case no file is left behind. Every change fails
    /// with `missing` once the file is no longer at the path; questions, an export and a backup
    /// still use the open file.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Engine> {
        Engine::on(Location::File(path.as_ref().to_owned()), options)
    }

    /// Opens an empty store in memory, which is discarded with the engine. It uses at most 32 MiB
    /// of `cache_bytes`.
    ///
    /// ```
    /// use rollbook::{Clock, Engine, Options};
    ///
    /// // A test with a fixed time.
    /// let clock = Clock::Fixed(1_778_745_600); // 2026-05-14T08:00:00Z
    /// let engine = Engine::memory(Options { clock, ..Options::default() })?;
    /// assert!(engine.verify()?.is_sound());
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn memory(options: Options) -> Result<Engine> {
        Engine::on(Location::Memory, options.in_memory())
    }

    /// Opens the store on a backend of the app, such as the file system of a browser, or creates
    /// one if the backend is empty. A backend that wraps another one must delegate its `close` and
    /// its locks.
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
                cursor_key: options.entropy.bytes()?,
                journal_bytes: options.journal_bytes,
                incarnation_seed: options.entropy.bytes()?,
                opening: 0,
                compact: options.compaction == Compaction::Auto,
            },
        )?;
        // Completes an erasure that was interrupted when the process was killed. If this fails, the
        // next erasure completes it.
        let _ = store.erase_leftovers();
        Ok(Engine {
            timer_thread: TimerThread::new(&options.clock),
            freshness: Arc::new(Freshness::read(&store)?),
            store: Arc::new(store),
            logins,
            entropy: options.entropy,
            clock: options.clock,
            limits,
            syncs: crate::sync::OwnershipTokens::default(),
        })
    }

    #[cfg(any(test, fuzzing))]
    pub(crate) fn forget(&self) -> crate::error::Result<()> {
        self.store.clear_caches()
    }

    /// Closes the store and its file. Every later call fails with `closed`, as does reading an
    /// export or a feed; closing again has no effect.
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
    /// Fails with `busy` if a load does not finish in time.
    pub fn close(&self) -> Result<()> {
        Ok(self.store.close()?)
    }
}

/// Ends the live queries. The store itself may exist longer, as long as a load, an export or a sync
/// uses it.
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
