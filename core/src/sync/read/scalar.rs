//! The values of members: strings, numbers, booleans and `null`.
//!
//! The service is written in PHP and stores its data in `MySQL`. The same value may therefore arrive
//! in several spellings: as a string, as a number or as a boolean. All spellings of a value are
//! read as the same value. A value that has none of the spellings of its field cannot be used, and
//! the reader of its record decides what follows from that.

use crate::date::Date;
use crate::json::{self, Object};
use crate::record::Value;
use crate::record::field::FieldForm;
use crate::record::values::texts;
use crate::record::values::value::{YES_NO, integer};
use serde::de::MapAccess;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The value of a member.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Scalar<'a> {
    /// The value is `null`, or the member is missing.
    #[default]
    Empty,
    /// A string.
    Text(Cow<'a, str>),
    /// A number, as it is written.
    Number(&'a str),
    Bool(bool),
    /// An array or an object, as it is written.
    Nested(&'a str),
    /// A string with an unpaired surrogate, which is no text.
    NoText,
}

impl<'a> Scalar<'a> {
    /// Reads the value of the current member.
    pub(super) fn read<A: MapAccess<'a>>(map: &mut A) -> Result<Scalar<'a>, A::Error> {
        let raw: &'a RawValue = map.next_value()?;
        let raw = raw.get();
        Ok(match raw.as_bytes() {
            [b'"', ..] => json::string(raw).map_or(Scalar::NoText, Scalar::Text),
            [b'{' | b'[', ..] => Scalar::Nested(raw),
            b"true" => Scalar::Bool(true),
            b"false" => Scalar::Bool(false),
            b"null" => Scalar::Empty,
            _ => Scalar::Number(raw),
        })
    }

    /// Returns the value as that of a field of this form, or `None` if it cannot be used.
    pub(super) fn value(self, form: FieldForm) -> Option<Value<'a>> {
        match form {
            FieldForm::Texts => match self {
                Scalar::Nested(raw) => texts_of(raw),
                other => other.is_empty().then_some(Value::Empty),
            },
            FieldForm::Choice(choices) if *choices == YES_NO => self.value(FieldForm::YesNo),
            FieldForm::YesNo | FieldForm::Bit if self.is_empty() => Some(Value::Empty),
            FieldForm::YesNo => {
                let [yes, no] = YES_NO;
                let text = if self.flag()? { yes } else { no };
                Some(Value::Text(Cow::Borrowed(text)))
            }
            FieldForm::Bit => self.flag().map(|flag| Value::Integer(u64::from(flag))),
            FieldForm::Text | FieldForm::Reference => {
                let text = self.text()?;
                Value::from_text(form, text)
            }
            FieldForm::Date => {
                let text = self.plain()?;
                let date = without_midnight(&text).map(|day| Date::parse(day.as_bytes()));
                match date {
                    Some(date) => date.map(Value::Date),
                    None => Value::from_text(form, text),
                }
            }
            FieldForm::Percentage => match self.plain()? {
                text if text == "A" => Some(Value::Absent),
                text => Value::from_text(form, text),
            },
            form => Value::from_text(form, self.plain()?),
        }
    }

    /// Returns the value as a text. `false` is an empty text, as PHP converts it.
    pub(super) fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Scalar::Bool(false) => Some(Cow::Borrowed("")),
            other => other.plain(),
        }
    }

    /// Returns the value as an unsigned integer.
    pub(super) fn integer(&self) -> Option<u64> {
        match self {
            Scalar::Text(text) => integer(text),
            Scalar::Number(text) => integer(text),
            _ => None,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Scalar::Empty) || matches!(self, Scalar::Text(text) if text.is_empty())
    }

    /// Returns the text of a string, a number or a boolean.
    fn plain(self) -> Option<Cow<'a, str>> {
        match self {
            Scalar::Empty => Some(Cow::Borrowed("")),
            Scalar::Text(text) => Some(text),
            Scalar::Number(text) => Some(Cow::Borrowed(text)),
            Scalar::Bool(true) => Some(Cow::Borrowed("true")),
            Scalar::Bool(false) => Some(Cow::Borrowed("false")),
            Scalar::Nested(_) | Scalar::NoText => None,
        }
    }

    /// Returns the value of a flag, in whatever spelling.
    fn flag(self) -> Option<bool> {
        let text = self.plain()?;
        let is_one_of = |spellings: &[&str]| {
            let mut spellings = spellings.iter();
            spellings.any(|spelling| text.eq_ignore_ascii_case(spelling))
        };
        let is_set = is_one_of(&TRUE);
        (is_set || is_one_of(&FALSE)).then_some(is_set)
    }
}

/// The spellings of a flag in PHP and `MySQL`. The last one is a value of the type `BIT(1)`.
const TRUE: [&str; 6] = ["yes", "1", "true", "y", "on", "\u{1}"];
const FALSE: [&str; 6] = ["no", "0", "false", "n", "off", "\u{0}"];

/// Returns the value of an array of texts, which may be an object with numbers as names.
fn texts_of<'a>(raw: &str) -> Option<Value<'a>> {
    let texts = if raw.starts_with('[') {
        texts::from_json(raw)?
    } else {
        let object = Object::parse(raw).ok()?;
        let elements = object.members.iter();
        let elements = elements.map(|(name, value)| integer(name).map(|_| *value));
        let elements: Vec<&str> = elements.collect::<Option<_>>()?;
        texts::from_json(&format!("[{}]", elements.join(",")))?
    };
    let value = Value::Text(Cow::Owned(texts));
    Some(if value.text().is_empty() {
        Value::Empty
    } else {
        value
    })
}

/// Returns the date of a date-time at midnight, which is how a column of date-times contains a
/// date.
fn without_midnight(text: &str) -> Option<&str> {
    let (day, time) = text.split_at_checked(10)?;
    let time = time.strip_prefix([' ', 'T'])?;
    let fraction = time.strip_prefix("00:00:00")?;
    let digits = fraction.strip_prefix('.').unwrap_or(fraction);
    digits.bytes().all(|digit| digit == b'0').then_some(day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::values::decimal::PackedDecimal;
    use serde::de::{Deserializer, Visitor};

    /// Reads the value of the only member of an object.
    fn scalar(raw: &str) -> Scalar<'static> {
        struct OneMember;
        impl Visitor<'static> for OneMember {
            type Value = Scalar<'static>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'static>>(
                self,
                mut map: A,
            ) -> Result<Scalar<'static>, A::Error> {
                map.next_key::<&str>()?;
                Scalar::read(&mut map)
            }
        }
        let object: &'static str = format!(r#"{{"a":{raw}}}"#).leak();
        let mut json = serde_json::Deserializer::from_str(object);
        json.deserialize_map(OneMember).unwrap_or(Scalar::NoText)
    }

    #[allow(clippy::unnecessary_wraps, reason = "the type of `Scalar::value`")]
    fn text(text: &str) -> Option<Value<'_>> {
        Some(Value::Text(Cow::Borrowed(text)))
    }

    #[test]
    fn a_value_is_the_same_in_all_its_spellings() {
        let decimal = |text| PackedDecimal::parse(text).map(Value::Decimal);
        let date = Date::new(2026, 5, 14).map(Value::Date);
        let empty = || Some(Value::Empty);
        for (form, raw, expected) in [
            (FieldForm::Text, r#""a""#, text("a")),
            (FieldForm::Text, "9", text("9")),
            (FieldForm::Text, "-1.50", text("-1.50")),
            (FieldForm::Text, "true", text("true")),
            (FieldForm::Text, "false", empty()),
            (FieldForm::Text, r#""false""#, text("false")),
            (FieldForm::Text, "null", empty()),
            (FieldForm::Text, "[]", None),
            (FieldForm::Text, "{}", None),
            (FieldForm::Text, r#""\ud83d""#, None),
            (FieldForm::Text, r#""\ud83d\ude00""#, text("😀")),
            (FieldForm::Integer, "9", Some(Value::Integer(9))),
            (FieldForm::Integer, r#""09""#, Some(Value::Integer(9))),
            (FieldForm::Integer, "9.0", None),
            (FieldForm::Integer, "true", None),
            (FieldForm::Integer, "false", None),
            (FieldForm::Decimal, "120000.50", decimal("120000.5")),
            (FieldForm::Decimal, r#""120000.50""#, decimal("120000.5")),
            (FieldForm::Decimal, r#""120,000.50""#, None),
            (FieldForm::Decimal, "1.2e5", None),
            (FieldForm::Percentage, r#""a""#, Some(Value::Absent)),
            (FieldForm::Percentage, r#""A""#, Some(Value::Absent)),
            (FieldForm::Percentage, r#""b""#, None),
            (FieldForm::Date, r#""2026-05-14""#, date.clone()),
            (FieldForm::Date, r#""2026-05-14 00:00:00""#, date.clone()),
            (FieldForm::Date, r#""2026-05-14T00:00:00.000""#, date),
            (FieldForm::Date, r#""2026-05-14 08:00:00""#, None),
            (FieldForm::Date, r#""0000-00-00""#, None),
            (FieldForm::Date, r#""0000-00-00 00:00:00""#, None),
            (FieldForm::Date, r#""""#, empty()),
            (FieldForm::Date, "false", None),
            (FieldForm::Texts, "null", empty()),
            (FieldForm::Texts, "[]", empty()),
            (FieldForm::Texts, "{}", empty()),
            (FieldForm::Texts, r#"["a"]"#, text(r#"["a"]"#)),
            (FieldForm::Texts, r#"{"0":"a","2":7}"#, text(r#"["a","7"]"#)),
            (FieldForm::Texts, r#"{"x":"a"}"#, None),
            (FieldForm::Texts, r#""a""#, None),
        ] {
            assert_eq!(scalar(raw).value(form), expected, "{form:?} {raw}");
        }
    }

    #[test]
    fn flags_have_the_spellings_of_php_and_mysql() {
        for (flag, raws) in [
            (
                Some(1),
                [
                    "1",
                    "true",
                    r#""1""#,
                    r#""YES""#,
                    r#""y""#,
                    r#""On""#,
                    r#""\u0001""#,
                ],
            ),
            (
                Some(0),
                [
                    "0",
                    "false",
                    r#""0""#,
                    r#""No""#,
                    r#""N""#,
                    r#""off""#,
                    r#""\u0000""#,
                ],
            ),
            (
                None,
                [
                    "2",
                    "1.0",
                    r#""2""#,
                    r#""maybe""#,
                    r#""-1""#,
                    "[]",
                    r#""oui""#,
                ],
            ),
        ] {
            for raw in raws {
                let bit = scalar(raw).value(FieldForm::Bit);
                assert_eq!(bit, flag.map(Value::Integer), "{raw}");
                let yes_no = |flag| text(if flag == 1 { "Yes" } else { "No" });
                let named = scalar(raw).value(FieldForm::YesNo);
                assert_eq!(named, flag.and_then(yes_no), "{raw}");
                let chosen = scalar(raw).value(FieldForm::Choice(&YES_NO));
                assert_eq!(chosen, named, "{raw}");
            }
        }
        assert_eq!(scalar("null").value(FieldForm::YesNo), Some(Value::Empty));
    }
}
