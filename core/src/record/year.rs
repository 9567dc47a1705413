//! An administrative year of a school.

use super::field::{Field, position};

pub(crate) const FIELDS: [Field; 3] = [
    Field::key("school_id"),
    Field::key("year"),
    Field::text("year_name"),
];

pub(crate) const NAME: usize = position(&FIELDS, "year_name");
