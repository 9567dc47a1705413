//! Parsing of objects, arrays and strings in JSON from other sources.
//!
//! Values remain unparsed, because the exact text of a value is checked.

use super::text::unescape;
use serde::Deserializer;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The members of an object in order, including repeated names. Values are unparsed.
pub(crate) struct Object<'a> {
    pub(crate) members: Vec<(Cow<'a, str>, &'a str)>,
}

impl<'a> Object<'a> {
    /// Parses an object. The error says why the text is not an object.
    pub(crate) fn parse(text: &'a str) -> Result<Object<'a>, String> {
        let mut parser = serde_json::Deserializer::from_str(text);
        let parsed = parser.deserialize_map(Members);
        let parsed = parsed.and_then(|members| parser.end().map(|()| members));
        let members = parsed.map_err(|error| {
            if error.is_data() {
                let start = text.len() - text.trim_start_matches(BLANK).len();
                return format!("expected an object (column {start})");
            }
            let text = error.to_string();
            let (what, _) = text.split_once(" at line ").unwrap_or((&text, ""));
            format!("{what} (column {})", error.column())
        })?;
        if has_unpaired_surrogate(text) {
            return Err("a surrogate escape is unpaired".to_owned());
        }
        Ok(Object { members })
    }
}

/// The whitespace of JSON.
const BLANK: [char; 4] = [' ', '\t', '\n', '\r'];

/// Collects the names and values of an object. A name with an unpaired surrogate is empty.
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<(Cow<'de, str>, &'de str)>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::with_capacity(32);
        while let Some((name, value)) = map.next_entry::<&RawValue, &RawValue>()? {
            members.push((string(name.get()).unwrap_or_default(), value.get()));
        }
        Ok(members)
    }
}

/// Returns the elements of an array, unparsed, or `None` if the text is not an array.
pub(crate) fn elements(text: &str) -> Option<impl Iterator<Item = &str>> {
    let elements: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    Some(elements.into_iter().map(RawValue::get))
}

/// Returns the text of a JSON string, or `None` if it is not a string or has an unpaired
/// surrogate.
pub(crate) fn string(raw: &str) -> Option<Cow<'_, str>> {
    let inside = raw.strip_prefix('"')?.strip_suffix('"')?;
    unescape(inside.as_bytes()).ok()
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

    #[test]
    fn elements_are_the_texts_of_the_values() {
        let nested = r#"["a","b,]\"}","\\","",{"a":[1,{"b":"]"}],"c":":"},[[],[2]], "é😀"]"#;
        let cases: [(&str, &[&str]); 5] = [
            ("[]", &[]),
            (" [ ] ", &[]),
            ("[1]", &["1"]),
            (
                "[ 1 ,\t-2.5e3,\ntrue , null]",
                &["1", "-2.5e3", "true", "null"],
            ),
            (
                nested,
                &[
                    r#""a""#,
                    r#""b,]\"}""#,
                    r#""\\""#,
                    r#""""#,
                    r#"{"a":[1,{"b":"]"}],"c":":"}"#,
                    "[[],[2]]",
                    r#""é😀""#,
                ],
            ),
        ];
        for (text, expected) in cases {
            let found = elements(text).map(Iterator::collect::<Vec<_>>);
            assert_eq!(found.as_deref(), Some(expected), "{text}");
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
            (r#"{"a":1,}"#, "trailing comma (column 8)"),
            (r#"{"a":1"#, "EOF while parsing an object (column 6)"),
            (r#"{"\ud800":1}"#, "a surrogate escape is unpaired"),
        ] {
            let what = Object::parse(text).err();
            assert_eq!(what.as_deref(), Some(expected), "{text}");
        }
    }
}
