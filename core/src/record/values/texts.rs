//! Text as a dataset writes it, and arrays of text, which are stored as the JSON that answers
//! contain.

use crate::json;
use std::borrow::Cow;

/// Returns true if a JSON number has no fraction and no exponent. Such a number is also
/// accepted as text.
pub(crate) fn is_plain(number: &str) -> bool {
    let plain = |byte: u8| !matches!(byte, b'.' | b'e' | b'E');
    number.bytes().all(plain)
}

/// Reads an array of texts as a dataset writes it. The result is empty if the array has no
/// elements.
pub(crate) fn from_json(raw: &str) -> Option<String> {
    if raw == "null" || raw == "\"\"" {
        return Some(String::new());
    }
    let texts = canonical(raw)?;
    Some(if texts == "[]" { String::new() } else { texts })
}

/// Returns the array without white space, with each element as a string.
pub(crate) fn canonical(raw: &str) -> Option<String> {
    array_of(&elements(raw)?)
}

/// Returns the array of the given choices in the order of `choices`. A single choice becomes
/// its text, and no choice an empty text.
pub(crate) fn chosen(choices: &[&str], raw: &str) -> Option<String> {
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

/// Returns the elements of an array of texts.
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

/// Returns the text of an element that is not empty.
fn element_of(raw: &str) -> Option<Cow<'_, str>> {
    match raw.as_bytes() {
        [b'"', ..] => json::string(raw).filter(|text| !text.is_empty()),
        [b'-' | b'0'..=b'9', ..] if is_plain(raw) => Some(Cow::Borrowed(raw)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::record::values::texts::*;

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
