//! The `parents` of a learner (2.2).

use super::decimals::{parse_decimal, two_decimals};
use super::kinds::Kind;
use super::question::View;
use super::records::Record;
use super::render::Json;
use super::v2::Types;

/// The types of a parent in v2.
pub(crate) static PARENT: Types = Types {
    numbers: &["id", "gross_annual_income"],
    ids: &["ethnic_group_id", "home_language_id", "marital_status_id"],
    flags: &[],
    records: &[],
};

/// Returns parent 1, then parent 2. A missing one is omitted; the same one is repeated.
pub(crate) fn parents(view: &View<'_>, learner: &Record) -> Json {
    let referred = ["parent1_id", "parent2_id"]
        .into_iter()
        .filter_map(|field| learner.number(field));
    let found = referred.filter_map(|id| view.store.get(Kind::Parent, &[view.school, id]));
    Json::List(found.map(parent).collect())
}

/// Returns every field of 2.2: those of the record except `school_id`, in the same order.
pub(crate) fn parent(record: &Record) -> Json {
    let fields = Kind::Parent
        .fields()
        .iter()
        .map(|field| field.name)
        .filter(|name| *name != "school_id");
    let value = |name: &str| match (name, record.text(name)) {
        ("gross_annual_income", text) => decimal(text),
        (_, text) => Json::text(text),
    };
    Json::Object(fields.map(|name| (name.to_owned(), value(name))).collect())
}

/// Returns a decimal with two decimals, or an empty text if it is empty.
pub(crate) fn decimal(text: &str) -> Json {
    Json::Text(parse_decimal(text).map(two_decimals).unwrap_or_default())
}
