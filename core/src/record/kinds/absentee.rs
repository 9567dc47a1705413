//! A day on which a learner was absent (2.7).

use crate::record::field::{Field, FieldForm, filter_column, position};

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::id("id"),
    Field::optional("learner_id", FieldForm::Integer)
        .required()
        .filter_column(0),
    Field::optional("absent_date", FieldForm::Date).required(),
    Field::text("absent_reason"),
];

pub(crate) const ABSENT_DATE: usize = position(FIELDS, "absent_date");

/// The filter column that contains the learner.
pub(crate) const LEARNER_COLUMN: usize = filter_column(FIELDS, "learner_id");
