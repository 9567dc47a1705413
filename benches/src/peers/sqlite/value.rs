//! The values of a dataset's lines as `SQLite` keeps them.

use super::decimal;
use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// A string, or an integer as its digits; absent, `null` and `""` are alike.
#[derive(Debug, Clone, Default)]
pub(super) struct Text<'a>(pub(super) Cow<'a, str>);

/// An unsigned integer, or a string of its digits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Integer(pub(super) i64);

/// A reference by number, or none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reference(Option<i64>);

/// A decimal in millionths, or none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Decimal(Option<i64>);

/// A decimal, `a` for absent, or none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Percentage {
    pub(super) absent: bool,
    number: Decimal,
}

/// A date that may be missing.
#[derive(Debug, Clone, Default)]
pub(super) struct OptionalDate<'a>(Text<'a>);

/// A learner's status; current unless given.
#[derive(Debug, Clone, Default)]
pub(super) struct Status<'a>(Text<'a>);

/// Whether a mark was captured; it was unless said otherwise.
#[derive(Debug, Clone, Copy)]
pub(super) struct Captured(bool);

impl Default for Captured {
    fn default() -> Captured {
        Captured(true)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("text (a string or an integer)")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Owned(number.to_string())))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Owned(number.to_string())))
    }

    fn visit_unit<E: Error>(self) -> Result<Text<'de>, E> {
        Ok(Text::default())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Text<'a>, D::Error> {
        from.deserialize_any(TextVisitor)
    }
}

struct IntegerVisitor;

impl Visitor<'_> for IntegerVisitor {
    type Value = Integer;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("an unsigned integer of 63 bits")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Integer, E> {
        let wrong = || E::invalid_value(Unexpected::Unsigned(number), &self);
        i64::try_from(number).map(Integer).map_err(|_| wrong())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Integer, E> {
        integer(text)
            .map(Integer)
            .ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

impl<'de> Deserialize<'de> for Integer {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Integer, D::Error> {
        from.deserialize_any(IntegerVisitor)
    }
}

fn integer(text: &str) -> Option<i64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

impl<'de> Deserialize<'de> for Reference {
    /// A reference is answered as it was given, so that only what a number
    /// gives back is taken.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Reference, D::Error> {
        let Text(text) = Text::deserialize(from)?;
        if text.is_empty() {
            return Ok(Reference(None));
        }
        let canonical = *text == *"0" || !text.starts_with('0');
        match integer(&text).filter(|_| canonical) {
            Some(number) => Ok(Reference(Some(number))),
            None => Err(D::Error::invalid_value(
                Unexpected::Str(&text),
                &"a reference by number",
            )),
        }
    }
}

impl<'de> Deserialize<'de> for Percentage {
    /// Read from the spelling, so that no number passes through a float.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Percentage, D::Error> {
        let raw = <&RawValue>::deserialize(from)?.get();
        let text = raw.trim_matches('"');
        match text {
            "" | "null" => Ok(Percentage::default()),
            "a" => Ok(Percentage {
                absent: true,
                number: Decimal(None),
            }),
            _ => match decimal::parse(text) {
                Some(number) => Ok(Percentage {
                    absent: false,
                    number: Decimal(Some(number)),
                }),
                None => Err(D::Error::invalid_value(
                    Unexpected::Str(text),
                    &"a decimal of at most 12 digits and 6 after the point",
                )),
            },
        }
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Decimal, D::Error> {
        let Percentage { absent, number } = Percentage::deserialize(from)?;
        if absent {
            return Err(D::Error::invalid_value(Unexpected::Str("a"), &"a decimal"));
        }
        Ok(number)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for OptionalDate<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<OptionalDate<'a>, D::Error> {
        Text::deserialize(from).map(OptionalDate)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Status<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Status<'a>, D::Error> {
        Text::deserialize(from).map(Status)
    }
}

impl<'de> Deserialize<'de> for Captured {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Captured, D::Error> {
        match &*Text::deserialize(from)?.0 {
            "" | "1" => Ok(Captured(true)),
            "0" => Ok(Captured(false)),
            other => Err(D::Error::invalid_value(Unexpected::Str(other), &"0 or 1")),
        }
    }
}

impl ToSql for Text<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Text(self.0.as_bytes())))
    }
}

impl ToSql for OptionalDate<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        if self.0.0.is_empty() {
            return Ok(ToSqlOutput::Owned(Value::Null));
        }
        self.0.to_sql()
    }
}

impl ToSql for Status<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        if self.0.0.is_empty() {
            return "current".to_sql();
        }
        self.0.to_sql()
    }
}

impl ToSql for Captured {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

impl ToSql for Integer {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Owned(Value::Integer(self.0)))
    }
}

impl ToSql for Reference {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

impl ToSql for Decimal {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

impl ToSql for Percentage {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.number.to_sql()
    }
}
