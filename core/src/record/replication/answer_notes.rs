//! What a sync notes about an answer beside its records: the values that could not be used, and why
//! the answer itself could not be used. The notes contain the keys of records, but no other value of
//! an answer.
//!
//! ```text
//! the reason · number of findings · each of them:
//!   kind u8 · field · whether the records were left out u8 · count · number of keys · the keys
//! ```
//!
//! Texts and keys are preceded by their lengths, and numbers are [`varint`]s.

use crate::error::{Error, Failure, Result};
use crate::record::Kind;
use crate::varint;
use std::borrow::Cow;
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
    pub(crate) kind: Kind,
    /// The name of the field. It is empty if the record is not an object.
    pub(crate) field: Cow<'static, str>,
    /// Whether the records were left out. Otherwise, only their fields are empty.
    pub(crate) is_left_out: bool,
}

/// The records in which a field could not be used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Occurrences {
    /// The number of values.
    pub(crate) count: u64,
    /// The numbers of the keys of the first records, without the school, each once.
    pub(crate) keys: Vec<Vec<u64>>,
}

impl Occurrences {
    /// Adds the occurrences in another answer.
    pub(crate) fn extend(&mut self, other: &Occurrences) {
        self.count = self.count.saturating_add(other.count);
        for key in &other.keys {
            self.add_key(key);
        }
    }

    fn add_key(&mut self, key: &[u64]) {
        if self.keys.len() < MAX_KEYS && self.keys.iter().all(|known| known != key) {
            self.keys.push(key.to_vec());
        }
    }
}

impl AnswerNotes {
    /// Notes a value that could not be used, in the record with this key. A record whose key could
    /// not be read has none.
    pub(crate) fn add(
        &mut self,
        kind: Kind,
        field: &'static str,
        is_left_out: bool,
        key: Option<&[u64]>,
    ) {
        let field = UnusableField {
            kind,
            field: Cow::Borrowed(field),
            is_left_out,
        };
        let occurrences = self.findings.entry(field).or_default();
        occurrences.count += 1;
        if let Some(key) = key {
            occurrences.add_key(key);
        }
    }

    /// Removes the keys that contain an erased learner.
    pub(crate) fn leave_out(&mut self, is_erased: impl Fn(u64) -> bool) {
        for (field, occurrences) in &mut self.findings {
            let Some(index) = field.kind.learner_in_key() else {
                continue;
            };
            let keys = &mut occurrences.keys;
            keys.retain(|key| key.get(index).is_none_or(|learner| !is_erased(*learner)));
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
            out.push(field.kind as u8);
            varint::push_bytes(&mut out, field.field.as_bytes());
            out.push(u8::from(field.is_left_out));
            varint::push(&mut out, occurrences.count);
            varint::push(&mut out, occurrences.keys.len() as u64);
            for key in &occurrences.keys {
                varint::push(&mut out, key.len() as u64);
                for number in key {
                    varint::push(&mut out, *number);
                }
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
            let kind = Kind::numbered(take_byte(rest)?).ok_or_else(cut)?;
            let field = UnusableField {
                kind,
                field: Cow::Owned(take_text(rest)?),
                is_left_out: take_byte(rest)? != 0,
            };
            let count = varint::take(rest)?;
            let mut keys = Vec::new();
            for _ in 0..varint::take(rest)? {
                let numbers = 0..varint::take(rest)?;
                keys.push(numbers.map(|_| varint::take(rest)).collect::<Result<_>>()?);
            }
            notes.findings.insert(field, Occurrences { count, keys });
        }
        Ok(notes)
    }
}

fn take_byte(rest: &mut &[u8]) -> Result<u8> {
    let (byte, after) = rest.split_first().ok_or_else(cut)?;
    *rest = after;
    Ok(*byte)
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
        for key in 0..MAX_KEYS as u64 + 5 {
            notes.add(Kind::Mark, "percentage", true, Some(&[77, key]));
            notes.add(Kind::Mark, "percentage", true, Some(&[77, 0]));
        }
        notes.add(Kind::Learner, "id", true, None);
        notes.add(Kind::Learner, "date_of_birth", false, Some(&[7]));
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
        let of = |keys: [u64; 2]| {
            let mut notes = AnswerNotes::default();
            for key in keys {
                notes.add(Kind::Parent, "email_address", false, Some(&[key]));
            }
            notes.findings.into_values().next().unwrap_or_default()
        };
        let mut both = of([5, 6]);
        both.extend(&of([6, 7]));
        assert_eq!(both.count, 4);
        assert_eq!(both.keys, [[5], [6], [7]]);
    }
}
