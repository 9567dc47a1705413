//! The person accountable for a learner's account.

use super::learner::ACCOUNTS;
use crate::record::field::{Field, FieldForm};

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::id("accountable_person_id"),
    Field::text("title"),
    Field::text("first_name"),
    Field::text("full_names"),
    Field::text("last_name"),
    Field::text("debtor_code"),
    Field::text("mobile_calling_code"),
    Field::text("mobile_number"),
    Field::text("work_tel_number"),
    Field::text("home_tel_number"),
    Field::text("email_address"),
    Field::text("residential_address"),
    Field::text("postal_address"),
    Field::text("home_language"),
    Field::text("nationality"),
    Field::text("id_number"),
    Field::text("passport_number"),
    Field::text("employer"),
    Field::text("employer_address"),
    Field::optional("account", FieldForm::Choice(&ACCOUNTS)).residual(1),
];
