//! The school and the record that a request names in its path and headers.

use super::message::Request;
use super::route::Route;
use crate::error::Result;
use crate::json::ApiVersion;
use crate::query::{Endpoint, ValidationErrors, Wrong};
use crate::record::values::value::integer;

/// The ids in the path and the headers of a request.
pub(super) struct RequestIds {
    pub(super) school: Option<u64>,
    /// The id of one record.
    pub(super) id: Option<u64>,
}

impl RequestIds {
    /// Reads the ids. Returns a validation error for each that is not a number.
    pub(super) fn read(
        version: ApiVersion,
        Route { endpoint, last }: &Route<'_>,
        request: &Request<'_>,
    ) -> Result<RequestIds, ValidationErrors> {
        let mut faults = ValidationErrors::default();
        let school = match version {
            ApiVersion::V1 => None,
            ApiVersion::V2 => header(endpoint, request, &mut faults),
        };
        let named = endpoint.path(version).1;
        let last = last.as_deref().zip(named.name());
        let last = last.and_then(|(text, name)| number(name, text, &mut faults));
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(match (named.is_school(), version) {
            (true, ApiVersion::V1) => RequestIds {
                school: last,
                id: None,
            },
            (true, ApiVersion::V2) => RequestIds {
                school: last,
                id: last,
            },
            (false, _) => RequestIds { school, id: last },
        })
    }
}

/// The header of v2 that contains the id of the school.
pub(super) const SCHOOL_HEADER: &str = "HTTP-X-SCHOOLID";

/// Reads the id of the school from the header, if the endpoint has one.
fn header(
    endpoint: &Endpoint,
    request: &Request<'_>,
    faults: &mut ValidationErrors,
) -> Option<u64> {
    endpoint.family?;
    match request.header(SCHOOL_HEADER) {
        None | Some("") => {
            faults.add_message(SCHOOL_HEADER, format!("{SCHOOL_HEADER} is required"));
            None
        }
        Some(school) => number(SCHOOL_HEADER, school, faults),
    }
}

fn number(name: &'static str, text: &str, faults: &mut ValidationErrors) -> Option<u64> {
    let number = integer(text);
    if number.is_none() {
        faults.add(name, Wrong::Id);
    }
    number
}
