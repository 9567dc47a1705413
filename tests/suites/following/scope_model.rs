//! Predicts which requests a follower refuses, from the documentation of scopes and endpoints: a
//! device answers a request if its kinds and its learners suffice for the answer.

use super::scope::Reach;
use crate::sync::coverage_model::Asked;
use rollbook_tests::world::ENDPOINTS;

/// The expected answer of a follower to a request that its source answers with 200 or 404.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The answer of its source.
    Same,
    /// The error that the data is not synced.
    Refused,
    /// An answer of its own: about other schools, or about client integrations.
    OfApp,
}

/// Returns the path in v1 of the endpoint of a request, if the request is about this school or
/// about no school and has the path of an endpoint.
fn endpoint(school: u64, target: &str) -> Option<&'static str> {
    let path = target.split('?').next().unwrap_or_default();
    let path = path.strip_suffix('/').unwrap_or(path);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    ENDPOINTS.iter().find_map(|endpoint| {
        if let Some(rest) = path.strip_prefix("/api/v1/") {
            let rest = rest.strip_prefix(endpoint.v1)?;
            let is_of_school = rest == format!("/{school}");
            let is_of_none = rest.is_empty() && endpoint.v1.contains("lookup/");
            return (is_of_school || is_of_none).then_some(endpoint.v1);
        }
        let rest = path.strip_prefix("/api/v2/")?.strip_prefix(endpoint.v2)?;
        let id = rest.strip_prefix('/').filter(|_| !endpoint.ids.is_empty());
        (rest.is_empty() || id.is_some_and(is_number)).then_some(endpoint.v1)
    })
}

/// Returns the kinds of records of people from which an answer is made.
fn kinds(endpoint: &str, asked: &Asked) -> Vec<&'static str> {
    let mut kinds = match endpoint {
        "adminplus/learners" | "finplus/debtmanagement/learnerparentinfo" => vec!["learner"],
        "adminplus/learnerabsentees" => vec!["absentee"],
        "adminplus/learnerdiscipline" => vec!["discipline"],
        "adminplus/staffmembers" => vec!["staff_member"],
        // The list of all parents consists of those of the current learners.
        "adminplus/parents" if asked.id.is_none() && !asked.has("parent_id") => {
            vec!["parent", "learner"]
        }
        "adminplus/parents" => vec!["parent"],
        "currplus/learnersubjects" => vec!["learner", "learner_subject"],
        "currplus/learnersubjectsperterm" | "currplus/learnersubjectmarks" => {
            vec!["learner_subject"]
        }
        // A learner who takes a subject has its assessments, even without a mark.
        "currplus/learnerassessmentmarks" => vec!["mark", "learner_subject"],
        // Whether an account is open depends on its learners.
        "finplus/debtmanagement/schooldebtors"
            if !asked.is_on("all_accounts") || asked.is_on("include_learners") =>
        {
            vec!["accountable_person", "learner"]
        }
        "finplus/debtmanagement/schooldebtors" => vec!["accountable_person"],
        _ => vec![],
    };
    if kinds.contains(&"learner") && asked.is_on("include_parents") {
        kinds.push("parent");
    }
    let has_persons = endpoint == "finplus/debtmanagement/learnerparentinfo";
    if has_persons && asked.is_on("include_accountable_person") {
        kinds.push("accountable_person");
    }
    kinds
}

/// Returns what a follower of a scope answers to a request about one of its schools.
pub(super) fn predict(reach: &Reach, school: u64, target: &str) -> Outcome {
    let Some(endpoint) = endpoint(school, target) else {
        return Outcome::OfApp;
    };
    if endpoint.starts_with("settings/") || endpoint == "finplus/debtmanagement/schools" {
        return Outcome::OfApp;
    }
    let asked = Asked::parse(target, school);
    let kinds = kinds(endpoint, &asked);
    let has_kinds = reach
        .kinds
        .as_ref()
        .is_none_or(|some| kinds.iter().all(|kind| some.contains(kind)));
    let is_by_learner = [
        "adminplus/learners",
        "finplus/debtmanagement/learnerparentinfo",
    ];
    // A request for one record by its id has no filters.
    let learner = match asked.id {
        Some(id) => Some(id).filter(|_| is_by_learner.contains(&endpoint)),
        None => asked.number("learner_id"),
    };
    let has_learner = match &reach.schools[&school] {
        None => true,
        Some(learners) => learner.is_some_and(|learner| learners.contains(&learner)),
    };
    if has_kinds && (kinds.is_empty() || has_learner) {
        Outcome::Same
    } else {
        Outcome::Refused
    }
}
