//! Get Clients (4.7).

use super::integrators::{api_types, school_values, user};
use super::lookup::Lookup;
use super::{Array, Outcome, Question, View};
use crate::Result;
use crate::json;
use crate::record::{Value, school};
use crate::store::{Collection, Key, Partition, Reader};

/// Get Clients (4.7): one record per school and API type that the integrator
/// is authorised for (2.9), by school, then API type; or those of one school.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Clients, Engine, Options};
/// let engine = Engine::memory(Options::default())?;
/// assert_eq!(engine.ask(&Clients { username: "demo", school: None })?.status.code, 404);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Clients<'a> {
    /// The integrator's user name.
    pub username: &'a str,
    /// One school.
    pub school: Option<u64>,
}

impl Question for Clients<'_> {
    fn answer(&self, view: View<'_>, out: &mut Vec<u8>) -> Result<Outcome> {
        let user = user(view.snapshot, self.username)?;
        let types = api_types(view.snapshot)?;
        let clients = match self.school {
            Some(school) => user.clients_of(school),
            None => &user.clients,
        };
        let schools = Partition::global(Collection::Schools);
        let mut schools = Lookup::new(view.snapshot.records(schools)?);
        // The part that a school's records share, for the school at hand.
        let mut start = Vec::new();
        let mut of = None;
        let array = Array::open(out);
        for client in clients {
            if of.replace(client.school) != Some(client.school) {
                push_start(client.school, &mut schools, &mut start)?;
            }
            out.extend_from_slice(&start);
            json::push_integer(out, client.api_type);
            out.extend_from_slice(b",\"api_type\":");
            json::push_string(out, types.name(client.api_type));
            out.extend_from_slice(b",\"activated_by_integrator\":\"");
            out.extend_from_slice(if client.active { b"Yes\"}," } else { b"No\"}," });
        }
        Ok(array.close(out))
    }
}

/// Writes what precedes the API type in a school's records.
fn push_start(id: u64, schools: &mut Lookup<'_>, start: &mut Vec<u8>) -> Result<()> {
    let values = match schools.find(Key::one(id))? {
        Some((page, index)) => school_values(&page.run()?.item(index)?, id)?,
        None => Vec::new(),
    };
    start.clear();
    start.extend_from_slice(b"{\"school_login_id\":");
    json::push_quoted_integer(start, id);
    for (name, place) in [
        ("school_name", school::NAME),
        ("admin_email_address", school::ADMIN_EMAIL_ADDRESS),
        ("telephone_calling_code", school::TELEPHONE_CALLING_CODE),
        ("telephone_number", school::TELEPHONE_NUMBER),
    ] {
        start.push(b',');
        json::push_string(start, name);
        start.push(b':');
        json::push_string(start, values.get(place).map_or("", Value::text));
    }
    start.extend_from_slice(b",\"api_type_id\":");
    Ok(())
}
