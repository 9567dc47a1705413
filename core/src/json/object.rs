//! Parsing of objects, arrays and strings in JSON from other sources.
//!
//! The parser of `serde_json` only checks that a text is JSON. Parsing values with it would add
//! code for floating-point numbers to the WebAssembly module, and no record contains one.

use super::text::{string_length, unescape};
use serde::de::IgnoredAny;
use std::borrow::Cow;

/// The members of an object in order, including repeated names. Values are unparsed.
pub(crate) struct Object<'a> {
    pub(crate) members: Vec<(Cow<'a, str>, &'a str)>,
}

impl<'a> Object<'a> {
    /// Parses an object. The error says why the text is not an object.
    pub(crate) fn parse(text: &'a str) -> Result<Object<'a>, String> {
        let value = text.trim_start_matches(BLANK);
        let inside = inside(text, '{')?
            .ok_or_else(|| format!("expected an object (column {})", text.len() - value.len()))?;
        let unpaired = || "a surrogate escape is unpaired".to_owned();
        if has_unpaired_surrogate(text) {
            return Err(unpaired());
        }
        let mut parts = Parts(inside);
        let mut members = Vec::with_capacity(32);
        while let (Some(name), Some(value)) = (parts.next(), parts.next()) {
            members.push((string(name).ok_or_else(unpaired)?, value));
        }
        Ok(Object { members })
    }
}

/// Returns the elements of an array, unparsed, or `None` if the text is not an array.
pub(crate) fn elements(text: &str) -> Option<impl Iterator<Item = &str>> {
    inside(text, '[').ok()?.map(Parts)
}

/// Returns the text of a JSON string, or `None` if it is not a string or has an unpaired
/// surrogate.
pub(crate) fn string(raw: &str) -> Option<Cow<'_, str>> {
    let inside = raw.strip_prefix('"')?.strip_suffix('"')?;
    unescape(inside.as_bytes()).ok()
}

/// Returns the text after the first bracket of a value if it is this bracket. Fails if the text is
/// not JSON.
fn inside(text: &str, bracket: char) -> Result<Option<&str>, String> {
    match serde_json::from_str(text) {
        Ok(IgnoredAny) => Ok(text.trim_start_matches(BLANK).strip_prefix(bracket)),
        Err(error) => {
            let text = error.to_string();
            let (what, _) = text.split_once(" at line ").unwrap_or((&text, ""));
            Err(format!("{what} (column {})", error.column()))
        }
    }
}

const BLANK: [char; 4] = [' ', '\t', '\n', '\r'];

/// The text after the bracket of a valid array or object. Iterates over its elements, or over its
/// names and values in turn.
struct Parts<'a>(&'a str);

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let part = self.0.trim_start_matches(BETWEEN);
        let (part, rest) = part.split_at_checked(length(part.as_bytes()))?;
        self.0 = rest;
        (!part.is_empty()).then_some(part)
    }
}

/// The characters between parts.
const BETWEEN: [char; 6] = [' ', '\t', '\n', '\r', ',', ':'];

/// Returns the length of the first part.
fn length(bytes: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let inside = bytes.get(at + 1..).unwrap_or_default();
                at += 1 + string_length(inside).unwrap_or(inside.len());
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth > 0 => depth -= 1,
            b']' | b'}' => break,
            byte if depth == 0 && BETWEEN.contains(&char::from(*byte)) => break,
            _ => {}
        }
        at += 1;
    }
    at.min(bytes.len())
}

/// Returns whether an escape from `\ud800` to `\udfff` is unpaired. The parser skips the values,
/// so it does not check this.
fn has_unpaired_surrogate(text: &str) -> bool {
    let code = |escape: &[u8]| {
        let digits = std::str::from_utf8(escape.strip_prefix(b"\\u")?.get(..4)?).ok()?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut rest = text.as_bytes();
    while let Some(at) = memchr::memchr(b'\\', rest) {
        rest = rest.get(at..).unwrap_or_default();
        let skipped = match code(rest) {
            Some(0xd800..0xdc00) => match rest.get(6..).and_then(code) {
                Some(0xdc00..0xe000) => 12,
                _ => return true,
            },
            Some(0xdc00..0xe000) => return true,
            _ => 2,
        };
        rest = rest.get(skipped..).unwrap_or_default();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;

    #[test]
    fn members_are_in_order_and_include_repeated_names() {
        let text = r#"{"b":{"x":[1]},"\u0061":"\ud83d\ude00","b":1.50}"#;
        let members: Vec<_> = Object::parse(text)
            .map(|object| object.members)
            .unwrap_or_default()
            .into_iter()
            .map(|(name, value)| (name.into_owned(), value))
            .collect();
        let expected = [
            ("b", r#"{"x":[1]}"#),
            ("a", r#""\ud83d\ude00""#),
            ("b", "1.50"),
        ];
        let expected: Vec<_> = expected
            .map(|(name, value)| (name.to_owned(), value))
            .to_vec();
        assert_eq!(members, expected);
    }

    #[test]
    fn a_text_that_is_not_an_object_has_a_reason() {
        for text in [
            "",
            "[]",
            "1",
            "{",
            r#"{"a":1} x"#,
            r#"{"a":"\ud800"}"#,
            r#"{"a":"\udc00\ud800"}"#,
            r#"{"\ud800":1}"#,
            "{\"a\":\"\u{1}\"}",
            r#"{"a":01}"#,
        ] {
            assert!(Object::parse(text).is_err(), "{text}");
        }
        assert!(Object::parse(r#"{"a":"\\ud800"}"#).is_ok());
    }

    /// Compares the elements with those that `serde_json` finds.
    #[test]
    fn elements_are_those_of_the_parser() {
        for text in [
            "[]",
            " [ ] ",
            "[1]",
            "[ 1 ,\t-2.5e3,\ntrue , null]",
            r#"["a","b,]\"}","\\","",{"a":[1,{"b":"]"}],"c":":"},[[],[2]], "é😀"]"#,
        ] {
            let expected: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
            let expected: Vec<_> = expected.into_iter().map(RawValue::get).collect();
            let found = elements(text).map(Iterator::collect::<Vec<_>>);
            assert_eq!(found, Some(expected), "{text}");
        }
        for text in ["", "{}", "[", "[1,]", "[1 2]", "[1]]", "[\"a]", "null"] {
            assert!(elements(text).is_none(), "{text}");
        }
    }

    #[test]
    fn strings_are_those_of_the_parser() {
        for raw in [
            r#""""#,
            r#""a/\/\b\f\n\r\t\"\\""#,
            r#""\u0000\u00e9\u20AC\ud83d\ude00é""#,
            r#""\ud800""#,
            r#""\udc00\ud800""#,
            r#""\ud83dx""#,
            r#""\ud83d\u0041""#,
            "1",
        ] {
            let expected: Option<String> = serde_json::from_str(raw).ok();
            assert_eq!(string(raw).as_deref(), expected.as_deref(), "{raw}");
        }
    }

    #[test]
    fn an_error_contains_its_column() {
        for (text, expected) in [
            ("  [1]", "expected an object (column 2)"),
            (r#"{"a":1,}"#, "key must be a string (column 8)"),
            (r#"{"a":1"#, "EOF while parsing an object (column 6)"),
            (r#"{"\ud800":1}"#, "a surrogate escape is unpaired"),
        ] {
            let what = Object::parse(text).err();
            assert_eq!(what.as_deref(), Some(expected), "{text}");
        }
    }
}
