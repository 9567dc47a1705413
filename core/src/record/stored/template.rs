//! The template of an assessment: the text that is the same for all learners, with a gap for
//! one learner's mark (2.6; dataset format, "4.2 assessment marks").

use crate::error::{Error, Result};
use crate::json::{ApiVersion, OutputBuffer, Padded};
use crate::record::kinds::mark::{CommonMark, Mark};
use crate::record::values::decimal::{PackedDecimal, hundredths};
use std::ops::Range;

/// The positions of an assessment's texts around the gap. The texts follow each other, and each
/// is identified by its end.
#[derive(Default)]
pub(crate) struct Template {
    start: u32,
    /// The end of the text `"77":{"assessment_id":"77",…,"weight":"10.00"`.
    structure: u32,
    /// The end of the text `,"dtime":"`.
    before: u32,
    /// The end of the text `","mark_out_of":"20.00","captured":"`.
    after: u32,
    /// The end of the text `1"},`.
    captured: u32,
    /// The hundredths of `mark_out_of`. It is 0 if the texts are too long for the fast path, or
    /// if a percentage could have more than seven digits.
    hundredths: u32,
    out_of: PackedDecimal,
}

/// The limit in bytes for the texts and the gap of an assessment on the fast path.
const FAST_BYTES: usize = 512;

impl Template {
    /// Creates a template and adds its texts to those of other assessments. The gap is before
    /// `"mark_out_of"` in the pre-rendered assessment.
    pub(crate) fn new(
        before: impl FnOnce(&mut Vec<u8>),
        after: &[u8],
        out_of: PackedDecimal,
        texts: &mut Padded,
    ) -> Result<Template> {
        let start = texts.len();
        let structure = texts.add(before).end;
        let before = texts
            .add(|text| text.extend_from_slice(b",\"dtime\":\""))
            .end;
        let after = texts.add(|text| {
            text.push(b'"');
            text.extend_from_slice(after);
            text.extend_from_slice(b",\"captured\":\"");
        });
        let captured = texts.add(|text| text.extend_from_slice(b"1\"},")).end;
        let hundredths = out_of.hundredths().and_then(|h| u32::try_from(h).ok());
        let hundredths = hundredths.filter(|h| (100..=1_000_000).contains(h));
        let fits = captured - start <= FAST_BYTES - GAP_BYTES;
        Ok(Template {
            start: narrow(start)?,
            structure: narrow(structure)?,
            before: narrow(before)?,
            after: narrow(after.end)?,
            captured: narrow(captured)?,
            hundredths: hundredths.filter(|_| fits).unwrap_or(0),
            out_of,
        })
    }

    /// Creates a template for v2, whose last text does not contain the end of the object.
    pub(crate) fn typed(
        before: &[u8],
        after: &[u8],
        out_of: PackedDecimal,
        texts: &mut Padded,
    ) -> Result<Template> {
        let before = texts.add(|text| {
            text.push(b',');
            text.extend_from_slice(before);
        });
        let after = texts.add(|text| {
            text.extend_from_slice(after);
            text.extend_from_slice(b",\"captured\":");
        });
        Ok(Template {
            start: narrow(before.start)?,
            structure: narrow(before.end)?,
            before: narrow(before.end)?,
            after: narrow(after.end)?,
            captured: narrow(after.end)?,
            hundredths: 0,
            out_of,
        })
    }

    /// Writes the structure of the assessment, without a mark.
    pub(crate) fn push_structure(&self, texts: &Padded, out: &mut OutputBuffer<'_>) {
        out.push_part(texts, part(self.start, self.structure));
        out.push(b"},");
    }

    /// Writes the assessment with the mark at the start of these bytes, or without a mark if
    /// they are empty.
    #[inline]
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn push(
        &self,
        mark: &[u8],
        texts: &Padded,
        out: &mut OutputBuffer<'_>,
    ) -> Result<()> {
        match CommonMark::first(mark) {
            Some(mark) if self.hundredths != 0 => {
                self.push_common(mark, texts, out);
                Ok(())
            }
            _ => self.push_any(mark, texts, out),
        }
    }

    #[inline]
    #[cfg_attr(module, optimize(speed))]
    fn push_common(&self, mark: CommonMark, texts: &Padded, out: &mut OutputBuffer<'_>) {
        let mut window = out.window(FAST_BYTES);
        window.part(texts, part(self.start, self.before));
        let [date, minute, second] = mark.dtime.words();
        let [a, b] = PERCENTAGE;
        window.words(
            [date, minute, second | a << 24, a >> 40 | b << 24, b >> 40],
            35,
        );
        // Halves are rounded away from zero.
        let computed = (mark.hundredths * 20_000 + self.hundredths) / (2 * self.hundredths).max(1);
        let (percentage, length) = hundredths(mark.percentage.unwrap_or(computed));
        window.words([percentage], length);
        window.bytes(b"\",\"mark\":\"");
        let (mark, length) = hundredths(mark.hundredths);
        window.words([mark], length);
        window.part(texts, part(self.before, self.captured));
        let written = window.written();
        out.advance(written);
    }

    /// Writes the assessment like [`push`](Self::push), for v2.
    pub(crate) fn push_typed(
        &self,
        mark: &[u8],
        texts: &Padded,
        out: &mut OutputBuffer<'_>,
    ) -> Result<()> {
        let mark = match mark {
            [] => None,
            mark => Mark::decode(mark)?,
        };
        out.push_part(texts, part(self.start, self.before));
        out.push(b",\"dtime\":");
        match mark.and_then(|mark| mark.dtime) {
            Some(dtime) => ApiVersion::V2.push_text(out, &dtime.text()),
            None => out.push(b"null"),
        }
        out.push(b",\"percentage\":");
        let counted = mark.filter(|mark| mark.captured && !mark.absent);
        let points = counted.and_then(|mark| mark.mark);
        match (counted.and_then(|mark| mark.percentage), points) {
            _ if mark.is_some_and(|mark| mark.absent) => out.push(b"\"a\""),
            (Some(given), _) => given.write_rounded(out),
            (None, Some(points)) if points.write_percentage_of(self.out_of, out) => {}
            _ => out.push(b"null"),
        }
        out.push(b",\"mark\":");
        match points {
            Some(points) => points.write_rounded(out),
            None => out.push(b"null"),
        }
        out.push_part(texts, part(self.before, self.after));
        let captured = mark.is_some_and(|mark| mark.captured || mark.absent);
        out.push(if captured { b"true}," } else { b"false}," });
        Ok(())
    }

    #[inline(never)]
    #[cfg_attr(module, optimize(speed))]
    fn push_any(&self, mark: &[u8], texts: &Padded, out: &mut OutputBuffer<'_>) -> Result<()> {
        let mark = match mark {
            [] => None,
            mark => Mark::decode(mark)?,
        };
        out.push_part(texts, part(self.start, self.before));
        if let Some(dtime) = mark.and_then(|mark| mark.dtime) {
            out.push(&dtime.text());
        }
        out.push(b"\",\"percentage\":\"");
        match mark {
            Some(mark) if mark.absent => out.push(b"a\",\"mark\":\""),
            Some(mark) if mark.captured => {
                match (mark.percentage, mark.mark) {
                    (Some(percentage), _) => percentage.write_rounded(out),
                    (None, Some(mark)) => {
                        mark.write_percentage_of(self.out_of, out);
                    }
                    (None, None) => {}
                }
                out.push(b"\",\"mark\":\"");
                if let Some(mark) = mark.mark {
                    mark.write_rounded(out);
                }
            }
            _ => out.push(b"\",\"mark\":\""),
        }
        if mark.is_some_and(|mark| mark.captured || mark.absent) {
            out.push_part(texts, part(self.before, self.captured));
        } else {
            out.push_part(texts, part(self.before, self.after));
            out.push(b"0\"},");
        }
        Ok(())
    }
}

fn narrow(offset: usize) -> Result<u32> {
    u32::try_from(offset)
        .map_err(|_| Error::unsupported("more than 4 GiB of assessments in one grade and year"))
}

fn part(start: u32, end: u32) -> Range<usize> {
    start as usize..end as usize
}

/// The limit for the bytes of the gap, including those that a copy writes beyond its end.
const GAP_BYTES: usize = 35 + 8 + 10 + 8 + 4 * 64;

/// The text `","percentage":"` as little-endian words.
const PERCENTAGE: [u64; 2] = [
    u64::from_le_bytes(*b"\",\"perce"),
    u64::from_le_bytes(*b"ntage\":\""),
];

#[cfg(test)]
mod tests {
    use crate::date::DateTime;
    use crate::record::stored::template::*;

    fn written(template: &Template, texts: &Padded, mark: &[u8], common: bool) -> Result<String> {
        let mut out = Vec::new();
        let mut output = OutputBuffer::new(&mut out);
        if common {
            template.push(mark, texts, &mut output)?;
        } else {
            template.push_any(mark, texts, &mut output)?;
        }
        drop(output);
        Ok(String::from_utf8(out).unwrap_or_default())
    }

    #[test]
    fn common_marks_are_written_like_others() -> Result<()> {
        let numbers = ["0", "0.01", "7", "9.99", "10", "66.67", "100", "655.35"];
        let out_of = [
            "1", "0.99", "3", "60", "655.35", "10000", "10000.01", "0", "0.001",
        ];
        for name in ["", "a name", &"long ".repeat(30), &"longer ".repeat(100)] {
            let mut texts = Padded::default();
            for out_of in out_of
                .map(|text| PackedDecimal::parse(text).unwrap_or(PackedDecimal::from_millionths(0)))
            {
                let before = |text: &mut Vec<u8>| text.extend_from_slice(name.as_bytes());
                let template =
                    Template::new(before, b",\"mark_out_of\":\"1.00\"", out_of, &mut texts)?;
                for mark in numbers.map(PackedDecimal::parse) {
                    for percentage in [None, PackedDecimal::parse("33.33")] {
                        let mark = Mark {
                            captured: true,
                            absent: false,
                            dtime: DateTime::parse(b"2026-02-04 10:11:12"),
                            mark,
                            percentage,
                        };
                        let mut bytes = Vec::new();
                        mark.encode(&mut bytes);
                        bytes.extend_from_slice(&[0; 2]);
                        assert_eq!(
                            written(&template, &texts, &bytes, true)?,
                            written(&template, &texts, &bytes, false)?
                        );
                    }
                }
            }
        }
        Ok(())
    }

    #[test]
    fn each_mark_fills_the_gap() -> Result<()> {
        let mut texts = Padded::default();
        let twenty = PackedDecimal::from_millionths(20_000_000);
        let template = Template::new(|text| text.push(b'{'), b",\"x\":\"\"", twenty, &mut texts)?;
        let mark = |captured, absent, mark: &str, percentage: &str| Mark {
            captured,
            absent,
            dtime: None,
            mark: PackedDecimal::parse(mark),
            percentage: PackedDecimal::parse(percentage),
        };
        for (mark, percentage, of, captured) in [
            (Some(mark(true, false, "11", "")), "55.00", "11.00", 1),
            (Some(mark(true, false, "11", "12.345")), "12.35", "11.00", 1),
            (Some(mark(true, false, "", "")), "", "", 1),
            (Some(mark(false, false, "11", "55")), "", "", 0),
            (Some(mark(false, true, "11", "55")), "a", "", 1),
            (None, "", "", 0),
        ] {
            let mut bytes = Vec::new();
            if let Some(mark) = mark {
                mark.encode(&mut bytes);
            }
            let expected = format!(
                "{{,\"dtime\":\"\",\"percentage\":\"{percentage}\",\"mark\":\"{of}\",\"x\":\"\",\"captured\":\"{captured}\"}},"
            );
            assert_eq!(written(&template, &texts, &bytes, true)?, expected);
        }
        let mut out = Vec::new();
        template.push_structure(&texts, &mut OutputBuffer::new(&mut out));
        assert_eq!(out, b"{},");
        Ok(())
    }
}
