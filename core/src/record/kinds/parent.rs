//! A parent (2.2).

use crate::record::field::{Field, FieldForm};

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
    Field::reference("ethnic_group_id"),
    Field::text("ethnic_group"),
    Field::text("residential_address"),
    Field::text("postal_address"),
    Field::reference("home_language_id"),
    Field::text("home_language"),
    Field::text("nationality"),
    Field::text("family_code"),
    Field::text("id_number"),
    Field::text("passport_number"),
    Field::reference("marital_status_id"),
    Field::text("marital_status"),
    Field::text("occupation_status"),
    Field::text("occupation"),
    Field::text("employment_sector"),
    Field::decimal("gross_annual_income", 1),
];
