//! An API type that schools authorise, and its families (5.3).

use crate::record::field::{Field, FieldForm, position};

pub(crate) const FAMILIES: [&str; 4] = ["administration", "curriculum", "finance", "parents"];

pub(crate) const FIELDS: &[Field] = &[
    Field::key("api_type_id"),
    Field::text("api_type"),
    Field::optional("family", FieldForm::Choices(&FAMILIES)).required(),
];

pub(crate) const NAME: usize = position(FIELDS, "api_type");
pub(crate) const FAMILY: usize = position(FIELDS, "family");
