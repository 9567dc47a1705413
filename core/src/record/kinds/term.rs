//! A term of a year.

use crate::record::field::{Field, FieldForm, position};

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::key("year"),
    Field::key("term"),
    Field::optional("term_id", FieldForm::Integer).required(),
    Field::optional("start_date", FieldForm::Date),
    Field::optional("end_date", FieldForm::Date),
];

pub(crate) const TERM_ID: usize = position(FIELDS, "term_id");
pub(crate) const END_DATE: usize = position(FIELDS, "end_date");
