//! A grade of a school. Its id is not the number in its name.

use crate::record::field::{Field, position};
use crate::record::values::value::Value;

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::key("grade_id"),
    Field::text("grade"),
    Field::text("name").residual(1),
];

pub(crate) const SHORT_NAME: usize = position(FIELDS, "grade");
pub(crate) const NAME: usize = position(FIELDS, "name");

/// Returns the default name of a grade: `Grade 7` for the grade `7`.
pub(crate) fn usual_name(short_name: &str) -> String {
    match short_name {
        "" => String::new(),
        short_name => format!("Grade {short_name}"),
    }
}

/// Removes a name that is the default name.
pub(crate) fn canonical(values: &mut [Value<'_>]) {
    let text = |index: usize| values.get(index).map_or("", Value::text);
    if text(NAME) == usual_name(text(SHORT_NAME))
        && let Some(name) = values.get_mut(NAME)
    {
        *name = Value::Empty;
    }
}
