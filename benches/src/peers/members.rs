//! The members of an object as pairs, because filters and serialisation never look up a key.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// Members in their order. Keys are borrowed where possible.
pub(super) struct Members<'a, T>(pub(super) Vec<(Cow<'a, str>, T)>);

impl<T> Default for Members<'_, T> {
    fn default() -> Self {
        Members(Vec::new())
    }
}

impl<T: Serialize> Serialize for Members<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'a, 'de: 'a, T: Deserialize<'de>> Deserialize<'de> for Members<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Pairs(PhantomData))
    }
}

struct Pairs<'a, T>(PhantomData<Members<'a, T>>);

impl<'a, 'de: 'a, T: Deserialize<'de>> Visitor<'de> for Pairs<'a, T> {
    type Value = Members<'a, T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some((Key(key), value)) = map.next_entry()? {
            members.push((key, value));
        }
        Ok(Members(members))
    }
}

/// A `Cow` without this attribute is always deserialised as an owned string.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);
