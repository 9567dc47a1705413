//! The forms of values (`dataset.md`, "Values"): converts raw JSON to canonical text, or returns
//! its fault.

use super::dates::{is_date_time, offset_text, parse_date, parse_offset};
use super::decimals::{exact_text, parse_decimal};
use super::fields::Form;
use super::integers::digits;
use super::json::Value;
use super::render::Json;

const DECIMAL: &str = "is not a decimal (at most 12 digits, then at most 6 after a point)";

/// Returns the canonical text of a non-empty value, or a description of its fault.
pub(crate) fn read(form: Form, value: &Value) -> Result<String, String> {
    let found = match form {
        Form::Integer => integer(value),
        Form::Signed => signed(value),
        Form::Bit => integer(value).filter(|text| text == "0" || text == "1"),
        Form::Text | Form::Username | Form::Password | Form::Hash => text(value),
        Form::Choice(choices) => value.text().filter(|text| choices.contains(&text.as_str())),
        Form::Choices(choices) if value.raw.starts_with('[') => several(choices, value),
        Form::Choices(choices) => value.text().filter(|text| choices.contains(&text.as_str())),
        Form::Date => value.text().filter(|text| parse_date(text).is_some()),
        Form::DateTime => value.text().filter(|text| is_date_time(text)),
        Form::Decimal => decimal(value),
        Form::Percentage => value
            .text()
            .filter(|text| text == "a")
            .or_else(|| decimal(value)),
        Form::Offset => value
            .text()
            .and_then(|text| parse_offset(&text))
            .map(offset_text),
        Form::Texts => texts(value),
        Form::Terms => None,
    };
    match found {
        Some(text) if form == Form::Username && text.len() > 256 => {
            Err("is longer than 256 bytes".to_owned())
        }
        Some(text) if form == Form::Hash && !is_hash(&text) => {
            Err("is not an Argon2id hash".to_owned())
        }
        Some(text) => Ok(text),
        None if matches!(form, Form::Password | Form::Hash) => Err(what(form)),
        None => match form {
            Form::Choices(choices) if value.raw.starts_with('[') => Err(format!(
                "{} is not an array of {}, each at most once",
                shown(&value.raw),
                choices.join(", ")
            )),
            _ => Err(format!("{} {}", shown(&value.raw), what(form))),
        },
    }
}

/// Returns the raw text of a value for the message of a fault: at most 64 characters, and nothing
/// of an array or an object that may contain a password.
pub(crate) fn shown(raw: &str) -> String {
    if raw.to_lowercase().contains("password") || raw.contains("\\u") {
        match raw.chars().next() {
            Some('{') => return "{...}".to_owned(),
            Some('[') => return "[...]".to_owned(),
            _ => {}
        }
    }
    match raw.char_indices().nth(64) {
        Some((end, _)) => format!("{}...", &raw[..end]),
        None => raw.to_owned(),
    }
}

fn what(form: Form) -> String {
    match form {
        Form::Integer => format!("is not an unsigned integer (at most {})", u64::MAX),
        Form::Signed => "is not an integer of 64 bits".to_owned(),
        Form::Texts => "is not an array of text, none of it empty".to_owned(),
        Form::Bit => "is not one of 0, 1".to_owned(),
        Form::Text | Form::Username | Form::Password | Form::Hash => {
            "is not text (a string or an integer)".to_owned()
        }
        Form::Choice(choices) | Form::Choices(choices) => {
            format!("is not one of {}", choices.join(", "))
        }
        Form::Date => "is not a date (YYYY-MM-DD)".to_owned(),
        Form::DateTime => "is not a date-time (YYYY-MM-DD HH:MM:SS)".to_owned(),
        Form::Decimal => DECIMAL.to_owned(),
        Form::Percentage => format!("{DECIMAL} or \"a\""),
        Form::Offset => "is not an offset (±HH:MM, at most 18:00)".to_owned(),
        Form::Terms => "is not an array of objects".to_owned(),
    }
}

/// Returns a string, or the digits of an integer number as they are written.
fn text(value: &Value) -> Option<String> {
    if let Some(text) = value.text() {
        return Some(text);
    }
    let number = value.number()?;
    let unsigned = number.strip_prefix('-').unwrap_or(number);
    unsigned
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| number.to_owned())
}

/// Returns the integer of a JSON number without sign, fraction or exponent, or of a string of ASCII
/// digits, without leading zeros.
fn integer(value: &Value) -> Option<String> {
    let number = value.text().or_else(|| value.number().map(str::to_owned))?;
    digits(&number).map(|number| number.to_string())
}

/// Returns the integer of a number, or of a string of the same form, without leading zeros.
fn signed(value: &Value) -> Option<String> {
    let number = value.text().or_else(|| value.number().map(str::to_owned))?;
    let unsigned = number.strip_prefix('-').unwrap_or(&number);
    digits(unsigned)?;
    number.parse::<i64>().ok().map(|number| number.to_string())
}

/// Returns an array of texts as JSON. If there are none, the result is empty.
fn texts(value: &Value) -> Option<String> {
    let items = value.items()?;
    let texts: Option<Vec<String>> = items.iter().map(text).collect();
    let texts = texts.filter(|texts| texts.iter().all(|text| !text.is_empty()))?;
    if texts.is_empty() {
        return Some(String::new());
    }
    Some(Json::List(texts.into_iter().map(Json::Text).collect()).to_string())
}

/// Returns some of the choices in their order, as JSON if there are several. If there are none, the
/// result is empty.
fn several(choices: &[&str], value: &Value) -> Option<String> {
    let items: Option<Vec<String>> = value.items()?.iter().map(text).collect();
    let mut places = Vec::new();
    for item in items? {
        let place = choices.iter().position(|choice| *choice == item)?;
        if places.contains(&place) {
            return None;
        }
        places.push(place);
    }
    places.sort_unstable();
    let chosen: Vec<&str> = places.into_iter().map(|place| choices[place]).collect();
    Some(match chosen.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        _ => Json::List(chosen.into_iter().map(Json::text).collect()).to_string(),
    })
}

/// Returns the decimal of a JSON number without exponent, or of a string.
fn decimal(value: &Value) -> Option<String> {
    let number = value.text().or_else(|| value.number().map(str::to_owned))?;
    parse_decimal(&number).map(exact_text)
}

/// Returns whether a text has the form `$argon2id$v=19$m=…,t=…,p=…$salt$hash`.
fn is_hash(text: &str) -> bool {
    let parts: Vec<&str> = text.split('$').collect();
    let ["", "argon2id", "v=19", costs, salt, hash] = parts.as_slice() else {
        return false;
    };
    let base64 = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/')
    };
    costs.starts_with("m=") && base64(salt) && base64(hash)
}
