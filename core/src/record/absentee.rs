//! A day that a learner was absent (2.7).

use super::field::{Field, Form, position};
use super::value::Value;
use crate::store::ItemBuffer;

pub(crate) const FIELDS: [Field; 5] = [
    Field::key("school_id"),
    Field::id("id"),
    Field::of("learner_id", Form::Integer).required(),
    Field::of("absent_date", Form::Date).required(),
    Field::text("absent_reason"),
];

pub(crate) const LEARNER_ID: usize = position(&FIELDS, "learner_id");
pub(crate) const ABSENT_DATE: usize = position(&FIELDS, "absent_date");

/// The tag: whose absence it is.
pub(crate) const LEARNER_TAG: usize = 0;
/// The tag of an absentee's place: the date as a number.
pub(crate) const DATE_TAG: usize = 0;

pub(crate) fn set_tags(values: &[Value<'_>], item: &mut ItemBuffer) {
    item.set_tag(LEARNER_TAG, values.get(LEARNER_ID).and_then(Value::integer));
}
