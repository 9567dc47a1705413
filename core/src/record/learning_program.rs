//! A subject as taught to a grade in a year and term: what the release of its marks
//! hangs on (4.2).

use super::field::{Field, Form, tag};

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::key("grade_id"),
    Field::key("year"),
    Field::key("term"),
    Field::key("subject_id"),
    Field::of("mark_release_date", Form::Date).tag(0),
    Field::of("released", Form::Bit).kept(1).tag(1).since(4),
];

/// The tag: the release date as a number.
pub(crate) const RELEASE_TAG: usize = tag(FIELDS, "mark_release_date");
/// The tag: 1 if its marks are released, 0 if they are not, whatever the date.
pub(crate) const RELEASED_TAG: usize = tag(FIELDS, "released");
