//! The values of a record, by the positions of its fields.

use crate::record::Value;
use crate::record::field::position;
use crate::record::kinds::learner_subject;
use crate::record::kinds::mark::Mark;
use crate::record::values::value::EnrolledTerm;
use crate::sync::fetched_records::Fields;
use std::borrow::Cow;

pub(crate) type Values<'a> = Vec<Value<'a>>;

pub(crate) const TERMS: usize = position(learner_subject::FIELDS, "terms");

/// Returns whether a mark contains no value, and shows only that there may be one.
pub(crate) fn has_no_value(values: &[Value<'_>]) -> bool {
    let mark = Mark::from_values(values);
    !mark.captured && mark.dtime.is_none() && mark.mark.is_none() && mark.percentage.is_none()
}

/// Copies these fields from another record. Fields that it lacks become empty.
pub(crate) fn set<'a>(values: &mut Values<'a>, fields: Fields, from: &[Value<'a>]) {
    for (index, slot) in values.iter_mut().enumerate() {
        if fields >> index & 1 == 1 {
            *slot = from.get(index).cloned().unwrap_or_default();
        }
    }
}

pub(crate) fn put<'a>(values: &mut Values<'a>, field: usize, value: Value<'a>) {
    if let Some(slot) = values.get_mut(field) {
        *slot = value;
    }
}

pub(crate) fn is_empty(values: &Values<'_>, field: usize) -> bool {
    values.get(field).is_none_or(Value::is_empty)
}

pub(crate) fn text(text: String) -> Value<'static> {
    Value::Text(Cow::Owned(text))
}

pub(crate) fn terms<'a>(values: &[Value<'a>]) -> Vec<EnrolledTerm<'a>> {
    match values.get(TERMS) {
        Some(Value::Terms(terms)) => terms.clone(),
        _ => Vec::new(),
    }
}
