//! A grade of a school; its id is not the number in its name.

use super::field::{Field, position};

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::key("grade_id"),
    Field::text("grade"),
];

pub(crate) const NAME: usize = position(FIELDS, "grade");
