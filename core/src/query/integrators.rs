//! Integrators, what schools have authorised them for, and the API types.

use crate::error::Result;
use crate::record::password::Costs;
use crate::record::{Kind, Value, api_type, bake, integrator};
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

    /// This family's bit in a set of families.
    const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Those that a record's `family` names.
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

    /// What its API type is called where the store has none.
    fn usual_api_type(self) -> &'static str {
        match self {
            Family::Administration => "Admin+ API",
            Family::Curriculum => "Curriculum+ API",
            Family::Finance => "Finance+ API",
            Family::Parents => "Parent API",
        }
    }
}

/// The API types of the store, by id.
pub(crate) struct ApiTypes(Vec<ApiType>);

struct ApiType {
    id: u64,
    /// Its name, unless that is long: then it is read when it is asked for.
    name: Option<String>,
    /// Its families, each by the bit of its position among all.
    families: u8,
}

/// More bytes than this are a long name.
const LONG: usize = 256;

impl ApiTypes {
    /// An API type's name; empty if it is unknown.
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

    fn is_of(&self, id: u64, family: Family) -> bool {
        self.get(id)
            .is_some_and(|api_type| api_type.families & family.bit() != 0)
    }

    /// The name of a family's first API type.
    pub(crate) fn name_of(&self, snapshot: &Snapshot, family: Family) -> Result<Cow<'_, str>> {
        let mut of = self.0.iter();
        match of.find(|api_type| api_type.families & family.bit() != 0) {
            Some(first) => self.name(snapshot, first.id),
            None => Ok(Cow::Borrowed(family.usual_api_type())),
        }
    }
}

pub(crate) fn api_types(snapshot: &Snapshot) -> Result<Arc<ApiTypes>> {
    const SOURCES: Sources = Sources::of(&[Collection::ApiTypes]);
    let all = Partition::global(Collection::ApiTypes);
    snapshot.decoded(0, all, SOURCES, || {
        let mut types = Vec::new();
        for pinned in snapshot.records(all)?.all() {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            for index in indices {
                let Key(id, _) = run.key(index)?;
                let [name, family] = texts(id, &run.item(index)?)?;
                let name = Some(name).filter(|name| name.len() <= LONG);
                let families = Family::set(&family);
                types.push(ApiType { id, name, families });
            }
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
        Some((pinned, index)) => texts(id, &pinned.run()?.item(index)?).map(|[name, _]| name),
        None => Ok(String::new()),
    }
}

/// The name and the family of an API type.
fn texts(id: u64, item: &Item<'_>) -> Result<[String; 2]> {
    let values = bake::values(Kind::ApiType, &[id], item)?;
    let text = |index: usize| values.get(index).map_or("", Value::text).to_owned();
    Ok([text(api_type::NAME), text(api_type::FAMILY)])
}

/// What the store knows of a user name.
#[derive(Default)]
pub(crate) struct User {
    /// The hash of its password, if it is an integrator.
    pub(crate) hash: Option<String>,
    /// What schools have authorised it for, by school, then API type.
    pub(crate) clients: Vec<Client>,
}

/// A school's authorisation for one API type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Client {
    pub(crate) school: u64,
    pub(crate) api_type: u64,
    /// Whether the integrator serves it.
    pub(crate) active: bool,
}

impl User {
    /// How much memory it takes.
    fn bytes(&self) -> usize {
        let hash = self.hash.as_ref().map_or(0, String::capacity);
        size_of::<User>() + hash + self.clients.capacity() * size_of::<Client>()
    }

    /// What one school has authorised.
    pub(crate) fn clients_of(&self, school: u64) -> &[Client] {
        let from = self
            .clients
            .partition_point(|client| client.school < school);
        let of = self.clients.get(from..).unwrap_or_default();
        let to = of.partition_point(|client| client.school == school);
        of.get(..to).unwrap_or_default()
    }

    /// Whether a school has authorised an API type of a family that the
    /// integrator serves.
    pub(crate) fn is_active(&self, school: u64, family: Family, types: &ApiTypes) -> bool {
        let mut of = self.clients_of(school).iter();
        of.any(|client| client.active && types.is_of(client.api_type, family))
    }
}

/// What is known of integrators since they last changed.
#[derive(Default)]
pub(crate) struct Integrators {
    known: RwLock<Known>,
    costs: OnceLock<Costs>,
}

/// Those that were asked for.
#[derive(Default)]
struct Known {
    users: HashMap<String, Arc<User>>,
    bytes: usize,
}

/// More user names than this are not remembered,
const MOST_USERS: usize = 256;
/// nor more bytes, but for one user who alone has more.
const USERS_BYTES: usize = 512 << 10;

impl Integrators {
    /// What the store knows of a user name. One of whom it knows nothing is not
    /// remembered.
    pub(crate) fn user(&self, snapshot: &Snapshot, name: &str) -> Result<Arc<User>> {
        {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(user) = known.users.get(name) {
                return Ok(user.clone());
            }
        }
        let user = Arc::new(read_user(snapshot, name)?);
        if user.hash.is_some() || !user.clients.is_empty() {
            let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
            known.remember(name, &user);
        }
        Ok(user)
    }

    /// What a wrong password costs.
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

impl Known {
    fn remember(&mut self, name: &str, user: &Arc<User>) {
        let bytes = name.len() + user.bytes();
        if self.users.len() >= MOST_USERS || self.bytes + bytes > USERS_BYTES {
            *self = Known::default();
        }
        if self.users.insert(name.to_owned(), user.clone()).is_none() {
            self.bytes += bytes;
        }
    }
}

/// What is known of integrators.
pub(crate) fn integrators(snapshot: &Snapshot) -> Result<Arc<Integrators>> {
    let all = Partition::global(Collection::Schools);
    snapshot.decoded(0, all, Sources::INTEGRATORS, || {
        Ok((Integrators::default(), USERS_BYTES))
    })
}

/// What the store knows of a user name; of an unknown one, nothing.
pub(crate) fn user(snapshot: &Snapshot, name: &str) -> Result<Arc<User>> {
    integrators(snapshot)?.user(snapshot, name)
}

fn read_user(snapshot: &Snapshot, name: &str) -> Result<User> {
    let hash = snapshot.integrator_row(&integrator::row_key(name))?;
    let mut user = User {
        hash: hash.and_then(|hash| String::from_utf8(hash).ok()),
        clients: Vec::new(),
    };
    snapshot.integrator_rows(&integrator::authorisation_rows(name), &mut |key, state| {
        if let Some((_, school, api_type)) = integrator::authorisation_of(key) {
            user.clients.push(Client {
                school,
                api_type,
                active: integrator::is_active(state)?,
            });
        }
        Ok(())
    })?;
    Ok(user)
}

/// The values of a school's own record.
pub(super) fn school_values<'a>(item: &Item<'a>, school: u64) -> Result<Vec<Value<'a>>> {
    bake::values(Kind::School, &[school], item)
}
