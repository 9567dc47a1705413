//! Paths and methods of v2, and the ids in the header and the path (`v2.md`, "Paths" and "Checks").

use super::super::answer::TwinAnswer;
use super::super::endpoints::{ENDPOINTS, Endpoint};
use super::super::integers::digits;
use super::super::target::split_target;
use super::answer::{invalid, method_not_allowed, refused};

/// The endpoint and the id of a request.
pub(crate) struct Asked<'a> {
    pub(crate) endpoint: &'static Endpoint,
    /// Whether the request is a state update.
    pub(crate) is_update: bool,
    /// The id in the path, with its name.
    id: Option<(&'static str, String)>,
    pub(crate) query: &'a str,
}

/// Returns whether the path is `/api/v2` or below it.
pub(crate) fn is_below(target: &str) -> bool {
    let path = target.split_once('?').map_or(target, |(path, _)| path);
    let start: Vec<&str> = path.split('/').take(3).collect();
    split_target(&start.join("/"))
        .is_some_and(|(segments, _)| segments == ["api".to_owned(), "v2".to_owned()])
}

/// Returns the endpoint. The errors are, in this order, 404 and 405.
pub(crate) fn route<'a>(method: &str, target: &'a str) -> Result<Asked<'a>, TwinAnswer> {
    let unknown = || refused(404, "Route not found");
    let (segments, query) = split_target(target).ok_or_else(unknown)?;
    let (endpoint, id) = matching(&segments[2..]).ok_or_else(unknown)?;
    let is_update = match method {
        "GET" => false,
        "POST" | "PATCH" if endpoint.is_settable => true,
        _ if endpoint.is_settable => {
            return Err(method_not_allowed(
                "Use GET, POST or PATCH",
                "GET, POST, PATCH",
            ));
        }
        _ => return Err(method_not_allowed("Use GET", "GET")),
    };
    Ok(Asked {
        endpoint,
        is_update,
        id,
        query,
    })
}

type Matching = (&'static Endpoint, Option<(&'static str, String)>);

fn matching(segments: &[String]) -> Option<Matching> {
    ENDPOINTS.into_iter().find_map(|endpoint| {
        let path: Vec<String> = endpoint.v2.split('/').map(str::to_owned).collect();
        match (segments.strip_prefix(path.as_slice())?, endpoint.id) {
            ([], _) => Some((endpoint, None)),
            ([value], Some(name)) => Some((endpoint, Some((name, value.clone())))),
            _ => None,
        }
    })
}

/// The ids of a request.
#[derive(Debug)]
pub(crate) struct Ids {
    pub(crate) school: Option<u64>,
    pub(crate) record: Option<u64>,
}

/// Returns the school of the header, which schools and client integrations ignore, and the id of
/// the path.
pub(crate) fn ids(asked: &Asked<'_>, headers: &[(String, Vec<u8>)]) -> Result<Ids, TwinAnswer> {
    let mut faults = Vec::new();
    let school = if asked.endpoint.family.is_some() {
        header_id(headers).map_err(|text| faults.push(("HTTP-X-SCHOOLID".to_owned(), text)))
    } else {
        Ok(None)
    };
    let record = match &asked.id {
        Some((name, value)) => {
            let id = digits(value);
            if id.is_none() {
                faults.push(((*name).to_owned(), format!("The {name} is invalid")));
            }
            id
        }
        None => None,
    };
    match school {
        Ok(school) if faults.is_empty() => Ok(Ids { school, record }),
        _ => Err(invalid(&faults)),
    }
}

/// Returns the id in the school header. If the header is repeated, the last one counts.
fn header_id(headers: &[(String, Vec<u8>)]) -> Result<Option<u64>, String> {
    let named = headers
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("HTTP-X-SCHOOLID"));
    let value = named.map(|(_, value)| value.as_slice()).next_back();
    match value.map(String::from_utf8_lossy).as_deref() {
        None | Some("") => Err("HTTP-X-SCHOOLID is required".to_owned()),
        Some(value) => match digits(value) {
            Some(id) => Ok(Some(id)),
            None => Err("The HTTP-X-SCHOOLID is invalid".to_owned()),
        },
    }
}
