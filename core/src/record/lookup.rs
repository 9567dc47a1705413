//! A record of a lookup: an ethnic group, a marital status, a gender or a language.

use super::field::Field;

pub(crate) const FIELDS: &[Field] = &[Field::id("id"), Field::text("name")];
