//! 4.6 Get Schools.

use super::super::access::authorisations;
use super::super::kinds::Kind;
use super::super::params::Params;
use super::super::question::{Row, Rows, View};
use super::super::records::Record;
use super::super::render::Json;
use super::super::v2::Types;
use super::Endpoint;

static SCHOOL: Types = Types {
    numbers: &["school_id"],
    ids: &[],
    flags: &[
        "has_after_school_center",
        "has_hostel",
        "uses_debit_orders",
        "uses_cashless",
    ],
    records: &[],
};

pub(super) static ENDPOINT: Endpoint = Endpoint {
    v1: "finplus/debtmanagement/schools",
    v2: "finplus/debtmanagement/schools",
    id: Some("school_id"),
    none_found: "No school records found",
    types: &SCHOOL,
    ..Endpoint::new(|params| Box::new(question(params)))
};

/// The question of 4.6, which has no parameters.
#[derive(Clone, Debug)]
struct GetSchoolsQuestion;

fn question(_: &mut Params) -> GetSchoolsQuestion {
    GetSchoolsQuestion
}

impl super::Question for GetSchoolsQuestion {
    fn rows(&self, view: &View<'_>) -> Rows {
        Ok(rows(view))
    }
}

/// Returns the schools that have authorised the integrator for any API type, by school id.
fn rows(view: &View<'_>) -> Vec<Row> {
    let authorised = |record: &&Record| {
        let id = record.id("school_id");
        authorisations(view.store, view.username, Some(id))
            .next()
            .is_some()
    };
    let records = view.store.all(Kind::School);
    records.filter(authorised).map(row).collect()
}

/// Returns the fields of 2.8. The fields that `dataset.md` adds begin with the calling code.
fn row(record: &Record) -> Row {
    let fields = Kind::School
        .fields()
        .iter()
        .map(|field| field.name)
        .take_while(|name| *name != "telephone_calling_code");
    let members = fields.map(|name| (name.to_owned(), Json::text(record.text(name))));
    (
        vec![record.id("school_id")],
        Json::Object(members.collect()),
    )
}
