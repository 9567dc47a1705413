//! A fast parser for records in the usual form, which reads values without an intermediate
//! tree.
//!
//! It accepts only text that the general JSON parser reads in the same way. If the text may
//! have another form or an error, it returns `None`.

use super::terms;
use crate::json::Plain;
use crate::record::field::{Field, FieldForm};
use crate::record::values::value::{EnrolledTerm, Value};
use std::borrow::Cow;

/// Reads the members of an object up to its end. The opening brace, or a comma, is already
/// consumed.
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
    let is_whole = given.all(|(field, value)| !field.is_required() || !value.is_empty());
    (text.take(b"}") && is_whole).then_some(())
}

/// Reads a name and returns the index of the field. Names are usually in the order of the
/// fields.
fn take_name(text: &mut Plain<'_>, fields: &[Field], expected: usize) -> Option<usize> {
    let (before, after) = fields.split_at_checked(expected)?;
    let later = after.iter().position(|field| text.take_name(field.name));
    match later {
        Some(position) => Some(expected + position),
        None => before.iter().position(|field| text.take_name(field.name)),
    }
}

fn take_value<'a>(text: &mut Plain<'a>, form: FieldForm) -> Option<Value<'a>> {
    match (text.peek()?, form) {
        (b'[', FieldForm::Terms) => take_terms(text).map(Value::Terms),
        (_, FieldForm::Terms | FieldForm::Texts | FieldForm::Choices(_)) => None,
        (b'"', form) => Value::from_text(form, Cow::Borrowed(text.string()?)),
        (b'n', _) => text.take(b"null").then_some(Value::Empty),
        (_, form) => Value::from_json(form, text.number()?).ok(),
    }
}

/// Reads terms in the usual form.
fn take_terms<'a>(text: &mut Plain<'a>) -> Option<Vec<EnrolledTerm<'a>>> {
    let mut taken = Vec::new();
    let mut before: &[u8] = b"[{";
    while !text.take(b"]") {
        if !text.take(before) {
            return None;
        }
        let mut values = terms::NO_VALUES;
        take_members(text, terms::FIELDS, &mut values)?;
        taken.push(terms::of_values(values));
        before = b",{";
    }
    terms::sort(&mut taken).is_none().then_some(taken)
}
