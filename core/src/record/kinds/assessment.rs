//! An assessment (2.6). Its pre-rendered text has a gap for the values of a mark.

use crate::error::{Error, Failure, Result};
use crate::record::field::{Field, FieldForm, filter_column, position};
use crate::record::residual_fields;
use crate::record::values::decimal::PackedDecimal;
use crate::record::values::value::Value;
use crate::store::Item;

/// The number of slots of a grade, year and term.
pub(crate) const SLOTS: usize = 1 << 17;

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::id("assessment_id"),
    Field::optional("grade_id", FieldForm::Integer)
        .residual(1)
        .required(),
    Field::optional("year", FieldForm::Integer)
        .residual(2)
        .required(),
    Field::optional("term", FieldForm::Integer)
        .residual(3)
        .required(),
    Field::optional("subject_id", FieldForm::Integer)
        .residual(4)
        .required()
        .filter_column(1),
    Field::optional("learning_outcome_id", FieldForm::Integer)
        .residual(5)
        .required()
        .filter_column(2),
    Field::text("assessment_name"),
    Field::optional("assessment_date", FieldForm::Date).required(),
    Field::decimal("weight", 6).required(),
    Field::decimal("mark_out_of", 7),
];

const GRADE_ID: usize = position(FIELDS, "grade_id");
const YEAR: usize = position(FIELDS, "year");
const TERM: usize = position(FIELDS, "term");
const SUBJECT_ID: usize = position(FIELDS, "subject_id");
const LEARNING_OUTCOME_ID: usize = position(FIELDS, "learning_outcome_id");
const MARK_OUT_OF: usize = position(FIELDS, "mark_out_of");

/// The filter column that contains the slot of the assessment's marks in the mark rows of its
/// grade, year and term. An assessment has the same slot until it is removed or moved.
pub(crate) const SLOT_COLUMN: usize = 0;
/// The filter column that contains the subject.
pub(crate) const SUBJECT_COLUMN: usize = filter_column(FIELDS, "subject_id");
/// The filter column that contains the learning outcome.
pub(crate) const OUTCOME_COLUMN: usize = filter_column(FIELDS, "learning_outcome_id");

/// Returns the slot that is stored in the filter column of an assessment. The slot determines
/// the size of rows, so a slot out of range is an error.
pub(crate) fn slot(filter_column: Option<u64>) -> Result<u64> {
    filter_column
        .filter(|slot| *slot < SLOTS as u64)
        .ok_or_else(|| Error::corrupt("the slot of an assessment is out of range"))
}

/// Returns the error for two assessments with the same slot, whose marks would be confused.
pub(crate) fn shared_slot() -> Failure {
    Error::corrupt("two assessments have the same slot")
}

/// The filter columns of the index of assessments.
pub(crate) const GRADE_COLUMN: usize = 0;
pub(crate) const YEAR_COLUMN: usize = 1;
pub(crate) const TERM_COLUMN: usize = 2;

/// The grade, year, term, subject and learning outcome of an assessment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AssessmentPlace {
    pub(crate) grade: u64,
    pub(crate) year: u64,
    pub(crate) term: u64,
    pub(crate) subject: u64,
    pub(crate) outcome: u64,
}

impl AssessmentPlace {
    pub(crate) fn from_values(values: &[Value<'_>]) -> Option<AssessmentPlace> {
        let number = |field: usize| values.get(field).and_then(Value::integer);
        Some(AssessmentPlace {
            grade: number(GRADE_ID)?,
            year: number(YEAR)?,
            term: number(TERM)?,
            subject: number(SUBJECT_ID)?,
            outcome: number(LEARNING_OUTCOME_ID)?,
        })
    }
}

/// The parts of a stored assessment that an assessment layout needs.
pub(crate) struct StoredAssessment<'a> {
    pub(crate) belongs: Option<AssessmentPlace>,
    /// The number of points to which a mark's percentage relates, or 0 if it is unknown.
    pub(crate) out_of: PackedDecimal,
    /// The JSON that `structure` answers, without the closing brace.
    pub(crate) before: &'a [u8],
    /// The JSON after the gap for a mark: `,"mark_out_of":"20.00"`.
    pub(crate) after: &'a [u8],
}

impl<'a> StoredAssessment<'a> {
    /// Reads only these parts, because a layout has hundreds of assessments.
    pub(crate) fn open(item: &Item<'a>) -> Result<StoredAssessment<'a>> {
        let [rendering, mut residual_fields, _] = item.columns;
        let mut numbers = [None; 5];
        let mut exact = None;
        for residual_field in residual_fields::take(&mut residual_fields)? {
            let (number, text) = residual_field?;
            let text = std::str::from_utf8(text).map_err(|_| damaged())?;
            if number == MARK_OUT_OF_RESIDUAL {
                exact = Some(PackedDecimal::parse(text).ok_or_else(damaged)?);
            } else if let Some(slot) = numbers.get_mut(usize::from(number).wrapping_sub(1)) {
                *slot = Some(text.parse().map_err(|_| damaged())?);
            } else {
                // A field of a newer version is refused.
                residual_fields::field(FIELDS, number)?;
            }
        }
        let (before, after, rounded) = split(rendering).ok_or_else(damaged)?;
        let out_of = match (exact, rounded) {
            (Some(exact), _) => exact,
            (None, b"") => PackedDecimal::default(),
            (None, rounded) => std::str::from_utf8(rounded)
                .ok()
                .and_then(PackedDecimal::parse)
                .ok_or_else(damaged)?,
        };
        let belongs = match numbers {
            [
                Some(grade),
                Some(year),
                Some(term),
                Some(subject),
                Some(outcome),
            ] => Some(AssessmentPlace {
                grade,
                year,
                term,
                subject,
                outcome,
            }),
            _ => None,
        };
        Ok(StoredAssessment {
            belongs,
            out_of,
            before,
            after,
        })
    }
}

/// The number of the residual field for `mark_out_of`, which is present if two decimals do not
/// represent the value exactly. The fields of [`AssessmentPlace`] have the first five numbers.
const MARK_OUT_OF_RESIDUAL: u8 = 7;

const _: () = {
    let mut number = 1;
    while number <= 5 {
        assert!(has_residual_field(GRADE_ID + number as usize - 1, number));
        number += 1;
    }
    assert!(has_residual_field(MARK_OUT_OF, MARK_OUT_OF_RESIDUAL));
};

#[expect(clippy::indexing_slicing, reason = "computed when this is compiled")]
const fn has_residual_field(field: usize, number: u8) -> bool {
    matches!(FIELDS[field].residual_field, Some(residual_field) if residual_field == number)
}

/// Splits a pre-rendered assessment at the gap, and returns the value of `mark_out_of`, its
/// last member.
fn split(rendering: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let inside = rendering.strip_suffix(b"\"}")?;
    let (until, value) = inside.split_at_checked(memchr::memrchr(b'"', inside)? + 1)?;
    let before = until.strip_suffix(b",\"mark_out_of\":\"")?;
    let after = rendering.get(before.len()..rendering.len() - 1)?;
    Some((before, after, value))
}

fn damaged() -> Failure {
    Error::corrupt("the stored form of an assessment is invalid")
}
