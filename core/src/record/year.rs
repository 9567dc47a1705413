//! An administrative year of a school.

use super::field::{Field, position};
use super::value::Value;

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::key("year"),
    Field::text("year_name"),
];

pub(crate) const NAME: usize = position(FIELDS, "year_name");

const YEAR: usize = position(FIELDS, "year");

/// A year that has its number for a name has none.
pub(super) fn canonical(values: &mut [Value<'_>]) {
    let number = values.get(YEAR).and_then(Value::integer);
    if let (Some(name), Some(number)) = (values.get_mut(NAME), number)
        && name.text() == number.to_string()
    {
        *name = Value::Empty;
    }
}
