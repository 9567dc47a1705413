//! 4.7 Get Clients.

use super::access::authorisations;
use super::kinds::Kind;
use super::records::{Record, Store};
use super::render::Json;

/// In order of school id, then API type id.
pub(crate) fn clients(store: &Store, username: &str, school: Option<u64>) -> Json {
    let mut records: Vec<&Record> = authorisations(store, username, school).collect();
    records.sort_by_key(|record| (record.id("school_id"), record.id("api_type_id")));
    Json::List(
        records
            .into_iter()
            .map(|record| row(store, record))
            .collect(),
    )
}

fn row(store: &Store, record: &Record) -> Json {
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
    Json::Object(vec![
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
    ])
}
