//! Paths and methods of v1 (section 4 of `integration-api.md`).

use super::answer::{TwinAnswer, bad_request, method_not_allowed, not_found};
use super::endpoints::{ENDPOINTS, Endpoint};
use super::integers::digits;

/// The endpoint and the school of a request.
pub(crate) struct Asked {
    pub(crate) endpoint: &'static Endpoint,
    pub(crate) school: Option<u64>,
    /// Whether the request is the state update of 4.8.
    pub(crate) is_update: bool,
}

/// Returns the endpoint and the school of a path. The errors are, in this order, 404, 405 and 400.
pub(crate) fn route(method: &str, segments: &[String]) -> Result<Asked, TwinAnswer> {
    let (endpoint, school) = matching(segments).ok_or_else(|| not_found("Route not found"))?;
    let is_settable = endpoint.is_settable && school.is_some();
    let is_update = match method {
        "GET" => false,
        "PATCH" if is_settable => true,
        _ if is_settable => return Err(method_not_allowed(&["GET", "PATCH"])),
        _ => return Err(method_not_allowed(&["GET"])),
    };
    let number = |text: &str| {
        let what = format!("{} must be an unsigned integer", endpoint.last);
        digits(text).ok_or_else(|| bad_request(&what))
    };
    Ok(Asked {
        endpoint,
        school: school.map(number).transpose()?,
        is_update,
    })
}

/// Finds the endpoint of a path. The segment of the id is optional if no family guards the
/// endpoint.
fn matching(segments: &[String]) -> Option<(&'static Endpoint, Option<&str>)> {
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let ["api", "v1", rest @ ..] = segments.as_slice() else {
        return None;
    };
    ENDPOINTS.into_iter().find_map(|endpoint| {
        let path: Vec<&str> = endpoint.v1.split('/').collect();
        match rest.strip_prefix(path.as_slice())? {
            [] if endpoint.family.is_none() => Some((endpoint, None)),
            [school] => Some((endpoint, Some(*school))),
            _ => None,
        }
    })
}
