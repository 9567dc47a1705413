//! A subject as taught to a grade in a year and term, with the rule for the release of its
//! marks (4.2).

use crate::record::field::{Field, FieldForm, filter_column};

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::key("grade_id"),
    Field::key("year"),
    Field::key("term"),
    Field::key("subject_id"),
    Field::optional("mark_release_date", FieldForm::Date).filter_column(0),
    Field::optional("released", FieldForm::Bit)
        .residual(1)
        .filter_column(1),
];

/// The filter column that contains the release date as a number.
pub(crate) const RELEASE_COLUMN: usize = filter_column(FIELDS, "mark_release_date");
/// The filter column that contains 1 if the marks are released and 0 if they are not,
/// regardless of the date.
pub(crate) const RELEASED_COLUMN: usize = filter_column(FIELDS, "released");
