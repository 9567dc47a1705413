//! Records as they are mostly written, read straight into their values.
//!
//! What is read here is what the parser of all JSON reads; where it may not be, or where
//! there may be a fault, nothing is said.

use super::field::{Field, Form};
use super::terms;
use super::value::Value;
use crate::json::Plain;
use std::borrow::Cow;

/// Takes the members of an object, the first brace behind it or a comma, up to its end.
pub(crate) fn take_members<'a>(
    text: &mut Plain<'a>,
    fields: &[Field],
    values: &mut [Value<'a>],
) -> Option<()> {
    let mut seen: u64 = 0;
    let mut expected = 0;
    loop {
        let index = take_name(text, fields, expected)?;
        let bit = 1_u64.checked_shl(u32::try_from(index).ok()?)?;
        if seen & bit != 0 {
            return None;
        }
        seen |= bit;
        *values.get_mut(index)? = take_value(text, fields.get(index)?.form)?;
        expected = index + 1;
        if !text.take(b",") {
            break;
        }
    }
    let mut given = fields.iter().zip(values);
    let is_whole = given.all(|(field, value)| !field.required || !value.is_empty());
    (text.take(b"}") && is_whole).then_some(())
}

/// The position of the field that is named next. They mostly come in order.
fn take_name(text: &mut Plain<'_>, fields: &[Field], expected: usize) -> Option<usize> {
    let (before, after) = fields.split_at_checked(expected)?;
    let later = after.iter().position(|field| text.take_name(field.name));
    match later {
        Some(position) => Some(expected + position),
        None => before.iter().position(|field| text.take_name(field.name)),
    }
}

fn take_value<'a>(text: &mut Plain<'a>, form: Form) -> Option<Value<'a>> {
    match (text.peek()?, form) {
        (b'[', Form::Terms) => terms::take_plain(text).map(Value::Terms),
        (_, Form::Terms | Form::Texts | Form::Choices(_)) => None,
        (b'"', form) => Value::from_text(form, Cow::Borrowed(text.string()?)),
        (b'n', _) => text.take(b"null").then_some(Value::Empty),
        (_, form) => Value::from_json(form, text.number()?).ok(),
    }
}
