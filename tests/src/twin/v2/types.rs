//! JSON types (`v2.md`, "Types"): converts a record of v1, whose values are texts, to the types of
//! v2.

use super::super::integers::digits;
use super::super::render::Json;

/// A row of the table of types: the names of the fields that are not text.
pub(crate) struct Types {
    pub(crate) numbers: &'static [&'static str],
    pub(crate) ids: &'static [&'static str],
    pub(crate) flags: &'static [&'static str],
    /// Fields that contain a record or several, with the types of those records.
    pub(crate) records: &'static [(&'static str, &'static Types)],
}

/// Returns a record of v1 with the types of v2.
pub(crate) fn typed(types: &Types, record: Json) -> Json {
    match record {
        Json::List(items) => {
            let items = items.into_iter().map(|item| typed(types, item));
            Json::List(items.collect())
        }
        Json::Object(members) => {
            let members = members.into_iter().map(|(name, value)| {
                let name = if name == "school_login_id" {
                    "school_id".to_owned()
                } else {
                    name
                };
                let value = field(types, &name, value);
                (name, value)
            });
            Json::Object(members.collect())
        }
        other => other,
    }
}

/// Returns a value with its type. An empty field is null; text and the percentage `a` are
/// unchanged.
fn field(types: &Types, name: &str, value: Json) -> Json {
    if let Some((_, types)) = types.records.iter().find(|(records, _)| *records == name) {
        return typed(types, value);
    }
    let Json::Text(text) = value else {
        return value;
    };
    let is_number = types.numbers.contains(&name) && text != "a"
        || types.ids.contains(&name) && is_canonical(&text);
    if text.is_empty() {
        Json::Null
    } else if is_number {
        Json::Digits(text)
    } else if types.flags.contains(&name) {
        Json::Bool(text == "Yes" || text == "1")
    } else {
        Json::Text(text)
    }
}

/// Returns whether a text consists of digits without a leading zero and is at most 2^64−1. `0` is
/// canonical.
fn is_canonical(text: &str) -> bool {
    digits(text).is_some_and(|number| number.to_string() == text)
}
