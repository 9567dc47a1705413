//! A day that a learner was absent (2.7).

use super::field::{Field, Form, position, tag};

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::id("id"),
    Field::of("learner_id", Form::Integer).required().tag(0),
    Field::of("absent_date", Form::Date).required(),
    Field::text("absent_reason"),
];

pub(crate) const ABSENT_DATE: usize = position(FIELDS, "absent_date");

/// The tag: whose absence it is.
pub(crate) const LEARNER_TAG: usize = tag(FIELDS, "learner_id");
