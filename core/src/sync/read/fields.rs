//! Decodes the objects of answers, member by member. Unknown members are skipped, and their names
//! are recorded.
//!
//! PHP writes an empty object as an empty array, and an array with gaps as an object with numbers as
//! names. Both are accepted. Any other value in place of an object cannot be used, and is skipped.

use super::answer_builder::{AnswerBuilder, DecodeError, shape};
use super::scalar::Scalar;
use crate::record::Kind;
use crate::record::values::value::integer;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// Receives the members of an object.
pub(super) trait Members<'de> {
    /// Reads the value of a member, or returns false if the member is unknown.
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error>;

    /// Completes the object after its last member.
    fn end(&mut self) -> Result<(), DecodeError>;

    /// Skips a value that is not an object.
    fn skip(&mut self);

    /// Returns what the objects describe, for the report of unknown members.
    fn what(&self) -> &'static str;

    fn out(&mut self) -> &mut AnswerBuilder;
}

/// Decodes an object by passing its members to `M`.
pub(super) struct ObjectOf<'m, M>(pub(super) &'m mut M);

/// Decodes an array of such objects.
pub(super) struct ArrayOf<'m, M>(pub(super) &'m mut M);

/// Implements the methods of a visitor for values that are neither an array nor an object: `null`
/// is empty, and any other value is skipped.
macro_rules! skip_scalars {
    ($null:expr) => {
        fn visit_unit<E: Error>(self) -> Result<(), E> {
            $null(self)
        }

        fn visit_bool<E>(self, _: bool) -> Result<(), E> {
            self.0.skip();
            Ok(())
        }

        fn visit_u64<E>(self, _: u64) -> Result<(), E> {
            self.0.skip();
            Ok(())
        }

        fn visit_i64<E>(self, _: i64) -> Result<(), E> {
            self.0.skip();
            Ok(())
        }

        fn visit_f64<E>(self, _: f64) -> Result<(), E> {
            self.0.skip();
            Ok(())
        }

        fn visit_str<E>(self, _: &str) -> Result<(), E> {
            self.0.skip();
            Ok(())
        }
    };
}

impl<'de, M: Members<'de>> DeserializeSeed<'de> for ObjectOf<'_, M> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, M: Members<'de>> ObjectOf<'_, M> {
    fn end<E: Error>(self) -> Result<(), E> {
        match self.0.end() {
            Ok(()) => Ok(()),
            Err(reason) => Err(self.0.out().refuse(reason)),
        }
    }
}

impl<'de, M: Members<'de>> Visitor<'de> for ObjectOf<'_, M> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Name(name)) = map.next_key()? {
            if !self.0.member(&name, &mut map)? {
                let what = self.0.what();
                self.0.out().note_unknown(what, &name);
                map.next_value::<IgnoredAny>()?;
            }
        }
        self.end()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        if elements.next_element::<IgnoredAny>()?.is_none() {
            return self.end();
        }
        while elements.next_element::<IgnoredAny>()?.is_some() {}
        self.0.skip();
        Ok(())
    }

    skip_scalars!(|object: Self| {
        object.0.skip();
        Ok(())
    });
}

impl<'de, M: Members<'de>> DeserializeSeed<'de> for ArrayOf<'_, M> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
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

    fn visit_map<A: MapAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while let Some(Name(name)) = elements.next_key()? {
            if integer(&name).is_some() {
                elements.next_value_seed(ObjectOf(&mut *self.0))?;
            } else {
                elements.next_value::<IgnoredAny>()?;
                self.0.skip();
            }
        }
        Ok(())
    }

    skip_scalars!(|_: Self| Ok(()));
}

/// Reads the value of a member into the slot of its name, or returns false if the name has none. A
/// member may occur only once in its object.
pub(super) fn read_named<'de, A: MapAccess<'de>>(
    kind: Kind,
    names: &'static [&'static str],
    slots: &mut [Option<Scalar<'de>>],
    name: &str,
    map: &mut A,
    out: &mut AnswerBuilder,
) -> Result<bool, A::Error> {
    let mut named = names.iter().zip(slots);
    let Some((member, slot)) = named.find(|(known, _)| **known == name) else {
        return Ok(false);
    };
    match slot.replace(Scalar::read(map)?) {
        None => Ok(true),
        Some(_) => Err(out.refuse(shape(kind, member))),
    }
}

/// The name of a member.
struct Name<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> serde::Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Name<'a>, D::Error> {
        struct Text;

        impl<'de> Visitor<'de> for Text {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(Text)
    }
}
