//! Decodes assessment marks, nested by grade, year, term, learner, subject, learning outcome and
//! assessment (2.6), or their structure without marks.
//!
//! Nearly all of the answer is repeated for each learner. Therefore the common part is decoded once
//! and compared for each further learner; only the mark is decoded each time.

use super::answer_builder::{AnswerBuilder, DecodeError, shape};
use super::leaf::{self, Leaf};
use super::level::{GRADE, LEARNER, LEVELS, SUBJECT, YEAR};
use super::scalar::Scalar;
use crate::record::field::{FieldForm, position};
use crate::record::kinds::mark::Mark;
use crate::record::kinds::{assessment, learning_program, mark};
use crate::record::{Kind, Value};
use crate::sync::fetched_records::Fields;
use crate::sync::resources::resource::{Format, Selection};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The state of the decoder of assessment marks. The objects of each level are members named by
/// their ids.
pub(super) struct MarksDecoder<'o, 'de> {
    /// Whether the answer contains only the structure, without marks.
    pub(super) is_structure: bool,
    /// The ids of the current objects: grade, year, term, learner, subject and learning outcome.
    pub(super) ids: [u64; LEVELS.len()],
    /// For each level, the ids that have already occurred in the current object above.
    pub(super) siblings: [BTreeSet<u64>; LEVELS.len()],
    pub(super) level: usize,
    pub(super) names: BTreeMap<(usize, u64), Cow<'de, str>>,
    /// The terms and subjects whose programmes were added already.
    pub(super) programmes: BTreeSet<(u64, u64)>,
    assessments: Vec<DecodedAssessment<'de>>,
    /// The index of each assessment in `assessments`.
    pub(super) places: BTreeMap<u64, usize>,
    /// The index after the assessment that was read last, because assessments usually occur in the
    /// same order.
    pub(super) next: usize,
    pub(super) leaf: Leaf<'de>,
    pub(super) out: &'o mut AnswerBuilder,
}

/// An assessment that was decoded before, for comparison.
struct DecodedAssessment<'de> {
    id: u64,
    /// The term, subject and learning outcome.
    place: [u64; 3],
    /// The name, date and weight of the assessment, and the maximum mark.
    scalars: [Scalar<'de>; 4],
    /// The part of the JSON object before the mark.
    head: &'de str,
    /// The learner whose mark for this assessment was read last.
    learner: Option<u64>,
}

impl<'o> MarksDecoder<'o, '_> {
    pub(super) fn new(out: &'o mut AnswerBuilder) -> Self {
        MarksDecoder {
            is_structure: matches!(out.request.spec().format, Format::Structure),
            ids: [0; LEVELS.len()],
            siblings: Default::default(),
            level: 0,
            names: BTreeMap::new(),
            programmes: BTreeSet::new(),
            assessments: Vec::new(),
            places: BTreeMap::new(),
            next: 0,
            leaf: Leaf::default(),
            out,
        }
    }
}

impl<'de> MarksDecoder<'_, 'de> {
    /// Begins an object with this id.
    pub(super) fn enter(&mut self, id: u64) -> Result<(), DecodeError> {
        if let Some(slot) = self.ids.get_mut(self.level) {
            *slot = id;
        }
        if let Some(below) = self.siblings.get_mut(self.level + 1) {
            below.clear();
        }
        let siblings = self.siblings.get_mut(self.level);
        if siblings.is_some_and(|siblings| !siblings.insert(id)) {
            let level = LEVELS.get(self.level);
            return Err(shape(Kind::Mark, level.map_or("", |level| level.id)));
        }
        let request = self.out.request;
        match (self.level, request.spec().scope) {
            (GRADE, Selection::Grade) | (LEARNER, Selection::Learner) if request.id != id => {
                Err(DecodeError::NotRequested)
            }
            (YEAR, _) => self.out.year(id),
            (SUBJECT, _) => self.programme(),
            _ => Ok(()),
        }
    }

    /// Adds the programme of the current term and subject. It is released if the answer contains
    /// its marks; the structure is visible in any case.
    pub(super) fn programme(&mut self) -> Result<(), DecodeError> {
        let [grade, year, term, _, subject, _] = self.ids;
        if !self.programmes.insert((term, subject)) {
            return Ok(());
        }
        let field_set = if self.is_structure {
            PROGRAMME
        } else {
            PROGRAMME | RELEASED
        };
        let released = Value::Integer(1);
        let [grade, year, term, subject] = [grade, year, term, subject].map(Value::Integer);
        let values = [
            Value::Empty,
            grade,
            year,
            term,
            subject,
            Value::Empty,
            released,
        ];
        self.out
            .record(Kind::LearningProgram, field_set, &values, 0)
    }

    /// Adds the name of the current object, unless it was added before. A name that cannot be used
    /// is skipped, because other objects repeat it.
    pub(super) fn name(&mut self, name: Scalar<'de>) -> Result<(), DecodeError> {
        let id = self.ids.get(self.level).copied().unwrap_or_default();
        let Some((kind, key, field)) = LEVELS.get(self.level).and_then(|level| level.named) else {
            return Ok(());
        };
        let Some(name) = name.text() else {
            let name = kind.fields().get(field).map_or("", |field| field.name);
            self.out.note(kind, name, false, Some(&[id]));
            return Ok(());
        };
        if self.names.get(&(self.level, id)) == Some(&name) {
            return Ok(());
        }
        self.names.insert((self.level, id), name.clone());
        let mut values = vec![Value::Empty; kind.fields().len()];
        for (index, value) in [(key, Value::Integer(id)), (field, text(name))] {
            if let Some(slot) = values.get_mut(index) {
                *slot = value;
            }
        }
        self.out.record(kind, 1 << key | 1 << field, &values, 0)
    }

    /// Skips an object that cannot be used. It may contain any assessment and any mark.
    pub(super) fn skip_objects(&mut self, kind: Kind, field: &'static str) {
        for kind in self.out.request.spec().complete {
            self.out.unidentified(*kind);
        }
        self.out.note(kind, field, true, None);
    }

    /// Returns the index of an assessment that was decoded before.
    fn find(&self, id: u64) -> Option<usize> {
        match self.assessments.get(self.next) {
            Some(known) if known.id == id => Some(self.next),
            _ => self.places.get(&id).copied(),
        }
    }

    /// Adds the current mark, and its assessment unless it was added before. `raw` is the JSON
    /// object.
    pub(super) fn assessment(&mut self, id: u64, raw: &'de str) -> Result<(), DecodeError> {
        let head = leaf::head(raw);
        let scalars = std::mem::take(&mut self.leaf.scalars).map(Option::unwrap_or_default);
        let [
            own_id,
            name,
            date,
            weight,
            dtime,
            percentage,
            mark,
            out_of,
            captured,
        ] = scalars;
        match own_id.integer() {
            Some(own_id) if own_id != id => return Err(shape(Kind::Assessment, ID)),
            None if !own_id.is_empty() => self.out.note(Kind::Assessment, ID, false, Some(&[id])),
            _ => {}
        }
        let [_, _, term, learner, subject, outcome] = self.ids;
        let place = [term, subject, outcome];
        let scalars = [name, date, weight, out_of];
        let is_full = self.assessments.len() == MAX_ASSESSMENTS;
        let found = self.find(id);
        let known = found.and_then(|at| Some((at, self.assessments.get_mut(at)?)));
        match known {
            Some((at, known)) => {
                if known.place != place || known.learner.replace(learner) == Some(learner) {
                    return Err(shape(Kind::Assessment, ""));
                }
                self.next = at + 1;
                known.head = head;
                if known.scalars != scalars {
                    known.scalars.clone_from(&scalars);
                    self.add_assessment(id, scalars, true)?;
                }
            }
            None if is_full => return Err(DecodeError::TooMany),
            None => {
                self.add_assessment(id, scalars.clone(), false)?;
                self.places.insert(id, self.assessments.len());
                let learner = Some(learner);
                self.assessments.push(DecodedAssessment {
                    id,
                    place,
                    scalars,
                    head,
                    learner,
                });
                self.next = self.assessments.len();
            }
        }
        let mark = leaf::mark_values([mark, percentage, captured, dtime]);
        let mut values = vec![Value::Empty];
        values.extend([id, learner].map(Value::Integer));
        let unusable = push_values(&mut values, mark);
        self.out.record(Kind::Mark, MARK, &values, unusable)
    }

    /// Decodes only the mark if the other bytes equal those of an earlier learner. Returns false if
    /// they differ; then the whole object must be decoded.
    pub(super) fn mark_of_known(&mut self, id: u64, raw: &'de str) -> bool {
        let [_, _, term, learner, subject, outcome] = self.ids;
        let found = self.find(id);
        let Some((at, known)) = found.and_then(|at| Some((at, self.assessments.get_mut(at)?)))
        else {
            return false;
        };
        let is_next = known.place == [term, subject, outcome] && known.learner != Some(learner);
        let Some(rest) = raw.strip_prefix(known.head).filter(|_| is_next) else {
            return false;
        };
        let mark = match known.scalars.last() {
            _ if self.is_structure => (rest == "}").then_some(Mark::POSSIBLE),
            Some(Scalar::Text(out_of)) => leaf::plain_mark(rest, out_of),
            _ => None,
        };
        let Some(mark) = mark else {
            return false;
        };
        known.learner = Some(learner);
        self.next = at + 1;
        self.out.mark(id, learner, &mark);
        true
    }

    /// Adds an assessment. If the answer `has_other` objects of the assessment, this one is not
    /// used if one of its values cannot be used.
    fn add_assessment(
        &mut self,
        id: u64,
        scalars: [Scalar<'de>; 4],
        has_other: bool,
    ) -> Result<(), DecodeError> {
        let [grade, year, term, _, subject, outcome] = self.ids;
        let numbers = [id, grade, year, term, subject, outcome].map(Value::Integer);
        let mut values = vec![Value::Empty];
        values.extend(numbers);
        let forms = [
            FieldForm::Text,
            FieldForm::Date,
            FieldForm::Decimal,
            FieldForm::Decimal,
        ];
        let scalars = scalars.into_iter().zip(forms);
        let unusable = push_values(
            &mut values,
            scalars.map(|(scalar, form)| scalar.value(form)),
        );
        let field_set = if self.is_structure {
            STRUCTURE
        } else {
            ASSESSMENT
        };
        if has_other && unusable != 0 {
            for (index, field) in assessment::FIELDS.iter().enumerate() {
                if unusable >> index & 1 == 1 {
                    self.out
                        .note(Kind::Assessment, field.name, false, Some(&[id]));
                }
            }
            return Ok(());
        }
        self.out
            .record(Kind::Assessment, field_set, &values, unusable)
    }
}

/// Appends values to those of a record. Returns the positions of those that cannot be used, whose
/// fields are empty.
fn push_values<'a>(
    values: &mut Vec<Value<'a>>,
    more: impl IntoIterator<Item = Option<Value<'a>>>,
) -> Fields {
    let mut unusable = 0;
    for value in more {
        unusable |= Fields::from(value.is_none()) << values.len();
        values.push(value.unwrap_or_default());
    }
    unusable
}

fn text(text: Cow<'_, str>) -> Value<'_> {
    if text.is_empty() {
        Value::Empty
    } else {
        Value::Text(text)
    }
}

/// The maximum number of assessments in an answer. All of them are in memory while the answer is
/// decoded.
const MAX_ASSESSMENTS: usize = 100_000;

const ID: &str = "assessment_id";
/// The fields of an assessment after its references, in order.
const TEXTS: [&str; 4] = [
    "assessment_name",
    "assessment_date",
    "weight",
    "mark_out_of",
];
/// All fields of an assessment except the school.
const ASSESSMENT: Fields = (1 << assessment::FIELDS.len()) - 2;
/// The fields of an assessment in a structure, which lacks the maximum mark.
const STRUCTURE: Fields = ASSESSMENT - (1 << position(assessment::FIELDS, "mark_out_of"));
/// All fields of a mark except the school.
const MARK: Fields = (1 << mark::FIELDS.len()) - 2;
/// The key fields of a programme.
const PROGRAMME: Fields = 0b1_1110;
/// The field that contains whether a programme is released.
const RELEASED: Fields = 1 << position(learning_program::FIELDS, "released");

const _: () = {
    let mut rest: &[&str] = &TEXTS;
    let mut at = 7;
    while let [name, others @ ..] = rest {
        assert!(
            position(assessment::FIELDS, name) == at,
            "not in their order"
        );
        (at, rest) = (at + 1, others);
    }
};
