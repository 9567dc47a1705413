//! Get Clients (4.7), which v2 calls client integrations (section 9, item 7).

use crate::error::Result;
use crate::json::{self, ApiVersion};
use crate::query::decoded::authorisations::{self, Client, all_of};
use crate::query::decoded::integrators::{ApiTypes, api_types, school_values};
use crate::query::decoded::key_lookup::KeyLookup;
use crate::query::endpoint::{Endpoint, Last, Path, SCHOOL_ID, SCHOOL_LOGIN_ID};
use crate::query::parameters::params::Params;
use crate::query::walk::{Identity, RecordPosition};
use crate::query::{CoverageCheck, Outcome, PageWriter, Query, Question, Then, View};
use crate::record::Value;
use crate::record::kinds::school;
use crate::record::values::value::YES_NO;
use crate::store::{Collection, Key, Partition, Reader, Snapshot, Sources};
use std::ops::ControlFlow;

/// Get Clients (4.7): one record for each school and API type for which the integrator is
/// authorised (2.9), ordered by school, then API type.
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
    /// Selects one school.
    pub school: Option<u64>,
    /// Selects one API type.
    pub api_type_id: Option<u64>,
}

/// The text of the 404 if no school has authorised the integrator.
pub(crate) const NO_INTEGRATIONS: &str = "No client-authorised integrations found";

pub(crate) static ENDPOINT: Endpoint = Endpoint {
    name: "clientintegrations",
    v1: Path("settings/clients", Last::Optional(SCHOOL_LOGIN_ID)),
    v2: Path("settings/clientintegrations", Last::None),
    is_settable: true,
    nothing: NO_INTEGRATIONS,
    ..Endpoint::new(read)
};

fn read(params: &mut Params<'_>, then: Then<'_>) -> Result<Outcome> {
    let username = params.username;
    let clients = match params.version {
        ApiVersion::V1 => Clients {
            username,
            school: params.school,
            api_type_id: None,
        },
        ApiVersion::V2 => Clients {
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
        const NAMES: Sources = Sources::new(&[Collection::Schools, Collection::ApiTypes]);
        Sources::AUTHORISATIONS.union(NAMES)
    }

    fn require_coverage(&self, _: &CoverageCheck<'_>) -> Result<()> {
        // The store itself decides who may ask here, and for which schools.
        Ok(())
    }

    fn identify(&self, _: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school_id", self.school);
        identity.number("api_type_id", self.api_type_id);
        Ok(())
    }

    fn write(&self, page: PageWriter<'_, '_>) -> Result<Outcome> {
        let PageWriter {
            view,
            version,
            walk,
            out,
        } = page;
        let (from, to) = all_of(self.school);
        let at = |[school, api_type, ..]: &RecordPosition| Key(*school, *api_type);
        let Some(rest) = walk.slice_after_cursor(from, to, at) else {
            return Ok(Outcome::Found);
        };
        let mut writer = ClientWriter::new(view, version)?;
        let mut record = Vec::new();
        let reverse = walk.is_reverse();
        authorisations::each(view.snapshot, self.username, rest, reverse, &mut |client| {
            if !self.takes(&client) {
                return Ok(ControlFlow::Continue(()));
            }
            if !walk.take([client.school, client.api_type, 0, 0, 0, 0, 0]) {
                return Ok(ControlFlow::Break(()));
            }
            record.clear();
            writer.push(&client, &mut record)?;
            out.push(&record);
            out.push(b",");
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(Outcome::Found)
    }
}

/// Appends the client integration of a school and an API type as v2 answers it, with the given
/// state.
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
    ClientWriter::new(view, ApiVersion::V2)?.push(&client, out)
}

/// A writer of client integrations, school by school.
struct ClientWriter<'a> {
    snapshot: &'a Snapshot,
    version: ApiVersion,
    types: std::sync::Arc<ApiTypes>,
    schools: KeyLookup<'a>,
    /// The text that precedes the API type in the records of the current school.
    start: Vec<u8>,
    of: Option<u64>,
}

impl<'a> ClientWriter<'a> {
    fn new(view: View<'a>, version: ApiVersion) -> Result<ClientWriter<'a>> {
        let schools = Partition::global(Collection::Schools);
        Ok(ClientWriter {
            snapshot: view.snapshot,
            version,
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
        push_text(self.version, &name, out);
        out.extend_from_slice(b",\"activated_by_integrator\":\"");
        let [yes, no] = YES_NO;
        out.extend_from_slice(if client.active { yes } else { no }.as_bytes());
        out.extend_from_slice(b"\"}");
        Ok(())
    }

    fn start_school(&mut self, id: u64) -> Result<()> {
        let version = self.version;
        let values = match self.schools.find(Key::one(id))? {
            Some((block, index)) => school_values(&block.item(index)?, id)?,
            None => Vec::new(),
        };
        let mut start = match version {
            ApiVersion::V1 => b"{\"school_login_id\":".to_vec(),
            ApiVersion::V2 => b"{\"school_id\":".to_vec(),
        };
        version.push_number(&mut start, id);
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
            push_text(version, text, &mut start);
        }
        start.extend_from_slice(b",\"api_type_id\":");
        self.start = start;
        Ok(())
    }
}

fn push_text(version: ApiVersion, text: &str, out: &mut Vec<u8>) {
    let mut escaped = Vec::new();
    json::push_escaped(&mut escaped, text);
    version.push_text(out, &escaped);
}
