//! The school and the record that a request names in its path and headers.

use super::message::Request;
use super::route::Route;
use crate::error::Result;
use crate::json::Wire;
use crate::query::{Endpoint, Faults, Wrong};
use crate::record::value::integer;

/// What path and headers name.
pub(super) struct Ids {
    pub(super) school: Option<u64>,
    /// One record.
    pub(super) id: Option<u64>,
}

impl Ids {
    /// Reads them, each at fault if it is no number.
    pub(super) fn read(
        wire: Wire,
        Route { endpoint, last }: &Route<'_>,
        request: &Request<'_>,
    ) -> Result<Ids, Faults> {
        let mut faults = Faults::default();
        let school = match wire {
            Wire::V1 => None,
            Wire::V2 => header(endpoint, request, &mut faults),
        };
        let named = endpoint.path(wire).1;
        let last = last.as_deref().zip(named.name());
        let last = last.and_then(|(text, name)| number(name, text, &mut faults));
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(match (named.is_school(), wire) {
            (true, Wire::V1) => Ids {
                school: last,
                id: None,
            },
            (true, Wire::V2) => Ids {
                school: last,
                id: last,
            },
            (false, _) => Ids { school, id: last },
        })
    }
}

/// The header of v2 that names the school.
pub(super) const SCHOOL_HEADER: &str = "HTTP-X-SCHOOLID";

/// The school that the header names, if requests are about one.
fn header(endpoint: &Endpoint, request: &Request<'_>, faults: &mut Faults) -> Option<u64> {
    endpoint.family?;
    match request.header(SCHOOL_HEADER) {
        None | Some("") => {
            faults.say(SCHOOL_HEADER, format!("{SCHOOL_HEADER} is required"));
            None
        }
        Some(school) => number(SCHOOL_HEADER, school, faults),
    }
}

fn number(name: &'static str, text: &str, faults: &mut Faults) -> Option<u64> {
    let number = integer(text);
    if number.is_none() {
        faults.add(name, Wrong::Id);
    }
    number
}
