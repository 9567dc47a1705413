//! A subject as taught to a grade in a year and term: what the release date of
//! its marks hangs on (4.2).

use super::field::{Field, Form, position};

pub(crate) const FIELDS: [Field; 6] = [
    Field::key("school_id"),
    Field::key("grade_id"),
    Field::key("year"),
    Field::key("term"),
    Field::key("subject_id"),
    Field::of("mark_release_date", Form::Date),
];

pub(crate) const MARK_RELEASE_DATE: usize = position(&FIELDS, "mark_release_date");

/// The tag: the release date as a number.
pub(crate) const RELEASE_TAG: usize = 0;
