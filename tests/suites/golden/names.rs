//! The member names in golden answers. Members that a later version adds to records have other
//! names.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::fmt;

/// Member names as they are written in JSON.
#[derive(Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// Adds the names in an answer.
    pub(super) fn learn(&mut self, json: &str) {
        let mut new = Vec::new();
        part(json, &mut |name| {
            new.push(name.to_owned());
            true
        });
        self.0.extend(new);
    }

    /// Returns an answer without members whose names are unknown. Names that are ids are always
    /// retained, so that no record is lost.
    pub(super) fn part_of(&self, json: &str) -> String {
        part(json, &mut |name| {
            self.0.contains(name) || name.bytes().all(|byte| byte.is_ascii_digit())
        })
    }
}

/// Returns the JSON with the selected members. The result has no whitespace between tokens.
fn part(json: &str, wanted: &mut impl FnMut(&str) -> bool) -> String {
    match json.as_bytes().first() {
        Some(b'{') => {
            let Members(members) = serde_json::from_str(json).unwrap();
            let mut selected = Vec::new();
            for (name, value) in members {
                if wanted(&name) {
                    selected.push(format!("\"{name}\":{}", part(value.get(), wanted)));
                }
            }
            format!("{{{}}}", selected.join(","))
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(json).unwrap();
            let items = items.iter().map(|item| part(item.get(), wanted));
            format!("[{}]", items.collect::<Vec<_>>().join(","))
        }
        _ => json.to_owned(),
    }
}

/// The members of an object in order.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OfObject)
    }
}

struct OfObject;

impl<'de> Visitor<'de> for OfObject {
    type Value = Members<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}

const GOLDEN: &str =
    r#"[{"id":"7","name":"\u0041","pets":{"3":{"id":"3"}},"of":[]},{"id":"8","name":""}]"#;

#[test]
fn added_members_are_removed() {
    let mut names = Names::default();
    names.learn(GOLDEN);
    assert_eq!(names.part_of(GOLDEN), GOLDEN);
    let later = GOLDEN
        .replace("\"name\":", "\"chip\":{\"id\":\"\"},\"name\":")
        .replace("{\"id\":\"3\"", "{\"id\":\"3\",\"colour\":[{}]");
    assert_eq!(names.part_of(&later), GOLDEN);
}

#[test]
fn all_other_differences_remain() {
    let mut names = Names::default();
    names.learn(GOLDEN);
    for (from, to) in [
        ("\\u0041", "A"),
        ("\"8\"", "8"),
        ("\"name\":\"\"", "\"title\":\"\""),
        (",\"of\":[]", ""),
        ("\"pets\":{", "\"pets\":{\"2\":{\"id\":\"2\"},"),
        ("\"of\":[]", "\"of\":[{}]"),
        (",{\"id\":\"8\",\"name\":\"\"}", ""),
        ("\"id\":\"8\",\"name\":\"\"", "\"name\":\"\",\"id\":\"8\""),
        ("\"id\":\"8\"", "\"of\":[],\"id\":\"8\""),
    ] {
        assert!(GOLDEN.contains(from), "{from}");
        assert_ne!(names.part_of(&GOLDEN.replace(from, to)), GOLDEN, "{to}");
    }
}
