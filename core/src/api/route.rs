//! Paths → endpoints (section 4, and section 9).

use super::asked::{self, Errors};
use super::params::decode_path;
use crate::json::Wire;
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
    FinanceLearners,
    AccountablePersons,
}

impl Endpoint {
    /// The methods that a path of the endpoint takes.
    pub(super) fn allow(self, wire: Wire, has_last: bool) -> &'static str {
        match (self, wire) {
            (Endpoint::Clients, Wire::V1) if has_last => "GET, PATCH",
            (Endpoint::Clients, Wire::V2) => "GET, POST, PATCH",
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
            Endpoint::FinanceLearners | Endpoint::AccountablePersons => Some(Family::Finance),
            Endpoint::Schools | Endpoint::Clients => None,
        }
    }

    /// Whether the answer may hold parents, which have a family of their own.
    pub(super) fn has_parents(self) -> bool {
        matches!(self, Endpoint::Learners | Endpoint::FinanceLearners)
    }

    /// Whether requests are about one school.
    pub(super) fn needs_school(self) -> bool {
        self.guard().is_some()
    }

    /// What the id of one record is called in v2, if a path names one.
    pub(super) fn id(self) -> Option<&'static str> {
        match self {
            Endpoint::Learners | Endpoint::FinanceLearners => Some("learner_id"),
            Endpoint::Absentees => Some("id"),
            Endpoint::Schools => Some("school_id"),
            Endpoint::AccountablePersons => Some("accountable_person_id"),
            _ => None,
        }
    }

    /// Whether that id is a parameter of the collection as well.
    pub(super) fn takes_id(self) -> bool {
        matches!(
            self,
            Endpoint::Learners | Endpoint::FinanceLearners | Endpoint::AccountablePersons
        )
    }

    /// The texts of the errors that come before the question.
    pub(super) fn errors(self) -> Errors {
        match self {
            Endpoint::Schools => asked::SCHOOLS,
            Endpoint::Clients => asked::CLIENTS,
            _ => asked::LEARNERS,
        }
    }

    /// The path of its collection in v2.
    pub(super) fn target(self) -> String {
        let mut paths = PATHS.iter().filter(|(endpoint, ..)| *endpoint == self);
        let path = paths.next().map_or("", |(.., v2)| v2);
        format!("/api/v2/{path}")
    }
}

/// What a path names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Route<'a> {
    pub(super) endpoint: Endpoint,
    /// The last segment, decoded, not yet a number: in v1 the school's, in v2 a
    /// record's.
    pub(super) last: Option<Cow<'a, str>>,
}

/// The paths of each endpoint in v1 and in v2.
const PATHS: [(Endpoint, &str, &str); 10] = [
    (
        Endpoint::Learners,
        "adminplus/learners",
        "adminplus/learners",
    ),
    (
        Endpoint::AssessmentMarks,
        "currplus/learnerassessmentmarks",
        "currplus/learnerassessmentmarks",
    ),
    (
        Endpoint::SubjectsPerTerm,
        "currplus/learnersubjectsperterm",
        "currplus/learnersubjectsperterm",
    ),
    (
        Endpoint::SubjectMarks,
        "currplus/learnersubjectmarks",
        "currplus/learnersubjectmarks",
    ),
    (
        Endpoint::LearnerSubjects,
        "currplus/learnersubjects",
        "currplus/learnersubjects",
    ),
    (
        Endpoint::Schools,
        "finplus/debtmanagement/schools",
        "finplus/debtmanagement/schools",
    ),
    (
        Endpoint::Clients,
        "settings/clients",
        "settings/clientintegrations",
    ),
    (
        Endpoint::Absentees,
        "adminplus/learnerabsentees",
        "adminplus/learnerabsentees",
    ),
    (
        Endpoint::FinanceLearners,
        "finplus/debtmanagement/learnerparentinfo",
        "finplus/debtmanagement/learners",
    ),
    (
        Endpoint::AccountablePersons,
        "finplus/debtmanagement/schooldebtors",
        "finplus/debtmanagement/accountablepersons",
    ),
];

/// The version that a path is of, v1 unless it is v2, and what it names, if it
/// names anything.
pub(super) fn route(path: &str) -> (Wire, Option<Route<'_>>) {
    let path = path.strip_prefix('/').unwrap_or("//");
    // One slash at the end is as good as none.
    let path = path.strip_suffix('/').unwrap_or(path);
    let mut segments = path.split('/').map(decode_path);
    let is_api = segments.next().is_some_and(|segment| segment == "api");
    let wire = match segments.next().as_deref() {
        Some("v1") if is_api => Wire::V1,
        Some("v2") if is_api => Wire::V2,
        _ => return (Wire::V1, None),
    };
    let found = PATHS.iter().find_map(|(endpoint, v1, v2)| {
        let names = match wire {
            Wire::V1 => v1,
            Wire::V2 => v2,
        };
        let mut rest = segments.clone();
        let all = names
            .split('/')
            .all(|name| rest.next().is_some_and(|segment| segment == name));
        all.then_some((*endpoint, rest))
    });
    let route = found.and_then(|(endpoint, mut rest)| {
        let last = rest.next();
        let is_whole = rest.next().is_none() && last.as_deref() != Some("");
        let fits = match wire {
            Wire::V1 => last.is_some() || !endpoint.needs_school(),
            Wire::V2 => last.is_none() || endpoint.id().is_some(),
        };
        (is_whole && fits).then_some(Route { endpoint, last })
    });
    (wire, route)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routed(path: &str) -> Option<(Endpoint, Option<String>)> {
        let (_, route) = route(path);
        route.map(|route| (route.endpoint, route.last.map(Cow::into_owned)))
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
            (
                "/api/v1/finplus/debtmanagement/schooldebtors/1000",
                school(Endpoint::AccountablePersons),
            ),
            (
                "/api/v2/adminplus/learners/1000",
                school(Endpoint::Learners),
            ),
            (
                "/api/v2/adminplus/learners",
                Some((Endpoint::Learners, None)),
            ),
            (
                "/api/v2/adminplus/learners/",
                Some((Endpoint::Learners, None)),
            ),
            (
                "/api/v2/finplus/debtmanagement/learners",
                Some((Endpoint::FinanceLearners, None)),
            ),
            (
                "/api/v2/settings/clientintegrations",
                Some((Endpoint::Clients, None)),
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
            "/api%2Fv1/settings/clients",
        ] {
            assert_eq!(routed(unknown), None, "{unknown}");
        }
    }
}
