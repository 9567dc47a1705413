//! A learner (2.1).

use super::account::ACCOUNTS;
use super::field::{Field, Form, choice, end_tag, tag};

/// The states of a learner, in the order of their tag (section 3).
pub(crate) const STATUSES: [&str; 3] = ["current", "left", "waitlist"];

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::id("id"),
    Field::text("first_name").searched(),
    Field::text("last_name").searched().end_tag(6),
    Field::text("mobile_calling_code"),
    Field::text("mobile_number"),
    Field::text("email_address"),
    Field::of("date_of_birth", Form::Date),
    Field::text("gender").spanned(),
    Field::reference("ethnic_group_id"),
    Field::text("ethnic_group"),
    Field::reference("home_language_id"),
    Field::text("home_language"),
    Field::reference("tuition_language_id"),
    Field::text("tuition_language"),
    Field::text("nationality"),
    Field::text("admission_number"),
    Field::text("family_code").tag(3),
    Field::text("id_number"),
    Field::text("passport_number"),
    Field::reference("grade_id").tag(2),
    Field::text("grade").spanned(),
    Field::text("register_class_name"),
    Field::reference("register_class_teacher_id"),
    Field::text("country"),
    Field::text("province"),
    Field::text("education_stream"),
    Field::text("photo_url"),
    Field::reference("parent1_id").tag(4).spanned(),
    Field::reference("parent2_id").tag(5).spanned(),
    Field::of("status", Form::Choice(&STATUSES))
        .kept(1)
        .tag(0)
        .default(STATUSES[0]),
    Field::of("transfer_date", Form::Date).kept(2).tag(1),
    Field::text("debtor_code").kept(3),
    Field::reference("accountable_person_id").kept(4),
    Field::of("account", Form::Choice(&ACCOUNTS))
        .kept(5)
        .since(4),
];

/// The tag: the position of the status among [`STATUSES`].
pub(crate) const STATUS_TAG: usize = tag(FIELDS, "status");
/// The status tag of a current learner.
pub(crate) const CURRENT: Option<u64> = Some(choice(&STATUSES, "current"));
/// The tag: the date of the transfer as a number.
pub(crate) const TRANSFER_TAG: usize = tag(FIELDS, "transfer_date");
/// The tag: the grade, if it is a number.
pub(crate) const GRADE_TAG: usize = tag(FIELDS, "grade_id");
/// The tag: the family code, if it is a number.
pub(crate) const FAMILY_TAG: usize = tag(FIELDS, "family_code");
/// The tag: the first parent, if the reference is a number.
pub(crate) const PARENT1_TAG: usize = tag(FIELDS, "parent1_id");
/// The tag: the second parent, if the reference is a number.
pub(crate) const PARENT2_TAG: usize = tag(FIELDS, "parent2_id");
/// The tag: where in the rendering the last name ends, its quote included. The
/// part from the id to there is what other answers repeat of a learner.
pub(crate) const NAMES_END_TAG: usize = end_tag(FIELDS, "last_name");

/// What the rendering begins with, before the id.
pub(crate) const RENDERING_START: &[u8] = b"{\"id\":";
