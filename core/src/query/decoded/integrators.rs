//! Decoded integrators and API types.

use crate::error::Result;
use crate::record::kinds::{api_type, integrator};
use crate::record::stored::pre_render;
use crate::record::values::password::Costs;
use crate::record::{Kind, Value};
use crate::store::{Collection, Item, Key, Partition, Reader, Snapshot, Sources};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// A family of APIs, which guards endpoints (section 5.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Administration,
    Curriculum,
    Finance,
    Parents,
}

impl Family {
    const ALL: [Family; api_type::FAMILIES.len()] = [
        Family::Administration,
        Family::Curriculum,
        Family::Finance,
        Family::Parents,
    ];

    /// Returns the bit of this family in a set of families.
    const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Returns the set of the families that the `family` of a record names.
    fn set(named: &str) -> u8 {
        let several = named.starts_with('[');
        let named = |name: &str| {
            if several {
                named.contains(&format!("\"{name}\""))
            } else {
                named == name
            }
        };
        let families = Family::ALL.into_iter().zip(api_type::FAMILIES);
        let families = families.filter(|(_, name)| named(name));
        families.fold(0, |set, (family, _)| set | family.bit())
    }

    /// Returns the name of the family's API type for a store that has no record of it.
    fn usual_api_type(self) -> &'static str {
        match self {
            Family::Administration => "Admin+ API",
            Family::Curriculum => "Curriculum+ API",
            Family::Finance => "Finance+ API",
            Family::Parents => "Parent API",
        }
    }
}

/// The API types of the store, ordered by id.
pub(crate) struct ApiTypes(Vec<ApiType>);

struct ApiType {
    id: u64,
    /// The name, or `None` if it is long. A long name is read when it is needed.
    name: Option<String>,
    /// The set of the families, one bit for each.
    families: u8,
}

/// The length in bytes up to which names are cached.
const LONG: usize = 256;

impl ApiTypes {
    /// Returns the name of an API type, which is empty if the type is unknown.
    pub(crate) fn name(&self, snapshot: &Snapshot, id: u64) -> Result<Cow<'_, str>> {
        match self.get(id) {
            Some(ApiType { name: None, .. }) => Ok(Cow::Owned(read_name(snapshot, id)?)),
            Some(ApiType {
                name: Some(name), ..
            }) => Ok(Cow::Borrowed(name)),
            None => Ok(Cow::Borrowed("")),
        }
    }

    fn get(&self, id: u64) -> Option<&ApiType> {
        let index = self
            .0
            .binary_search_by_key(&id, |api_type| api_type.id)
            .ok()?;
        self.0.get(index)
    }

    pub(crate) fn is_of(&self, id: u64, family: Family) -> bool {
        self.get(id)
            .is_some_and(|api_type| api_type.families & family.bit() != 0)
    }

    /// Returns the name of a family's first API type.
    pub(crate) fn name_of(&self, snapshot: &Snapshot, family: Family) -> Result<Cow<'_, str>> {
        let mut of = self.0.iter();
        match of.find(|api_type| api_type.families & family.bit() != 0) {
            Some(first) => self.name(snapshot, first.id),
            None => Ok(Cow::Borrowed(family.usual_api_type())),
        }
    }
}

pub(crate) fn api_types(snapshot: &Snapshot) -> Result<Arc<ApiTypes>> {
    const SOURCES: Sources = Sources::new(&[Collection::ApiTypes]);
    let all = Partition::global(Collection::ApiTypes);
    snapshot.decoded(0, all, SOURCES, || {
        let mut types = Vec::new();
        let mut records = snapshot.records(all)?.all();
        while let Some(record) = records.next()? {
            let Key(id, _) = record.key()?;
            let [name, family] = texts(id, &record.item()?)?;
            let name = Some(name).filter(|name| name.len() <= LONG);
            let families = Family::set(&family);
            types.push(ApiType { id, name, families });
        }
        let names = types.iter().filter_map(|api_type| api_type.name.as_ref());
        let bytes =
            types.capacity() * size_of::<ApiType>() + names.map(String::capacity).sum::<usize>();
        Ok((ApiTypes(types), bytes))
    })
}

fn read_name(snapshot: &Snapshot, id: u64) -> Result<String> {
    let all = Partition::global(Collection::ApiTypes);
    match snapshot.records(all)?.get(Key::one(id))? {
        Some(record) => texts(id, &record.item()?).map(|[name, _]| name),
        None => Ok(String::new()),
    }
}

/// Returns the name and the family of an API type.
fn texts(id: u64, item: &Item<'_>) -> Result<[String; 2]> {
    let values = pre_render::values(Kind::ApiType, &[id], item)?;
    let text = |index: usize| values.get(index).map_or("", Value::text).to_owned();
    Ok([text(api_type::NAME), text(api_type::FAMILY)])
}

/// A cache of integrators' password hashes. It is discarded when an integrator changes.
#[derive(Default)]
pub(crate) struct Integrators {
    known: RwLock<CachedHashes>,
    costs: OnceLock<Costs>,
}

/// The password hashes that were looked up, by user name.
#[derive(Default)]
struct CachedHashes {
    hashes: HashMap<String, Arc<str>>,
    bytes: usize,
}

/// The limit for the number of cached user names.
const MAX_USERS: usize = 256;
/// The limit for the bytes of cached user names and hashes.
const USERS_BYTES: usize = 512 << 10;

impl Integrators {
    /// Returns the hash of an integrator's password. Names of unknown integrators are not
    /// cached.
    pub(crate) fn password_hash(
        &self,
        snapshot: &Snapshot,
        name: &str,
    ) -> Result<Option<Arc<str>>> {
        {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(hash) = known.hashes.get(name) {
                return Ok(Some(hash.clone()));
            }
        }
        let hash = snapshot.integrator_row(&integrator::row_key(name))?;
        let hash: Option<Arc<str>> = hash
            .and_then(|hash| String::from_utf8(hash).ok())
            .map(Arc::from);
        if let Some(hash) = &hash {
            let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
            known.remember(name, hash);
        }
        Ok(hash)
    }

    /// Returns the costs of the store's password hashes, with which the check of an unknown
    /// name takes the same time.
    pub(crate) fn costs(&self, snapshot: &Snapshot) -> Result<&Costs> {
        if let Some(costs) = self.costs.get() {
            return Ok(costs);
        }
        let mut costs = Costs::default();
        snapshot.integrator_rows(integrator::ROWS, &mut |_, hash| {
            if let Ok(hash) = std::str::from_utf8(hash) {
                costs.add(hash);
            }
            Ok(())
        })?;
        Ok(self.costs.get_or_init(|| costs))
    }
}

impl CachedHashes {
    fn remember(&mut self, name: &str, hash: &Arc<str>) {
        let bytes = name.len() + hash.len();
        if self.hashes.len() >= MAX_USERS || self.bytes + bytes > USERS_BYTES {
            *self = CachedHashes::default();
        }
        let replaced = self.hashes.insert(name.to_owned(), hash.clone());
        if replaced.is_none() {
            self.bytes += bytes;
        }
    }
}

/// Returns the cache of integrators of a snapshot.
pub(crate) fn integrators(snapshot: &Snapshot) -> Result<Arc<Integrators>> {
    let all = Partition::global(Collection::Schools);
    snapshot.decoded(0, all, Sources::INTEGRATORS, || {
        Ok((Integrators::default(), USERS_BYTES))
    })
}

/// Returns the field values of a school's record.
pub(crate) fn school_values<'a>(item: &Item<'a>, school: u64) -> Result<Vec<Value<'a>>> {
    pre_render::values(Kind::School, &[school], item)
}
