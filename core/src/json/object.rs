//! An object that somebody else wrote.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The members of an object in their order, names that stand twice included,
/// values as they were written.
pub(crate) struct Object<'a> {
    pub(crate) members: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> Object<'a> {
    /// Reads an object; on failure says why it is none.
    pub(crate) fn parse(text: &'a str) -> Result<Object<'a>, String> {
        let object = serde_json::from_str(text).map_err(|error: serde_json::Error| {
            let text = error.to_string();
            let (what, _) = text.split_once(" at line ").unwrap_or((&text, ""));
            // Of another value the parser would tell what it is.
            let what = if error.is_data() {
                "expected an object"
            } else {
                what
            };
            format!("{what} (column {})", error.column())
        })?;
        if has_unpaired_surrogate(text) {
            return Err("a surrogate escape is unpaired".to_owned());
        }
        Ok(object)
    }
}

/// Whether a `\ud800` to `\udfff` lacks its other half. The values are taken
/// out unread, so the parser has not looked.
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

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut members = Vec::with_capacity(32);
                while let Some(name) = map.next_key::<Name<'de>>()? {
                    members.push((name.0, map.next_value()?));
                }
                Ok(Object { members })
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

/// A member's name, borrowed where it has no escapes.
struct Name<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl<'de> Visitor<'de> for Text {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }

        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_in_order_twice_if_they_stand_twice() {
        let text = r#"{"b":{"x":[1]},"\u0061":"\ud83d\ude00","b":1.50}"#;
        let members: Vec<_> = Object::parse(text)
            .map(|object| object.members)
            .unwrap_or_default()
            .into_iter()
            .map(|(name, value)| (name.into_owned(), value.get()))
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
    fn what_is_no_object_says_why() {
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
}
