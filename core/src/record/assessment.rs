//! An assessment (2.6): kept rendered, with a gap for what a mark fills in.

use super::decimal::Decimal;
use super::facts;
use super::field::{Field, Form, position, tag};
use super::mark_row::SLOTS;
use super::value::Value;
use crate::error::{Error, Failure, Result};
use crate::store::Item;

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

/// What a sheet needs of a kept assessment.
pub(crate) struct KeptAssessment<'a> {
    pub(crate) belongs: Option<Belongs>,
    /// What a mark's percentage is taken of; 0 if that is not known.
    pub(crate) out_of: Decimal,
    /// What `structure` answers, without the closing brace.
    pub(crate) before: &'a [u8],
    /// `,"mark_out_of":"20.00"`, behind the gap that a mark fills.
    pub(crate) after: &'a [u8],
}

impl<'a> KeptAssessment<'a> {
    /// Reads that alone: there are hundreds in a sheet.
    pub(crate) fn open(item: &Item<'a>) -> Result<KeptAssessment<'a>> {
        let [rendering, mut facts, _] = item.lanes;
        let mut numbers = [None; 5];
        let mut exact = None;
        for fact in facts::take(&mut facts)? {
            let (number, text) = fact?;
            let text = std::str::from_utf8(text).map_err(|_| damaged())?;
            if number == MARK_OUT_OF_FACT {
                exact = Some(Decimal::parse(text).ok_or_else(damaged)?);
            } else if let Some(slot) = numbers.get_mut(usize::from(number).wrapping_sub(1)) {
                *slot = Some(text.parse().map_err(|_| damaged())?);
            } else {
                // One that a newer version added is refused.
                facts::field(FIELDS, number)?;
            }
        }
        let (before, after, rounded) = split(rendering).ok_or_else(damaged)?;
        let out_of = match (exact, rounded) {
            (Some(exact), _) => exact,
            (None, b"") => Decimal::default(),
            (None, rounded) => std::str::from_utf8(rounded)
                .ok()
                .and_then(Decimal::parse)
                .ok_or_else(damaged)?,
        };
        let belongs = match numbers {
            [
                Some(grade),
                Some(year),
                Some(term),
                Some(subject),
                Some(outcome),
            ] => Some(Belongs {
                grade,
                year,
                term,
                subject,
                outcome,
            }),
            _ => None,
        };
        Ok(KeptAssessment {
            belongs,
            out_of,
            before,
            after,
        })
    }
}

/// The number of the fact: what marks are out of, if two decimals do not hold it. Those
/// of where it belongs are the first five.
const MARK_OUT_OF_FACT: u8 = 7;

const _: () = {
    let mut number = 1;
    while number <= 5 {
        assert!(has_fact(GRADE_ID + number as usize - 1, number));
        number += 1;
    }
    assert!(has_fact(MARK_OUT_OF, MARK_OUT_OF_FACT));
};

#[expect(clippy::indexing_slicing, reason = "computed when this is compiled")]
const fn has_fact(field: usize, number: u8) -> bool {
    matches!(FIELDS[field].fact, Some(fact) if fact == number)
}

/// A rendering split at the gap, and the value of `mark_out_of`, which ends it.
fn split(rendering: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let inside = rendering.strip_suffix(b"\"}")?;
    let (until, value) = inside.split_at_checked(memchr::memrchr(b'"', inside)? + 1)?;
    let before = until.strip_suffix(b",\"mark_out_of\":\"")?;
    let after = rendering.get(before.len()..rendering.len() - 1)?;
    Some((before, after, value))
}

fn damaged() -> Failure {
    Error::corrupt("an assessment is not as it is kept")
}
