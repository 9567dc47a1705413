//! A record of a lookup list: an ethnic group, a marital status, a gender or a language.

use crate::record::field::Field;

pub(crate) const FIELDS: &[Field] = &[Field::id("id"), Field::text("name")];
