//! What answers have told, merged by field into records.

use super::told::{Told, ToldRecord};
use crate::error::Result;
use crate::record::field::position;
use crate::record::value::EnrolledTerm;
use crate::record::{Kind, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The records of one school, each with the fields that were told of it.
#[derive(Default)]
pub(super) struct Gathered {
    records: BTreeMap<(Kind, Vec<u64>), Vec<Value<'static>>>,
}

impl Gathered {
    /// Merges what an answer told. `beside` says what is told of each record by its
    /// standing in this answer.
    pub(super) fn absorb(
        &mut self,
        told: &Told,
        school: u64,
        beside: &dyn Fn(Kind) -> Option<(usize, Value<'static>)>,
    ) -> Result<()> {
        for record in told.records(school) {
            let ToldRecord {
                kind, mut values, ..
            } = record?;
            if let Some((index, value)) = beside(kind)
                && let Some(slot) = values.get_mut(index)
            {
                *slot = value;
            }
            self.record(kind, values);
        }
        Ok(())
    }

    fn record(&mut self, kind: Kind, values: Vec<Value<'_>>) {
        let fields = kind.fields().iter().zip(&values);
        let key = fields.filter(|(field, _)| field.is_key());
        let key: Vec<u64> = key.filter_map(|(_, value)| value.integer()).collect();
        let values = values.into_iter().map(owned);
        let Some(known) = self.records.get_mut(&(kind, key.clone())) else {
            self.records.insert((kind, key), values.collect());
            return;
        };
        match kind {
            // That it is there is less than what it is.
            Kind::Mark if !tells_nothing(known) => {}
            Kind::Mark => *known = values.collect(),
            _ => {
                for (index, (known, told)) in known.iter_mut().zip(values).enumerate() {
                    merge(kind, index, known, told);
                }
            }
        }
    }
}

const ACCOUNT: usize = position(Kind::Learner.fields(), "account");
const DEBTOR_ACCOUNT: usize = position(Kind::AccountablePerson.fields(), "account");
const RELEASED: usize = position(Kind::LearningProgram.fields(), "released");
const CAPTURED: usize = position(Kind::Mark.fields(), "captured");
const GRADE_ID: usize = position(Kind::LearnerSubject.fields(), "grade_id");
const TERMS: usize = position(Kind::LearnerSubject.fields(), "terms");

/// Merges what is told of a field.
fn merge(kind: Kind, index: usize, known: &mut Value<'static>, told: Value<'static>) {
    match (kind, index) {
        // Who is listed has an open account, in whatever order the lists come.
        (Kind::Learner, ACCOUNT) | (Kind::AccountablePerson, DEBTOR_ACCOUNT)
            if known.text() == "open" => {}
        (Kind::LearningProgram, RELEASED) if known.integer() == Some(1) => {}
        (Kind::LearnerSubject, TERMS) => merge_terms(known, told),
        _ if told.is_empty() => {}
        _ => *known = told,
    }
}

/// Groups come from one answer and marks from another.
fn merge_terms(known: &mut Value<'static>, told: Value<'static>) {
    let (Value::Terms(known), Value::Terms(told)) = (known, told) else {
        return;
    };
    for term in told {
        match known.iter_mut().find(|other| other.term == term.term) {
            Some(other) => {
                other.mark = other.mark.or(term.mark);
                if other.group.iter().all(|text| text.is_empty()) {
                    other.group = term.group;
                }
            }
            None => known.push(term),
        }
    }
    known.sort_unstable_by_key(|term| term.term);
}

/// Whether a mark says no more than that it may be there.
fn tells_nothing(mark: &[Value<'_>]) -> bool {
    let told = mark.iter().skip(3).enumerate();
    let mut told = told.filter(|(index, _)| index + 3 != CAPTURED);
    let is_captured = mark.get(CAPTURED).and_then(Value::integer) != Some(0);
    !is_captured && told.all(|(_, value)| value.is_empty())
}

impl Gathered {
    /// What is told of the school itself.
    pub(super) fn of_school(&mut self, school: u64) -> &mut Vec<Value<'static>> {
        let record = self.records.entry((Kind::School, vec![school]));
        record.or_insert_with(|| {
            let rest = Kind::School.fields().iter().skip(1).map(|_| Value::Empty);
            std::iter::once(Value::Integer(school))
                .chain(rest)
                .collect()
        })
    }

    /// All records. A mark of which nothing is told is left out where the learner takes
    /// the subject in the term, since it is answered so without one.
    pub(super) fn records(&self) -> impl Iterator<Item = (Kind, &[Value<'static>])> {
        let is_superfluous = |kind: Kind, key: &[u64], values: &[Value<'_>]| {
            kind == Kind::Mark && tells_nothing(values) && self.takes(key)
        };
        self.records
            .iter()
            .filter(move |((kind, key), values)| !is_superfluous(*kind, key, values))
            .map(|((kind, _), values)| (*kind, values.as_slice()))
    }

    /// Whether the learner of a mark takes the subject in the assessment's term.
    fn takes(&self, mark: &[u64]) -> bool {
        let [school, assessment, learner] = mark else {
            return false;
        };
        let of = self
            .records
            .get(&(Kind::Assessment, vec![*school, *assessment]));
        let Some(place) = of.and_then(|values| crate::record::assessment::Belongs::of(values))
        else {
            return false;
        };
        let taken = vec![*school, *learner, place.year, place.subject];
        let taken = self.records.get(&(Kind::LearnerSubject, taken));
        taken.is_some_and(|values| {
            let is_grade = values.get(GRADE_ID).and_then(Value::integer) == Some(place.grade);
            let has_term = match values.get(TERMS) {
                Some(Value::Terms(terms)) => terms.iter().any(|term| term.term == place.term),
                _ => false,
            };
            is_grade && has_term
        })
    }
}

/// A value that outlives the answer.
pub(super) fn owned(value: Value<'_>) -> Value<'static> {
    let text = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
    match value {
        Value::Empty => Value::Empty,
        Value::Integer(number) => Value::Integer(number),
        Value::Text(of) => Value::Text(text(of)),
        Value::Date(date) => Value::Date(date),
        Value::DateTime(time) => Value::DateTime(time),
        Value::Decimal(decimal) => Value::Decimal(decimal),
        Value::Absent => Value::Absent,
        Value::Terms(terms) => Value::Terms(
            terms
                .into_iter()
                .map(|EnrolledTerm { term, group, mark }| EnrolledTerm {
                    term,
                    group: group.map(text),
                    mark,
                })
                .collect(),
        ),
    }
}
