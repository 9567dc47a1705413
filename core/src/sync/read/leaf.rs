//! An assessment among marks (2.6), with the mark of one learner or without.

use super::fields::{Members, ObjectOf, take_text};
use super::marks::Marks;
use super::out::{Out, Unread, unkeepable};
use crate::date::DateTime;
use crate::record::Kind;
use crate::record::decimal::Decimal;
use crate::record::mark::Mark;
use serde::de::{DeserializeSeed, MapAccess};
use std::borrow::Cow;

/// Reads the object of an assessment, whatever order its members have.
pub(super) fn read<'de>(
    marks: &mut Marks<'_, 'de>,
    id: u64,
    raw: &'de str,
) -> serde_json::Result<()> {
    let mut json = serde_json::Deserializer::from_str(raw);
    ObjectOf(&mut LeafOf { marks, id, raw }).deserialize(&mut json)
}

/// What stands before the mark, which is the same for each learner: all of it without one.
pub(super) fn head(raw: &str) -> &str {
    let end = raw.find(DTIME).unwrap_or(raw.len().saturating_sub(1));
    raw.get(..end).unwrap_or_default()
}

/// The mark as it mostly stands behind that, if what it is `out_of` is as before.
pub(super) fn plain_mark(rest: &str, out_of: &str) -> Option<Mark> {
    let (dtime, rest) = text(rest.strip_prefix(DTIME)?)?;
    let (percentage, rest) = text(rest.strip_prefix(r#","percentage":""#)?)?;
    let (mark, rest) = text(rest.strip_prefix(r#","mark":""#)?)?;
    let (of, rest) = text(rest.strip_prefix(r#","mark_out_of":""#)?)?;
    let (captured, rest) = text(rest.strip_prefix(r#","captured":""#)?)?;
    let is_same = of == out_of && rest == "}";
    // What has an escape has no form that a mark may have.
    is_same.then(|| read_mark(dtime, percentage, mark, captured).ok())?
}

/// What stands before the next quotation mark, and what behind it.
fn text(rest: &str) -> Option<(&str, &str)> {
    let end = memchr::memchr(b'"', rest.as_bytes())?;
    let text = rest.get(..end).filter(|text| !text.ends_with('\\'))?;
    Some((text, rest.get(end + 1..)?))
}

const DTIME: &str = r#","dtime":""#;

/// The mark of one learner. Without any of it nothing is told but that it may be there.
pub(super) fn read_mark(
    dtime: &str,
    percentage: &str,
    mark: &str,
    captured: &str,
) -> Result<Mark, Unread> {
    let wrong = |field| unkeepable(Kind::Mark, field);
    let decimal = |field, text: &str| match text {
        "" => Ok(None),
        text => Decimal::parse(text).map(Some).ok_or(wrong(field)),
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

/// The members of an assessment, with a mark or without.
const LEAF: [&str; 9] = [
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
/// So many of them belong to the structure.
const OF_STRUCTURE: usize = 4;

#[derive(Default)]
pub(super) struct Leaf<'de> {
    pub(super) texts: [Option<Cow<'de, str>>; LEAF.len()],
    /// The member that is expected next.
    next: usize,
}

struct LeafOf<'m, 'o, 'de> {
    marks: &'m mut Marks<'o, 'de>,
    id: u64,
    raw: &'de str,
}

impl<'de> Members<'de> for LeafOf<'_, '_, 'de> {
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
        let leaf = &mut self.marks.leaf;
        let at = match LEAF.get(leaf.next) {
            Some(expected) if *expected == name => Some(leaf.next),
            _ => LEAF.iter().position(|known| *known == name),
        };
        let Some((at, slot)) = at.and_then(|at| Some((at, leaf.texts.get_mut(at)?))) else {
            return Ok(false);
        };
        if self.marks.is_structure && at >= OF_STRUCTURE {
            return Ok(false);
        }
        leaf.next = at + 1;
        take_text(slot, self.marks.out, map)?;
        Ok(true)
    }

    fn end(&mut self) -> Result<(), Unread> {
        self.marks.leaf.next = 0;
        self.marks.assessment(self.id, self.raw)
    }

    fn what(&self) -> &'static str {
        Kind::Assessment.name()
    }

    fn out(&mut self) -> &mut Out {
        self.marks.out
    }
}
