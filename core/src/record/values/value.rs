//! The value of a field, read from a dataset or from a stored record.

use crate::clock::Offset;
use crate::date::{Date, DateTime};
use crate::json;
use crate::record::field::FieldForm;
use crate::record::values::decimal::PackedDecimal;
use crate::record::values::message_values::shown;
use crate::record::values::texts;
use std::borrow::Cow;

/// The value of a field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Value<'a> {
    /// The value is absent, `null` or `""`.
    #[default]
    Empty,
    Integer(u64),
    Text(Cow<'a, str>),
    Date(Date),
    DateTime(DateTime),
    Decimal(PackedDecimal),
    /// The percentage `a`, which means that the learner was absent from the assessment.
    Absent,
    Terms(Vec<EnrolledTerm<'a>>),
}

/// One term of a learner's subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EnrolledTerm<'a> {
    pub(crate) term: u64,
    /// The texts of the fields that describe the group.
    pub(crate) group: [Cow<'a, str>; 5],
    pub(crate) mark: Option<PackedDecimal>,
}

impl<'a> Value<'a> {
    /// Reads a value of any form except terms, as a dataset writes it. On failure, returns a
    /// message that describes the expected form.
    pub(crate) fn from_json(form: FieldForm, raw: &'a str) -> Result<Value<'a>, String> {
        let array = match form {
            FieldForm::Texts => Some(texts::from_json(raw)),
            FieldForm::Choices(choices) if raw.starts_with('[') => {
                Some(texts::chosen(choices, raw))
            }
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
            // A string that contains an array as text is not an array.
            FieldForm::Choices(choices) => FieldForm::Choice(choices),
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
    pub(crate) fn from_text(form: FieldForm, text: Cow<'a, str>) -> Option<Value<'a>> {
        if text.is_empty() {
            return Some(Value::Empty);
        }
        match form {
            FieldForm::Integer => integer(&text).map(Value::Integer),
            FieldForm::Signed => signed(&text).map(|text| Value::Text(Cow::Owned(text))),
            FieldForm::Bit => integer(&text).filter(|bit| *bit < 2).map(Value::Integer),
            FieldForm::Text
            | FieldForm::Reference
            | FieldForm::Username
            | FieldForm::Password
            | FieldForm::PasswordHash => Some(Value::Text(text)),
            FieldForm::YesNo => YES_NO.contains(&&*text).then_some(Value::Text(text)),
            FieldForm::Date => Date::parse(text.as_bytes()).map(Value::Date),
            FieldForm::DateTime => DateTime::parse(text.as_bytes()).map(Value::DateTime),
            FieldForm::Percentage if text == "a" => Some(Value::Absent),
            FieldForm::Decimal | FieldForm::Percentage => {
                PackedDecimal::parse(&text).map(Value::Decimal)
            }
            FieldForm::Choice(choices) => choices.contains(&&*text).then_some(Value::Text(text)),
            FieldForm::Choices(choices) if choices.contains(&&*text) => Some(Value::Text(text)),
            FieldForm::Choices(choices) => {
                texts::chosen(choices, &text).map(|text| Value::Text(Cow::Owned(text)))
            }
            FieldForm::Offset => Offset::parse(&text).map(|_| Value::Text(text)),
            FieldForm::Texts => texts::canonical(&text).map(|text| Value::Text(Cow::Owned(text))),
            FieldForm::Terms => None,
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

    /// Returns the text of a text value, and an empty text for any other value.
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

    pub(crate) fn decimal(&self) -> Option<PackedDecimal> {
        match self {
            Value::Decimal(decimal) => Some(*decimal),
            _ => None,
        }
    }

    /// Returns the number by which filters compare the value: an integer, the number of a date,
    /// a text that is a number, or the index of a choice. An empty choice has the index 0.
    pub(crate) fn filter_column(&self, form: FieldForm) -> Option<u64> {
        match (form, self) {
            (FieldForm::Choice(choices), chosen) => {
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

    /// Appends the content of the JSON string that v1 answers. Decimals have two places.
    pub(crate) fn push_answered(&self, out: &mut Vec<u8>) {
        match self {
            Value::Decimal(decimal) => decimal.push_rounded(out),
            other => other.push_exact(out),
        }
    }

    /// Appends the content of a JSON string that represents the value exactly.
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

/// Parses one or more ASCII digits, up to 2^64−1.
pub(crate) fn integer(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// Returns a 64-bit integer, of digits and an optional `-`, without leading zeros.
fn signed(text: &str) -> Option<String> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: i64 = is_plain.then(|| text.parse().ok()).flatten()?;
    Some(number.to_string())
}

/// Returns true if a form accepts this JSON number: integers must have no fraction and no
/// exponent, decimals no exponent.
fn takes_number(form: FieldForm, raw: &str) -> bool {
    match form {
        FieldForm::Integer
        | FieldForm::Signed
        | FieldForm::Bit
        | FieldForm::Text
        | FieldForm::Reference
        | FieldForm::Username
        | FieldForm::Password
        | FieldForm::PasswordHash
        | FieldForm::YesNo
        | FieldForm::Choice(_)
        | FieldForm::Choices(_) => texts::is_plain(raw),
        FieldForm::Decimal | FieldForm::Percentage => true,
        _ => false,
    }
}

/// Returns the message for an invalid value, with the value as it was written.
fn wrong(form: FieldForm, raw: &str) -> String {
    let shown = shown(raw);
    match form {
        FieldForm::Integer => {
            format!("{shown} is not an unsigned integer (at most 18446744073709551615)")
        }
        FieldForm::Signed => format!("{shown} is not an integer of 64 bits"),
        FieldForm::Bit => format!("{shown} is not one of 0, 1"),
        _ if form.is_secret() => NO_TEXT.to_owned(),
        FieldForm::Text
        | FieldForm::Reference
        | FieldForm::Username
        | FieldForm::Password
        | FieldForm::PasswordHash => {
            format!("{shown} {NO_TEXT}")
        }
        FieldForm::Date => format!("{shown} is not a date (YYYY-MM-DD)"),
        FieldForm::DateTime => format!("{shown} is not a date-time (YYYY-MM-DD HH:MM:SS)"),
        FieldForm::Decimal => format!("{shown} is not a decimal ({DIGITS})"),
        FieldForm::Percentage => format!("{shown} is not a decimal ({DIGITS}) or \"a\""),
        FieldForm::YesNo => format!("{shown} is not one of {}", YES_NO.join(", ")),
        FieldForm::Choice(choices) => format!("{shown} is not one of {}", choices.join(", ")),
        FieldForm::Choices(choices) => {
            let choices = choices.join(", ");
            format!("{shown} is not an array of {choices}, each at most once")
        }
        FieldForm::Offset => format!("{shown} is not an offset (±HH:MM, at most 18:00)"),
        FieldForm::Terms => format!("{shown} is not an array of objects"),
        FieldForm::Texts => format!("{shown} is not an array of text, none of it empty"),
    }
}

/// The values of a flag in a dataset and in v1.
pub(crate) const YES_NO: [&str; 2] = ["Yes", "No"];

const DIGITS: &str = "at most 12 digits, then at most 6 after a point";

const NO_TEXT: &str = "is not text (a string or an integer)";
