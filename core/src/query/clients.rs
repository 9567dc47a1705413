//! Get Clients (4.7); client integrations in v2 (section 9, item 7).

use super::endpoint::{Endpoint, Last, Path, SCHOOL_ID, SCHOOL_LOGIN_ID};
use super::integrators::{ApiTypes, Client, api_types, school_values, user};
use super::key_lookup::KeyLookup;
use super::params::Params;
use super::walk::{Identity, Walk};
use super::{Array, Outcome, Query, Question, Reads, Then, View};
use crate::error::Result;
use crate::json::{self, Chunks, Wire};
use crate::record::value::YES_NO;
use crate::record::{Value, school};
use crate::store::{Collection, Key, Partition, Reader, Snapshot, Sources};

/// Get Clients (4.7): one record per school and API type that the integrator
/// is authorised for (2.9), by school, then API type; or those of one school.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Clients, Engine, Options};
/// let engine = Engine::memory(Options::default())?;
/// let clients = Clients { username: "demo", ..Clients::default() };
/// assert_eq!(engine.ask(&clients)?.status.code, 404);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Clients<'a> {
    /// The integrator's user name.
    pub username: &'a str,
    /// One school.
    pub school: Option<u64>,
    /// One API type.
    pub api_type_id: Option<u64>,
}

/// 404, if no school has authorised the integrator.
pub(crate) const NO_INTEGRATIONS: &str = "No client-authorised integrations found";

pub(super) static ENDPOINT: Endpoint = Endpoint {
    name: "clientintegrations",
    v1: Path("settings/clients", Last::Optional(SCHOOL_LOGIN_ID)),
    v2: Path("settings/clientintegrations", Last::None),
    is_settable: true,
    nothing: NO_INTEGRATIONS,
    ..Endpoint::new(read)
};

fn read(params: &mut Params<'_>, then: Then<'_>) -> Result<Outcome> {
    let username = params.username;
    let clients = match params.wire {
        Wire::V1 => Clients {
            username,
            school: params.school,
            api_type_id: None,
        },
        Wire::V2 => Clients {
            username,
            school: params.id(SCHOOL_ID),
            api_type_id: params.id("api_type_id"),
        },
    };
    params.ask(&clients, then)
}

impl Question for Clients<'_> {}

impl Clients<'_> {
    fn takes(&self, client: &Client) -> bool {
        self.api_type_id
            .is_none_or(|wanted| wanted == client.api_type)
    }
}

impl Query for Clients<'_> {
    fn endpoint(&self) -> &'static Endpoint {
        &ENDPOINT
    }

    fn about(&self) -> Option<u64> {
        self.school
    }

    fn sources(&self) -> Sources {
        const NAMES: Sources = Sources::of(&[Collection::Schools, Collection::ApiTypes]);
        Sources::INTEGRATORS.and(NAMES)
    }

    fn reads(&self, _: &Reads<'_>) -> Result<()> {
        // Who may ask here, and for which schools, is what this store says.
        Ok(())
    }

    fn answer(&self, view: View<'_>, out: &mut Chunks<'_>) -> Result<Outcome> {
        let user = user(view.snapshot, self.username)?;
        let clients = match self.school {
            Some(school) => user.clients_of(school),
            None => &user.clients,
        };
        let mut writer = ClientWriter::new(view, Wire::V1)?;
        let array = Array::open(out);
        let mut record = Vec::new();
        for client in clients.iter().filter(|client| self.takes(client)) {
            record.clear();
            writer.push(client, &mut record)?;
            out.push(&record);
            out.push(b",");
        }
        Ok(array.close(out))
    }

    fn identify(&self, _: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school_id", self.school);
        identity.number("api_type_id", self.api_type_id);
        Ok(())
    }

    fn walk(&self, view: View<'_>, walk: &mut Walk, out: &mut Chunks<'_>) -> Result<Outcome> {
        let user = user(view.snapshot, self.username)?;
        let clients = match self.school {
            Some(school) => user.clients_of(school),
            None => &user.clients,
        };
        let mut writer = ClientWriter::new(view, Wire::V2)?;
        let mut record = Vec::new();
        for client in walk.along(clients) {
            let position = [client.school, client.api_type, 0, 0, 0, 0, 0];
            if !walk.is_ahead(&position) || !self.takes(client) {
                continue;
            }
            if !walk.take(position) {
                return Ok(Outcome::Found);
            }
            record.clear();
            writer.push(client, &mut record)?;
            out.push(&record);
            out.push(b",");
        }
        Ok(Outcome::Found)
    }
}

/// Adds the client integration of a school and an API type as v2 answers it, in
/// this state.
pub(crate) fn push_client(
    view: View<'_>,
    school: u64,
    api_type: u64,
    active: bool,
    out: &mut Vec<u8>,
) -> Result<()> {
    let client = Client {
        school,
        api_type,
        active,
    };
    ClientWriter::new(view, Wire::V2)?.push(&client, out)
}

/// Writes client integrations, school by school.
struct ClientWriter<'a> {
    snapshot: &'a Snapshot,
    wire: Wire,
    types: std::sync::Arc<ApiTypes>,
    schools: KeyLookup<'a>,
    /// What precedes the API type in the records of the school at hand.
    start: Vec<u8>,
    of: Option<u64>,
}

impl<'a> ClientWriter<'a> {
    fn new(view: View<'a>, wire: Wire) -> Result<ClientWriter<'a>> {
        let schools = Partition::global(Collection::Schools);
        Ok(ClientWriter {
            snapshot: view.snapshot,
            wire,
            types: api_types(view.snapshot)?,
            schools: KeyLookup::new(view.snapshot.records(schools)?),
            start: Vec::new(),
            of: None,
        })
    }

    fn push(&mut self, client: &Client, out: &mut Vec<u8>) -> Result<()> {
        if self.of.replace(client.school) != Some(client.school) {
            self.start_school(client.school)?;
        }
        out.extend_from_slice(&self.start);
        json::push_integer(out, client.api_type);
        out.extend_from_slice(b",\"api_type\":");
        let name = self.types.name(self.snapshot, client.api_type)?;
        push_text(self.wire, &name, out);
        out.extend_from_slice(b",\"activated_by_integrator\":\"");
        let [yes, no] = YES_NO;
        out.extend_from_slice(if client.active { yes } else { no }.as_bytes());
        out.extend_from_slice(b"\"}");
        Ok(())
    }

    fn start_school(&mut self, id: u64) -> Result<()> {
        let wire = self.wire;
        let values = match self.schools.find(Key::one(id))? {
            Some((run, index)) => school_values(&run.item(index)?, id)?,
            None => Vec::new(),
        };
        let mut start = match wire {
            Wire::V1 => b"{\"school_login_id\":".to_vec(),
            Wire::V2 => b"{\"school_id\":".to_vec(),
        };
        wire.push_number(&mut start, id);
        for (name, index) in [
            ("school_name", school::NAME),
            ("admin_email_address", school::ADMIN_EMAIL_ADDRESS),
            ("telephone_calling_code", school::TELEPHONE_CALLING_CODE),
            ("telephone_number", school::TELEPHONE_NUMBER),
        ] {
            start.push(b',');
            json::push_string(&mut start, name);
            start.push(b':');
            let text = values.get(index).map_or("", Value::text);
            push_text(wire, text, &mut start);
        }
        start.extend_from_slice(b",\"api_type_id\":");
        self.start = start;
        Ok(())
    }
}

fn push_text(wire: Wire, text: &str, out: &mut Vec<u8>) {
    let mut escaped = Vec::new();
    json::push_escaped(&mut escaped, text);
    wire.push_text(out, &escaped);
}
