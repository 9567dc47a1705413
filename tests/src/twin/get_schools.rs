//! 4.6 Get Schools.

use super::access::authorisations;
use super::kinds::Kind;
use super::records::{Record, Store};
use super::render::Json;

/// In order of school id, the schools that have authorised the integrator for any API type, or the given one.
pub(crate) fn get_schools(store: &Store, username: &str, school: Option<u64>) -> Json {
    let authorised = |record: &&Record| {
        let id = record.id("school_id");
        school.is_none_or(|wanted| id == wanted)
            && authorisations(store, username, Some(id)).next().is_some()
    };
    Json::List(
        store
            .all(Kind::School)
            .filter(authorised)
            .map(row)
            .collect(),
    )
}

/// The 25 fields of 2.8.
fn row(record: &Record) -> Json {
    let fields = Kind::School
        .fields()
        .iter()
        .map(|field| field.name)
        .take(25);
    Json::Object(
        fields
            .map(|name| (name.to_owned(), Json::text(record.text(name))))
            .collect(),
    )
}
