//! What a sync notes about an answer beside its records: the values that could not be used, and why
//! the answer itself could not be used. The notes contain no value of an answer.
//!
//! ```text
//! the reason · number of findings · each of them:
//!   kind · field · effect u8 · count · number of keys · the keys
//! ```
//!
//! Texts are preceded by their lengths, and numbers are [`varint`]s.

use crate::error::{Error, Failure, Result};
use crate::record::varint;
use std::collections::BTreeMap;

/// The maximum number of keys that are noted for a field.
const MAX_KEYS: usize = 20;

/// The notes about one answer, or about several.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AnswerNotes {
    /// Why the answer could not be used. It is empty if it could.
    pub(crate) reason: String,
    pub(crate) findings: BTreeMap<UnusableField, Occurrences>,
}

/// A field with values that could not be used.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UnusableField {
    pub(crate) kind: String,
    pub(crate) field: String,
    /// Whether the records were left out. Otherwise, only their fields are empty.
    pub(crate) is_left_out: bool,
}

/// The records in which a field could not be used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Occurrences {
    /// The number of values.
    pub(crate) count: u64,
    /// The keys of the first records, each once.
    pub(crate) keys: Vec<String>,
}

impl Occurrences {
    /// Adds the occurrences in another answer.
    pub(crate) fn extend(&mut self, other: &Occurrences) {
        self.count += other.count;
        for key in &other.keys {
            self.add_key(key.clone());
        }
    }

    fn add_key(&mut self, key: String) {
        if self.keys.len() < MAX_KEYS && !self.keys.contains(&key) {
            self.keys.push(key);
        }
    }
}

impl AnswerNotes {
    /// Notes a value that could not be used, in the record with this key. A record whose key could
    /// not be read has none.
    pub(crate) fn add(&mut self, kind: &str, field: &str, is_left_out: bool, key: Option<String>) {
        let field = UnusableField {
            kind: kind.to_owned(),
            field: field.to_owned(),
            is_left_out,
        };
        let occurrences = self.findings.entry(field).or_default();
        occurrences.count += 1;
        if let Some(key) = key {
            occurrences.add_key(key);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.reason.is_empty() && self.findings.is_empty()
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        varint::push_bytes(&mut out, self.reason.as_bytes());
        varint::push(&mut out, self.findings.len() as u64);
        for (field, occurrences) in &self.findings {
            varint::push_bytes(&mut out, field.kind.as_bytes());
            varint::push_bytes(&mut out, field.field.as_bytes());
            out.push(u8::from(field.is_left_out));
            varint::push(&mut out, occurrences.count);
            varint::push(&mut out, occurrences.keys.len() as u64);
            for key in &occurrences.keys {
                varint::push_bytes(&mut out, key.as_bytes());
            }
        }
        out
    }

    pub(crate) fn decode(mut bytes: &[u8]) -> Result<AnswerNotes> {
        let rest = &mut bytes;
        let mut notes = AnswerNotes {
            reason: take_text(rest)?,
            ..AnswerNotes::default()
        };
        for _ in 0..varint::take(rest)? {
            let (kind, field) = (take_text(rest)?, take_text(rest)?);
            let (effect, after) = rest.split_first().ok_or_else(cut)?;
            *rest = after;
            let field = UnusableField {
                kind,
                field,
                is_left_out: *effect != 0,
            };
            let count = varint::take(rest)?;
            let mut keys = Vec::new();
            for _ in 0..varint::take(rest)? {
                keys.push(take_text(rest)?);
            }
            notes.findings.insert(field, Occurrences { count, keys });
        }
        Ok(notes)
    }
}

fn take_text(rest: &mut &[u8]) -> Result<String> {
    let text = std::str::from_utf8(varint::take_bytes(rest)?);
    text.map(str::to_owned).map_err(|_| cut())
}

fn cut() -> Failure {
    Error::corrupt("the notes about an answer are damaged")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_decoded_as_they_were_encoded() -> Result<()> {
        let mut notes = AnswerNotes::default();
        assert!(notes.is_empty());
        assert_eq!(AnswerNotes::decode(&notes.encode())?, notes);
        notes.reason = "it is not JSON".to_owned();
        for key in 0..MAX_KEYS + 5 {
            notes.add("mark", "percentage", true, Some(format!("77/{key}")));
            notes.add("mark", "percentage", true, Some("77/0".to_owned()));
        }
        notes.add("learner", "id", true, None);
        notes.add("learner", "date_of_birth", false, Some("7".to_owned()));
        let of_marks = notes.findings.values().last();
        let counts = of_marks.map(|found| (found.count, found.keys.len()));
        assert_eq!(counts, Some((2 * (MAX_KEYS as u64 + 5), MAX_KEYS)));
        let bytes = notes.encode();
        assert_eq!(AnswerNotes::decode(&bytes)?, notes);
        for length in 0..bytes.len() {
            assert!(AnswerNotes::decode(bytes.get(..length).unwrap_or_default()).is_err());
        }
        Ok(())
    }

    #[test]
    fn occurrences_in_several_answers_are_counted_together() {
        let of = |keys: &[&str]| {
            let mut notes = AnswerNotes::default();
            for key in keys {
                notes.add("parent", "email_address", false, Some((*key).to_owned()));
            }
            notes.findings.into_values().next().unwrap_or_default()
        };
        let mut both = of(&["5", "6"]);
        both.extend(&of(&["6", "7"]));
        assert_eq!(both.count, 4);
        assert_eq!(both.keys, ["5", "6", "7"]);
    }
}
