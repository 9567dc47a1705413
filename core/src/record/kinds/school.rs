//! A school (2.8).

use crate::record::field::{Field, FieldForm, position};
use crate::record::values::value::Value;
use std::borrow::Cow;

pub(crate) const FIELDS: &[Field] = &[
    Field::id("school_id"),
    Field::text("school_name"),
    Field::text("school_short_name"),
    Field::text("ownership_type"),
    Field::text("country"),
    Field::text("province"),
    Field::text("town"),
    Field::text("suburb"),
    Field::text("district"),
    Field::text("district_code"),
    Field::text("circuit"),
    Field::text("quantile"),
    Field::text("emis_number"),
    Field::text("telephone_number"),
    Field::text("lowest_grade"),
    Field::text("highest_grade"),
    Field::text("admin_email_address"),
    Field::text("debtors_email_address"),
    Field::text("finance_email_address"),
    Field::text("physical_address"),
    Field::text("postal_address"),
    Field::optional("has_after_school_center", FieldForm::YesNo),
    Field::optional("has_hostel", FieldForm::YesNo),
    Field::optional("uses_debit_orders", FieldForm::YesNo),
    Field::optional("uses_cashless", FieldForm::YesNo),
    Field::text("telephone_calling_code").residual(1),
    Field::optional("current_year", FieldForm::Integer)
        .residual(2)
        .required(),
    Field::optional("utc_offset", FieldForm::Offset)
        .residual(3)
        .default("+02:00"),
    Field::text("website").residual(4),
    Field::text("medium").residual(5),
    Field::optional("tuition_languages", FieldForm::Texts).residual(6),
];

pub(crate) const NAME: usize = position(FIELDS, "school_name");
pub(crate) const TELEPHONE_NUMBER: usize = position(FIELDS, "telephone_number");
pub(crate) const ADMIN_EMAIL_ADDRESS: usize = position(FIELDS, "admin_email_address");
pub(crate) const TELEPHONE_CALLING_CODE: usize = position(FIELDS, "telephone_calling_code");
pub(crate) const CURRENT_YEAR: usize = position(FIELDS, "current_year");
pub(crate) const TUITION_LANGUAGES: usize = position(FIELDS, "tuition_languages");

/// The fields that a school publishes about itself, without its tuition languages.
pub(crate) const INFO: [usize; 11] = [
    NAME,
    ADMIN_EMAIL_ADDRESS,
    TELEPHONE_CALLING_CODE,
    TELEPHONE_NUMBER,
    position(FIELDS, "website"),
    position(FIELDS, "physical_address"),
    position(FIELDS, "quantile"),
    position(FIELDS, "medium"),
    position(FIELDS, "emis_number"),
    position(FIELDS, "country"),
    position(FIELDS, "province"),
];
pub(crate) const UTC_OFFSET: usize = position(FIELDS, "utc_offset");

/// Replaces the offset `-00:00` by `+00:00`.
pub(crate) fn canonical(values: &mut [Value<'_>]) {
    if let Some(offset) = values.get_mut(UTC_OFFSET)
        && offset.text() == "-00:00"
    {
        *offset = Value::Text(Cow::Borrowed("+00:00"));
    }
}
