//! The `terms` of a `learner_subject` (`dataset.md`, "Kinds").

use std::collections::BTreeMap;

use super::fields::TERMS;
use super::forms::shown;
use super::json::{Tree, Value};
use super::line::{known_members, read_fields};
use super::records::Fields;

/// The terms by their number; a term twice is an error.
pub(crate) fn read_terms(value: &Value) -> Result<BTreeMap<u64, Fields>, String> {
    let no_array = || format!("terms: {} is not an array of objects", shown(&value.raw));
    let Tree::Array(items) = &value.tree else {
        return Err(no_array());
    };
    let mut read = Vec::new();
    for item in items {
        let Tree::Object(_) = &item.tree else {
            return Err(no_array());
        };
    }
    for item in items {
        let Tree::Object(members) = &item.tree else {
            return Err(no_array());
        };
        let found = known_members(members, TERMS, &[], "terms", "terms.")?;
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
