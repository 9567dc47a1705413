//! Decodes an assessment within marks (2.6), with the mark of one learner or without a mark.

use super::answer_builder::{DecodeError, invalid_value};
use crate::date::DateTime;
use crate::record::Kind;
use crate::record::kinds::mark::Mark;
use crate::record::values::decimal::PackedDecimal;
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
    is_same.then(|| read_mark(dtime, percentage, mark, captured).ok())?
}

/// Splits at the next quotation mark, and returns the text before it and the rest after it.
fn text(rest: &str) -> Option<(&str, &str)> {
    let end = memchr::memchr(b'"', rest.as_bytes())?;
    let text = rest.get(..end).filter(|text| !text.ends_with('\\'))?;
    Some((text, rest.get(end + 1..)?))
}

const DTIME: &str = r#","dtime":""#;

/// Decodes the values of a mark. If all of them are empty, the mark shows only that there may be
/// one.
pub(super) fn read_mark(
    dtime: &str,
    percentage: &str,
    mark: &str,
    captured: &str,
) -> Result<Mark, DecodeError> {
    let wrong = |field| invalid_value(Kind::Mark, field);
    let decimal = |field, text: &str| match text {
        "" => Ok(None),
        text => PackedDecimal::parse(text).map(Some).ok_or(wrong(field)),
    };
    let absent = percentage == "a";
    Ok(Mark {
        captured: match captured {
            "1" => true,
            "0" | "" => false,
            _ => return Err(wrong("captured")),
        },
        absent,
        dtime: match dtime {
            "" => None,
            text => Some(DateTime::parse(text.as_bytes()).ok_or(wrong("dtime"))?),
        },
        mark: decimal("mark", mark)?,
        percentage: if absent {
            None
        } else {
            decimal("percentage", percentage)?
        },
    })
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
    pub(super) texts: [Option<Cow<'de, str>>; LEAF.len()],
    /// The index of the member that is expected next.
    pub(super) next: usize,
}
