//! The authorisations of integrators by schools (5.2). They are rows of the store, ordered by
//! user name, school and API type. Lists are read row by row. The authorisations of an
//! integrator by one school are cached.

use super::integrators::{ApiTypes, Family};
use crate::error::Result;
use crate::record::kinds::integrator::{self, authorisation_key};
use crate::store::{Collection, Key, Partition, Reader, Snapshot, Sources};
use std::ops::ControlFlow;
use std::sync::Arc;
use twox_hash::XxHash3_64;

/// A school's authorisation for one API type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Client {
    pub(crate) school: u64,
    pub(crate) api_type: u64,
    /// Whether the integrator serves the school with this API type.
    pub(crate) active: bool,
}

/// The authorisations of an integrator by one school, ordered by API type.
pub(crate) struct Authorisations {
    username: String,
    clients: Vec<Client>,
}

impl Authorisations {
    pub(crate) fn is_empty(&self) -> bool {
        self.clients.is_empty()
    }

    /// Returns true if the integrator serves an API type of a family.
    pub(crate) fn is_active(&self, family: Family, types: &ApiTypes) -> bool {
        let mut clients = self.clients.iter();
        clients.any(|client| client.active && types.is_of(client.api_type, family))
    }

    fn read(snapshot: &Snapshot, username: &str, school: u64) -> Result<Authorisations> {
        let mut clients = Vec::new();
        let all = all_of(Some(school));
        each(snapshot, username, all, false, &mut |client| {
            clients.push(client);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(Authorisations {
            username: username.to_owned(),
            clients,
        })
    }

    /// Returns the memory that the value uses. An integrator without authorisations by the
    /// school is not cached, so requests for arbitrary schools do not fill the cache.
    fn bytes(&self) -> usize {
        if self.is_empty() {
            return usize::MAX;
        }
        let clients = self.clients.capacity() * size_of::<Client>();
        size_of::<Authorisations>() + self.username.capacity() + clients
    }
}

/// Returns the authorisations of an integrator by a school.
pub(crate) fn authorisations(
    snapshot: &Snapshot,
    username: &str,
    school: u64,
) -> Result<Arc<Authorisations>> {
    let form = XxHash3_64::oneshot(username.as_bytes());
    let of = Partition::new(school, Collection::Schools);
    let read = || Authorisations::read(snapshot, username, school);
    let cached = snapshot.decoded(form, of, Sources::AUTHORISATIONS, || {
        let authorisations = read()?;
        let bytes = authorisations.bytes();
        Ok((authorisations, bytes))
    })?;
    if cached.username == username {
        return Ok(cached);
    }
    // Another user name has the same hash.
    read().map(Arc::new)
}

/// Returns the range of keys of an integrator's authorisations, by all schools or by one. A key
/// consists of the school and the API type.
pub(crate) fn all_of(school: Option<u64>) -> (Key, Key) {
    match school {
        Some(school) => (Key(school, 0), Key(school, u64::MAX)),
        None => (Key::MIN, Key::MAX),
    }
}

/// A callback that receives an authorisation and returns whether to continue.
type EachClient<'a> = dyn FnMut(Client) -> Result<ControlFlow<()>> + 'a;

/// Reads the authorisations of an integrator in a range of keys, both ends included, in order
/// or in reverse, until `each` stops it.
pub(crate) fn each(
    snapshot: &Snapshot,
    username: &str,
    (from, to): (Key, Key),
    reverse: bool,
    each: &mut EachClient<'_>,
) -> Result<()> {
    let key = |Key(school, api_type)| authorisation_key(username, school, api_type);
    let (from, to) = (key(from), key(to));
    snapshot.integrator_range((&from, &to), reverse, &mut |key, state| {
        let Some((school, api_type)) = integrator::authorised(key) else {
            return Ok(ControlFlow::Continue(()));
        };
        each(Client {
            school,
            api_type,
            active: integrator::is_active(state)?,
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::query::decoded::authorisations::*;
    use crate::store::{Location, Store, StoreOptions};

    fn set(store: &Store, school: u64, state: Option<&[u8]>) -> Result<()> {
        let key = authorisation_key("demo", school, 8);
        store.write(|write| write.set_integrator_row(Some(school), &key, state))
    }

    fn states(snapshot: &Snapshot, name: &str, school: u64) -> Result<Vec<bool>> {
        let found = authorisations(snapshot, name, school)?;
        Ok(found.clients.iter().map(|client| client.active).collect())
    }

    /// Checks that each snapshot returns the authorisations of its own state, in whichever
    /// order they are read, and that a change of one school does not affect what is cached for
    /// the others.
    #[test]
    fn cached_authorisations_are_those_of_the_snapshot() -> Result<()> {
        let store = Store::open(Location::Memory, StoreOptions::for_test())?;
        let snapshot = || store.read(|snapshot| Ok(Arc::clone(snapshot)));
        set(&store, 1, Some(&[1]))?;
        set(&store, 2, Some(&[1]))?;
        let first = snapshot()?;
        assert_eq!(states(&first, "demo", 1)?, [true]);
        assert!(states(&first, "other", 1)?.is_empty());
        let of_another = authorisations(&first, "demo", 2)?;

        set(&store, 1, Some(&[0]))?;
        set(&store, 3, Some(&[1]))?;
        let second = snapshot()?;
        for _ in 0..2 {
            assert_eq!(states(&first, "demo", 1)?, [true]);
            assert!(states(&first, "demo", 3)?.is_empty());
            assert_eq!(states(&second, "demo", 1)?, [false]);
            assert_eq!(states(&second, "demo", 3)?, [true]);
        }
        let still = authorisations(&second, "demo", 2)?;
        assert!(Arc::ptr_eq(&of_another, &still));

        set(&store, 1, None)?;
        let third = snapshot()?;
        assert!(states(&third, "demo", 1)?.is_empty());
        assert_eq!(states(&second, "demo", 1)?, [false]);
        Ok(())
    }
}
