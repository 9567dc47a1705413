//! Converts a v1 request to the v2 request for the same data (section 9).

use super::ids::{RequestIds, SCHOOL_HEADER};
use super::message::Request;
use super::route::route;
use super::v1;
use crate::json::ApiVersion;
use crate::query::{Last, Param, SCHOOL_ID, ValidationErrors};
use crate::record::values::value::integer;
use crate::url::{QueryString, decode_parameter};

/// A v2 request for the data of a v1 request.
///
/// The answer for a collection is paginated: follow `next_cursor` for the other pages. The state
/// update (4.8) is not a read request; in v2 it is a POST to the same target without its query
/// string, with the school in the body.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Upgrade {
    /// The path and the query string: `/api/v2/…`.
    pub target: String,
    /// The school, if the request needs the header with its id.
    pub school: Option<u64>,
}

impl Upgrade {
    /// Returns the headers that v2 needs in addition to the credentials: `HTTP-X-SCHOOLID`, or
    /// none.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let upgrade = engine.upgrade("/api/v1/adminplus/learners/1000").unwrap();
    /// assert!(upgrade.headers().eq([("HTTP-X-SCHOOLID", "1000".to_owned())]));
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn headers(&self) -> impl Iterator<Item = (&'static str, String)> {
        let school = self.school.map(|school| school.to_string());
        school.map(|school| (SCHOOL_HEADER, school)).into_iter()
    }
}

/// The reason why a target has no v2 request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoUpgrade {
    /// The target does not belong to v1.
    #[error("{target} is not of v1: give a path that begins with /api/v1/")]
    NotV1 {
        /// The target.
        target: String,
    },
    /// v1 does not have this path.
    #[error("v1 has no such path: {path}")]
    UnknownPath {
        /// The path.
        path: String,
    },
    /// v1 refuses the request too.
    #[error("v1 answers this with 400 as well: {why}")]
    Refused {
        /// The description in v1's answer.
        why: String,
    },
}

/// Returns the v2 request for a v1 target.
pub(crate) fn upgrade(target: &str) -> Result<Upgrade, NoUpgrade> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let route = match route(path) {
        (ApiVersion::V1, Some(route)) => route,
        (ApiVersion::V1, None) if path.starts_with("/api/v1/") => {
            let path = path.to_owned();
            return Err(NoUpgrade::UnknownPath { path });
        }
        _ => {
            let target = target.to_owned();
            return Err(NoUpgrade::NotV1 { target });
        }
    };
    let refused = |faults: &ValidationErrors| NoUpgrade::Refused {
        why: v1::first_text(faults),
    };
    let ids = RequestIds::read(ApiVersion::V1, &route, &Request::default());
    let RequestIds { school, id } = ids.map_err(|faults| refused(&faults))?;
    let endpoint = route.endpoint;
    let (params, faults) = endpoint.describe(ApiVersion::V1, None, query);
    if !faults.is_empty() {
        return Err(refused(&faults));
    }
    let mut pairs = effective_params(query, &params);
    let mut one = id;
    match endpoint.v2.1 {
        _ if endpoint.family.is_some() => {
            // A parameter that identifies one record of v2 becomes part of the path.
            if let Some(Param { name, .. }) = params.iter().find(|param| param.is_path) {
                let named = QueryString(query).get(name);
                one = named.and_then(|named| integer(&named));
                pairs.retain(|(given, _)| given != name);
            }
        }
        last if last.is_school() => one = school,
        Last::None => pairs.extend(school.map(|school| {
            let pair = format!("{SCHOOL_ID}={school}");
            (SCHOOL_ID.to_owned(), pair)
        })),
        _ => {}
    }
    let mut target = format!("/api/v2/{}", endpoint.v2.0);
    if let Some(id) = one {
        target = format!("{target}/{id}");
    }
    for (index, (_, pair)) in pairs.iter().enumerate() {
        target.push(if index == 0 { '?' } else { '&' });
        target.push_str(pair);
    }
    Ok(Upgrade {
        target,
        school: school.filter(|_| endpoint.family.is_some()),
    })
}

/// Returns the given parameters among these that have an effect, as they are spelled: the last of
/// each name, without empty ones, except for names whose presence alone has a meaning.
fn effective_params(query: &str, params: &[Param]) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = decode_parameter(name).into_owned();
        if !params.iter().any(|param| param.name == name) {
            continue;
        }
        pairs.retain(|(before, _)| *before != name);
        if !value.is_empty() || name.starts_with("include_") {
            pairs.push((name, pair.to_owned()));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Result;
    use crate::query::{ENDPOINTS, Endpoint, Identity, Outcome, Params, View};
    use crate::store::{Location, Store, StoreOptions};

    fn upgraded(target: &str) -> (String, Option<u64>) {
        upgrade(target).map_or_else(
            |no| (no.to_string(), None),
            |upgrade| (upgrade.target, upgrade.school),
        )
    }

    #[test]
    fn requests() {
        for (v1, v2, school) in [
            ("adminplus/learners/1000", "adminplus/learners", Some(1000)),
            (
                "adminplus/learners/1000/?learner_id=007&status=left&x=1&limit=5&since=2026-05-01",
                "adminplus/learners/7?status=left&since=2026-05-01",
                Some(1000),
            ),
            (
                "adminplus/learners/1000?grade_id=8,%209&include_parents&name=zo%C3%AB+s&grade_id=",
                "adminplus/learners?include_parents&name=zo%C3%AB+s",
                Some(1000),
            ),
            (
                "adminplus/learnerabsentees/1000?learner_id=7",
                "adminplus/learnerabsentees?learner_id=7",
                Some(1000),
            ),
            (
                "currplus/learnersubjectmarks/1000?learner_id=7",
                "currplus/learnersubjectmarks?learner_id=7",
                Some(1000),
            ),
            (
                "finplus/debtmanagement/schools/1000",
                "finplus/debtmanagement/schools/1000",
                None,
            ),
            (
                "settings/clients/1000",
                "settings/clientintegrations?school_id=1000",
                None,
            ),
            ("settings/clients", "settings/clientintegrations", None),
            (
                "adminplus/learners/1000?learner_id=7&status=left",
                "adminplus/learners?learner_id=7&status=left",
                Some(1000),
            ),
            (
                "finplus/debtmanagement/learnerparentinfo/1000?learner_id=7&all_accounts=1",
                "finplus/debtmanagement/learners/7?all_accounts=1",
                Some(1000),
            ),
            (
                "finplus/debtmanagement/schooldebtors/1000?accountable_person_id=40",
                "finplus/debtmanagement/accountablepersons/40",
                Some(1000),
            ),
            (
                "adminplus/parents/1000?parent_id=040",
                "adminplus/parents/40",
                Some(1000),
            ),
            (
                "adminplus/staffmembers/1000?staff_member_id=",
                "adminplus/staffmembers",
                Some(1000),
            ),
            ("adminplus/school/1000", "adminplus/school", Some(1000)),
            (
                "adminplus/lookup/grade/1000?grade_id=9",
                "adminplus/lookup/grade/9",
                Some(1000),
            ),
            (
                "adminplus/lookup/language?id=2",
                "adminplus/lookup/language",
                None,
            ),
            (
                "adminplus/lookup/language/02",
                "adminplus/lookup/language/2",
                None,
            ),
        ] {
            let expected = (format!("/api/v2/{v2}"), school);
            assert_eq!(upgraded(&format!("/api/v1/{v1}")), expected, "{v1}");
        }
    }

    #[test]
    fn a_target_without_an_upgrade_has_a_reason() {
        for (target, why) in [
            (
                "/api/v2/adminplus/learners",
                "/api/v2/adminplus/learners is not of v1: give a path that begins with /api/v1/",
            ),
            (
                "/api/v1/adminplus/learners",
                "v1 has no such path: /api/v1/adminplus/learners",
            ),
            (
                "/api/v1/adminplus/learners/x",
                "v1 answers this with 400 as well: school_login_id must be an unsigned integer",
            ),
            (
                "/api/v1/adminplus/learners/1?status=Left",
                "v1 answers this with 400 as well: status must be current, left or waitlist",
            ),
            (
                "/api/v1/currplus/learnersubjectmarks/1",
                "v1 answers this with 400 as well: Please provide a learner_id",
            ),
        ] {
            assert_eq!(upgraded(target), (why.to_owned(), None));
        }
    }

    #[test]
    fn every_parameter_distinguishes_questions() -> Result<()> {
        let store = Store::open(Location::Memory, StoreOptions::for_test())?;
        let identity = |endpoint: &Endpoint, query: &str| {
            let mut params = Params::new(ApiVersion::V1, query);
            params.school = Some(1);
            let mut bytes = Vec::new();
            (endpoint.read)(&mut params, &mut |read| {
                store.read(|snapshot| {
                    let mut identity = Identity::new(endpoint.name);
                    let view = View::new(snapshot, 1_778_745_600);
                    read.question.identify(view, &mut identity)?;
                    bytes = identity.bytes().to_vec();
                    Ok(Outcome::Found)
                })
            })?;
            Result::<_>::Ok(bytes)
        };
        let mut compared = 0;
        for endpoint in ENDPOINTS {
            for Param { name, .. } in endpoint.describe(ApiVersion::V1, None, "").0 {
                let (others, value) = match name {
                    "status" => ("", "left"),
                    "since" | "until" => ("status=left", "2026-05-13"),
                    "from_date" | "to_date" => ("", "2026-05-13"),
                    _ => ("", "1"),
                };
                let given = identity(endpoint, &format!("{others}&{name}={value}"))?;
                assert_ne!(identity(endpoint, others)?, given, "{name}");
                compared += 1;
            }
        }
        assert!(compared > 30, "{compared}");
        Ok(())
    }
}
