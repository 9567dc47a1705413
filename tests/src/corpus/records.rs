//! The fields of the records that cases abbreviate as `@KIND{…}`.

use super::folder;
use serde_json::Deserializer;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::fs;

/// The fields of each kind of record, in the order of an answer.
#[derive(Debug)]
pub struct Records(HashMap<String, Vec<Field>>);

#[derive(Debug)]
struct Field {
    name: String,
    /// An optional field is present only if a case writes it.
    is_optional: bool,
}

impl Records {
    /// Reads `records.txt` of the corpus.
    pub(super) fn read() -> Records {
        Records::parse(&fs::read_to_string(folder().join("records.txt")).unwrap())
    }

    /// Parses the lines of a file: each kind is followed by its fields, indented.
    pub fn parse(text: &str) -> Records {
        let mut records: HashMap<String, Vec<Field>> = HashMap::new();
        let mut kind = "";
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            match line.strip_prefix("  ") {
                Some(name) => records.get_mut(kind).unwrap().push(Field {
                    name: name.trim_end_matches('?').to_owned(),
                    is_optional: name.ends_with('?'),
                }),
                None if line.is_empty() => {}
                None => {
                    kind = line;
                    assert!(records.insert(kind.to_owned(), Vec::new()).is_none());
                }
            }
        }
        Records(records)
    }

    /// Completes each abbreviated record of an answer. A field that the answer does not write is
    /// `empty`.
    pub fn whole(&self, answer: &str, empty: &str) -> String {
        let mut answer = answer.to_owned();
        // The last abbreviated record contains no other one.
        while let Some((at, kind)) = last_named(&answer) {
            let spelled = at + 1 + kind.len();
            let mut members = Deserializer::from_str(&answer[spelled..]).into_iter();
            let given = members.next().unwrap();
            let given = given.unwrap_or_else(|error| panic!("{error}: {}", &answer[at..]));
            let end = spelled + members.byte_offset();
            let record = self.record(kind, given, empty);
            answer.replace_range(at..end, &record);
        }
        answer
    }

    fn record(&self, kind: &str, mut given: HashMap<String, &RawValue>, empty: &str) -> String {
        let fields = self.0.get(kind);
        let fields = fields.unwrap_or_else(|| panic!("records.txt has no {kind}"));
        let mut members = Vec::new();
        for Field { name, is_optional } in fields {
            let value = given.remove(name).map(RawValue::get);
            if let Some(value) = value.or((!is_optional).then_some(empty)) {
                members.push(format!("\"{name}\":{value}"));
            }
        }
        assert!(given.is_empty(), "a {kind} has no {:?}", given.keys());
        format!("{{{}}}", members.join(","))
    }
}

/// Returns the position and the kind of the last `@KIND{` that is not inside a string.
fn last_named(answer: &str) -> Option<(usize, &str)> {
    let mut named = answer.rmatch_indices('@').filter_map(|(at, _)| {
        let (before, after) = (&answer[..at], &answer[at + 1..]);
        let (kind, _) = after.split_once('{')?;
        let is_kind = !kind.is_empty()
            && kind
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let is_value = before.is_empty() || before.ends_with(['[', ':', ',']);
        (is_kind && is_value).then_some((at, kind))
    });
    named.next()
}
