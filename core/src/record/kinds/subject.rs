//! A subject of a school, and the subject above it (2.4).

use crate::record::field::{Field, position};

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::key("subject_id"),
    Field::text("subject_name"),
    Field::reference("super_subject_id"),
    Field::text("super_subject_name"),
];

pub(crate) const NAME: usize = position(FIELDS, "subject_name");
pub(crate) const SUPER_ID: usize = position(FIELDS, "super_subject_id");
pub(crate) const SUPER_NAME: usize = position(FIELDS, "super_subject_name");
