//! A subject that a learner takes in a year (2.3, 2.4, 2.5). It is stored without pre-rendered
//! JSON, since every answer joins names.
//!
//! ```text
//! grade · count of terms · for each: term, group, way and bytes of the mark
//! for each group: length, its part of the answer
//! ```
//!
//! The byte `way` is the index of the mark's encoding, as `push_number` returns it. A record
//! without a grade is 0 · 0 · 0.
//!
//! The text of a group is stored once for all terms that share it, because groups seldom change
//! within a year.

use super::mark::{push_number, take_number};
use crate::error::{Error, Failure, Result};
use crate::json::{self, TextMembers};
use crate::record::field::{Field, FieldForm, position};
use crate::record::values::decimal::PackedDecimal;
use crate::record::values::terms::{self, GROUP_FIELDS};
use crate::record::values::value::{EnrolledTerm, Value};
use crate::varint;
use std::borrow::Cow;
use std::collections::BTreeMap;

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::key("learner_id"),
    Field::key("year"),
    Field::key("subject_id"),
    Field::optional("grade_id", FieldForm::Integer).ruling(),
    Field::optional("terms", FieldForm::Terms).ruling(),
];

const GRADE_ID: usize = position(FIELDS, "grade_id");
const TERMS: usize = position(FIELDS, "terms");

/// A record with terms must have a grade.
pub(crate) fn rules(values: &[Value<'_>]) -> Result<(), String> {
    let is_empty = |index: usize| values.get(index).is_none_or(Value::is_empty);
    if is_empty(GRADE_ID) && !is_empty(TERMS) {
        return Err("grade_id: is missing".to_owned());
    }
    Ok(())
}

/// The byte that follows a record with neither a grade nor terms, instead of groups.
const NO_GRADE: &[u8] = &[0];

/// Encodes the values of a record.
pub(crate) fn encode(values: &[Value<'_>], out: &mut Vec<u8>) {
    let grade = values.get(GRADE_ID).and_then(Value::integer);
    let none = Vec::new();
    let terms = match values.get(TERMS) {
        Some(Value::Terms(terms)) => terms,
        _ => &none,
    };
    let mut groups = Distinct::default();
    varint::push(out, grade.unwrap_or(0));
    varint::push(out, terms.len() as u64);
    if grade.is_none() {
        out.extend_from_slice(NO_GRADE);
    }
    for term in terms {
        varint::push(out, term.term);
        varint::push(out, groups.number(&term.group));
        let at = out.len();
        out.push(0);
        let way = push_number(out, term.mark);
        if let Some(byte) = out.get_mut(at) {
            *byte = way;
        }
    }
    for group in groups.values {
        varint::push_bytes(out, &group_answer(group));
    }
}

/// Distinct values, in the order of their first occurrence.
struct Distinct<'a, T> {
    values: Vec<&'a T>,
    numbers: BTreeMap<&'a T, u64>,
}

impl<T> Default for Distinct<'_, T> {
    fn default() -> Self {
        Distinct {
            values: Vec::new(),
            numbers: BTreeMap::new(),
        }
    }
}

impl<'a, T: Ord> Distinct<'a, T> {
    /// Returns the number of a value, and adds the value if it is new.
    fn number(&mut self, value: &'a T) -> u64 {
        let next = self.values.len() as u64;
        let number = *self.numbers.entry(value).or_insert(next);
        if number == next {
            self.values.push(value);
        }
        number
    }
}

/// Renders `"subject_group_id":"…",…,"subject_group_teacher_id":"…"}`, the end of a term's
/// object.
fn group_answer(group: &[Cow<'_, str>; 5]) -> Vec<u8> {
    let mut answer = Vec::new();
    let fields = terms::FIELDS.get(GROUP_FIELDS).unwrap_or_default();
    for (field, text) in fields.iter().zip(group) {
        if !answer.is_empty() {
            answer.push(b',');
        }
        json::push_string(&mut answer, field.name);
        answer.push(b':');
        json::push_string(&mut answer, text);
    }
    answer.push(b'}');
    answer
}

/// A stored record.
#[derive(Clone, Copy)]
pub(crate) struct LearnerSubject<'a> {
    /// The grade. It is 0 if the record has none, and then the record has no terms.
    pub(crate) grade: u64,
    count: u64,
    terms: &'a [u8],
}

/// One term of a stored record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoredTerm {
    pub(crate) term: u64,
    /// The number of the term's group.
    pub(crate) group: u64,
    pub(crate) mark: Option<PackedDecimal>,
}

impl<'a> LearnerSubject<'a> {
    #[inline]
    pub(crate) fn open(bytes: &'a [u8]) -> Result<LearnerSubject<'a>> {
        let mut rest = bytes;
        Ok(LearnerSubject {
            grade: varint::take(&mut rest)?,
            count: varint::take(&mut rest)?,
            terms: rest,
        })
    }

    /// Returns true if the record has a grade.
    pub(crate) fn is_in_grade(&self) -> bool {
        self.count > 0 || self.terms != NO_GRADE
    }

    /// Returns the terms in ascending order.
    pub(crate) fn terms(&self) -> StoredTerms<'a> {
        StoredTerms {
            left: self.count,
            rest: self.terms,
        }
    }

    /// Returns the texts of the groups in order.
    pub(crate) fn groups(&self) -> Result<Groups<'a>> {
        if !self.is_in_grade() {
            return Ok(Groups::default());
        }
        let mut terms = self.terms();
        for term in &mut terms {
            term?;
        }
        let mut groups = Groups::default();
        let mut rest = terms.rest;
        while !rest.is_empty() {
            groups.push(varint::take_bytes(&mut rest)?);
        }
        Ok(groups)
    }

    /// Returns the values after the key fields.
    pub(crate) fn values(&self) -> Result<[Value<'static>; 2]> {
        let groups = self.groups()?;
        let mut terms = Vec::new();
        for stored in self.terms() {
            let stored = stored?;
            let mut object = b"{".to_vec();
            object.extend_from_slice(groups.get(stored.group)?);
            let mut texts: [Cow<'_, str>; 5] = Default::default();
            for (member, text) in TextMembers::new(&object).zip(&mut texts) {
                *text = Cow::Owned(json::unescape(member?.1)?.into_owned());
            }
            terms.push(EnrolledTerm {
                term: stored.term,
                group: texts,
                mark: stored.mark,
            });
        }
        let grade = if self.is_in_grade() {
            Value::Integer(self.grade)
        } else {
            Value::Empty
        };
        Ok([grade, Value::Terms(terms)])
    }
}

fn damaged() -> Failure {
    Error::corrupt("a learner's subject is truncated")
}

/// The texts of a record's groups. Up to [`FEW_GROUPS`] of them need no allocation.
#[derive(Default)]
pub(crate) struct Groups<'a> {
    few: [Option<&'a [u8]>; FEW_GROUPS],
    others: Vec<&'a [u8]>,
}

const FEW_GROUPS: usize = 4;

impl<'a> Groups<'a> {
    fn push(&mut self, group: &'a [u8]) {
        match self.few.iter_mut().find(|slot| slot.is_none()) {
            Some(slot) => *slot = Some(group),
            None => self.others.push(group),
        }
    }

    /// Returns the text of a group by its number.
    #[inline]
    pub(crate) fn get(&self, number: u64) -> Result<&'a [u8]> {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        let group = match self.few.get(number) {
            Some(few) => *few,
            None => self.others.get(number - FEW_GROUPS).copied(),
        };
        group.ok_or_else(damaged)
    }
}

pub(crate) struct StoredTerms<'a> {
    left: u64,
    rest: &'a [u8],
}

impl StoredTerms<'_> {
    #[inline]
    fn take(&mut self) -> Result<StoredTerm> {
        // Usually both numbers are less than 128, and the mark has two bytes.
        match self.rest {
            [term, group, 1, low, high, rest @ ..] if (*term | *group) < 0x80 => {
                self.rest = rest;
                Ok(StoredTerm {
                    term: u64::from(*term),
                    group: u64::from(*group),
                    mark: Some(PackedDecimal::of_hundredths(u16::from_le_bytes([
                        *low, *high,
                    ]))),
                })
            }
            _ => self.take_any(),
        }
    }

    /// Consumes the next term if it has the common encoding and `take` accepts it. `take`
    /// receives the number of the term and the hundredths of its mark.
    #[inline]
    pub(crate) fn take_common(&mut self, take: impl FnOnce(u64, u16) -> bool) -> bool {
        let [term, group, 1, low, high, rest @ ..] = self.rest else {
            return false;
        };
        let hundredths = u16::from_le_bytes([*low, *high]);
        let is_taken =
            self.left > 0 && (*term | *group) < 0x80 && take(u64::from(*term), hundredths);
        if is_taken {
            self.rest = rest;
            self.left -= 1;
        }
        is_taken
    }

    #[inline(never)]
    fn take_any(&mut self) -> Result<StoredTerm> {
        let term = varint::take(&mut self.rest)?;
        let group = varint::take(&mut self.rest)?;
        let (way, after) = self.rest.split_first().ok_or_else(damaged)?;
        self.rest = after;
        if *way > 3 {
            return Err(damaged());
        }
        let mark = take_number(&mut self.rest, *way).ok_or_else(damaged)?;
        Ok(StoredTerm { term, group, mark })
    }
}

impl Iterator for StoredTerms<'_> {
    type Item = Result<StoredTerm>;

    #[inline]
    fn next(&mut self) -> Option<Result<StoredTerm>> {
        self.left = self.left.checked_sub(1)?;
        let taken = self.take();
        if taken.is_err() {
            self.left = 0;
        }
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use crate::record::kinds::learner_subject::*;
    use std::cell::Cell;
    use std::cmp::Ordering;

    /// A number that counts how often it is compared.
    #[derive(Clone)]
    struct ComparisonCounter<'a>(u64, &'a Cell<u64>);

    impl PartialEq for ComparisonCounter<'_> {
        fn eq(&self, other: &Self) -> bool {
            self.cmp(other).is_eq()
        }
    }

    impl Eq for ComparisonCounter<'_> {}

    impl PartialOrd for ComparisonCounter<'_> {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }

    impl Ord for ComparisonCounter<'_> {
        fn cmp(&self, other: &Self) -> Ordering {
            self.1.set(self.1.get() + 1);
            self.0.cmp(&other.0)
        }
    }

    #[test]
    fn groups_that_all_differ_are_not_compared_with_each_other() {
        let compared = Cell::new(0);
        let values: Vec<_> = (0..4096u64)
            .map(|n| ComparisonCounter(n * 2_654_435_761 % 4096 / 2, &compared))
            .collect();
        let mut distinct = Distinct::default();
        let numbers: Vec<_> = values.iter().map(|value| distinct.number(value)).collect();
        assert!(compared.get() < 4096 * 40, "{}", compared.get());
        assert_eq!(distinct.values.len(), 2048);
        for (value, number) in values.iter().zip(numbers) {
            let index = usize::try_from(number).unwrap_or(usize::MAX);
            assert_eq!(distinct.values.get(index).map(|v| v.0), Some(value.0));
        }
    }

    #[test]
    fn a_record_without_a_grade_is_decoded_unchanged() -> Result<()> {
        for grade in [Value::Empty, Value::Integer(0)] {
            let mut values = vec![Value::Integer(1); 4];
            values.extend([grade.clone(), Value::Terms(Vec::new())]);
            assert_eq!(rules(&values), Ok(()));
            let mut bytes = Vec::new();
            encode(&values, &mut bytes);
            let stored = LearnerSubject::open(&bytes)?;
            assert_eq!(stored.is_in_grade(), grade != Value::Empty);
            assert_eq!(Some(stored.values()?.as_slice()), values.get(4..));
            let terms = terms::from_json(r#"[{"term":1}]"#).unwrap_or_default();
            values.truncate(5);
            values.push(Value::Terms(terms));
            assert_eq!(rules(&values).is_ok(), grade != Value::Empty);
        }
        Ok(())
    }

    #[test]
    fn a_record_is_decoded_unchanged_and_shares_its_groups() -> Result<()> {
        let terms = terms::from_json(
            r#"[{"term":2,"subject_group_id":118,"classroom_name":"3\"A","mark":"66.666"},
                {"term":"01","subject_group_id":"118","classroom_name":"3\"A"},{"term":3}]"#,
        );
        let values = [
            Value::Integer(1),
            Value::Integer(2),
            Value::Integer(2026),
            Value::Integer(10),
            Value::Integer(u64::MAX),
            Value::Terms(terms.unwrap_or_default()),
        ];
        let mut bytes = Vec::new();
        encode(&values, &mut bytes);
        let stored = LearnerSubject::open(&bytes)?;
        assert_eq!(stored.terms().count(), 3);
        let mut terms = stored.terms();
        assert!(!terms.take_common(|_, _| true));
        let groups = stored.groups()?;
        assert!(groups.get(1).is_ok() && groups.get(2).is_err() && groups.get(u64::MAX).is_err());
        let answer = br#""subject_group_id":"118","subject_group_name":"","classroom_id":"","classroom_name":"3\"A","subject_group_teacher_id":""}"#;
        assert_eq!(groups.get(0)?, answer.as_slice());
        assert_eq!(Some(stored.values()?.as_slice()), values.get(4..));
        for length in 0..bytes.len() {
            let cut = bytes.get(..length).unwrap_or_default();
            let read = LearnerSubject::open(cut).and_then(|stored| stored.values());
            assert!(read.is_err(), "{length}");
        }
        Ok(())
    }
}
