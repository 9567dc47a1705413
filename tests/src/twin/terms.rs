//! The `terms` of a `learner_subject` (`dataset.md`, "Kinds").

use std::collections::BTreeMap;

use super::fields::TERMS;
use super::forms::shown;
use super::json::Value;
use super::line::{known_members, read_fields};
use super::records::Fields;

/// Returns the terms by their number. A repeated term is a fault.
pub(crate) fn read_terms(value: &Value) -> Result<BTreeMap<u64, Fields>, String> {
    let no_array = || format!("terms: {} is not an array of objects", shown(&value.raw));
    let items = value.items().ok_or_else(no_array)?;
    let objects: Option<Vec<_>> = items.iter().map(Value::members).collect();
    let mut read = Vec::new();
    for members in objects.ok_or_else(no_array)? {
        let found = known_members(&members, TERMS, &[], "terms", "terms.")?;
        read.push(read_fields(&found, TERMS, "terms.")?);
    }
    let mut terms = BTreeMap::new();
    for fields in read {
        let number = fields["term"].parse().expect("a required integer field");
        if terms.insert(number, fields).is_some() {
            return Err(format!("terms: term {number} stands twice"));
        }
    }
    Ok(terms)
}
