//! A term of a year.

use crate::record::field::{Field, Form, position};

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::key("year"),
    Field::key("term"),
    Field::of("term_id", Form::Integer).required(),
    Field::of("start_date", Form::Date),
    Field::of("end_date", Form::Date),
];

pub(crate) const TERM_ID: usize = position(FIELDS, "term_id");
pub(crate) const END_DATE: usize = position(FIELDS, "end_date");
