//! Get Schools (4.6).

use super::endpoint::{Endpoint, Last, Path, SCHOOL_ID, SCHOOL_LOGIN_ID};
use super::integrators::user;
use super::key_lookup::KeyLookup;
use super::params::Params;
use super::walk::{Identity, Walk};
use super::{Array, Outcome, Query, Question, Reads, Then, View};
use crate::error::Result;
use crate::json::Chunks;
use crate::record::coverage::{Part, Unit};
use crate::record::lanes::RENDERING;
use crate::record::typed;
use crate::store::{Collection, Key, Partition, Reader, Sources};

/// Get Schools (4.6): the schools that have authorised the integrator (2.8), in
/// the order of their ids, or one of them.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Engine, Options, Schools};
/// let engine = Engine::memory(Options::default())?;
/// assert_eq!(engine.ask(&Schools { username: "demo", school: None })?.status.code, 404);
/// assert_eq!(engine.ask(&Schools { username: "demo", school: Some(1) })?.status.code, 401);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Schools<'a> {
    /// The integrator's user name.
    pub username: &'a str,
    /// One school.
    pub school: Option<u64>,
}

pub(super) static ENDPOINT: Endpoint = Endpoint {
    name: "schools",
    v1: Path(
        "finplus/debtmanagement/schools",
        Last::Optional(SCHOOL_LOGIN_ID),
    ),
    v2: Path("finplus/debtmanagement/schools", Last::Optional(SCHOOL_ID)),
    nothing: "No school records found",
    ..Endpoint::new(read)
};

fn read(params: &mut Params<'_>, then: Then<'_>) -> Result<Outcome> {
    let schools = Schools {
        username: params.username,
        school: params.school,
    };
    params.ask(&schools, then)
}

impl Question for Schools<'_> {}

impl Query for Schools<'_> {
    fn endpoint(&self) -> &'static Endpoint {
        &ENDPOINT
    }

    fn about(&self) -> Option<u64> {
        self.school
    }

    fn sources(&self) -> Sources {
        Sources::INTEGRATORS.and(Sources::of(&[Collection::Schools]))
    }

    fn reads(&self, reads: &Reads<'_>) -> Result<()> {
        for client in &user(reads.view().snapshot, self.username)?.clients {
            if self.school.is_none_or(|school| school == client.school) {
                reads.whole(client.school, Unit::of(Part::School))?;
            }
        }
        Ok(())
    }

    fn answer(&self, view: View<'_>, out: &mut Chunks<'_>) -> Result<Outcome> {
        let user = user(view.snapshot, self.username)?;
        let clients = match self.school {
            Some(school) => user.clients_of(school),
            None => &user.clients,
        };
        if clients.is_empty() && self.school.is_some() {
            return Ok(Outcome::Unauthorised);
        }
        let schools = Partition::global(Collection::Schools);
        let mut schools = KeyLookup::new(view.snapshot.records(schools)?);
        let array = Array::open(out);
        let mut last = None;
        for client in clients {
            if last.replace(client.school) == Some(client.school) {
                continue;
            }
            if let Some((run, index)) = schools.find(Key::one(client.school))? {
                out.push(run.record(RENDERING, index)?);
                out.push(b",");
            }
        }
        Ok(array.close(out))
    }

    fn identify(&self, _: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school", self.school);
        Ok(())
    }

    fn walk(&self, view: View<'_>, walk: &mut Walk, out: &mut Chunks<'_>) -> Result<Outcome> {
        let user = user(view.snapshot, self.username)?;
        let clients = match self.school {
            Some(school) => user.clients_of(school),
            None => &user.clients,
        };
        if clients.is_empty() && self.school.is_some() {
            return Ok(Outcome::Unauthorised);
        }
        let schools = Partition::global(Collection::Schools);
        let mut schools = KeyLookup::new(view.snapshot.records(schools)?);
        let mut last = None;
        for client in walk.along(clients) {
            let position = [client.school, 0, 0, 0, 0, 0, 0];
            if last.replace(client.school) == Some(client.school) || !walk.is_ahead(&position) {
                continue;
            }
            if let Some((run, index)) = schools.find(Key::one(client.school))? {
                if !walk.take(position) {
                    return Ok(Outcome::Found);
                }
                typed::push_record(&run, index, out)?;
            }
        }
        Ok(Outcome::Found)
    }
}
