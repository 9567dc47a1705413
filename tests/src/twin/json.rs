//! JSON as it stands in a text: every value with its raw text, every name of an object as often as it stands.

use serde_json::value::RawValue;

/// Arrays and objects nested deeper than this are not read.
const DEEPEST: usize = 128;

/// A value and its raw text, without blanks around it.
#[derive(Debug)]
pub(crate) struct Value {
    pub(crate) raw: String,
    pub(crate) tree: Tree,
}

/// What a value is.
#[derive(Debug)]
pub(crate) enum Tree {
    Null,
    Bool,
    Number,
    Text(String),
    Array(Vec<Value>),
    Object(Vec<(String, Value)>),
}

impl Value {
    /// `null` and `""` are the same as absent (`dataset.md`, "Values").
    pub(crate) fn is_empty(&self) -> bool {
        match &self.tree {
            Tree::Null => true,
            Tree::Text(text) => text.is_empty(),
            _ => false,
        }
    }
}

/// The members of the JSON object that the text is; what is wrong if it is none.
pub(crate) fn read_object(text: &str) -> Result<Vec<(String, Value)>, String> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match value(raw, 0)?.tree {
        Tree::Object(members) => Ok(members),
        _ => Err("it is another JSON value".to_owned()),
    }
}

fn value(raw: &RawValue, depth: usize) -> Result<Value, String> {
    if depth > DEEPEST {
        return Err("it is nested too deeply".to_owned());
    }
    let text = raw.get();
    let tree = match text.as_bytes()[0] {
        b'n' => Tree::Null,
        b't' | b'f' => Tree::Bool,
        b'"' => Tree::Text(parse(text)?),
        b'[' => {
            let items: Vec<&RawValue> = parse(text)?;
            Tree::Array(
                items
                    .into_iter()
                    .map(|item| value(item, depth + 1))
                    .collect::<Result<_, _>>()?,
            )
        }
        b'{' => {
            let Members(members) = parse(text)?;
            let read = |(name, raw)| Ok((name, value(raw, depth + 1)?));
            Tree::Object(
                members
                    .into_iter()
                    .map(read)
                    .collect::<Result<_, String>>()?,
            )
        }
        _ => Tree::Number,
    };
    Ok(Value {
        raw: text.to_owned(),
        tree,
    })
}

fn parse<'a, T: serde::Deserialize<'a>>(text: &'a str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// The members of an object in their order, repeated names included.
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

#[cfg(test)]
mod tests {
    use super::{Tree, read_object};

    #[test]
    fn repeated_names_and_raw_texts_are_kept() {
        let members =
            read_object(" {\"a\" : 1.50e3 , \"\\u0061\":\"\\u0041\", \"b\":[1, {}]}\t").unwrap();
        let shown: Vec<_> = members
            .iter()
            .map(|(name, value)| (name.as_str(), value.raw.as_str()))
            .collect();
        assert_eq!(
            shown,
            [("a", "1.50e3"), ("a", "\"\\u0041\""), ("b", "[1, {}]")]
        );
        assert!(matches!(&members[1].1.tree, Tree::Text(text) if text == "A"));
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for text in [
            "",
            "{",
            "[]",
            "1",
            "null",
            "\"a\"",
            "{}{}",
            "{'a':1}",
            "{\"a\":01}",
            "{\"a\":1,}",
            "{\"a\":\"\\ud800\"}",
            "{\"\\udc00\":1}",
            "{\"a\":\"\u{1}\"}",
            "{\"a\":[\"\\ud83d\"]}",
            "{\"a\":+1}",
            "{\"a\":NaN}",
            "\u{feff}{}",
        ] {
            assert!(read_object(text).is_err(), "{text:?}");
        }
        assert!(read_object("{\"a\":1e999,\"b\":\"\\ud83d\\ude00\",\"c\":\"\\u0000\"}").is_ok());
    }
}
