//! Finds the endpoint of a path (sections 4 and 9).

use crate::json::ApiVersion;
use crate::query::{ENDPOINTS, Endpoint, Last};
use crate::url::decode_path;
use std::borrow::Cow;

/// The endpoint that a path names.
pub(super) struct Route<'a> {
    pub(super) endpoint: &'static Endpoint,
    /// The last segment of the path, decoded. It may not be a number.
    pub(super) last: Option<Cow<'a, str>>,
}

/// Returns the version of a path (v1 if the path has none), and its endpoint, if there is one.
pub(super) fn route(path: &str) -> (ApiVersion, Option<Route<'_>>) {
    let path = path.strip_prefix('/').unwrap_or("//");
    // One slash at the end is ignored.
    let path = path.strip_suffix('/').unwrap_or(path);
    let mut segments = path.split('/').map(decode_path);
    let is_api = segments.next().is_some_and(|segment| segment == "api");
    let version = match segments.next().as_deref() {
        Some("v1") if is_api => ApiVersion::V1,
        Some("v2") if is_api => ApiVersion::V2,
        _ => return (ApiVersion::V1, None),
    };
    let found = ENDPOINTS.iter().find_map(|endpoint| {
        let mut rest = segments.clone();
        let all = endpoint
            .path(version)
            .0
            .split('/')
            .all(|name| rest.next().is_some_and(|segment| segment == name));
        all.then_some((*endpoint, rest))
    });
    let route = found.and_then(|(endpoint, mut rest)| {
        let last = rest.next();
        let is_whole = rest.next().is_none() && last.as_deref() != Some("");
        let fits = match endpoint.path(version).1 {
            Last::None => last.is_none(),
            Last::Optional(_) => true,
            Last::Needed(_) => last.is_some(),
        };
        (is_whole && fits).then_some(Route { endpoint, last })
    });
    (version, route)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routed(path: &str) -> Option<(&'static str, Option<String>)> {
        let (_, route) = route(path);
        route.map(|route| (route.endpoint.name, route.last.map(Cow::into_owned)))
    }

    #[test]
    fn paths() {
        let school = |endpoint| Some((endpoint, Some("1000".to_owned())));
        for (path, expected) in [
            ("/api/v1/adminplus/learners/1000", school("learners")),
            ("/api/v1/adminplus/learners/1000/", school("learners")),
            ("/api/v1/adminplus/l%65arners/%31000", school("learners")),
            (
                "/api/v1/currplus/learnersubjects/1000",
                school("learnersubjects"),
            ),
            (
                "/api/v1/finplus/debtmanagement/schools",
                Some(("schools", None)),
            ),
            (
                "/api/v1/finplus/debtmanagement/schools/",
                Some(("schools", None)),
            ),
            (
                "/api/v1/settings/clients/1000",
                school("clientintegrations"),
            ),
            (
                "/api/v1/settings/clients/a%2Fb",
                Some(("clientintegrations", Some("a/b".to_owned()))),
            ),
            (
                "/api/v1/finplus/debtmanagement/schooldebtors/1000",
                school("accountablepersons"),
            ),
            ("/api/v2/adminplus/learners/1000", school("learners")),
            ("/api/v2/adminplus/learners", Some(("learners", None))),
            ("/api/v2/adminplus/learners/", Some(("learners", None))),
            (
                "/api/v2/finplus/debtmanagement/learners",
                Some(("finance learners", None)),
            ),
            (
                "/api/v2/settings/clientintegrations",
                Some(("clientintegrations", None)),
            ),
            ("/api/v1/adminplus/school/1000", school("school")),
            ("/api/v2/adminplus/school", Some(("school", None))),
            ("/api/v1/adminplus/lookup/grade/1000", school("grades")),
            (
                "/api/v1/adminplus/lookup/gender",
                Some(("adminplus/lookup/gender", None)),
            ),
        ] {
            assert_eq!(routed(path), expected, "{path}");
        }
        for unknown in [
            "",
            "/",
            "/api/v1",
            "/api/v1/",
            "api/v1/settings/clients",
            "//api/v1/settings/clients",
            "/api/v1/adminplus/learners",
            "/api/v1/adminplus/learners/",
            "/api/v1/adminplus/learners//",
            "/api/v1/adminplus/learners/1000//",
            "/api/v1/adminplus/learners/1000/2",
            "/api/v1/Adminplus/learners/1000",
            "/api/v3/adminplus/learners/1000",
            "/api/v2/settings/clients",
            "/api/v2/settings/clientintegrations/1000",
            "/api/v2/currplus/learnersubjects/7",
            "/api/v2/adminplus/learners/7/8",
            "/api/v2/adminplus/learners//",
            "/api/v1/settings/clientintegrations",
            "/api/v1/settings/clients//",
            "/api/v1//settings/clients",
            "/api/v1/adminplus/school",
            "/api/v2/adminplus/school/1000",
            "/api/v1/adminplus/lookup",
            "/api/v1/adminplus/lookup/grade",
            "/api/v1/adminplus/lookup/gender/1/2",
            "/api%2Fv1/settings/clients",
        ] {
            assert_eq!(routed(unknown), None, "{unknown}");
        }
    }
}
