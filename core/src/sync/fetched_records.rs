//! The decoded records of an answer, as bytes: each record with the fields that the answer
//! contains. If the answer contains a field without a value, the field is empty. A record that was
//! left out, because one of its values cannot be used, is represented by its key.
//!
//! ```text
//! kind u8 · fields in the answer, a bit each · fields with a value, a bit each · the values
//! kind u8 of marks · assessment · learner · the mark, encoded as in the store
//! kind u8 + 128 · the numbers of the key                  a record that was left out
//! kind u8 + 192                                           the same, if its key cannot be read
//! kind u8 + 64 · fields, a bit each · the key             fields whose values cannot be used
//! ```
//!
//! Numbers are [`varint`]s. The bytes do not contain the school, because it is the requested one.

use crate::date::{Date, DateTime};
use crate::error::{Error, Failure, Result};
use crate::record::field::FieldForm;
use crate::record::kinds::mark::{Mark, length};
use crate::record::replication::erased_learners::ErasedLearners;
use crate::record::values::decimal::PackedDecimal;
use crate::record::values::value::EnrolledTerm;
use crate::record::{Kind, Value};
use crate::varint;
use std::borrow::Cow;

/// The codec version of the bytes. It must be increased with each change of the encoding.
pub(crate) const CODEC_VERSION: u64 = 1;

/// Added to the number of a kind for a record that was left out.
const LEFT_OUT: u8 = 0x80;
/// Added to it, in addition, if the key of the record cannot be read. Without `LEFT_OUT`, it marks
/// the fields of a record whose values cannot be used.
const WITHOUT_KEY: u8 = 0x40;
const _: () = assert!(Kind::HIGHEST < WITHOUT_KEY);

/// A set of fields of a kind, one bit for each position.
pub(crate) type Fields = u64;

/// The records of an answer, in its order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FetchedRecords {
    bytes: Vec<u8>,
}

/// Whether the values of a record could be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordState {
    Read,
    /// The record was left out. Only the values of its key are known.
    LeftOut,
    /// The record was left out, and its key is not known either. It may be any record of its kind.
    Unidentified,
    /// These fields of the record are empty, because their values could not be used. The values of
    /// another answer take precedence.
    Emptied,
}

/// A decoded record, with the set of fields that the answer contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FetchedRecord<'a> {
    pub(crate) kind: Kind,
    pub(crate) state: RecordState,
    pub(crate) fields: Fields,
    /// The values by position of their field. Fields that the answer does not contain are empty.
    pub(crate) values: Vec<Value<'a>>,
    /// The encoded record.
    pub(crate) bytes: &'a [u8],
}

impl<'a> FetchedRecord<'a> {
    /// Decodes bytes that consist of one record.
    pub(crate) fn read(mut bytes: &'a [u8], school: u64) -> Result<FetchedRecord<'a>> {
        let record = take(&mut bytes, school)?;
        if bytes.is_empty() {
            Ok(record)
        } else {
            Err(cut())
        }
    }
}

impl FetchedRecord<'_> {
    /// Returns the learner to whom the record belongs.
    fn learner(&self) -> Option<u64> {
        let name = match self.kind {
            Kind::Learner => "id",
            _ => "learner_id",
        };
        let at = self
            .kind
            .fields()
            .iter()
            .position(|field| field.name == name);
        at.and_then(|at| self.values.get(at)?.integer())
    }
}

impl FetchedRecords {
    /// Adds a record. Only the values of the fields in `field_set` are used, except that a mark has
    /// all of its values.
    pub(crate) fn push(&mut self, kind: Kind, field_set: Fields, values: &[Value<'_>]) {
        if kind == Kind::Mark {
            let id = |field: usize| values.get(field).and_then(Value::integer);
            let (assessment, learner) = (id(1).unwrap_or_default(), id(2).unwrap_or_default());
            return self.push_mark(assessment, learner, &Mark::from_values(values));
        }
        let out = &mut self.bytes;
        out.push(kind as u8);
        varint::push(out, field_set);
        let is_in_set = |index: usize| field_set >> index & 1 == 1;
        let non_empty = values.iter().enumerate();
        let non_empty = non_empty.filter(|(index, value)| is_in_set(*index) && !value.is_empty());
        varint::push(out, non_empty.clone().map(|(index, _)| 1 << index).sum());
        for (_, value) in non_empty {
            push_value(out, value);
        }
    }

    pub(crate) fn push_mark(&mut self, assessment: u64, learner: u64, mark: &Mark) {
        let out = &mut self.bytes;
        out.push(Kind::Mark as u8);
        varint::push(out, assessment);
        varint::push(out, learner);
        mark.encode(out);
    }

    /// Adds a record that was left out, with the numbers of its key except the school, or without
    /// them if they are not known.
    pub(crate) fn push_left_out(&mut self, kind: Kind, key: Option<&[u64]>) {
        let without_key = if key.is_none() { WITHOUT_KEY } else { 0 };
        self.bytes.push(kind as u8 | LEFT_OUT | without_key);
        for number in key.unwrap_or_default() {
            varint::push(&mut self.bytes, *number);
        }
    }

    /// Adds the fields of a record whose values could not be used.
    pub(crate) fn push_emptied(&mut self, kind: Kind, fields: Fields, key: &[u64]) {
        self.bytes.push(kind as u8 | WITHOUT_KEY);
        varint::push(&mut self.bytes, fields);
        for number in key {
            varint::push(&mut self.bytes, *number);
        }
    }

    /// Removes everything after the first `length` bytes.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.bytes.truncate(length);
    }

    /// Returns the records without those of erased learners.
    pub(crate) fn without(&self, school: u64, erased: &ErasedLearners) -> Result<FetchedRecords> {
        let mut remaining = FetchedRecords::default();
        for record in self.records(school) {
            let record = record?;
            if record.learner().is_none_or(|learner| !erased.has(learner)) {
                remaining.bytes.extend_from_slice(record.bytes);
            }
        }
        Ok(remaining)
    }

    /// Wraps bytes that were encoded and stored before.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> FetchedRecords {
        FetchedRecords { bytes }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the decoded records, with `school` as their school.
    pub(crate) fn records(&self, school: u64) -> FetchedRecordIter<'_> {
        let rest = &self.bytes;
        FetchedRecordIter { school, rest }
    }
}

pub(crate) struct FetchedRecordIter<'a> {
    school: u64,
    rest: &'a [u8],
}

impl<'a> Iterator for FetchedRecordIter<'a> {
    type Item = Result<FetchedRecord<'a>>;

    fn next(&mut self) -> Option<Result<FetchedRecord<'a>>> {
        if self.rest.is_empty() {
            return None;
        }
        let record = take(&mut self.rest, self.school);
        if record.is_err() {
            self.rest = &[];
        }
        Some(record)
    }
}

fn take<'a>(rest: &mut &'a [u8], school: u64) -> Result<FetchedRecord<'a>> {
    let all = *rest;
    let (first, after) = rest.split_first().ok_or_else(cut)?;
    *rest = after;
    let kind = Kind::numbered(first & !(LEFT_OUT | WITHOUT_KEY)).ok_or_else(cut)?;
    let mut values = vec![Value::Empty; kind.fields().len()];
    if is_about_school(kind) {
        set(&mut values, 0, Value::Integer(school))?;
    }
    let state = match (first & LEFT_OUT != 0, first & WITHOUT_KEY != 0) {
        (false, false) => RecordState::Read,
        (false, true) => RecordState::Emptied,
        (true, false) => RecordState::LeftOut,
        (true, true) => RecordState::Unidentified,
    };
    let field_set = match state {
        RecordState::Read => take_values(kind, rest, &mut values)?,
        RecordState::Emptied => varint::take(rest)?,
        RecordState::LeftOut | RecordState::Unidentified => 0,
    };
    if matches!(state, RecordState::Emptied | RecordState::LeftOut) {
        for field in kind.key_fields() {
            set(&mut values, field, Value::Integer(varint::take(rest)?))?;
        }
    }
    let bytes = all.get(..all.len() - rest.len()).ok_or_else(cut)?;
    Ok(FetchedRecord {
        kind,
        state,
        fields: field_set,
        values,
        bytes,
    })
}

/// Returns whether the first field of a kind is the school.
fn is_about_school(kind: Kind) -> bool {
    kind == Kind::School || kind.is_of_school()
}

/// Reads the values of a record, and returns the set of fields that the answer contains.
fn take_values<'a>(kind: Kind, rest: &mut &'a [u8], values: &mut [Value<'a>]) -> Result<Fields> {
    if kind == Kind::Mark {
        set(values, 1, Value::Integer(varint::take(rest)?))?;
        set(values, 2, Value::Integer(varint::take(rest)?))?;
        let mark = take_mark(rest)?;
        for (slot, value) in values.iter_mut().skip(3).zip(mark.values()) {
            *slot = value;
        }
        return Ok(Fields::MAX);
    }
    let field_set = varint::take(rest)?;
    let non_empty = varint::take(rest)?;
    for (index, (field, slot)) in kind.fields().iter().zip(values).enumerate() {
        if non_empty >> index & 1 == 1 {
            *slot = take_value(field.form, rest)?;
        }
    }
    Ok(field_set)
}

fn set<'a>(values: &mut [Value<'a>], index: usize, value: Value<'a>) -> Result<()> {
    *values.get_mut(index).ok_or_else(cut)? = value;
    Ok(())
}

fn push_value(out: &mut Vec<u8>, value: &Value<'_>) {
    match value {
        Value::Empty | Value::Absent => {}
        Value::Integer(number) => varint::push(out, *number),
        Value::Text(text) => varint::push_bytes(out, text.as_bytes()),
        Value::Date(date) => varint::push(out, date.number()),
        Value::DateTime(time) => out.extend_from_slice(&time.to_bytes()),
        Value::Decimal(decimal) => out.extend_from_slice(&decimal.millionths().to_le_bytes()),
        Value::Terms(terms) => {
            varint::push(out, terms.len() as u64);
            for term in terms {
                varint::push(out, term.term);
                for text in &term.group {
                    varint::push_bytes(out, text.as_bytes());
                }
                out.push(u8::from(term.mark.is_some()));
                if let Some(mark) = term.mark {
                    out.extend_from_slice(&mark.millionths().to_le_bytes());
                }
            }
        }
    }
}

fn take_value<'a>(form: FieldForm, rest: &mut &'a [u8]) -> Result<Value<'a>> {
    Ok(match form {
        FieldForm::Integer | FieldForm::Bit => Value::Integer(varint::take(rest)?),
        FieldForm::Date => {
            let date = Date::from_number(varint::take(rest)?);
            Value::Date(date.ok_or_else(cut)?)
        }
        FieldForm::DateTime => {
            let time = DateTime::from_bytes(take_array(rest)?);
            if !time.is_valid() {
                return Err(cut());
            }
            Value::DateTime(time)
        }
        FieldForm::Decimal => Value::Decimal(take_decimal(rest)?),
        FieldForm::Terms => {
            let mut terms = Vec::new();
            for _ in 0..varint::take(rest)? {
                terms.push(take_term(rest)?);
            }
            Value::Terms(terms)
        }
        // Percentages occur only in marks, which have their own encoding.
        _ => Value::Text(take_text(rest)?),
    })
}

fn take_term<'a>(rest: &mut &'a [u8]) -> Result<EnrolledTerm<'a>> {
    let term = varint::take(rest)?;
    let mut group: [Cow<'a, str>; 5] = Default::default();
    for text in &mut group {
        *text = take_text(rest)?;
    }
    let [has_mark] = take_array(rest)?;
    let mark = match has_mark {
        0 => None,
        _ => Some(take_decimal(rest)?),
    };
    Ok(EnrolledTerm { term, group, mark })
}

fn take_mark(rest: &mut &[u8]) -> Result<Mark> {
    let flags = rest.first().ok_or_else(cut)?;
    let (mark, after) = rest
        .split_at_checked(length(*flags) as usize)
        .ok_or_else(cut)?;
    *rest = after;
    Mark::decode(mark)?.ok_or_else(cut)
}

fn take_text<'a>(rest: &mut &'a [u8]) -> Result<Cow<'a, str>> {
    let text = std::str::from_utf8(varint::take_bytes(rest)?);
    text.map(Cow::Borrowed).map_err(|_| cut())
}

fn take_decimal(rest: &mut &[u8]) -> Result<PackedDecimal> {
    let millionths = i64::from_le_bytes(take_array(rest)?);
    PackedDecimal::of_millionths(millionths).ok_or_else(cut)
}

fn take_array<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N]> {
    let (array, after) = rest.split_first_chunk().ok_or_else(cut)?;
    *rest = after;
    Ok(*array)
}

/// Returns whether two encoded records of a kind have the same state and contain the same fields.
pub(crate) fn has_same_fields(one: &[u8], other: &[u8]) -> bool {
    let header = |record: &[u8]| {
        let (first, mut rest) = record.split_first()?;
        let has_all = first & LEFT_OUT != 0 || *first == Kind::Mark as u8;
        let fields = if has_all {
            0
        } else {
            varint::take(&mut rest).ok()?
        };
        Some((*first, fields))
    };
    header(one) == header(other)
}

fn cut() -> Failure {
    Error::corrupt("the fetched records of an answer are truncated")
}

#[cfg(test)]
mod tests;
