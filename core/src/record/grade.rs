//! A grade of a school; its id is not the number in its name.

use super::field::{Field, position};
use super::value::Value;

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::key("grade_id"),
    Field::text("grade"),
    Field::text("name").kept(1).since(3),
];

pub(crate) const SHORT_NAME: usize = position(FIELDS, "grade");
pub(crate) const NAME: usize = position(FIELDS, "name");

/// The name of a grade that has none: that of grade `7` is `Grade 7`.
pub(crate) fn usual_name(short_name: &str) -> String {
    match short_name {
        "" => String::new(),
        short_name => format!("Grade {short_name}"),
    }
}

/// A name that follows from the short one is none of its own.
pub(super) fn canonical(values: &mut [Value<'_>]) {
    let text = |index: usize| values.get(index).map_or("", Value::text);
    if text(NAME) == usual_name(text(SHORT_NAME))
        && let Some(name) = values.get_mut(NAME)
    {
        *name = Value::Empty;
    }
}
