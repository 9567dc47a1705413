//! JSON as it is written: the raw text of every value, and every member of an object, including
//! repeated names.

use serde_json::value::RawValue;

/// The raw text of a value, without white space around it.
#[derive(Debug)]
pub(crate) struct Value {
    pub(crate) raw: String,
}

impl Value {
    fn from_raw(raw: &RawValue) -> Self {
        Self {
            raw: raw.get().to_owned(),
        }
    }

    /// Returns whether the value counts as absent: `null` and `""` do (`dataset.md`, "Values").
    pub(crate) fn is_empty(&self) -> bool {
        self.raw == "null" || self.raw == "\"\""
    }

    /// Returns the text of a string.
    pub(crate) fn text(&self) -> Option<String> {
        serde_json::from_str(&self.raw).ok()
    }

    /// Returns the digits of a number as they are written.
    pub(crate) fn number(&self) -> Option<&str> {
        self.raw
            .starts_with(|letter: char| letter == '-' || letter.is_ascii_digit())
            .then_some(&self.raw)
    }

    /// Returns the items of an array.
    pub(crate) fn items(&self) -> Option<Vec<Value>> {
        let items: Vec<&RawValue> = serde_json::from_str(&self.raw).ok()?;
        Some(items.into_iter().map(Self::from_raw).collect())
    }

    /// Returns the members of an object.
    pub(crate) fn members(&self) -> Option<Vec<(String, Value)>> {
        let Members(members) = serde_json::from_str(&self.raw).ok()?;
        Some(
            members
                .into_iter()
                .map(|(name, raw)| (name, Self::from_raw(raw)))
                .collect(),
        )
    }
}

/// Returns the members of a JSON object, or a description of its fault. An escape of half a
/// surrogate pair, at any depth, is not valid JSON.
pub(crate) fn read_object(text: &str) -> Result<Vec<(String, Value)>, String> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let value = Value::from_raw(raw);
    for string in strings(&value.raw) {
        serde_json::from_str::<String>(string).map_err(|error| error.to_string())?;
    }
    value
        .members()
        .ok_or_else(|| "it is another JSON value".to_owned())
}

/// Returns the raw text of every string in a JSON text, including names.
fn strings(json: &str) -> Vec<&str> {
    let mut strings = Vec::new();
    let mut start = None;
    let mut escaped = false;
    for (place, byte) in json.bytes().enumerate() {
        match (start, byte) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(begin), b'"') => {
                strings.push(&json[begin..=place]);
                start = None;
            }
            (None, b'"') => start = Some(place),
            _ => {}
        }
    }
    strings
}

/// The members of an object in order, including repeated names.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> serde::Deserialize<'de> for Members<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> serde::de::Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}
