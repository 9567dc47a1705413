//! Typing: a rendering, in which every value is a string, with the JSON types of
//! v2 (section 9, item 4).
//!
//! What becomes of each value is known when the record is baked. The values that
//! do not stay as they are, the *conversions*, are kept behind its facts:
//!
//! ```text
//! for each conversion: u16, the bytes since the one before × 32 + what is there
//! count of these u8, and 128 if some are rare
//! ```
//!
//! Where the bytes are too many for that, they are followed by a u32 of their
//! own. Such a conversion is rare, and so is a flag and a number of more digits than
//! are copied at once. All numbers little-endian.

use super::field::{Field, Form};
use super::lanes::{FACTS, RENDERING};
use crate::error::{Error, Failure, Result};
use crate::json::{Chunks, FEW, MOST, Members, SOURCE_SLACK, Wire, is_number};
use crate::store::Run;
use std::ops::Range;

/// `""`, which becomes `null`. What is above, up to [`MOST_DIGITS`], is a number
/// in quotes, of so many characters.
const NULL: u16 = 0;
const MOST_DIGITS: u16 = 29;
/// `"Yes"`, which becomes `true`.
const TRUE: u16 = 30;
/// `"No"`, which becomes `false`.
const FALSE: u16 = 31;

const WHAT_BITS: u32 = 5;
const WHAT: u16 = (1 << WHAT_BITS) - 1;
/// Set in the count of conversions if some are rare.
const RARE: u8 = 1 << 7;
/// The distance that stands for one of its own.
const FAR: u16 = u16::MAX >> WHAT_BITS;

/// The conversion of a value, given as it stands in the rendering; none if v2 answers
/// it as it is.
fn conversion_of(form: Form, escaped: &[u8]) -> Option<u16> {
    let digits = || {
        let digits = u16::try_from(escaped.len()).ok();
        digits.filter(|digits| *digits <= MOST_DIGITS)
    };
    match (form, escaped) {
        (_, b"") => Some(NULL),
        (Form::Integer | Form::Signed | Form::Decimal, _) => digits(),
        (Form::Reference, reference) if is_number(reference) => digits(),
        (Form::YesNo, b"Yes") => Some(TRUE),
        (Form::YesNo, b"No") => Some(FALSE),
        _ => None,
    }
}

/// The conversions of a rendering being written.
#[derive(Default)]
pub(crate) struct ConversionsBuffer {
    words: Vec<u16>,
    /// The end of the last one.
    end: usize,
    has_rare: bool,
}

impl ConversionsBuffer {
    /// Adds a value's, if it has one. `escaped` is where it stands in the
    /// rendering, without its quotes.
    pub(crate) fn add(&mut self, form: Form, rendering: &[u8], escaped: Range<usize>) {
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

    /// Adds them behind a record's facts.
    pub(crate) fn finish(&self, facts: &mut Vec<u8>) {
        for word in &self.words {
            facts.extend_from_slice(&word.to_le_bytes());
        }
        // A kind has few enough fields.
        let count = u8::try_from(self.words.len()).unwrap_or(u8::MAX) & !RARE;
        facts.push(if self.has_rare { count | RARE } else { count });
    }
}

/// The conversions of a record.
#[derive(Clone, Copy)]
pub(crate) struct Conversions<'a> {
    words: &'a [[u8; 2]],
    are_common: bool,
}

/// A value that v2 answers otherwise.
struct Conversion {
    /// Bytes since the one before.
    distance: usize,
    what: u16,
}

impl<'a> Conversions<'a> {
    /// Those that stand behind a record's facts.
    #[inline]
    pub(crate) fn of(facts: &'a [u8]) -> Result<Conversions<'a>> {
        let words = || {
            let (count, facts) = facts.split_last()?;
            let start = facts.len().checked_sub(2 * usize::from(count & !RARE))?;
            Some(Conversions {
                words: facts.get(start..)?.as_chunks::<2>().0,
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

/// Writes a record of a run as v2 answers it, and a comma.
#[inline]
pub(crate) fn push_record(run: &Run<'_>, index: usize, out: &mut Chunks<'_>) -> Result<()> {
    let record = run.span(RENDERING, index, index + 1)?;
    let conversions = Conversions::of(run.record(FACTS, index)?)?;
    push_whole(run.lane(RENDERING), record, conversions, out)
}

/// Writes a record that lies there among others, and the comma behind it.
#[inline]
fn push_whole(
    renderings: &[u8],
    record: Range<usize>,
    conversions: Conversions<'_>,
    out: &mut Chunks<'_>,
) -> Result<()> {
    let length = record.len();
    let source = renderings.get(record.start..).unwrap_or_default();
    // Each conversion adds two bytes at most.
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
    // Nothing may be answered that was not copied.
    if copied > length || furthest > MOST || longest > FEW {
        return Err(damaged());
    }
    let written = window.written();
    out.keep(written);
    out.push(source.get(copied..=length).unwrap_or_default());
    Ok(())
}

/// Writes a part of a record as v2 answers it. `record` is where the record
/// lies among others; no value may lie across a bound of the part.
pub(crate) fn push_part(
    renderings: &[u8],
    record: &Range<usize>,
    part: Range<usize>,
    mut conversions: Conversions<'_>,
    out: &mut Chunks<'_>,
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

/// Writes members of an object, without its braces, as v2 answers fields of
/// these forms.
pub(crate) fn push_members(fields: &[Field], members: &[u8], out: &mut Vec<u8>) -> Result<()> {
    for (index, (field, member)) in fields.iter().zip(Members::inside(members)).enumerate() {
        let (name, value) = member?;
        if index > 0 {
            out.push(b',');
        }
        Wire::V1.push_text(out, name);
        out.push(b':');
        match field.form {
            Form::Reference => Wire::V2.push_reference(out, value),
            _ => Wire::V2.push_text(out, value),
        }
    }
    Ok(())
}

fn damaged() -> Failure {
    Error::corrupt("what v2 makes of a record does not fit it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Kind, terms};

    fn typed(values: &[(Form, &str)], part: Option<&Range<usize>>) -> Result<String> {
        let mut rendering = b"before,".to_vec();
        let start = rendering.len();
        let mut record = b"{".to_vec();
        let mut conversions = ConversionsBuffer::default();
        for (form, value) in values {
            record.extend_from_slice(b"\"x\":\"");
            let at = record.len();
            record.extend_from_slice(value.as_bytes());
            conversions.add(*form, &record, at..record.len());
            record.extend_from_slice(b"\",");
        }
        rendering.extend_from_slice(&record);
        let span = start..rendering.len();
        let mut facts = b"facts".to_vec();
        conversions.finish(&mut facts);
        let conversions = Conversions::of(&facts)?;
        let mut written = [Vec::new(), Vec::new()];
        for (out, behind) in written.iter_mut().zip([0, 2 * SOURCE_SLACK]) {
            let mut lane = rendering.clone();
            lane.resize(lane.len() + behind, b',');
            let out = &mut Chunks::new(out);
            match part {
                None => {
                    push_whole(&lane, span.clone(), conversions, out)?;
                    out.pop();
                }
                Some(part) => push_part(&lane, &span, part.clone(), conversions, out)?,
            }
        }
        let [alone, among_others] = written;
        assert_eq!(alone, among_others);
        Ok(String::from_utf8(alone).unwrap_or_default())
    }

    #[test]
    fn every_form_in_its_type() -> Result<()> {
        for (form, value, expected) in [
            (
                Form::Integer,
                "18446744073709551615",
                "18446744073709551615",
            ),
            (Form::Decimal, "-1000000000000.00", "-1000000000000.00"),
            (Form::Decimal, "", "null"),
            (Form::Reference, "40", "40"),
            (Form::Reference, "040", "\"040\""),
            (
                Form::Reference,
                "18446744073709551616",
                "\"18446744073709551616\"",
            ),
            (Form::Reference, "", "null"),
            (Form::YesNo, "Yes", "true"),
            (Form::YesNo, "No", "false"),
            (Form::YesNo, "", "null"),
            (Form::Text, "7", "\"7\""),
            (Form::Text, "a \\\" quote", "\"a \\\" quote\""),
            (Form::Text, "", "null"),
            (Form::Date, "2026-05-14", "\"2026-05-14\""),
        ] {
            assert_eq!(
                typed(&[(form, value)], None)?,
                format!("{{\"x\":{expected},")
            );
        }
        Ok(())
    }

    #[test]
    fn texts_of_every_length_between() -> Result<()> {
        for length in 0..400 {
            let text = "t".repeat(length);
            let values = [
                (Form::Integer, "1"),
                (Form::Text, &text),
                (Form::Text, ""),
                (Form::Reference, "2"),
                (Form::Text, &text),
            ];
            let text = if length == 0 {
                "null".to_owned()
            } else {
                format!("\"{text}\"")
            };
            let expected = format!("{{\"x\":1,\"x\":{text},\"x\":null,\"x\":2,\"x\":{text},");
            assert_eq!(typed(&values, None)?, expected);
        }
        Ok(())
    }

    #[test]
    fn a_part_takes_the_edits_that_lie_in_it() -> Result<()> {
        let values = [
            (Form::Integer, "1"),
            (Form::Text, ""),
            (Form::Integer, "23"),
        ];
        // {"x":"1","x":"","x":"23",
        assert_eq!(typed(&values, Some(&(5..15)))?, "1,\"x\":null");
        assert_eq!(typed(&values, Some(&(9..25)))?, "\"x\":null,\"x\":23,");
        assert_eq!(typed(&values, Some(&(0..4)))?, "{\"x\"");
        Ok(())
    }

    #[test]
    fn damaged_conversions_never_panic_and_never_answer_what_the_buffer_held() {
        let mut lane = br#"{"a":"1","b":"","c":"Yes"}"#.to_vec();
        lane.resize(3 * SOURCE_SLACK, b',');
        for first in 0..=255 {
            for second in 0..=255 {
                let facts = [7, first, second, first, second, second, first, 3];
                let Ok(conversions) = Conversions::of(&facts) else {
                    continue;
                };
                for record in [0..26, 7..26, 0..2 * SOURCE_SLACK, 26..lane.len() + 9] {
                    let mut out = vec![b'~'; 4096];
                    let mut chunks = Chunks::over(&mut out);
                    let whole = push_whole(&lane, record.clone(), conversions, &mut chunks);
                    let part = push_part(&lane, &record, 0..26, conversions, &mut chunks);
                    drop(chunks);
                    let held = out.contains(&b'~');
                    assert!(!held || whole.is_err() || part.is_err(), "{facts:?}");
                }
            }
        }
        let conversions = Conversions::of(&[0]);
        let beyond = |end| {
            let conversions = conversions.as_ref().map_err(Clone::clone)?;
            let mut out = Vec::new();
            push_part(
                &lane,
                &(7..26),
                6..end,
                *conversions,
                &mut Chunks::new(&mut out),
            )
        };
        assert!(beyond(19).is_ok() && beyond(20).is_err() && beyond(usize::MAX).is_err());
        assert!(Conversions::of(&[]).is_err() && Conversions::of(&[1, 2, 2]).is_err());
    }

    /// The names in the cells of a row of the guide's table: numbers, ids, flags.
    fn row_of(record: &str) -> [Vec<&'static str>; 3] {
        let guide = include_str!("../../docs/v2.md");
        let start = format!("| {record}");
        let row = guide.lines().find(|line| line.starts_with(&start));
        let mut cells = row.unwrap_or_default().split('|').skip(2);
        std::array::from_fn(|_| {
            let cell = cells.next().unwrap_or_default();
            cell.split('`').skip(1).step_by(2).collect()
        })
    }

    #[test]
    fn the_guide_names_the_type_of_every_field() {
        for (record, fields) in [
            ("learner (2.1)", Kind::Learner.fields()),
            ("parent (2.2)", Kind::Parent.fields()),
            ("absentee (2.7)", Kind::Absentee.fields()),
            ("school (2.8)", Kind::School.fields()),
            ("accountable person", Kind::AccountablePerson.fields()),
            ("staff member", Kind::StaffMember.fields()),
            ("discipline", Kind::Discipline.fields()),
            ("lookup", Kind::EthnicGroup.fields()),
        ] {
            let named = |typed: &dyn Fn(Form) -> bool| -> Vec<&str> {
                let answered = fields.iter().filter(|field| field.is_answered());
                let typed = answered.filter(|field| typed(field.form));
                typed.map(|field| field.name).collect()
            };
            let numbers =
                named(&|form| matches!(form, Form::Integer | Form::Signed | Form::Decimal));
            let references = named(&|form| form == Form::Reference);
            let flags = named(&|form| form == Form::YesNo);
            assert_eq!(row_of(record), [numbers, references, flags], "{record}");
        }
        let group = terms::FIELDS.get(terms::GROUP_FIELDS).unwrap_or_default();
        let references = group.iter().filter(|field| field.form == Form::Reference);
        let references: Vec<_> = references.map(|field| field.name).collect();
        let [_, ids, _] = row_of("– its terms");
        assert_eq!(ids, references);
    }
}
