//! Decodes a learner's subjects per term (2.4) and subjects with marks (2.5). Both contain the
//! school's current year.

use super::answer_builder::{AnswerBuilder, DecodeError, invalid_value};
use super::fields::{ArrayOf, Members, take_text};
use crate::dataset::LINE_BYTES;
use crate::record::field::position;
use crate::record::kinds::{grade, learner_subject, subject, term};
use crate::record::value::{EnrolledTerm, integer};
use crate::record::values::decimal::PackedDecimal;
use crate::record::{Kind, Value};
use crate::sync::plan::resource::Resource;
use serde::de::MapAccess;
use std::borrow::Cow;
use std::collections::BTreeSet;

const NAMES: [&str; 7] = [
    "year",
    "subject_id",
    "subject_name",
    "super_subject_id",
    "super_subject_name",
    "grade_id",
    "grade",
];

const TERM_NAMES: [&str; 8] = [
    "term_id",
    "term",
    "subject_group_id",
    "subject_group_name",
    "classroom_id",
    "classroom_name",
    "subject_group_teacher_id",
    "mark",
];

type Texts<'de, const N: usize> = [Option<Cow<'de, str>>; N];

pub(super) struct SubjectDecoder<'de, 'o> {
    /// Whether the answer has the subjects per term, and not those with marks.
    is_per_term: bool,
    texts: Texts<'de, { NAMES.len() }>,
    has_terms: bool,
    terms: Vec<EnrolledTerm<'de>>,
    /// The terms of the current subject and their ids.
    ids: Vec<(u64, u64)>,
    /// The subjects that occurred already.
    seen_subjects: BTreeSet<u64>,
    out: &'o mut AnswerBuilder,
}

impl<'o> SubjectDecoder<'_, 'o> {
    pub(super) fn new(out: &'o mut AnswerBuilder) -> Self {
        SubjectDecoder {
            is_per_term: out.request.resource == Resource::SubjectsPerTerm,
            texts: Default::default(),
            has_terms: false,
            terms: Vec::new(),
            ids: Vec::new(),
            seen_subjects: BTreeSet::new(),
            out,
        }
    }

    /// Adds a record with these fields.
    fn add_record(
        &mut self,
        kind: Kind,
        fields: Vec<(usize, Value<'_>)>,
    ) -> Result<(), DecodeError> {
        let mut values = vec![Value::Empty; kind.fields().len()];
        let mut field_set = 0;
        for (index, value) in fields {
            field_set |= 1 << index;
            if let Some(slot) = values.get_mut(index) {
                *slot = value;
            }
        }
        self.out.record(kind, field_set, &values)
    }

    /// Adds the ids of the terms of the year.
    fn add_term_ids(&mut self, year: u64) -> Result<(), DecodeError> {
        for (term, id) in std::mem::take(&mut self.ids) {
            let fields = [(TERM_YEAR, year), (TERM, term), (TERM_ID, id)];
            let fields = fields.map(|(field, number)| (field, Value::Integer(number)));
            self.add_record(Kind::Term, fields.into())?;
        }
        Ok(())
    }
}

const SUBJECT_ID: usize = position(subject::FIELDS, "subject_id");
const GRADE_ID: usize = position(grade::FIELDS, "grade_id");
const TERM_YEAR: usize = position(term::FIELDS, "year");
const TERM: usize = position(term::FIELDS, "term");
const TERM_ID: usize = term::TERM_ID;
const LEARNER: usize = position(learner_subject::FIELDS, "learner_id");
const YEAR: usize = position(learner_subject::FIELDS, "year");
const SUBJECT: usize = position(learner_subject::FIELDS, "subject_id");
const GRADE: usize = position(learner_subject::FIELDS, "grade_id");
const TERMS: usize = position(learner_subject::FIELDS, "terms");

impl<'de> Members<'de> for SubjectDecoder<'de, '_> {
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
        if name == "terms" {
            if std::mem::replace(&mut self.has_terms, true) {
                return Err(self.out.refuse(DecodeError::Shape));
            }
            let mut terms = TermDecoder {
                texts: Default::default(),
                is_per_term: self.is_per_term,
                terms: &mut self.terms,
                ids: &mut self.ids,
                out: &mut *self.out,
            };
            map.next_value_seed(ArrayOf(&mut terms))?;
            return Ok(true);
        }
        let index = NAMES.iter().position(|known| *known == name);
        let Some(slot) = index.and_then(|index| self.texts.get_mut(index)) else {
            return Ok(false);
        };
        take_text(slot, self.out, map)?;
        Ok(true)
    }

    fn end(&mut self) -> Result<(), DecodeError> {
        let texts = std::mem::take(&mut self.texts).map(Option::unwrap_or_default);
        let [year, subject, name, above, above_name, grade, grade_name] = texts;
        let number =
            |field, text: &str| integer(text).ok_or(invalid_value(Kind::LearnerSubject, field));
        let year = number("year", &year)?;
        let subject = number("subject_id", &subject)?;
        let grade = number("grade_id", &grade)?;
        self.out.year(year)?;
        if !self.seen_subjects.insert(subject) || !std::mem::take(&mut self.has_terms) {
            return Err(DecodeError::Shape);
        }
        let mut terms = std::mem::take(&mut self.terms);
        terms.sort_unstable_by_key(|term| term.term);
        if terms.is_sorted_by(|a, b| a.term < b.term) {
            self.add_term_ids(year)?;
        } else {
            return Err(invalid_value(Kind::LearnerSubject, "terms"));
        }

        let number = Value::Integer;
        let mut fields = vec![(SUBJECT_ID, number(subject)), (subject::NAME, text(name))];
        if self.is_per_term {
            fields.push((subject::SUPER_ID, text(above)));
            fields.push((subject::SUPER_NAME, text(above_name)));
        }
        self.add_record(Kind::Subject, fields)?;
        let fields = vec![
            (GRADE_ID, number(grade)),
            (grade::SHORT_NAME, text(grade_name)),
        ];
        self.add_record(Kind::Grade, fields)?;
        let fields = vec![
            (LEARNER, number(self.out.request.id)),
            (YEAR, number(year)),
            (SUBJECT, number(subject)),
            (GRADE, number(grade)),
            (TERMS, Value::Terms(terms)),
        ];
        self.add_record(Kind::LearnerSubject, fields)
    }

    fn what(&self) -> &'static str {
        Kind::LearnerSubject.name()
    }

    fn out(&mut self) -> &mut AnswerBuilder {
        self.out
    }
}

/// The maximum number of terms of a subject. No line of a dataset can contain more, because each
/// term takes at least the 11 bytes of `{"term":1},`.
const MAX_TERMS: usize = LINE_BYTES / 11;

/// Decodes the terms of a subject.
struct TermDecoder<'t, 'de, 'o> {
    texts: Texts<'de, { TERM_NAMES.len() }>,
    is_per_term: bool,
    terms: &'t mut Vec<EnrolledTerm<'de>>,
    ids: &'t mut Vec<(u64, u64)>,
    out: &'o mut AnswerBuilder,
}

impl<'de> Members<'de> for TermDecoder<'_, 'de, '_> {
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
        let index = TERM_NAMES.iter().position(|known| *known == name);
        let Some(slot) = index.and_then(|index| self.texts.get_mut(index)) else {
            return Ok(false);
        };
        take_text(slot, self.out, map)?;
        Ok(true)
    }

    fn end(&mut self) -> Result<(), DecodeError> {
        let texts = std::mem::take(&mut self.texts).map(Option::unwrap_or_default);
        let [id, term, a, b, c, d, e, mark] = texts;
        let wrong = invalid_value(Kind::LearnerSubject, "terms");
        let term = integer(&term).ok_or(wrong)?;
        if self.is_per_term {
            let id = integer(&id).ok_or(invalid_value(Kind::Term, "term_id"))?;
            self.ids.push((term, id));
        }
        // Subject marks contain only terms with a mark; subjects per term contain no marks.
        let mark = match (self.is_per_term, &*mark) {
            (true, "") => None,
            (false, mark) => Some(PackedDecimal::parse(mark).ok_or(wrong)?),
            (true, _) => return Err(DecodeError::Shape),
        };
        if self.terms.len() == MAX_TERMS {
            return Err(DecodeError::LargeRecord);
        }
        let group = [a, b, c, d, e];
        self.terms.push(EnrolledTerm { term, group, mark });
        Ok(())
    }

    fn what(&self) -> &'static str {
        "terms"
    }

    fn out(&mut self) -> &mut AnswerBuilder {
        self.out
    }
}

fn text(text: Cow<'_, str>) -> Value<'_> {
    if text.is_empty() {
        Value::Empty
    } else {
        Value::Text(text)
    }
}
