//! Who may ask: credentials, authorisation, activation (section 5).

use super::refusal::Refusal;
use super::turns::Turns;
use crate::error::Result;
use crate::query::{Family, Integrators, User, View, api_types, integrators};
use crate::record::integrator;
use crate::record::password::Costs;
use crate::store::{Reader, Snapshot, Store};
use blake2::{Blake2s256, Digest};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

/// Why an integrator may not ask, if it may not: the school has not authorised it
/// (401), or has not activated an API family (403).
pub(super) fn refused(
    view: View<'_>,
    user: &User,
    school: u64,
    families: impl Iterator<Item = Family>,
) -> Result<Option<Refusal>> {
    if user.clients_of(school).is_empty() {
        return Ok(Some(Refusal::Client));
    }
    let types = api_types(view.snapshot)?;
    for family in families {
        if !user.is_active(school, family, &types) {
            let name = types.name_of(view.snapshot, family)?;
            return Ok(Some(Refusal::Inactive(name.into_owned())));
        }
    }
    Ok(None)
}

/// What the engine remembers of user names and passwords, under digests with a
/// key of its own: passwords are hashed slowly once, not at every request.
pub(crate) struct LoginCache {
    key: [u8; 32],
    /// The hash that a pair has passed; it counts while the integrator has it.
    passed: RwLock<HashMap<Pair, String>>,
    failed: Mutex<Failed>,
    turns: Turns,
}

/// Pairs that failed last, so that repeating a wrong password costs nothing.
#[derive(Default)]
struct Failed {
    pairs: VecDeque<Pair>,
    /// What they failed by: they count until integrators change. So nothing needs
    /// to be looked up for a name, which would take its time.
    since: Weak<Integrators>,
}

/// The keyed digest of a user name and a password.
pub(super) type Pair = [u8; 32];

/// What is remembered of a pair.
pub(super) enum Recalled {
    Passed(Arc<User>),
    Failed,
    /// Its password must be hashed.
    Nothing,
}

const MOST_PASSED: usize = 1024;
const MOST_FAILED: usize = 64;

impl LoginCache {
    pub(crate) fn new(key: [u8; 32]) -> LoginCache {
        LoginCache {
            key,
            passed: RwLock::default(),
            failed: Mutex::default(),
            turns: Turns::default(),
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

    /// What is remembered of the pair of a user name. A name that nobody can have
    /// fails.
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
            let user = integrators.user(snapshot, username)?;
            if user.hash.as_ref() == Some(known) {
                return Ok(Recalled::Passed(user));
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

    /// Finds out whether a password is right: hashes it, that of an unknown user as
    /// well, and remembers what came of it.
    pub(super) fn log_in(
        &self,
        pair: Pair,
        username: &str,
        password: &str,
        store: &Store,
    ) -> Result<LogIn> {
        let Some(mut turn) = self.turns.take(username) else {
            return Ok(LogIn::Later);
        };
        let kept = store.read(|snapshot| match self.recall(&pair, username, snapshot)? {
            Recalled::Passed(_) => Ok(Err(LogIn::Right)),
            Recalled::Failed => Ok(Err(LogIn::Wrong)),
            Recalled::Nothing => Kept::read(snapshot, username).map(Ok),
        })?;
        let kept = match kept {
            Ok(kept) => kept,
            // Somebody else asked the same meanwhile.
            Err(known) => return Ok(known),
        };
        // Hashing takes its time, so it holds no snapshot.
        let hash = kept.hash.as_deref();
        let fits = turn.memory.log_in(password, hash, &kept.costs)?;
        match hash {
            Some(hash) if fits => {
                let mut passed = self.passed.write().unwrap_or_else(PoisonError::into_inner);
                if passed.len() >= MOST_PASSED {
                    passed.clear();
                }
                passed.insert(pair, hash.to_owned());
                Ok(LogIn::Right)
            }
            _ => {
                let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
                failed.push(pair, &kept.integrators);
                Ok(LogIn::Wrong)
            }
        }
    }
}

/// What came of a password.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LogIn {
    Right,
    Wrong,
    /// Too many wait for it.
    Later,
}

/// What the store has to compare a password with.
struct Kept {
    integrators: Arc<Integrators>,
    hash: Option<String>,
    costs: Costs,
}

impl Kept {
    fn read(snapshot: &Snapshot, username: &str) -> Result<Kept> {
        let integrators = integrators(snapshot)?;
        let costs = integrators.costs(snapshot)?.clone();
        // From the store, be it remembered or not: that would take less time.
        let hash = snapshot.integrator_row(&integrator::row_key(username))?;
        Ok(Kept {
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
        if self.pairs.len() >= MOST_FAILED {
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
    use crate::record::password::Memory;
    use crate::store::{Location, StoreOptions};

    fn store() -> Result<Store> {
        Store::open(Location::Memory, StoreOptions::for_test())
    }

    fn set(store: &Store, name: &str, password: &str) -> Result<()> {
        let hash = Memory::default().hash(password, &Entropy::System)?;
        store.write(|write| write.put_integrator_row(&integrator::row_key(name), hash.as_bytes()))
    }

    /// A user name and a password, tried.
    struct Tries<'a>(&'a LoginCache, &'a Store);

    impl Tries<'_> {
        /// What is remembered of it.
        fn known(&self, name: &str, password: &str) -> Result<Option<bool>> {
            let pair = self.0.pair(name, password);
            let known = self
                .1
                .read(|snapshot| self.0.recall(&pair, name, snapshot))?;
            Ok(match known {
                Recalled::Passed(_) => Some(true),
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
    fn no_name_that_cannot_be_is_looked_up_or_hashed() -> Result<()> {
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
