//! A school's authorisation of an integrator for one API type, and whether the
//! integrator serves it (2.9, section 3).

use crate::record::field::{Field, FieldForm, position};

pub(crate) const FIELDS: &[Field] = &[
    Field::username(),
    Field::key("school_id"),
    Field::key("api_type_id"),
    Field::optional("state", FieldForm::Bit).residual(1),
];

pub(crate) const STATE: usize = position(FIELDS, "state");
