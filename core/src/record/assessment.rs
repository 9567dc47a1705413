//! An assessment (2.6): kept rendered, with a gap for what a mark fills in.

use super::decimal::Decimal;
use super::field::{Field, Form, position, tag};
use super::mark_row::SLOTS;
use super::value::Value;
use crate::error::{Error, Failure, Result};

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::id("assessment_id"),
    Field::of("grade_id", Form::Integer).kept(1).required(),
    Field::of("year", Form::Integer).kept(2).required(),
    Field::of("term", Form::Integer).kept(3).required(),
    Field::of("subject_id", Form::Integer)
        .kept(4)
        .required()
        .tag(1),
    Field::of("learning_outcome_id", Form::Integer)
        .kept(5)
        .required()
        .tag(2),
    Field::text("assessment_name"),
    Field::of("assessment_date", Form::Date).required(),
    Field::decimal("weight", 6).required(),
    Field::decimal("mark_out_of", 7),
];

const GRADE_ID: usize = position(FIELDS, "grade_id");
const YEAR: usize = position(FIELDS, "year");
const TERM: usize = position(FIELDS, "term");
const SUBJECT_ID: usize = position(FIELDS, "subject_id");
const LEARNING_OUTCOME_ID: usize = position(FIELDS, "learning_outcome_id");
const MARK_OUT_OF: usize = position(FIELDS, "mark_out_of");

/// The tag: the slot of its marks in the rows of its grade, year and term.
/// Lasts as long as the assessment stays there.
pub(crate) const SLOT_TAG: usize = 0;
/// The tag: the subject.
pub(crate) const SUBJECT_TAG: usize = tag(FIELDS, "subject_id");
/// The tag: the learning outcome.
pub(crate) const OUTCOME_TAG: usize = tag(FIELDS, "learning_outcome_id");

/// The slot that an assessment's tag names. It sizes rows, so one that no row has
/// goes no further.
pub(crate) fn slot(tag: Option<u64>) -> Result<u64> {
    tag.filter(|slot| *slot < SLOTS as u64)
        .ok_or_else(|| Error::corrupt("an assessment has no slot that a row has"))
}

/// A mark would be that of another assessment.
pub(crate) fn shared_slot() -> Failure {
    Error::corrupt("two assessments have one slot")
}

/// The tags of an assessment in the index of assessments.
pub(crate) const GRADE_TAG: usize = 0;
pub(crate) const YEAR_TAG: usize = 1;
pub(crate) const TERM_TAG: usize = 2;

/// Where an assessment belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Belongs {
    pub(crate) grade: u64,
    pub(crate) year: u64,
    pub(crate) term: u64,
    pub(crate) subject: u64,
    pub(crate) outcome: u64,
}

impl Belongs {
    pub(crate) fn of(values: &[Value<'_>]) -> Option<Belongs> {
        let number = |field: usize| values.get(field).and_then(Value::integer);
        Some(Belongs {
            grade: number(GRADE_ID)?,
            year: number(YEAR)?,
            term: number(TERM)?,
            subject: number(SUBJECT_ID)?,
            outcome: number(LEARNING_OUTCOME_ID)?,
        })
    }
}

/// What a mark's percentage is taken of.
pub(crate) fn mark_out_of(values: &[Value<'_>]) -> Option<Decimal> {
    values.get(MARK_OUT_OF).and_then(Value::decimal)
}

/// A rendering split at the gap: before it what `structure` answers, without
/// the closing brace; after it `mark_out_of`, without it too.
pub(crate) fn split(rendering: &[u8]) -> Result<(&[u8], &[u8])> {
    let split = || {
        let at = memchr::memmem::rfind(rendering, b",\"mark_out_of\":")?;
        let (before, after) = rendering.split_at_checked(at)?;
        Some((before, after.strip_suffix(b"}")?))
    };
    split().ok_or_else(|| Error::corrupt("an assessment has no gap"))
}
