//! The endpoints, one per file: the form of a request, and the rows of the answer.

mod absentees;
mod accountable_persons;
mod assessment_marks;
pub(crate) mod clients;
mod discipline;
mod finance_learners;
mod get_schools;
mod grades;
mod learner_subjects;
mod learners;
mod lookups;
mod parents;
mod school_info;
mod staff_members;
mod subject_marks;
mod subjects_per_term;

use super::params::Params;
use super::question::{Question, Row, View};
use super::render::Json;
use super::v2::Types;

/// The description of an endpoint of section 4 or of the finance family.
pub(crate) struct Endpoint {
    /// The path below `/api/v1`, before the school.
    pub(crate) v1: &'static str,
    /// The path below `/api/v2`.
    pub(crate) v2: &'static str,
    /// The name of the id that may follow the path in v2.
    pub(crate) id: Option<&'static str>,
    /// The family that guards the endpoint. Without a family, the requests are for all schools,
    /// have no parameters in v1, and the id at the end of v1's path is optional.
    pub(crate) family: Option<&'static str>,
    /// The name of the id at the end of v1's path, usually the school's.
    pub(crate) last: &'static str,
    /// Whether the state update has the same path.
    pub(crate) is_settable: bool,
    /// Whether the answer is one object in v2 too, without an id in the path.
    pub(crate) is_object: bool,
    /// The description of the 404 answer if there are no records.
    pub(crate) none_found: &'static str,
    /// The types of the records in v2.
    pub(crate) types: &'static Types,
    /// Reads the parameters in the order of the table.
    pub(crate) read: fn(&mut Params) -> Box<dyn Question>,
    /// Returns the record of an id in v2, if the parameters have no effect then.
    pub(crate) by_id: Option<fn(&View<'_>, u64) -> Option<Row>>,
    /// Returns the complete answer of v1.
    pub(crate) whole: fn(&View<'_>, &[Row]) -> Json,
}

/// The types of a record in which every field is text.
static NO_TYPES: Types = Types {
    numbers: &[],
    ids: &[],
    flags: &[],
    records: &[],
};

pub(crate) static ENDPOINTS: [&Endpoint; 19] = [
    &learners::ENDPOINT,
    &assessment_marks::ENDPOINT,
    &subjects_per_term::ENDPOINT,
    &subject_marks::ENDPOINT,
    &learner_subjects::ENDPOINT,
    &get_schools::ENDPOINT,
    &clients::ENDPOINT,
    &absentees::ENDPOINT,
    &finance_learners::ENDPOINT,
    &accountable_persons::ENDPOINT,
    &parents::ENDPOINT,
    &staff_members::ENDPOINT,
    &school_info::ENDPOINT,
    &discipline::ENDPOINT,
    &grades::ENDPOINT,
    &lookups::ETHNIC_GROUPS,
    &lookups::MARITAL_STATUSES,
    &lookups::GENDERS,
    &lookups::LANGUAGES,
];

/// Returns the description of each 404 answer for an endpoint without records.
pub fn nothing_found() -> impl Iterator<Item = &'static str> {
    ENDPOINTS.iter().map(|endpoint| endpoint.none_found)
}

impl Endpoint {
    /// Returns an endpoint whose paths, texts and types are still to be set. Its requests are for
    /// all schools, and its answer is a list of the unchanged records.
    const fn new(read: fn(&mut Params) -> Box<dyn Question>) -> Endpoint {
        Endpoint {
            v1: "",
            v2: "",
            id: None,
            family: None,
            last: "school_login_id",
            is_settable: false,
            is_object: false,
            none_found: "",
            types: &NO_TYPES,
            read,
            by_id: None,
            whole: list,
        }
    }

    /// Returns every family that a request needs: that of its endpoint, and `parents` if parents
    /// are included.
    pub(crate) fn families(&self, params: &Params) -> Vec<&'static str> {
        let mut families: Vec<&str> = self.family.into_iter().collect();
        let has_parents = self
            .types
            .records
            .iter()
            .any(|(name, _)| *name == "parents");
        if has_parents && params.included("include_parents") {
            families.push("parents");
        }
        families
    }
}

/// Returns the unchanged records as a list.
fn list(_: &View<'_>, rows: &[Row]) -> Json {
    Json::List(rows.iter().map(|(_, record)| record.clone()).collect())
}
