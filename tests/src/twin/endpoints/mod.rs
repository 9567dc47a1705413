//! The endpoints, a file each: what a request of it looks like, and the rows that answer it.

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

/// What is said of an endpoint of section 4 or of the finance family.
pub(crate) struct Endpoint {
    /// The path below `/api/v1`, before the school.
    pub(crate) v1: &'static str,
    /// The path below `/api/v2`.
    pub(crate) v2: &'static str,
    /// The name of the id that may follow in v2.
    pub(crate) id: Option<&'static str>,
    /// The family that guards it. Without one its requests are about all schools, take no parameters in v1, and
    /// the id at the end of v1's path may be left out.
    pub(crate) family: Option<&'static str>,
    /// The id at the end of v1's path: mostly the school's.
    pub(crate) last: &'static str,
    /// The state update has the same path.
    pub(crate) is_settable: bool,
    /// It answers one object in v2 too, without an id.
    pub(crate) is_object: bool,
    /// What the 404 without records says.
    pub(crate) none_found: &'static str,
    /// The types of its records in v2.
    pub(crate) types: &'static Types,
    /// Reads the parameters in the order of the table.
    pub(crate) read: fn(&mut Params) -> Box<dyn Question>,
    /// The record of an id in v2, if no parameters count then.
    pub(crate) by_id: Option<fn(&View<'_>, u64) -> Option<Row>>,
    /// The whole of v1's answer.
    pub(crate) whole: fn(&View<'_>, &[Row]) -> Json,
}

/// Text throughout.
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

/// What each 404 without records says.
pub fn nothing_found() -> impl Iterator<Item = &'static str> {
    ENDPOINTS.iter().map(|endpoint| endpoint.none_found)
}

impl Endpoint {
    /// One whose paths, texts and types are to be said: it is about all schools, and answers its records as they
    /// are, in a list.
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

    /// Every family that a request needs: that of its endpoint, and `parents` where parents are included.
    pub(crate) fn families(&self, params: &Params) -> Vec<&'static str> {
        let mut families: Vec<&str> = self.family.into_iter().collect();
        let holds_parents = self
            .types
            .records
            .iter()
            .any(|(name, _)| *name == "parents");
        if holds_parents && params.included("include_parents") {
            families.push("parents");
        }
        families
    }
}

/// The records as they are.
fn list(_: &View<'_>, rows: &[Row]) -> Json {
    Json::List(rows.iter().map(|(_, record)| record.clone()).collect())
}
