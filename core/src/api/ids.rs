//! The school and the record that a request names in its path and headers.

use super::faults::{Faults, Wrong};
use super::request::Request;
use super::route::Endpoint;
use crate::error::Result;
use crate::json::Wire;
use crate::record::value::integer;

/// What path and headers name.
pub(super) struct Ids {
    pub(super) school: Option<u64>,
    /// One record of v2.
    pub(super) id: Option<u64>,
}

impl Ids {
    /// Reads them; `last` is the path's last segment.
    pub(super) fn read(
        wire: Wire,
        endpoint: Endpoint,
        last: Option<&str>,
        request: &Request<'_>,
    ) -> Result<Ids, Faults> {
        match wire {
            Wire::V1 => v1_ids(last),
            Wire::V2 => v2_ids(endpoint, last, request),
        }
    }
}

fn v1_ids(last: Option<&str>) -> Result<Ids, Faults> {
    let mut faults = Faults::default();
    let school = last.and_then(|school| number("school_login_id", school, &mut faults));
    if faults.is_empty() {
        Ok(Ids { school, id: None })
    } else {
        Err(faults)
    }
}

/// The header of v2 that names the school.
pub(super) const SCHOOL_HEADER: &str = "HTTP-X-SCHOOLID";

fn v2_ids(endpoint: Endpoint, last: Option<&str>, request: &Request<'_>) -> Result<Ids, Faults> {
    let mut faults = Faults::default();
    let school = match request.header(SCHOOL_HEADER) {
        _ if !endpoint.needs_school() => None,
        None | Some("") => {
            faults.say(SCHOOL_HEADER, format!("{SCHOOL_HEADER} is required"));
            None
        }
        Some(school) => number(SCHOOL_HEADER, school, &mut faults),
    };
    let id = last.zip(endpoint.id());
    let id = id.and_then(|(text, name)| number(name, text, &mut faults));
    if !faults.is_empty() {
        return Err(faults);
    }
    let school = match endpoint {
        Endpoint::Schools => id,
        _ => school,
    };
    Ok(Ids { school, id })
}

fn number(name: &'static str, text: &str, faults: &mut Faults) -> Option<u64> {
    let number = integer(text);
    if number.is_none() {
        faults.add(name, Wrong::Id);
    }
    number
}
