//! Paths → endpoints (section 4).

use super::params::decode_path;
use crate::query::Family;
use std::borrow::Cow;

/// An endpoint of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Endpoint {
    Learners,
    AssessmentMarks,
    SubjectsPerTerm,
    SubjectMarks,
    LearnerSubjects,
    Schools,
    Clients,
    Absentees,
}

impl Endpoint {
    /// The methods that a path of the endpoint takes.
    pub(super) fn allow(self, with_school: bool) -> &'static str {
        match self {
            Endpoint::Clients if with_school => "GET, PATCH",
            _ => "GET",
        }
    }

    /// The API family that must be active for the school (5.3).
    pub(super) fn guard(self) -> Option<Family> {
        match self {
            Endpoint::Learners | Endpoint::Absentees => Some(Family::Administration),
            Endpoint::AssessmentMarks
            | Endpoint::SubjectsPerTerm
            | Endpoint::SubjectMarks
            | Endpoint::LearnerSubjects => Some(Family::Curriculum),
            Endpoint::Schools | Endpoint::Clients => None,
        }
    }

    fn needs_school(self) -> bool {
        !matches!(self, Endpoint::Schools | Endpoint::Clients)
    }
}

/// What a path names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Route<'a> {
    pub(super) endpoint: Endpoint,
    /// The school's segment, decoded; not yet a number.
    pub(super) school: Option<Cow<'a, str>>,
}

const PATHS: [(&[&str], Endpoint); 8] = [
    (&["adminplus", "learners"], Endpoint::Learners),
    (
        &["currplus", "learnerassessmentmarks"],
        Endpoint::AssessmentMarks,
    ),
    (
        &["currplus", "learnersubjectsperterm"],
        Endpoint::SubjectsPerTerm,
    ),
    (&["currplus", "learnersubjectmarks"], Endpoint::SubjectMarks),
    (&["currplus", "learnersubjects"], Endpoint::LearnerSubjects),
    (&["finplus", "debtmanagement", "schools"], Endpoint::Schools),
    (&["settings", "clients"], Endpoint::Clients),
    (&["adminplus", "learnerabsentees"], Endpoint::Absentees),
];

/// The endpoint of a path, if there is one.
pub(super) fn route(path: &str) -> Option<Route<'_>> {
    let path = path.strip_prefix('/')?;
    // One slash at the end is as good as none.
    let path = path.strip_suffix('/').unwrap_or(path);
    let mut segments = path.split('/').map(decode_path);
    for expected in ["api", "v1"] {
        if segments.next()? != expected {
            return None;
        }
    }
    let found = PATHS.iter().find_map(|(names, endpoint)| {
        let mut rest = segments.clone();
        let all = names
            .iter()
            .all(|name| rest.next().is_some_and(|segment| segment == *name));
        all.then_some((*endpoint, rest))
    });
    let (endpoint, mut rest) = found?;
    let school = rest.next();
    let whole = rest.next().is_none() && school.as_deref() != Some("");
    let enough = school.is_some() || !endpoint.needs_school();
    (whole && enough).then_some(Route { endpoint, school })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routed(path: &str) -> Option<(Endpoint, Option<String>)> {
        route(path).map(|route| (route.endpoint, route.school.map(Cow::into_owned)))
    }

    #[test]
    fn paths() {
        let school = |endpoint| Some((endpoint, Some("1000".to_owned())));
        for (path, expected) in [
            (
                "/api/v1/adminplus/learners/1000",
                school(Endpoint::Learners),
            ),
            (
                "/api/v1/adminplus/learners/1000/",
                school(Endpoint::Learners),
            ),
            (
                "/api/v1/adminplus/l%65arners/%31000",
                school(Endpoint::Learners),
            ),
            (
                "/api/v1/currplus/learnersubjects/1000",
                school(Endpoint::LearnerSubjects),
            ),
            (
                "/api/v1/finplus/debtmanagement/schools",
                Some((Endpoint::Schools, None)),
            ),
            (
                "/api/v1/finplus/debtmanagement/schools/",
                Some((Endpoint::Schools, None)),
            ),
            ("/api/v1/settings/clients/1000", school(Endpoint::Clients)),
            (
                "/api/v1/settings/clients/a%2Fb",
                Some((Endpoint::Clients, Some("a/b".to_owned()))),
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
            "/api/v2/adminplus/learners/1000",
            "/api/v1/settings/clients//",
            "/api/v1//settings/clients",
            "/api%2Fv1/settings/clients",
        ] {
            assert_eq!(routed(unknown), None, "{unknown}");
        }
    }
}
