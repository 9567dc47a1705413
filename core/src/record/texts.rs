//! Text as a dataset spells it: one, and an array of it, which is kept as the JSON
//! that it is answered with.

use crate::json;
use std::borrow::Cow;

/// Whether a JSON number is one without fraction or exponent, which is text as well.
pub(super) fn is_plain(number: &str) -> bool {
    let plain = |byte: u8| !matches!(byte, b'.' | b'e' | b'E');
    number.bytes().all(plain)
}

/// Reads an array as a dataset spells it; empty where there are no elements.
pub(super) fn from_json(raw: &str) -> Option<String> {
    if raw == "null" || raw == "\"\"" {
        return Some(String::new());
    }
    let texts = canonical(raw)?;
    Some(if texts == "[]" { String::new() } else { texts })
}

/// The array without blanks, each of its elements a string.
pub(super) fn canonical(raw: &str) -> Option<String> {
    array_of(&elements(raw)?)
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
    let text = |element| element_of(element).map(Cow::into_owned);
    json::elements(raw)?.map(text).collect()
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

/// A text that is not empty.
fn element_of(raw: &str) -> Option<Cow<'_, str>> {
    match raw.as_bytes() {
        [b'"', ..] => json::string(raw).filter(|text| !text.is_empty()),
        [b'-' | b'0'..=b'9', ..] if is_plain(raw) => Some(Cow::Borrowed(raw)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_have_one_spelling() {
        let choices = ["a", "b", "c"];
        for (raw, expected) in [
            ("[]", Some("")),
            (r#"["b"]"#, Some("b")),
            (r#"[ "c","\u0061" ]"#, Some(r#"["a","c"]"#)),
            (r#"["a","a"]"#, None),
            (r#"["a","d"]"#, None),
            (r#"["a",null]"#, None),
            (r#"["a""#, None),
        ] {
            assert_eq!(chosen(&choices, raw).as_deref(), expected, "{raw}");
        }
    }

    #[test]
    fn arrays_have_one_spelling() {
        for (raw, expected) in [
            ("null", Some("")),
            (r#""""#, Some("")),
            ("[ ]", Some("")),
            (
                r#"[ "a" ,7,-1, "\u00eb\"" ]"#,
                Some(r#"["a","7","-1","ë\""]"#),
            ),
            (r#""a""#, None),
            (r#"["a",""]"#, None),
            ("[null]", None),
            ("[1.5]", None),
            ("[[]]", None),
            ("true", None),
        ] {
            assert_eq!(from_json(raw).as_deref(), expected, "{raw}");
        }
    }
}
