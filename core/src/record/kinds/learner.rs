//! A learner (2.1).

use crate::record::field::{Field, FieldForm, choice, end_column, filter_column};

/// The statuses of a learner, in the order of their numbers in the filter column (section 3).
pub(crate) const STATUSES: [&str; 3] = ["current", "left", "waitlist"];

/// The states of the account of a learner or an accountable person.
pub(crate) const ACCOUNTS: [&str; 2] = ["open", "closed"];

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::id("id"),
    Field::text("first_name").searched(),
    Field::text("last_name").searched().end_column(6),
    Field::text("mobile_calling_code"),
    Field::text("mobile_number"),
    Field::text("email_address"),
    Field::optional("date_of_birth", FieldForm::Date),
    Field::text("gender").spanned(),
    Field::reference("ethnic_group_id"),
    Field::text("ethnic_group"),
    Field::reference("home_language_id"),
    Field::text("home_language"),
    Field::reference("tuition_language_id"),
    Field::text("tuition_language"),
    Field::text("nationality"),
    Field::text("admission_number"),
    Field::text("family_code").filter_column(3),
    Field::text("id_number"),
    Field::text("passport_number"),
    Field::reference("grade_id").filter_column(2),
    Field::text("grade").spanned(),
    Field::text("register_class_name"),
    Field::reference("register_class_teacher_id"),
    Field::text("country"),
    Field::text("province"),
    Field::text("education_stream"),
    Field::text("photo_url"),
    Field::reference("parent1_id").filter_column(4).spanned(),
    Field::reference("parent2_id").filter_column(5).spanned(),
    Field::optional("status", FieldForm::Choice(&STATUSES))
        .residual(1)
        .filter_column(0)
        .default(STATUSES[0]),
    Field::optional("transfer_date", FieldForm::Date)
        .residual(2)
        .filter_column(1),
    Field::text("debtor_code").residual(3),
    Field::reference("accountable_person_id").residual(4),
    Field::optional("account", FieldForm::Choice(&ACCOUNTS)).residual(5),
];

/// The filter column that contains the index of the status in [`STATUSES`].
pub(crate) const STATUS_COLUMN: usize = filter_column(FIELDS, "status");
/// The value of the status column for a current learner.
pub(crate) const CURRENT: Option<u64> = Some(choice(&STATUSES, "current"));
/// The filter column that contains the date of the transfer as a number.
pub(crate) const TRANSFER_COLUMN: usize = filter_column(FIELDS, "transfer_date");
/// The filter column that contains the grade, if it is a number.
pub(crate) const GRADE_COLUMN: usize = filter_column(FIELDS, "grade_id");
/// The filter column that contains the family code, if it is a number.
pub(crate) const FAMILY_COLUMN: usize = filter_column(FIELDS, "family_code");
/// The filter column that contains the first parent, if the reference is a number.
pub(crate) const PARENT1_COLUMN: usize = filter_column(FIELDS, "parent1_id");
/// The filter column that contains the second parent, if the reference is a number.
pub(crate) const PARENT2_COLUMN: usize = filter_column(FIELDS, "parent2_id");
/// The filter column that contains the position after the last name and its quote in the
/// pre-rendered record. Other answers repeat the part of the record from the id to this
/// position.
pub(crate) const NAMES_END_COLUMN: usize = end_column(FIELDS, "last_name");

/// The start of the pre-rendered record, before the id.
pub(crate) const RENDERING_START: &[u8] = b"{\"id\":";
