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
    array_of(&elements(raw)?)
}

/// Reads an array of choices; on failure says what is wrong.
pub(super) fn choices_from_json(choices: &[&str], raw: &str) -> Result<Value<'static>, String> {
    match chosen(choices, raw) {
        Some(none) if none.is_empty() => Ok(Value::Empty),
        Some(chosen) => Ok(Value::Text(Cow::Owned(chosen))),
        None => Err(format!(
            "{} is not an array of {}, each at most once",
            shown(raw),
            choices.join(", ")
        )),
    }
}

/// An array of choices in their order, one alone as its text, none as nothing.
pub(super) fn chosen(choices: &[&str], raw: &str) -> Option<String> {
    let given = elements(raw)?;
    let mut chosen: Vec<&str> = choices.to_vec();
    chosen.retain(|choice| given.iter().any(|text| text == choice));
    match chosen.as_slice() {
        _ if chosen.len() != given.len() => None,
        [] => Some(String::new()),
        [one] => Some((*one).to_owned()),
        several => array_of(several),
    }
}

/// The elements of an array of text.
fn elements(raw: &str) -> Option<Vec<String>> {
    let elements: Vec<&RawValue> = serde_json::from_str(raw).ok()?;
    let text = |element: &'_ RawValue| match Value::from_json(Form::Text, element.get()) {
        Ok(Value::Text(text)) => Some(text.into_owned()),
        _ => None,
    };
    elements.into_iter().map(text).collect()
}

fn array_of(texts: &[impl AsRef<str>]) -> Option<String> {
    let mut array = b"[".to_vec();
    for (index, text) in texts.iter().enumerate() {
        if index > 0 {
            array.push(b',');
        }
        json::push_string(&mut array, text.as_ref());
    }
    array.push(b']');
    String::from_utf8(array).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_have_one_spelling() {
        let choices = ["a", "b", "c"];
        let fault = |raw| {
            Err(format!(
                "{raw} is not an array of a, b, c, each at most once"
            ))
        };
        for (raw, expected) in [
            ("[]", Ok("")),
            (r#"["b"]"#, Ok("b")),
            (r#"[ "c","\u0061" ]"#, Ok(r#"["a","c"]"#)),
            (r#"["a","a"]"#, fault(r#"["a","a"]"#)),
            (r#"["a","d"]"#, fault(r#"["a","d"]"#)),
            (r#"["a",null]"#, fault(r#"["a",null]"#)),
            (r#"["a""#, fault(r#"["a""#)),
        ] {
            let read = choices_from_json(&choices, raw);
            let read = read.as_ref().map(Value::text).map_err(Clone::clone);
            assert_eq!(read, expected, "{raw}");
        }
    }

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
