//! Facts: what is kept of a record beside its rendering. Each says which field it
//! is of, so that a version with more fields reads what one with fewer wrote.
//!
//! ```text
//! length of all facts, as a varint
//! for each: number of the field u8 · length as a varint · bytes
//! ```
//!
//! A field that has no fact is empty, or is told by the rendering.

use super::field::{Field, Role};
use super::value::Value;
use super::varint;
use crate::error::{Error, Result};
use crate::store::Collection;

/// Adds the facts that these values are.
pub(super) fn push(fields: &[Field], values: &[Value<'_>], out: &mut Vec<u8>) {
    let mut facts = Vec::new();
    let mut bytes = Vec::new();
    for (field, value) in fields.iter().zip(values) {
        let is_told = field.role != Role::Fact && is_told_by_rendering(value);
        let Some(number) = field.fact.filter(|_| !is_told && !value.is_empty()) else {
            continue;
        };
        bytes.clear();
        value.push_exact(&mut bytes);
        facts.push(number);
        varint::push_bytes(&mut facts, &bytes);
    }
    varint::push_bytes(out, &facts);
}

/// Whether two decimals hold a value exactly.
fn is_told_by_rendering(value: &Value<'_>) -> bool {
    value
        .decimal()
        .is_none_or(|decimal| decimal.hundredths().is_some())
}

/// Facts, each with its number and as an escaped text.
pub(super) struct Facts<'a>(&'a [u8]);

/// Takes the facts off the front.
#[inline]
pub(super) fn take<'a>(lane: &mut &'a [u8]) -> Result<Facts<'a>> {
    varint::take_bytes(lane).map(Facts)
}

impl<'a> Iterator for Facts<'a> {
    type Item = Result<(u8, &'a [u8])>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (number, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(varint::take_bytes(&mut self.0).map(|bytes| (*number, bytes)))
    }
}

/// The position of the field that has this fact.
pub(super) fn field(fields: &[Field], number: u8) -> Result<usize> {
    let found = fields.iter().position(|field| field.fact == Some(number));
    found.ok_or_else(|| {
        let known = fields.iter().filter_map(|field| field.fact).max();
        Error::newer("field", u32::from(number), u32::from(known.unwrap_or(0)))
    })
}

/// How many facts format 1 kept of each record of a collection, the empty ones too:
/// those numbered from 1 on, in order, each with its length.
const fn facts_of_format_1(collection: Collection) -> u8 {
    match collection {
        Collection::Assessments => 7,
        Collection::Learners => 4,
        Collection::Schools => 3,
        Collection::Parents => 1,
        _ => 0,
    }
}

/// The lane of facts as it is kept now, from what format 1 kept.
pub(crate) fn from_format_1(collection: Collection, lane: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let mut facts = Vec::new();
    let mut rest = lane;
    for number in 1..=facts_of_format_1(collection) {
        let bytes = varint::take_bytes(&mut rest)?;
        if !bytes.is_empty() {
            facts.push(number);
            varint::push_bytes(&mut facts, bytes);
        }
    }
    varint::push_bytes(out, &facts);
    out.extend_from_slice(rest);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Kind;

    #[test]
    fn facts_of_format_1_get_their_numbers() -> Result<()> {
        let lane = [2, b'a', b'b', 0, 1, b'c', 0, 9, 9];
        let mut now = Vec::new();
        from_format_1(Collection::Learners, &lane, &mut now)?;
        assert_eq!(now, [7, 1, 2, b'a', b'b', 3, 1, b'c', 9, 9]);
        let mut rest = now.as_slice();
        let facts: Vec<_> = take(&mut rest)?.collect::<Result<_>>()?;
        assert_eq!(
            (facts, rest),
            (vec![(1, &b"ab"[..]), (3, b"c")], &[9u8, 9][..])
        );
        assert!(from_format_1(Collection::Learners, &[2, b'a'], &mut now).is_err());
        Ok(())
    }

    #[test]
    fn a_fact_that_no_field_has_is_of_a_newer_version() {
        let fields = Kind::Learner.fields();
        let known = field(fields, 1).map(|index| fields.get(index).map(|field| field.name));
        assert_eq!(known, Ok(Some("status")));
        let unknown = field(fields, 200).map_err(|error| error.code());
        assert_eq!(unknown, Err("newer_format"));
    }
}
