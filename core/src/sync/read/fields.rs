//! Objects of answers, member by member. What is unknown is passed over and named;
//! what has a wrong type fails the answer, and is shown nowhere.

use super::out::{Out, Unread};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// What takes the members of an object.
pub(super) trait Members<'de> {
    /// Takes the value of a member, or says that it knows none of this name.
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error>;

    /// All members were taken.
    fn end(&mut self) -> Result<(), Unread>;

    /// What the objects are, for those of their members that are unknown.
    fn what(&self) -> &'static str;

    fn out(&mut self) -> &mut Out;
}

/// An object, handed on member by member.
pub(super) struct ObjectOf<'m, M>(pub(super) &'m mut M);

/// An array of such objects.
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
            Err(why) => Err(self.0.out().refuse(why)),
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

/// Takes the text of a member that stands once in its object: `slot` is empty until
/// then.
pub(super) fn take_text<'de, A: MapAccess<'de>>(
    slot: &mut Option<Cow<'de, str>>,
    out: &mut Out,
    map: &mut A,
) -> Result<(), A::Error> {
    let Text(text) = map.next_value()?;
    match slot.replace(text) {
        None => Ok(()),
        Some(_) => Err(out.refuse(Unread::Shape)),
    }
}

/// A string, or an integer number as its digits; `null` is empty.
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
