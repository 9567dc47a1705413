//! Paths and methods of v1 (section 4 of `integration-api.md`).

use super::answer::{TwinAnswer, bad_request, method_not_allowed, not_found};
use super::integers::digits;

/// An endpoint of section 4 or of the finance family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// 4.1
    Learners,
    /// 4.2
    AssessmentMarks,
    /// 4.3
    SubjectsPerTerm,
    /// 4.4
    SubjectMarks,
    /// 4.5
    LearnerSubjects,
    /// 4.6
    Schools,
    /// 4.7
    Clients,
    /// 4.8
    StateUpdate,
    /// 4.9
    Absentees,
    /// Learner Parent Info, in v2 the learners of the finance family.
    FinanceLearners,
    /// School Debtors, in v2 Accountable Persons.
    AccountablePersons,
}

const ROUTES: [(&[&str], Endpoint); 10] = [
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
    (
        &["finplus", "debtmanagement", "learnerparentinfo"],
        Endpoint::FinanceLearners,
    ),
    (
        &["finplus", "debtmanagement", "schooldebtors"],
        Endpoint::AccountablePersons,
    ),
];

/// The endpoint and the school that it names: 404, then 405, then 400.
pub(crate) fn route(
    method: &str,
    segments: &[String],
) -> Result<(Endpoint, Option<u64>), TwinAnswer> {
    let (endpoint, school) = matching(segments).ok_or_else(|| not_found("Route not found"))?;
    let endpoint = match (endpoint, &school, method) {
        (_, _, "GET") => endpoint,
        (Endpoint::Clients, Some(_), "PATCH") => Endpoint::StateUpdate,
        (Endpoint::Clients, Some(_), _) => return Err(method_not_allowed(&["GET", "PATCH"])),
        _ => return Err(method_not_allowed(&["GET"])),
    };
    let number = |text: &str| {
        digits(text).ok_or_else(|| bad_request("school_login_id must be an unsigned integer"))
    };
    Ok((endpoint, school.map(number).transpose()?))
}

/// The segment of the school id is optional in 4.6 and 4.7 only.
fn matching(segments: &[String]) -> Option<(Endpoint, Option<&str>)> {
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let ["api", "v1", rest @ ..] = segments.as_slice() else {
        return None;
    };
    ROUTES.into_iter().find_map(|(path, endpoint)| {
        let optional = matches!(endpoint, Endpoint::Schools | Endpoint::Clients);
        match rest.strip_prefix(path)? {
            [] if optional => Some((endpoint, None)),
            [school] => Some((endpoint, Some(*school))),
            _ => None,
        }
    })
}
