//! What a learner was praised or reprimanded for on a day.

use super::field::{Field, Form, position, tag};

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::id("id"),
    Field::of("learner_id", Form::Integer).required().tag(0),
    Field::of("discipline_date", Form::Date).required(),
    Field::text("discipline_category"),
    Field::text("discipline_reason"),
    Field::of("discipline_points", Form::Signed),
    Field::text("discipline_remarks"),
    Field::reference("staff_member_id"),
];

pub(crate) const DISCIPLINE_DATE: usize = position(FIELDS, "discipline_date");

/// The tag: whose it is.
pub(crate) const LEARNER_TAG: usize = tag(FIELDS, "learner_id");
