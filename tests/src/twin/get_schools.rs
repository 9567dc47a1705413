//! 4.6 Get Schools.

use super::access::authorisations;
use super::kinds::Kind;
use super::question::{Row, View};
use super::records::Record;
use super::render::Json;

/// In order of school id, the schools that have authorised the integrator for any API type.
pub(crate) fn rows(view: &View<'_>) -> Vec<Row> {
    let authorised = |record: &&Record| {
        let id = record.id("school_id");
        authorisations(view.store, view.username, Some(id))
            .next()
            .is_some()
    };
    let records = view.store.all(Kind::School);
    records.filter(authorised).map(row).collect()
}

/// The fields of 2.8; what `dataset.md` adds begins with the calling code.
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
