//! The completeness domain of an answer: the records that the answer would contain if they existed.
//! If an answer does not contain a stored record of its domain, the record no longer exists as far
//! as this answer shows.

use crate::record::field::position;
use crate::record::kinds::{assessment, learner, learning_program};
use crate::record::{Kind, Value};
use crate::sync::resources::resource::{Resource, Selection};
use crate::sync::resources::resource_request::ResourceRequest;

/// Facts about a record that other records show.
#[derive(Clone, Copy, Default)]
pub(crate) struct Relations {
    /// The grade, year and other references of the assessment of a mark.
    pub(crate) at: Option<assessment::AssessmentPlace>,
    /// Whether a current learner refers to the parent.
    pub(crate) has_current_child: bool,
}

/// Returns whether an answer would contain a stored record if the service still had it.
pub(crate) fn is_complete_for(
    request: ResourceRequest,
    year: u64,
    kind: Kind,
    values: &[Value<'_>],
    relations: Relations,
) -> bool {
    let number = |field: usize| values.get(field).and_then(Value::integer);
    let text = |field: usize| values.get(field).map_or("", Value::text);
    let is_of_year = |at: (u64, u64)| at == (request.id, request.year.unwrap_or(year));
    if !request.spec().complete.contains(&kind) {
        return false;
    }
    match request.spec().scope {
        // The default status is stored as an empty value.
        Selection::Status("current") => text(STATUS).is_empty(),
        Selection::Status(status) => text(STATUS) == status,
        Selection::Learner => number(1).zip(number(2)).is_some_and(is_of_year),
        Selection::Grade => {
            let at = match kind {
                Kind::LearningProgram => number(PROGRAM_GRADE).zip(number(PROGRAM_YEAR)),
                Kind::Assessment => {
                    assessment::AssessmentPlace::from_values(values).map(|at| (at.grade, at.year))
                }
                _ => relations.at.map(|at| (at.grade, at.year)),
            };
            at.is_some_and(is_of_year)
        }
        Selection::Days(_) => request.may_contain(kind, values),
        Selection::School => request.resource != Resource::Parents || relations.has_current_child,
        // This list is the same for all schools: callers use it only if all schools of the store
        // are synced.
        Selection::AllSchools => true,
    }
}

const STATUS: usize = position(learner::FIELDS, "status");
const PROGRAM_GRADE: usize = position(learning_program::FIELDS, "grade_id");
const PROGRAM_YEAR: usize = position(learning_program::FIELDS, "year");
