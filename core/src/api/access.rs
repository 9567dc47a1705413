//! Who may ask: credentials, authorisation, activation (section 5).

use super::refusal::{Refusal, refuse};
use super::request::Status;
use crate::error::Result;
use crate::json::Wire;
use crate::query::{Family, User, View, api_types};
use crate::record::password;
use blake2::{Blake2s256, Digest};
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError, RwLock};

/// Refuses an integrator whom the school has not authorised (401) or whose
/// API family it has not activated (403).
pub(super) fn refused(
    view: View<'_>,
    user: &User,
    school: u64,
    families: impl Iterator<Item = Family>,
    wire: Wire,
    out: &mut Vec<u8>,
) -> Result<Option<Status>> {
    if user.clients_of(school).is_empty() {
        return Ok(Some(refuse(wire, &Refusal::Client, out)));
    }
    let types = api_types(view.snapshot)?;
    for family in families {
        if !user.is_active(school, family, &types) {
            let inactive = Refusal::Inactive(types.name_of(family));
            return Ok(Some(refuse(wire, &inactive, out)));
        }
    }
    Ok(None)
}

/// What the engine remembers of user names and passwords, under digests with a
/// key of its own: passwords are hashed slowly once, not at every request.
pub(crate) struct Credentials {
    key: [u8; 32],
    /// The hash that a pair has passed; it counts while the integrator has it.
    passed: RwLock<HashMap<Pair, String>>,
    /// Pairs that failed last, and the hash that they failed, so that repeating
    /// a wrong password costs nothing.
    failed: Mutex<VecDeque<(Pair, Option<String>)>>,
    /// Held while hashing: one at a time bounds the memory.
    hashing: Mutex<()>,
}

/// The keyed digest of a user name and a password.
pub(super) type Pair = [u8; 32];

const MOST_PASSED: usize = 1024;
const MOST_FAILED: usize = 64;

impl Credentials {
    pub(crate) fn new(key: [u8; 32]) -> Credentials {
        Credentials {
            key,
            passed: RwLock::default(),
            failed: Mutex::default(),
            hashing: Mutex::default(),
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

    /// Whether a pair is known to pass or to fail; `None` if it must be hashed.
    pub(super) fn recall(&self, pair: &Pair, user: &User) -> Option<bool> {
        let passed = self.passed.read().unwrap_or_else(PoisonError::into_inner);
        if let (Some(hash), Some(known)) = (&user.hash, passed.get(pair))
            && hash == known
        {
            return Some(true);
        }
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let fails = |(known, hash): &(Pair, Option<String>)| known == pair && *hash == user.hash;
        failed.iter().any(fails).then_some(false)
    }

    /// Hashes the password, for an unknown user as well, and remembers what
    /// came of it.
    pub(super) fn check(&self, pair: Pair, password: &str, user: &User) {
        let _one_at_a_time = self.hashing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.recall(&pair, user).is_some() {
            return;
        }
        let hash = user.hash.as_deref().unwrap_or(password::NOBODY);
        let fits = password::verify(password, hash);
        match &user.hash {
            Some(hash) if fits => {
                let mut passed = self.passed.write().unwrap_or_else(PoisonError::into_inner);
                if passed.len() >= MOST_PASSED {
                    passed.clear();
                }
                passed.insert(pair, hash.clone());
            }
            hash => {
                let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
                if failed.len() >= MOST_FAILED {
                    failed.pop_front();
                }
                failed.push_back((pair, hash.clone()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Entropy;

    #[test]
    fn a_pair_is_hashed_once_until_the_integrator_changes() -> Result<()> {
        let credentials = Credentials::new([7; 32]);
        let user = |hash: Option<String>| User {
            hash,
            ..User::default()
        };
        let known = user(Some(password::hash("demo", &Entropy::system())?));
        let changed = user(Some(password::hash("other", &Entropy::system())?));
        let (right, wrong) = (
            credentials.pair("demo", "demo"),
            credentials.pair("demo", "dem"),
        );
        assert_ne!(right, credentials.pair("dem", "odemo"));
        assert_eq!(credentials.recall(&right, &known), None);
        credentials.check(right, "demo", &known);
        credentials.check(wrong, "dem", &known);
        assert_eq!(credentials.recall(&right, &known), Some(true));
        assert_eq!(credentials.recall(&wrong, &known), Some(false));
        assert_eq!(credentials.recall(&right, &changed), None);
        assert_eq!(credentials.recall(&wrong, &changed), None);
        credentials.check(right, "demo", &user(None));
        assert_eq!(credentials.recall(&right, &user(None)), Some(false));
        assert_eq!(credentials.recall(&right, &known), Some(true));
        Ok(())
    }
}
