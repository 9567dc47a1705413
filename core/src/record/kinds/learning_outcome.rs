//! A learning outcome, which groups assessments (2.6).

use crate::record::field::{Field, position};

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::key("learning_outcome_id"),
    Field::text("learning_outcome_name"),
];

pub(crate) const NAME: usize = position(FIELDS, "learning_outcome_name");
