//! The forms of values (`dataset.md`, "Values"): from raw JSON to canonical text, or what is wrong.

use super::dates::{is_date_time, parse_date};
use super::decimals::{exact_text, parse_decimal};
use super::fields::Form;
use super::integers::digits;
use super::json::{Tree, Value};
use super::offset::{offset_text, parse_offset};

const DECIMAL: &str = "is not a decimal (at most 12 digits, then at most 6 after a point)";

/// The canonical text of a value that is not empty, or what is wrong with it.
pub(crate) fn read(form: Form, value: &Value) -> Result<String, String> {
    let found = match form {
        Form::Integer => integer(value),
        Form::Bit => integer(value).filter(|text| text == "0" || text == "1"),
        Form::Text | Form::Username => text(value),
        Form::Choice(choices) => string(value).filter(|text| choices.contains(&text.as_str())),
        Form::Date => string(value).filter(|text| parse_date(text).is_some()),
        Form::DateTime => string(value).filter(|text| is_date_time(text)),
        Form::Decimal => decimal(value),
        Form::Percentage => string(value)
            .filter(|text| text == "a")
            .or_else(|| decimal(value)),
        Form::Offset => string(value)
            .and_then(|text| parse_offset(&text))
            .map(offset_text),
        Form::Hash => string(value).filter(|text| text.starts_with("$argon2id$")),
        Form::Terms => None,
    };
    match found {
        Some(text) if form == Form::Username && text.len() > 256 => {
            Err("is longer than 256 bytes".to_owned())
        }
        Some(text) => Ok(text),
        None if form == Form::Hash => Err("is not an Argon2id hash".to_owned()),
        None => Err(format!("{} {}", shown(&value.raw), what(form))),
    }
}

/// The raw text of a value in a fault: at most 64 characters.
pub(crate) fn shown(raw: &str) -> String {
    match raw.char_indices().nth(64) {
        Some((end, _)) => format!("{}...", &raw[..end]),
        None => raw.to_owned(),
    }
}

fn what(form: Form) -> String {
    match form {
        Form::Integer => format!("is not an unsigned integer (at most {})", u64::MAX),
        Form::Bit => "is not one of 0, 1".to_owned(),
        Form::Text | Form::Username => "is not text (a string or an integer)".to_owned(),
        Form::Choice(choices) => format!("is not one of {}", choices.join(", ")),
        Form::Date => "is not a date (YYYY-MM-DD)".to_owned(),
        Form::DateTime => "is not a date-time (YYYY-MM-DD HH:MM:SS)".to_owned(),
        Form::Decimal => DECIMAL.to_owned(),
        Form::Percentage => format!("{DECIMAL} or \"a\""),
        Form::Offset => "is not an offset (±HH:MM, at most 18:00)".to_owned(),
        Form::Hash => "is not an Argon2id hash".to_owned(),
        Form::Terms => "is not an array of objects".to_owned(),
    }
}

/// The text of a JSON string.
fn string(value: &Value) -> Option<String> {
    match &value.tree {
        Tree::Text(text) => Some(text.clone()),
        _ => None,
    }
}

/// A string, or an integer number kept as its digits.
fn text(value: &Value) -> Option<String> {
    let raw = &value.raw;
    let unsigned = raw.strip_prefix('-').unwrap_or(raw);
    let is_integer =
        matches!(value.tree, Tree::Number) && unsigned.bytes().all(|byte| byte.is_ascii_digit());
    if is_integer {
        Some(raw.clone())
    } else {
        string(value)
    }
}

/// A JSON number without sign, fraction or exponent, or a string of ASCII digits; without leading zeros.
fn integer(value: &Value) -> Option<String> {
    let number = match &value.tree {
        Tree::Number => digits(&value.raw),
        Tree::Text(text) => digits(text),
        _ => None,
    };
    number.map(|number| number.to_string())
}

/// A JSON number without exponent, or a string.
fn decimal(value: &Value) -> Option<String> {
    let number = match &value.tree {
        Tree::Number => parse_decimal(&value.raw),
        Tree::Text(text) => parse_decimal(text),
        _ => None,
    };
    number.map(exact_text)
}
