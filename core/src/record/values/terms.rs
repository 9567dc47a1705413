//! The terms of a learner's subject (2.4), as a dataset writes them.

use super::message_values::{shown, shown_name};
use crate::json::{self, Object};
use crate::record::field::{Field, FieldForm};
use crate::record::values::value::{EnrolledTerm, Value};
use std::borrow::Cow;

/// The fields of one term in the order of the answer, followed by the term's mark.
pub(crate) const FIELDS: &[Field] = &[
    Field::optional("term", FieldForm::Integer).required(),
    Field::reference("subject_group_id"),
    Field::text("subject_group_name"),
    Field::reference("classroom_id"),
    Field::text("classroom_name"),
    Field::reference("subject_group_teacher_id"),
    Field::optional("mark", FieldForm::Decimal),
];

/// The fields after the term that describe the learner's group.
pub(crate) const GROUP_FIELDS: std::ops::Range<usize> = 1..6;

/// Reads a value of any form as a dataset writes it. On failure, returns a message.
pub(crate) fn value_from_json(form: FieldForm, raw: &str) -> Result<Value<'_>, String> {
    match form {
        FieldForm::Terms => from_json(raw).map(Value::Terms),
        form => Value::from_json(form, raw),
    }
}

/// Reads the terms and sorts them in ascending order. On failure, returns a message.
pub(crate) fn from_json(raw: &str) -> Result<Vec<EnrolledTerm<'_>>, String> {
    if raw == "null" || raw == "\"\"" {
        return Ok(Vec::new());
    }
    let none = || format!("{} is not an array of objects", shown(raw));
    let elements: Vec<_> = json::elements(raw).ok_or_else(none)?.collect();
    if elements.iter().any(|element| !element.starts_with('{')) {
        return Err(none());
    }
    let terms = elements.into_iter().map(one);
    let mut terms: Vec<_> = terms.collect::<Result<_, _>>()?;
    match sort(&mut terms) {
        Some(term) => Err(format!("term {term} stands twice")),
        None => Ok(terms),
    }
}

/// Sorts terms by number. Returns the number of a term that occurs twice, if any.
pub(super) fn sort(terms: &mut [EnrolledTerm<'_>]) -> Option<u64> {
    terms.sort_by_key(|term| term.term);
    terms.windows(2).find_map(|pair| match pair {
        [a, b] if a.term == b.term => Some(a.term),
        _ => None,
    })
}

pub(super) const NO_VALUES: [Value<'_>; FIELDS.len()] = [const { Value::Empty }; FIELDS.len()];

pub(super) fn of_values(values: [Value<'_>; FIELDS.len()]) -> EnrolledTerm<'_> {
    let [term, a, b, c, d, e, mark] = values;
    let text = |value| match value {
        Value::Text(text) => text,
        _ => Cow::Borrowed(""),
    };
    EnrolledTerm {
        term: term.integer().unwrap_or(0),
        group: [text(a), text(b), text(c), text(d), text(e)],
        mark: mark.decimal(),
    }
}

fn one(raw: &str) -> Result<EnrolledTerm<'_>, String> {
    let object =
        Object::parse(raw).map_err(|_| format!("{} is not an array of objects", shown(raw)))?;
    let mut raw_values: [Option<&str>; FIELDS.len()] = [None; FIELDS.len()];
    for (name, value) in object.members {
        let Some(index) = FIELDS.iter().position(|field| field.name == name) else {
            return Err(inside(shown_name(&name), "is not a field of terms"));
        };
        if let Some(slot) = raw_values.get_mut(index)
            && slot.replace(value).is_some()
        {
            return Err(inside(&name, "stands twice"));
        }
    }
    let mut values = NO_VALUES;
    for ((field, raw), value) in FIELDS.iter().zip(raw_values).zip(&mut values) {
        if let Some(raw) = raw {
            *value = Value::from_json(field.form, raw).map_err(|what| inside(field.name, &what))?;
        }
        if field.is_required() && value.is_empty() {
            return Err(inside(field.name, "is missing"));
        }
    }
    Ok(of_values(values))
}

/// Prefixes a message with the name of a field of the element. The caller adds the name
/// `terms`.
fn inside(name: &str, what: &str) -> String {
    format!(".{name}: {what}")
}
