//! The conversion of a pre-rendered record, in which every value is a string, to the JSON types
//! of v2 (section 9, item 4).
//!
//! The *conversions*, which are the values that v2 writes differently, are known when the
//! record is pre-rendered. They are stored after its residual fields:
//!
//! ```text
//! for each conversion: u16, the bytes since the previous one × 32 + the conversion
//! count of these u8, and 128 if some are rare
//! ```
//!
//! The low five bits of a word select the conversion. A distance that does not fit into the
//! others is stored in a u32 after the word. Such a conversion is rare, and so is a flag, or a
//! number of more digits than are copied at once. All numbers are little-endian.

use super::columns::{RENDERING, RESIDUAL_FIELDS};
use crate::error::{Error, Failure, Result};
use crate::json::{ApiVersion, FEW, MOST, OutputBuffer, SOURCE_SLACK, TextMembers, is_number};
use crate::record::field::{Field, FieldForm};
use crate::store::Block;
use std::ops::Range;

/// The conversion of `""` to `null`. The values above it, up to [`MAX_DIGITS`], convert a
/// number in quotes with this many characters.
const NULL: u16 = 0;
const MAX_DIGITS: u16 = 29;
/// The conversion of `"Yes"` to `true`.
const TRUE: u16 = 30;
/// The conversion of `"No"` to `false`.
const FALSE: u16 = 31;

const WHAT_BITS: u32 = 5;
const WHAT: u16 = (1 << WHAT_BITS) - 1;
/// Set in the count of conversions if some of them are rare.
const RARE: u8 = 1 << 7;
/// The distance that states that a u32 with the actual distance follows.
const FAR: u16 = u16::MAX >> WHAT_BITS;

/// Returns the conversion of a value that is given as in the pre-rendered record, or `None` if
/// v2 answers it unchanged.
fn conversion_of(form: FieldForm, escaped: &[u8]) -> Option<u16> {
    let digits = || {
        let digits = u16::try_from(escaped.len()).ok();
        digits.filter(|digits| *digits <= MAX_DIGITS)
    };
    match (form, escaped) {
        (_, b"") => Some(NULL),
        (FieldForm::Integer | FieldForm::Signed | FieldForm::Decimal, _) => digits(),
        (FieldForm::Reference, reference) if is_number(reference) => digits(),
        (FieldForm::YesNo, b"Yes") => Some(TRUE),
        (FieldForm::YesNo, b"No") => Some(FALSE),
        _ => None,
    }
}

/// The conversions of a record that is being pre-rendered.
#[derive(Default)]
pub(crate) struct ConversionsBuffer {
    words: Vec<u16>,
    /// The position after the last converted value.
    end: usize,
    has_rare: bool,
}

impl ConversionsBuffer {
    /// Adds the conversion of a value, if it has one. `escaped` is the position of the value in
    /// the pre-rendered record, without its quotes.
    pub(crate) fn add(&mut self, form: FieldForm, rendering: &[u8], escaped: Range<usize>) {
        let (start, end) = (escaped.start - 1, escaped.end + 1);
        let value = rendering.get(escaped);
        let Some(what) = value.and_then(|value| conversion_of(form, value)) else {
            return;
        };
        let distance = start - self.end;
        let near = u16::try_from(distance).ok().filter(|near| *near < FAR);
        self.has_rare |= distance > MOST || usize::from(what) > FEW;
        match near {
            Some(near) => self.words.push(near << WHAT_BITS | what),
            None => {
                let far = u32::try_from(distance).unwrap_or(u32::MAX).to_le_bytes();
                let [a, b, c, d] = far;
                self.words.push(FAR << WHAT_BITS | what);
                self.words.push(u16::from_le_bytes([a, b]));
                self.words.push(u16::from_le_bytes([c, d]));
            }
        }
        self.end = end;
    }

    /// Appends the conversions to a record's residual fields.
    pub(crate) fn finish(&self, residual_fields: &mut Vec<u8>) {
        for word in &self.words {
            residual_fields.extend_from_slice(&word.to_le_bytes());
        }
        // No kind has more conversions than fit into seven bits.
        let count = u8::try_from(self.words.len()).unwrap_or(u8::MAX) & !RARE;
        residual_fields.push(if self.has_rare { count | RARE } else { count });
    }
}

/// The conversions of a stored record.
#[derive(Clone, Copy)]
pub(crate) struct Conversions<'a> {
    words: &'a [[u8; 2]],
    are_common: bool,
}

/// A value that v2 writes differently.
struct Conversion {
    /// The number of bytes since the previous conversion.
    distance: usize,
    what: u16,
}

impl<'a> Conversions<'a> {
    /// Reads the conversions that are stored after a record's residual fields.
    #[inline]
    pub(crate) fn read(residual_fields: &'a [u8]) -> Result<Conversions<'a>> {
        let words = || {
            let (count, residual_fields) = residual_fields.split_last()?;
            let start = residual_fields
                .len()
                .checked_sub(2 * usize::from(count & !RARE))?;
            Some(Conversions {
                words: residual_fields.get(start..)?.as_chunks::<2>().0,
                are_common: count & RARE == 0,
            })
        };
        words().ok_or_else(damaged)
    }

    #[inline]
    fn next(&mut self) -> Result<Option<Conversion>> {
        let Some((word, rest)) = self.words.split_first() else {
            return Ok(None);
        };
        self.words = rest;
        let word = u16::from_le_bytes(*word);
        let near = word >> WHAT_BITS;
        let distance = if near == FAR {
            self.far()?
        } else {
            usize::from(near)
        };
        let what = word & WHAT;
        Ok(Some(Conversion { distance, what }))
    }

    #[cold]
    fn far(&mut self) -> Result<usize> {
        let Some(([low, high], rest)) = self.words.split_first_chunk() else {
            return Err(damaged());
        };
        self.words = rest;
        let ([a, b], [c, d]) = (*low, *high);
        Ok(u32::from_le_bytes([a, b, c, d]) as usize)
    }
}

/// Writes a record of a block as a version of the API answers it, and a comma.
#[inline]
pub(crate) fn push_record(
    block: &Block<'_>,
    index: usize,
    version: ApiVersion,
    out: &mut OutputBuffer<'_>,
) -> Result<()> {
    if version == ApiVersion::V1 {
        out.push(block.record(RENDERING, index)?);
        out.push(b",");
        return Ok(());
    }
    let record = block.span(RENDERING, index, index + 1)?;
    let conversions = Conversions::read(block.record(RESIDUAL_FIELDS, index)?)?;
    push_whole(block.column(RENDERING), record, conversions, out)
}

/// Writes a record of a column, and a comma.
#[inline]
fn push_whole(
    renderings: &[u8],
    record: Range<usize>,
    conversions: Conversions<'_>,
    out: &mut OutputBuffer<'_>,
) -> Result<()> {
    let length = record.len();
    let source = renderings.get(record.start..).unwrap_or_default();
    // Each conversion adds at most two bytes.
    let mut window = out.window(length + 2 * conversions.words.len() + 2 * SOURCE_SLACK);
    let mut copied = 0;
    let is_common = conversions.are_common
        && source.len() >= length + SOURCE_SLACK
        && source.get(length) == Some(&b',');
    if !is_common {
        push_part(renderings, &record, 0..length, conversions, out)?;
        out.push(b",");
        return Ok(());
    }
    let (mut furthest, mut longest) = (0, 0);
    for word in conversions.words {
        let word = u16::from_le_bytes(*word);
        let (distance, digits) = (usize::from(word >> WHAT_BITS), usize::from(word & WHAT));
        window.text_and_bare(source, copied, distance, digits);
        copied += distance + digits + 2;
        (furthest, longest) = (furthest.max(distance), longest.max(digits));
    }
    // Bytes that were not copied from the record must not be answered.
    if copied > length || furthest > MOST || longest > FEW {
        return Err(damaged());
    }
    let written = window.written();
    out.advance(written);
    out.push(source.get(copied..=length).unwrap_or_default());
    Ok(())
}

/// Writes a part of a record as v2 answers it. `record` is the range of the record in the
/// column. No value may cross a bound of the part.
pub(crate) fn push_part(
    renderings: &[u8],
    record: &Range<usize>,
    part: Range<usize>,
    mut conversions: Conversions<'_>,
    out: &mut OutputBuffer<'_>,
) -> Result<()> {
    let text = |range: Range<usize>| renderings.get(range).ok_or_else(damaged);
    if part.end > record.len() {
        return Err(damaged());
    }
    let end = record.start + part.end;
    let mut copied = record.start + part.start;
    let mut at = record.start;
    while let Some(Conversion { distance, what }) = conversions.next()? {
        let start = at.checked_add(distance);
        let start = start.filter(|start| *start < record.end);
        let start = start.ok_or_else(damaged)?;
        let digits = start + 1..start + 1 + usize::from(what);
        at = match what {
            TRUE => start + "\"Yes\"".len(),
            FALSE => start + "\"No\"".len(),
            _ => digits.end + 1,
        };
        if start < copied {
            continue;
        }
        if start >= end {
            break;
        }
        if at > end {
            return Err(damaged());
        }
        out.push(text(copied..start)?);
        match what {
            NULL => out.push(b"null"),
            TRUE => out.push(b"true"),
            FALSE => out.push(b"false"),
            _ => out.push(text(digits)?),
        }
        copied = at;
    }
    out.push(text(copied..end)?);
    Ok(())
}

/// Writes the members of an object, without its braces, as v2 answers fields of these forms.
pub(crate) fn push_members(
    fields: &[Field],
    members: &[u8],
    out: &mut OutputBuffer<'_>,
) -> Result<()> {
    for (index, (field, member)) in fields.iter().zip(TextMembers::inside(members)).enumerate() {
        let (name, value) = member?;
        if index > 0 {
            out.push(b",");
        }
        ApiVersion::V1.push_text(out, name);
        out.push(b":");
        match field.form {
            FieldForm::Reference => ApiVersion::V2.push_reference(out, value),
            _ => ApiVersion::V2.push_text(out, value),
        }
    }
    Ok(())
}

fn damaged() -> Failure {
    Error::corrupt("the conversions for v2 do not fit the record")
}

#[cfg(test)]
mod tests;
