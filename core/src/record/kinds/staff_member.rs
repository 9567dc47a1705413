//! A member of a school's staff.

use crate::record::field::{Field, FieldForm, choice, filter_column};
use crate::record::values::value::YES_NO;

const STATUSES: [&str; 2] = ["current", "left"];

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::id("id"),
    Field::text("title"),
    Field::text("first_name"),
    Field::text("last_name"),
    Field::text("mobile_calling_code"),
    Field::text("mobile_number"),
    Field::text("email_address"),
    Field::optional("date_of_birth", FieldForm::Date),
    Field::text("gender"),
    Field::text("ethnic_group"),
    Field::text("residential_address"),
    Field::text("postal_address"),
    Field::text("home_language"),
    Field::text("nationality"),
    Field::text("id_number"),
    Field::text("passport_number"),
    // The service uses this name, although the field contains a name and not an id.
    Field::text("marital_status_id"),
    Field::text("employment_category"),
    // The value is Yes or No in v2 too, as the service does for client integrations.
    Field::optional("is_educator", FieldForm::Choice(&YES_NO)),
    Field::text("appointment_type"),
    Field::text("paid_by"),
    Field::text("sace_number"),
    Field::text("register_classes"),
    Field::optional("status", FieldForm::Choice(&STATUSES))
        .residual(1)
        .filter_column(0)
        .default(STATUSES[0]),
];

/// The filter column that contains the index of the status in [`STATUSES`].
pub(crate) const STATUS_COLUMN: usize = filter_column(FIELDS, "status");
/// The value of the status column for current staff.
pub(crate) const CURRENT: Option<u64> = Some(choice(&STATUSES, "current"));
