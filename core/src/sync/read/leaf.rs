//! Decodes an assessment within marks (2.6), with the mark of one learner or without a mark.

use super::scalar::Scalar;
use crate::record::Value;
use crate::record::field::FieldForm;
use crate::record::kinds::mark::Mark;
use std::borrow::Cow;

/// Returns the part of an assessment before the mark, which is the same for all learners. If there
/// is no mark, this is everything except the closing brace.
pub(super) fn head(raw: &str) -> &str {
    let end = raw.find(DTIME).unwrap_or(raw.len().saturating_sub(1));
    raw.get(..end).unwrap_or_default()
}

/// Decodes the rest of an assessment that has the usual form and the same `out_of` as before.
/// Returns `None` if it differs.
pub(super) fn plain_mark(rest: &str, out_of: &str) -> Option<Mark> {
    let (dtime, rest) = text(rest.strip_prefix(DTIME)?)?;
    let (percentage, rest) = text(rest.strip_prefix(r#","percentage":""#)?)?;
    let (mark, rest) = text(rest.strip_prefix(r#","mark":""#)?)?;
    let (of, rest) = text(rest.strip_prefix(r#","mark_out_of":""#)?)?;
    let (captured, rest) = text(rest.strip_prefix(r#","captured":""#)?)?;
    let is_same = of == out_of && rest == "}";
    // No valid value of a mark contains an escape.
    let scalar = |text| Scalar::Text(Cow::Borrowed(text));
    let [mark, percentage, captured, dtime] =
        mark_values([mark, percentage, captured, dtime].map(scalar));
    is_same.then(|| {
        Some(Mark {
            captured: captured? == Value::Integer(1),
            absent: percentage.as_ref()? == &Value::Absent,
            dtime: match dtime? {
                Value::DateTime(time) => Some(time),
                _ => None,
            },
            mark: mark?.decimal(),
            percentage: percentage?.decimal(),
        })
    })?
}

/// Splits at the next quotation mark, and returns the text before it and the rest after it.
fn text(rest: &str) -> Option<(&str, &str)> {
    let end = memchr::memchr(b'"', rest.as_bytes())?;
    let text = rest.get(..end).filter(|text| !text.ends_with('\\'))?;
    Some((text, rest.get(end + 1..)?))
}

const DTIME: &str = r#","dtime":""#;

/// Returns the values of a mark in the order of its fields, from `mark` to `dtime`. A value that
/// cannot be used is `None`. If all of them are empty, the mark shows only that there may be one.
/// Otherwise it is captured, unless the service says that it is not.
pub(super) fn mark_values(scalars: [Scalar<'_>; 4]) -> [Option<Value<'_>>; 4] {
    let [mark, percentage, captured, dtime] = scalars;
    let is_captured = [&mark, &percentage, &dtime]
        .iter()
        .any(|scalar| !scalar.is_empty());
    [
        mark.value(FieldForm::Decimal),
        percentage.value(FieldForm::Percentage),
        match captured.value(FieldForm::Bit) {
            Some(Value::Empty) => Some(Value::Integer(u64::from(is_captured))),
            captured => captured,
        },
        dtime.value(FieldForm::DateTime),
    ]
}

/// The members of an assessment, with or without a mark.
pub(super) const LEAF: [&str; 9] = [
    "assessment_id",
    "assessment_name",
    "assessment_date",
    "weight",
    "dtime",
    "percentage",
    "mark",
    "mark_out_of",
    "captured",
];
/// The number of the first members that also occur in a structure.
pub(super) const OF_STRUCTURE: usize = 4;

#[derive(Default)]
pub(super) struct Leaf<'de> {
    pub(super) scalars: [Option<Scalar<'de>>; LEAF.len()],
    /// The index of the member that is expected next.
    pub(super) next: usize,
}
