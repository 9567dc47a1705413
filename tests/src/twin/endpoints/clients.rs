//! 4.7 Get Clients.

use super::super::access::authorisations;
use super::super::kinds::Kind;
use super::super::params::Params;
use super::super::question::{Row, Rows, View};
use super::super::records::{Record, Store};
use super::super::render::Json;
use super::super::v2::Types;
use super::Endpoint;

pub(crate) static CLIENT_INTEGRATION: Types = Types {
    numbers: &["school_id", "api_type_id"],
    ids: &[],
    flags: &[],
    records: &[],
};

pub(super) static ENDPOINT: Endpoint = Endpoint {
    v1: "settings/clients",
    v2: "settings/clientintegrations",
    is_settable: true,
    none_found: "No client-authorised integrations found",
    types: &CLIENT_INTEGRATION,
    ..Endpoint::new(|params| Box::new(question(params)))
};

#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) school: Option<u64>,
    pub(crate) api_type: Option<u64>,
}

impl super::Question for Question {
    fn rows(&self, view: &View<'_>) -> Rows {
        Ok(rows(view, self))
    }
}

fn question(params: &mut Params) -> Question {
    Question {
        school: params.integer("school_id"),
        api_type: params.integer("api_type_id"),
    }
}

/// Returns the rows by school id, then API type id.
pub(crate) fn rows(view: &View<'_>, question: &Question) -> Vec<Row> {
    let records = authorisations(view.store, view.username, question.school);
    let mut rows: Vec<Row> = records
        .filter(|record| {
            question
                .api_type
                .is_none_or(|id| record.id("api_type_id") == id)
        })
        .map(|record| row(view.store, record))
        .collect();
    rows.sort_by(|(one, _), (other, _)| one.cmp(other));
    rows
}

pub(crate) fn row(store: &Store, record: &Record) -> Row {
    let (school, api_type) = (record.id("school_id"), record.id("api_type_id"));
    let of_school = |name: &str| {
        (
            name.to_owned(),
            Json::Text(store.look_up(Kind::School, &[school], name)),
        )
    };
    let active = if record.text("state") == "1" {
        "Yes"
    } else {
        "No"
    };
    let members = vec![
        ("school_login_id".to_owned(), Json::Text(school.to_string())),
        of_school("school_name"),
        of_school("admin_email_address"),
        of_school("telephone_calling_code"),
        of_school("telephone_number"),
        ("api_type_id".to_owned(), Json::Number(api_type)),
        (
            "api_type".to_owned(),
            Json::Text(store.look_up(Kind::ApiType, &[api_type], "api_type")),
        ),
        ("activated_by_integrator".to_owned(), Json::text(active)),
    ];
    (vec![school, api_type], Json::Object(members))
}
