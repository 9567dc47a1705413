//! An administrative year of a school.

use crate::record::field::{Field, position};
use crate::record::values::value::Value;

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::key("year"),
    Field::text("year_name"),
];

pub(crate) const NAME: usize = position(FIELDS, "year_name");

const YEAR: usize = position(FIELDS, "year");

/// Removes a name that is the number of the year.
pub(crate) fn canonical(values: &mut [Value<'_>]) {
    let number = values.get(YEAR).and_then(Value::integer);
    if let (Some(name), Some(number)) = (values.get_mut(NAME), number)
        && name.text() == number.to_string()
    {
        *name = Value::Empty;
    }
}
