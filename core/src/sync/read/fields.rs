//! Decodes the objects of answers, member by member. Unknown members are skipped, and their names
//! are recorded. A member of a wrong type fails the answer; its value appears in no message.

use super::answer_builder::{AnswerBuilder, DecodeError};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// Receives the members of an object.
pub(super) trait Members<'de> {
    /// Reads the value of a member, or returns false if the member is unknown.
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error>;

    /// Completes the object after its last member.
    fn end(&mut self) -> Result<(), DecodeError>;

    /// Returns what the objects describe, for the report of unknown members.
    fn what(&self) -> &'static str;

    fn out(&mut self) -> &mut AnswerBuilder;
}

/// Decodes an object by passing its members to `M`.
pub(super) struct ObjectOf<'m, M>(pub(super) &'m mut M);

/// Decodes an array of such objects.
pub(super) struct ArrayOf<'m, M>(pub(super) &'m mut M);

impl<'de, M: Members<'de>> DeserializeSeed<'de> for ObjectOf<'_, M> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, M: Members<'de>> Visitor<'de> for ObjectOf<'_, M> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Text(name)) = map.next_key()? {
            if !self.0.member(&name, &mut map)? {
                let what = self.0.what();
                self.0.out().note_unknown(what, &name);
                map.next_value::<IgnoredAny>()?;
            }
        }
        match self.0.end() {
            Ok(()) => Ok(()),
            Err(reason) => Err(self.0.out().refuse(reason)),
        }
    }
}

impl<'de, M: Members<'de>> DeserializeSeed<'de> for ArrayOf<'_, M> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, M: Members<'de>> Visitor<'de> for ArrayOf<'_, M> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while elements
            .next_element_seed(ObjectOf(&mut *self.0))?
            .is_some()
        {}
        Ok(())
    }
}

/// Reads the text of a member that may occur only once in its object. `slot` is empty before.
pub(super) fn take_text<'de, A: MapAccess<'de>>(
    slot: &mut Option<Cow<'de, str>>,
    out: &mut AnswerBuilder,
    map: &mut A,
) -> Result<(), A::Error> {
    let Text(text) = map.next_value()?;
    match slot.replace(text) {
        None => Ok(()),
        Some(_) => Err(out.refuse(DecodeError::Shape)),
    }
}

/// A string, or the digits of an integer. `null` is an empty string.
pub(super) struct Text<'a>(pub(super) Cow<'a, str>);

impl<'de: 'a, 'a> serde::Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text<'a>, D::Error> {
        struct Scalar;

        impl<'de> Visitor<'de> for Scalar {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(number.to_string())))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(number.to_string())))
            }

            fn visit_unit<E>(self) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed("")))
            }
        }

        deserializer.deserialize_any(Scalar)
    }
}
