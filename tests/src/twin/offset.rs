//! UTC offsets of schools (`dataset.md`, "Values").

use super::dates::has_shape;

/// Parses `±HH:MM`, at most 18:00, as minutes ahead of UTC.
pub(crate) fn parse_offset(text: &str) -> Option<i64> {
    if !has_shape(text, "+00:00") && !has_shape(text, "-00:00") {
        return None;
    }
    let (hours, minutes): (i64, i64) = (text[1..3].parse().ok()?, text[4..].parse().ok()?);
    let total = hours * 60 + minutes;
    if minutes > 59 || total > 18 * 60 {
        return None;
    }
    Some(if text.starts_with('-') { -total } else { total })
}

/// Returns the canonical text of an offset. Zero is `+00:00`.
pub(crate) fn offset_text(minutes: i64) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}
