//! The question that a request of v2 asks: a page, or one record.

use super::params::number;
use super::question::{Asked, Resource};
use super::{Shape, Way, header, with_id};
use rollbook::{Answer, Engine, Page};
use rollbook_tests::corpus::Request;

/// Asks for what stands below `/api/v2/`; `asked` takes the school and the id
/// of one record.
pub(super) fn ask<'a>(
    engine: &Engine,
    request: &Request,
    path: &str,
    asked: impl Fn(Option<u64>, Option<u64>) -> Asked<'a>,
    now: i64,
) -> Option<Answer> {
    // There is no typed door to the answers of a state update.
    if request.method != "GET" {
        return None;
    }
    let (path, id) = with_id(path)?;
    let resource = resource(path, id.is_some())?;
    let params = asked(None, None).params;
    let school = match resource {
        Resource::Schools => None,
        Resource::Clients => params.parsed("school_id")?,
        _ => Some(number(header(request, "HTTP-X-SCHOOLID")?)?),
    };
    let shape = match id {
        Some(_) => Shape::One,
        None => Shape::Page(Page {
            cursor: params.text("cursor"),
            limit: params.parsed("limit")?,
            reverse_order: params.flag("reverse_order")?,
        }),
    };
    asked(school, id).ask(resource, &Way { engine, now, shape })
}

/// What a path names, with an id behind it or without.
fn resource(path: &str, has_id: bool) -> Option<Resource> {
    Some(match path {
        "adminplus/learners" => Resource::Learners,
        "adminplus/learnerabsentees" => Resource::Absentees,
        "finplus/debtmanagement/schools" => Resource::Schools,
        "finplus/debtmanagement/learners" => Resource::FinanceLearners,
        "finplus/debtmanagement/accountablepersons" => Resource::AccountablePersons,
        _ if has_id => return None,
        "currplus/learnerassessmentmarks" => Resource::AssessmentMarks,
        "currplus/learnersubjects" => Resource::LearnerSubjects,
        "currplus/learnersubjectsperterm" => Resource::SubjectsPerTerm,
        "currplus/learnersubjectmarks" => Resource::SubjectMarks,
        "settings/clientintegrations" => Resource::Clients,
        _ => return None,
    })
}
