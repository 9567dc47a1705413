//! An array of text, kept as the JSON that it is answered with.

use super::field::Form;
use super::shown::shown;
use super::value::Value;
use crate::json;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// What is wrong with one that is none.
pub(super) const NO_TEXTS: &str = "is not an array of text, none of it empty";

/// Reads it as a dataset spells it; on failure says what is wrong.
pub(super) fn from_json(raw: &str) -> Result<Value<'static>, String> {
    if raw == "null" || raw == "\"\"" {
        return Ok(Value::Empty);
    }
    match canonical(raw) {
        Some(none) if none == "[]" => Ok(Value::Empty),
        Some(texts) => Ok(Value::Text(Cow::Owned(texts))),
        None => Err(format!("{} {NO_TEXTS}", shown(raw))),
    }
}

/// The array without blanks, each of its elements a string.
pub(super) fn canonical(raw: &str) -> Option<String> {
    let elements: Vec<&RawValue> = serde_json::from_str(raw).ok()?;
    let mut canonical = b"[".to_vec();
    for (index, element) in elements.into_iter().enumerate() {
        let Ok(Value::Text(text)) = Value::from_json(Form::Text, element.get()) else {
            return None;
        };
        if index > 0 {
            canonical.push(b',');
        }
        json::push_string(&mut canonical, &text);
    }
    canonical.push(b']');
    String::from_utf8(canonical).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_have_one_spelling() {
        for (raw, expected) in [
            ("null", Ok("")),
            (r#""""#, Ok("")),
            ("[ ]", Ok("")),
            (
                r#"[ "a" ,7,-1, "\u00eb\"" ]"#,
                Ok(r#"["a","7","-1","ë\""]"#),
            ),
            (
                r#""a""#,
                Err(r#""a" is not an array of text, none of it empty"#),
            ),
            (
                r#"["a",""]"#,
                Err(r#"["a",""] is not an array of text, none of it empty"#),
            ),
            (
                "[null]",
                Err("[null] is not an array of text, none of it empty"),
            ),
            (
                "[1.5]",
                Err("[1.5] is not an array of text, none of it empty"),
            ),
            (
                "[[]]",
                Err("[[]] is not an array of text, none of it empty"),
            ),
            (
                "true",
                Err("true is not an array of text, none of it empty"),
            ),
        ] {
            let read = from_json(raw);
            let read = read.as_ref().map(Value::text).map_err(String::as_str);
            assert_eq!(read, expected, "{raw}");
        }
    }
}
