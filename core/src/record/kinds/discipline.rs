//! A merit or a demerit of a learner on a day.

use crate::record::field::{Field, FieldForm, filter_column, position};

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::id("id"),
    Field::optional("learner_id", FieldForm::Integer)
        .required()
        .filter_column(0),
    Field::optional("discipline_date", FieldForm::Date).required(),
    Field::text("discipline_category"),
    Field::text("discipline_reason"),
    Field::optional("discipline_points", FieldForm::Signed),
    Field::text("discipline_remarks"),
    Field::reference("staff_member_id"),
];

pub(crate) const DISCIPLINE_DATE: usize = position(FIELDS, "discipline_date");

/// The filter column that contains the learner.
pub(crate) const LEARNER_COLUMN: usize = filter_column(FIELDS, "learner_id");
