//! Decodes a learner's subjects per term (2.4) and subjects with marks (2.5). Both contain the
//! school's current year.

use super::answer_builder::{AnswerBuilder, DecodeError, shape};
use super::fields::{ArrayOf, Members, read_named};
use super::scalar::Scalar;
use crate::dataset::LINE_BYTES;
use crate::record::field::{FieldForm, position};
use crate::record::kinds::{grade, learner_subject, subject, term};
use crate::record::values::value::EnrolledTerm;
use crate::record::{Kind, Value};
use crate::sync::fetched_records::Fields;
use crate::sync::resources::resource::Resource;
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

/// The names of the values of a term, in the report of values that cannot be used.
const GROUP_NAMES: [&str; 5] = [
    "terms.subject_group_id",
    "terms.subject_group_name",
    "terms.classroom_id",
    "terms.classroom_name",
    "terms.subject_group_teacher_id",
];

type Scalars<'de, const N: usize> = [Option<Scalar<'de>>; N];

pub(super) struct SubjectDecoder<'de, 'o> {
    /// Whether the answer has the subjects per term, and not those with marks.
    is_per_term: bool,
    scalars: Scalars<'de, { NAMES.len() }>,
    has_terms: bool,
    terms: SubjectTerms<'de>,
    /// The subjects that occurred already.
    seen_subjects: BTreeSet<u64>,
    out: &'o mut AnswerBuilder,
}

/// The terms of the current subject.
#[derive(Default)]
struct SubjectTerms<'de> {
    terms: Vec<EnrolledTerm<'de>>,
    /// The terms, and the id of each if it can be used.
    ids: Vec<(u64, Option<u64>)>,
    /// Whether a term or a mark cannot be used.
    has_unusable: bool,
    /// The texts of groups that cannot be used.
    unusable_texts: Vec<&'static str>,
}

impl<'o> SubjectDecoder<'_, 'o> {
    pub(super) fn new(out: &'o mut AnswerBuilder) -> Self {
        SubjectDecoder {
            is_per_term: out.request.resource == Resource::SubjectsPerTerm,
            scalars: Default::default(),
            has_terms: false,
            terms: SubjectTerms::default(),
            seen_subjects: BTreeSet::new(),
            out,
        }
    }

    /// Adds a record with these fields. A field without a value cannot be used.
    fn add_record(
        &mut self,
        kind: Kind,
        fields: Vec<(usize, Option<Value<'_>>)>,
    ) -> Result<(), DecodeError> {
        let mut values = vec![Value::Empty; kind.fields().len()];
        let (mut field_set, mut unusable): (Fields, Fields) = (0, 0);
        for (index, value) in fields {
            field_set |= 1 << index;
            match (values.get_mut(index), value) {
                (Some(slot), Some(value)) => *slot = value,
                _ => unusable |= 1 << index,
            }
        }
        self.out.record(kind, field_set, &values, unusable)
    }

    /// Adds the ids of the terms of the year.
    fn add_term_ids(&mut self, year: u64, ids: Vec<(u64, Option<u64>)>) -> Result<(), DecodeError> {
        for (term, id) in ids {
            let fields = [(TERM_YEAR, Some(year)), (TERM, Some(term)), (TERM_ID, id)];
            let fields = fields.map(|(field, number)| (field, number.map(Value::Integer)));
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
                return Err(self.out.refuse(shape(Kind::LearnerSubject, "terms")));
            }
            let mut terms = TermDecoder {
                scalars: Default::default(),
                is_per_term: self.is_per_term,
                of_subject: &mut self.terms,
                out: &mut *self.out,
            };
            map.next_value_seed(ArrayOf(&mut terms))?;
            return Ok(true);
        }
        let kind = Kind::LearnerSubject;
        read_named(kind, &NAMES, &mut self.scalars, name, map, self.out)
    }

    fn end(&mut self) -> Result<(), DecodeError> {
        let scalars = std::mem::take(&mut self.scalars).map(Option::unwrap_or_default);
        let [year, subject, name, above, above_name, grade, grade_name] = scalars;
        let has_no_grade = grade.is_empty();
        let [year, subject, grade] = [year, subject, grade].map(|scalar| scalar.integer());
        if let Some(year) = year {
            self.out.year(year)?;
        }
        if subject.is_some_and(|subject| !self.seen_subjects.insert(subject)) {
            return Err(shape(Kind::LearnerSubject, "subject_id"));
        }
        let has_terms = std::mem::take(&mut self.has_terms);
        let SubjectTerms {
            mut terms,
            ids,
            has_unusable,
            unusable_texts,
        } = std::mem::take(&mut self.terms);
        terms.sort_unstable_by_key(|term| term.term);
        let is_sorted = terms.is_sorted_by(|a, b| a.term < b.term);
        let is_usable = has_terms && !has_unusable && is_sorted;
        if let Some(year) = year
            && is_usable
        {
            self.add_term_ids(year, ids)?;
        }

        let text = |scalar: Scalar<'de>| scalar.value(FieldForm::Text);
        if let Some(subject) = subject {
            let id = Some(Value::Integer(subject));
            let mut fields = vec![(SUBJECT_ID, id), (subject::NAME, text(name))];
            if self.is_per_term {
                fields.push((subject::SUPER_ID, text(above)));
                fields.push((subject::SUPER_NAME, text(above_name)));
            }
            self.add_record(Kind::Subject, fields)?;
        }
        if let Some(grade) = grade {
            let id = Some(Value::Integer(grade));
            let fields = vec![(GRADE_ID, id), (grade::SHORT_NAME, text(grade_name))];
            self.add_record(Kind::Grade, fields)?;
        }
        let learner = self.out.request.id;
        if let (Some(year), Some(subject)) = (year, subject) {
            for field in unusable_texts {
                let key = [learner, year, subject];
                self.out
                    .note(Kind::LearnerSubject, field, false, Some(&key));
            }
        }
        let number = |number: Option<u64>| number.map(Value::Integer);
        // Only a record with terms must have a grade.
        let no_grade = Some(Value::Empty).filter(|_| has_no_grade && terms.is_empty());
        let fields = vec![
            (LEARNER, number(Some(learner))),
            (YEAR, number(year)),
            (SUBJECT, number(subject)),
            (GRADE, number(grade).or(no_grade)),
            (TERMS, is_usable.then_some(Value::Terms(terms))),
        ];
        self.add_record(Kind::LearnerSubject, fields)
    }

    fn skip(&mut self) {
        self.out.unidentified(Kind::LearnerSubject);
        self.out.note(Kind::LearnerSubject, "", true, None);
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
    scalars: Scalars<'de, { TERM_NAMES.len() }>,
    is_per_term: bool,
    of_subject: &'t mut SubjectTerms<'de>,
    out: &'o mut AnswerBuilder,
}

impl<'de> Members<'de> for TermDecoder<'_, 'de, '_> {
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
        let kind = Kind::LearnerSubject;
        read_named(kind, &TERM_NAMES, &mut self.scalars, name, map, self.out)
    }

    fn end(&mut self) -> Result<(), DecodeError> {
        let scalars = std::mem::take(&mut self.scalars).map(Option::unwrap_or_default);
        let [id, term, a, b, c, d, e, mark] = scalars;
        let of_subject = &mut *self.of_subject;
        // Subject marks contain only terms with a mark; subjects per term contain no marks.
        let mark = match (self.is_per_term, mark.value(FieldForm::Decimal)) {
            (true, Some(Value::Empty)) => None,
            (false, Some(Value::Decimal(mark))) => Some(mark),
            // A term without a mark is the same as no term.
            (false, Some(Value::Empty)) => return Ok(()),
            _ => {
                of_subject.has_unusable = true;
                return Ok(());
            }
        };
        let term = term.integer();
        let Some(term) = term.filter(|_| of_subject.terms.len() < MAX_TERMS) else {
            of_subject.has_unusable = true;
            return Ok(());
        };
        if self.is_per_term {
            of_subject.ids.push((term, id.integer()));
        }
        let mut group: [Cow<'de, str>; 5] = Default::default();
        let scalars = [a, b, c, d, e].into_iter();
        for ((slot, scalar), name) in group.iter_mut().zip(scalars).zip(GROUP_NAMES) {
            match scalar.text() {
                Some(text) => *slot = text,
                None => of_subject.unusable_texts.push(name),
            }
        }
        of_subject.terms.push(EnrolledTerm { term, group, mark });
        Ok(())
    }

    fn skip(&mut self) {
        self.of_subject.has_unusable = true;
    }

    fn what(&self) -> &'static str {
        "terms"
    }

    fn out(&mut self) -> &mut AnswerBuilder {
        self.out
    }
}
