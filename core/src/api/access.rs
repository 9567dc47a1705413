//! The access checks: credentials, authorisation and activation (section 5).

use super::hashing_queue::HashingQueue;
use super::refusal::Refusal;
use crate::error::Result;
use crate::query::{Authorisations, Family, Integrators, View, api_types, integrators};
use crate::record::kinds::integrator;
use crate::record::values::password::Costs;
use crate::store::{Reader, Snapshot, Store};
use blake2::{Blake2s256, Digest};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

/// Returns the reason why an integrator has no access, if there is one: the school has not
/// authorised it (401), or has not activated an API family (403).
pub(super) fn refused(
    view: View<'_>,
    authorised: &Authorisations,
    families: impl Iterator<Item = Family>,
) -> Result<Option<Refusal>> {
    if authorised.is_empty() {
        return Ok(Some(Refusal::SchoolNotAuthorised));
    }
    let types = api_types(view.snapshot)?;
    for family in families {
        if !authorised.is_active(family, &types) {
            let name = types.name_of(view.snapshot, family)?;
            return Ok(Some(Refusal::Inactive(name.into_owned())));
        }
    }
    Ok(None)
}

/// A cache of checked user names and passwords, stored as digests with a key of the engine. Because
/// of it, a password is hashed slowly only once, and not for every request.
pub(crate) struct LoginCache {
    key: [u8; 32],
    /// The password hash with which each pair was correct. An entry is valid while the integrator
    /// has this hash.
    passed: RwLock<HashMap<Pair, String>>,
    failed: Mutex<Failed>,
    turns: HashingQueue,
}

/// The most recent wrong pairs, so that a repeated wrong password costs nothing.
#[derive(Default)]
struct Failed {
    pairs: VecDeque<Pair>,
    /// The integrators at the time of the failures. The entries are valid until integrators change.
    /// Therefore no user name is looked up, and the duration reveals nothing about it.
    since: Weak<Integrators>,
}

/// The keyed digest of a user name and a password.
pub(super) type Pair = [u8; 32];

/// The cached result for a pair.
pub(super) enum Recalled {
    Passed,
    Failed,
    /// The result is unknown: the password must be hashed.
    Nothing,
}

const MAX_PASSED: usize = 1024;
const MAX_FAILED: usize = 64;

impl LoginCache {
    pub(crate) fn new(key: [u8; 32]) -> LoginCache {
        LoginCache {
            key,
            passed: RwLock::default(),
            failed: Mutex::default(),
            turns: HashingQueue::default(),
        }
    }

    pub(super) fn pair(&self, username: &str, password: &str) -> Pair {
        let digest = Blake2s256::new()
            .chain_update(self.key)
            .chain_update((username.len() as u64).to_le_bytes())
            .chain_update(username)
            .chain_update(password);
        digest.finalize().into()
    }

    /// Returns the cached result for the pair of a user name. A user name of an invalid form counts
    /// as wrong.
    pub(super) fn recall(
        &self,
        pair: &Pair,
        username: &str,
        snapshot: &Snapshot,
    ) -> Result<Recalled> {
        if !integrator::is_username(username) {
            return Ok(Recalled::Failed);
        }
        let integrators = integrators(snapshot)?;
        let passed = self.passed.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = passed.get(pair) {
            let hash = integrators.password_hash(snapshot, username)?;
            if hash.as_deref() == Some(known) {
                return Ok(Recalled::Passed);
            }
        }
        drop(passed);
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(
            if failed.is_since(&integrators) && failed.pairs.contains(pair) {
                Recalled::Failed
            } else {
                Recalled::Nothing
            },
        )
    }

    /// Checks a password by hashing it, and caches the result. The password of an unknown user is
    /// hashed too.
    pub(super) fn log_in(
        &self,
        pair: Pair,
        username: &str,
        password: &str,
        store: &Store,
    ) -> Result<LogIn> {
        // A known user name has priority, whatever its password is. A faster test of the password
        // would also help someone who has stolen the file.
        let is_stranger = store.read(|snapshot| {
            let hash = snapshot.integrator_row(&integrator::row_key(username))?;
            Ok(hash.is_none())
        })?;
        let Some(mut turn) = self.turns.take(username, is_stranger) else {
            return Ok(LogIn::Later);
        };
        let stored = store.read(|snapshot| match self.recall(&pair, username, snapshot)? {
            Recalled::Passed => Ok(Err(LogIn::Right)),
            Recalled::Failed => Ok(Err(LogIn::Wrong)),
            Recalled::Nothing => StoredPassword::read(snapshot, username).map(Ok),
        })?;
        let stored = match stored {
            Ok(stored) => stored,
            // Another thread has checked the same pair in the meantime.
            Err(known) => return Ok(known),
        };
        // Hashing is slow, so no snapshot is open meanwhile.
        let hash = stored.hash.as_deref();
        let fits = turn.memory.log_in(password, hash, &stored.costs)?;
        match hash {
            Some(hash) if fits => {
                let mut passed = self.passed.write().unwrap_or_else(PoisonError::into_inner);
                if passed.len() >= MAX_PASSED {
                    passed.clear();
                }
                passed.insert(pair, hash.to_owned());
                Ok(LogIn::Right)
            }
            _ => {
                let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
                failed.push(pair, &stored.integrators);
                Ok(LogIn::Wrong)
            }
        }
    }
}

/// The result of checking a password.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LogIn {
    Right,
    Wrong,
    /// Too many callers wait.
    Later,
}

/// The stored data with which a password is compared.
struct StoredPassword {
    integrators: Arc<Integrators>,
    hash: Option<String>,
    costs: Costs,
}

impl StoredPassword {
    fn read(snapshot: &Snapshot, username: &str) -> Result<StoredPassword> {
        let integrators = integrators(snapshot)?;
        let costs = integrators.costs(snapshot)?.clone();
        // The hash is always read from the store, even if it is cached: otherwise the duration
        // would reveal whether the user name is cached.
        let hash = snapshot.integrator_row(&integrator::row_key(username))?;
        Ok(StoredPassword {
            integrators,
            hash: hash.and_then(|hash| String::from_utf8(hash).ok()),
            costs,
        })
    }
}

impl Failed {
    fn push(&mut self, pair: Pair, since: &Arc<Integrators>) {
        if !self.is_since(since) {
            self.pairs.clear();
            self.since = Arc::downgrade(since);
        }
        if self.pairs.len() >= MAX_FAILED {
            self.pairs.pop_front();
        }
        self.pairs.push_back(pair);
    }

    fn is_since(&self, since: &Arc<Integrators>) -> bool {
        std::ptr::eq(self.since.as_ptr(), Arc::as_ptr(since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::Entropy;
    use crate::record::values::password::Memory;
    use crate::store::{Location, StoreOptions};

    fn store() -> Result<Store> {
        Store::open(Location::Memory, StoreOptions::for_test())
    }

    fn set(store: &Store, name: &str, password: &str) -> Result<()> {
        let hash = Memory::default().hash(password, &Entropy::System)?;
        store.write(|write| {
            write.set_integrator_row(None, &integrator::row_key(name), Some(hash.as_bytes()))
        })
    }

    /// Checks pairs of user names and passwords.
    struct Tries<'a>(&'a LoginCache, &'a Store);

    impl Tries<'_> {
        /// Returns the cached result.
        fn known(&self, name: &str, password: &str) -> Result<Option<bool>> {
            let pair = self.0.pair(name, password);
            let known = self
                .1
                .read(|snapshot| self.0.recall(&pair, name, snapshot))?;
            Ok(match known {
                Recalled::Passed => Some(true),
                Recalled::Failed => Some(false),
                Recalled::Nothing => None,
            })
        }

        fn log_in(&self, name: &str, password: &str) -> Result<LogIn> {
            let pair = self.0.pair(name, password);
            self.0.log_in(pair, name, password, self.1)
        }
    }

    #[test]
    fn a_pair_is_hashed_once_until_integrators_change() -> Result<()> {
        let (logins, store) = (LoginCache::new([7; 32]), store()?);
        let tries = Tries(&logins, &store);
        set(&store, "demo", "demo")?;
        assert_ne!(logins.pair("demo", "demo"), logins.pair("dem", "odemo"));
        assert_eq!(tries.known("demo", "demo")?, None);
        assert_eq!(tries.log_in("demo", "demo")?, LogIn::Right);
        for (name, password) in [("demo", "dem"), ("nobody", "demo")] {
            assert_eq!(tries.known(name, password)?, None);
            assert_eq!(tries.log_in(name, password)?, LogIn::Wrong);
            assert_eq!(tries.known(name, password)?, Some(false));
            assert_eq!(tries.log_in(name, password)?, LogIn::Wrong);
        }
        assert_eq!(tries.known("demo", "demo")?, Some(true));

        set(&store, "other", "x")?;
        assert_eq!(tries.known("demo", "demo")?, Some(true));
        assert_eq!(tries.known("demo", "dem")?, None);
        set(&store, "demo", "dem")?;
        assert_eq!(tries.known("demo", "demo")?, None);
        assert_eq!(tries.log_in("demo", "demo")?, LogIn::Wrong);
        assert_eq!(tries.log_in("demo", "dem")?, LogIn::Right);
        assert_eq!(tries.known("demo", "demo")?, Some(false));
        Ok(())
    }

    #[test]
    fn invalid_names_are_neither_looked_up_nor_hashed() -> Result<()> {
        let (logins, store) = (LoginCache::new([7; 32]), store()?);
        let tries = Tries(&logins, &store);
        for name in ["", &"x".repeat(integrator::USERNAME_BYTES + 1)] {
            assert_eq!(tries.known(name, "x")?, Some(false));
        }
        let longest = "x".repeat(integrator::USERNAME_BYTES);
        assert_eq!(tries.known(&longest, "x")?, None);
        Ok(())
    }
}
