//! A field's value, read from a dataset or from what is kept.

use super::decimal::Decimal;
use super::field::Form;
use super::shown::shown;
use super::texts;
use crate::clock::Offset;
use crate::date::{Date, DateTime};
use crate::json;
use std::borrow::Cow;

/// A value of one of the forms.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Value<'a> {
    /// Absent, `null` and `""` alike.
    #[default]
    Empty,
    Integer(u64),
    Text(Cow<'a, str>),
    Date(Date),
    DateTime(DateTime),
    Decimal(Decimal),
    /// The percentage `a`: absent from the assessment.
    Absent,
    Terms(Vec<EnrolledTerm<'a>>),
}

/// One term of a learner's subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EnrolledTerm<'a> {
    pub(crate) term: u64,
    /// The texts of the group's fields.
    pub(crate) group: [Cow<'a, str>; 5],
    pub(crate) mark: Option<Decimal>,
}

impl<'a> Value<'a> {
    /// Reads a value as a dataset spells it, but for terms; on failure says what it
    /// should have been.
    pub(crate) fn from_json(form: Form, raw: &'a str) -> Result<Value<'a>, String> {
        let array = match form {
            Form::Texts => Some(texts::from_json(raw)),
            Form::Choices(choices) if raw.starts_with('[') => Some(texts::chosen(choices, raw)),
            _ => None,
        };
        if let Some(array) = array {
            return match array {
                Some(texts) if texts.is_empty() => Ok(Value::Empty),
                Some(texts) => Ok(Value::Text(Cow::Owned(texts))),
                None => Err(wrong(form, raw)),
            };
        }
        let form = match form {
            // A string that spells an array is none.
            Form::Choices(choices) => Form::Choice(choices),
            form => form,
        };
        let text = match raw.as_bytes() {
            [b'"', ..] => json::string(raw),
            b"null" => Some(Cow::Borrowed("")),
            [b'-' | b'0'..=b'9', ..] if takes_number(form, raw) => Some(Cow::Borrowed(raw)),
            _ => None,
        };
        match text {
            Some(text) if text.is_empty() => Ok(Value::Empty),
            Some(text) => Value::from_text(form, text).ok_or_else(|| wrong(form, raw)),
            None => Err(wrong(form, raw)),
        }
    }

    /// Reads a value from its plain text.
    pub(crate) fn from_text(form: Form, text: Cow<'a, str>) -> Option<Value<'a>> {
        if text.is_empty() {
            return Some(Value::Empty);
        }
        match form {
            Form::Integer => integer(&text).map(Value::Integer),
            Form::Signed => signed(&text).map(|text| Value::Text(Cow::Owned(text))),
            Form::Bit => integer(&text).filter(|bit| *bit < 2).map(Value::Integer),
            Form::Text | Form::Reference | Form::Username | Form::Password | Form::PasswordHash => {
                Some(Value::Text(text))
            }
            Form::YesNo => YES_NO.contains(&&*text).then_some(Value::Text(text)),
            Form::Date => Date::parse(text.as_bytes()).map(Value::Date),
            Form::DateTime => DateTime::parse(text.as_bytes()).map(Value::DateTime),
            Form::Percentage if text == "a" => Some(Value::Absent),
            Form::Decimal | Form::Percentage => Decimal::parse(&text).map(Value::Decimal),
            Form::Choice(choices) => choices.contains(&&*text).then_some(Value::Text(text)),
            Form::Choices(choices) if choices.contains(&&*text) => Some(Value::Text(text)),
            Form::Choices(choices) => {
                texts::chosen(choices, &text).map(|text| Value::Text(Cow::Owned(text)))
            }
            Form::Offset => Offset::parse(&text).map(|_| Value::Text(text)),
            Form::Texts => texts::canonical(&text).map(|text| Value::Text(Cow::Owned(text))),
            Form::Terms => None,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Value::Empty => true,
            Value::Terms(terms) => terms.is_empty(),
            _ => false,
        }
    }

    pub(crate) fn integer(&self) -> Option<u64> {
        match self {
            Value::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// The text of a text value; empty for any other.
    pub(crate) fn text(&self) -> &str {
        match self {
            Value::Text(text) => text,
            _ => "",
        }
    }

    pub(crate) fn date(&self) -> Option<Date> {
        match self {
            Value::Date(date) => Some(*date),
            _ => None,
        }
    }

    pub(crate) fn decimal(&self) -> Option<Decimal> {
        match self {
            Value::Decimal(decimal) => Some(*decimal),
            _ => None,
        }
    }

    /// The number that filters compare: an integer, a date's, that of a text which is
    /// one, or the position of a choice, of which the first is that of an empty field.
    pub(crate) fn tag(&self, form: Form) -> Option<u64> {
        match (form, self) {
            (Form::Choice(choices), chosen) => {
                let text = chosen.text();
                let index = choices.iter().position(|choice| *choice == text);
                Some(index.unwrap_or(0) as u64)
            }
            (_, Value::Integer(number)) => Some(*number),
            (_, Value::Date(date)) => Some(date.number()),
            (_, Value::Text(text)) => integer(text),
            _ => None,
        }
    }

    /// The inside of the JSON string that v1 answers: decimals with two places.
    pub(crate) fn push_answered(&self, out: &mut Vec<u8>) {
        match self {
            Value::Decimal(decimal) => decimal.push_rounded(out),
            other => other.push_exact(out),
        }
    }

    /// The inside of a JSON string that loses nothing.
    pub(crate) fn push_exact(&self, out: &mut Vec<u8>) {
        match self {
            Value::Empty | Value::Terms(_) => {}
            Value::Integer(number) => json::push_integer(out, *number),
            Value::Text(text) => json::push_escaped(out, text),
            Value::Date(date) => date.push(out),
            Value::DateTime(time) => out.extend_from_slice(&time.text()),
            Value::Decimal(decimal) => decimal.push_exact(out),
            Value::Absent => out.push(b'a'),
        }
    }
}

/// One or more ASCII digits, at most 2^64−1.
pub(crate) fn integer(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// `-` or nothing, and digits, within 64 bits; without leading zeros.
fn signed(text: &str) -> Option<String> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: i64 = is_plain.then(|| text.parse().ok()).flatten()?;
    Some(number.to_string())
}

/// Whether a form takes this JSON number: integers without fraction or
/// exponent, decimals without exponent.
fn takes_number(form: Form, raw: &str) -> bool {
    match form {
        Form::Integer
        | Form::Signed
        | Form::Bit
        | Form::Text
        | Form::Reference
        | Form::Username
        | Form::Password
        | Form::PasswordHash
        | Form::YesNo
        | Form::Choice(_)
        | Form::Choices(_) => texts::is_plain(raw),
        Form::Decimal | Form::Percentage => true,
        _ => false,
    }
}

/// What is wrong with a value, with the value as it was spelled.
fn wrong(form: Form, raw: &str) -> String {
    let shown = shown(raw);
    match form {
        Form::Integer => {
            format!("{shown} is not an unsigned integer (at most 18446744073709551615)")
        }
        Form::Signed => format!("{shown} is not an integer of 64 bits"),
        Form::Bit => format!("{shown} is not one of 0, 1"),
        _ if form.is_secret() => NO_TEXT.to_owned(),
        Form::Text | Form::Reference | Form::Username | Form::Password | Form::PasswordHash => {
            format!("{shown} {NO_TEXT}")
        }
        Form::Date => format!("{shown} is not a date (YYYY-MM-DD)"),
        Form::DateTime => format!("{shown} is not a date-time (YYYY-MM-DD HH:MM:SS)"),
        Form::Decimal => format!("{shown} is not a decimal ({DIGITS})"),
        Form::Percentage => format!("{shown} is not a decimal ({DIGITS}) or \"a\""),
        Form::YesNo => format!("{shown} is not one of {}", YES_NO.join(", ")),
        Form::Choice(choices) => format!("{shown} is not one of {}", choices.join(", ")),
        Form::Choices(choices) => {
            let choices = choices.join(", ");
            format!("{shown} is not an array of {choices}, each at most once")
        }
        Form::Offset => format!("{shown} is not an offset (±HH:MM, at most 18:00)"),
        Form::Terms => format!("{shown} is not an array of objects"),
        Form::Texts => format!("{shown} is not an array of text, none of it empty"),
    }
}

/// What a flag is in a dataset and in v1.
pub(crate) const YES_NO: [&str; 2] = ["Yes", "No"];

const DIGITS: &str = "at most 12 digits, then at most 6 after a point";

const NO_TEXT: &str = "is not text (a string or an integer)";
