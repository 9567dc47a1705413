//! A mark: the values of one learner for an assessment (2.6), which fill the gap of the
//! assessment's text.
//!
//! ```text
//! flags u8 · date-time 5 bytes, if there is one · mark · percentage
//! ```
//!
//! A number takes two or four bytes if it is a whole number of hundredths that fits into them.
//! Otherwise it takes eight bytes and is counted in millionths.

use crate::date::DateTime;
use crate::error::{Error, Result};
use crate::record::field::{Field, FieldForm, position};
use crate::record::values::decimal::PackedDecimal;
use crate::record::values::value::Value;

pub(crate) const FIELDS: &[Field] = &[
    Field::key("school_id"),
    Field::key("assessment_id"),
    Field::key("learner_id"),
    Field::optional("mark", FieldForm::Decimal).ruling(),
    Field::optional("percentage", FieldForm::Percentage).ruling(),
    Field::optional("captured", FieldForm::Bit).ruling(),
    Field::optional("dtime", FieldForm::DateTime),
];

const MARK: usize = position(FIELDS, "mark");
const PERCENTAGE: usize = position(FIELDS, "percentage");
const CAPTURED: usize = position(FIELDS, "captured");
const DTIME: usize = position(FIELDS, "dtime");

/// The values of a learner for an assessment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) captured: bool,
    /// Whether the percentage is `a`, for absent.
    pub(crate) absent: bool,
    pub(crate) dtime: Option<DateTime>,
    pub(crate) mark: Option<PackedDecimal>,
    pub(crate) percentage: Option<PackedDecimal>,
}

/// Set in the flags of every mark, so that a zero byte means an empty slot.
const PRESENT: u8 = 1;
const CAPTURED_FLAG: u8 = 1 << 1;
const ABSENT_FLAG: u8 = 1 << 2;
const DTIME_FLAG: u8 = 1 << 3;
const MARK_SHIFT: u8 = 4;
const PERCENTAGE_SHIFT: u8 = 6;

/// The length of a number in bytes, by its two bits in the flags.
const NUMBER_BYTES: [usize; 4] = [0, 2, 4, 8];

/// The length of the longest mark in bytes.
pub(crate) const MAX_BYTES: usize = 1 + DateTime::BYTES + 2 * 8;

/// The length of a mark, including its flags, for each value of the flags. An empty slot is one
/// byte.
#[expect(clippy::indexing_slicing, reason = "computed when this is compiled")]
static LENGTHS: [u8; 256] = {
    let mut lengths = [1; 256];
    let mut flags: usize = 0;
    while flags < 256 {
        if flags & PRESENT as usize != 0 {
            let dtime = if flags & DTIME_FLAG as usize == 0 {
                0
            } else {
                DateTime::BYTES
            };
            let mark = NUMBER_BYTES[flags >> MARK_SHIFT & 3];
            let percentage = NUMBER_BYTES[flags >> PERCENTAGE_SHIFT & 3];
            #[expect(clippy::cast_possible_truncation, reason = "at most 22")]
            {
                lengths[flags] = (1 + dtime + mark + percentage) as u8;
            }
        }
        flags += 1;
    }
    lengths
};

/// Returns the length of the mark that begins with these flags.
#[inline]
pub(crate) fn length(flags: u8) -> u32 {
    LENGTHS
        .get(usize::from(flags))
        .copied()
        .map_or(1, u32::from)
}

impl Mark {
    /// A mark without any value, which shows only that the learner may have one.
    pub(crate) const POSSIBLE: Mark = Mark {
        captured: false,
        absent: false,
        dtime: None,
        mark: None,
        percentage: None,
    };

    pub(crate) fn from_values(values: &[Value<'_>]) -> Mark {
        let value = |field: usize| values.get(field).unwrap_or(&Value::Empty);
        Mark {
            captured: value(CAPTURED).integer() != Some(0),
            absent: *value(PERCENTAGE) == Value::Absent,
            dtime: match value(DTIME) {
                Value::DateTime(time) => Some(*time),
                _ => None,
            },
            mark: value(MARK).decimal(),
            percentage: value(PERCENTAGE).decimal(),
        }
    }

    /// Returns the values after the key fields.
    pub(crate) fn values(&self) -> [Value<'static>; 4] {
        let decimal = |decimal: Option<PackedDecimal>| decimal.map_or(Value::Empty, Value::Decimal);
        [
            decimal(self.mark),
            if self.absent {
                Value::Absent
            } else {
                decimal(self.percentage)
            },
            Value::Integer(u64::from(self.captured)),
            self.dtime.map_or(Value::Empty, Value::DateTime),
        ]
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let at = out.len();
        out.push(PRESENT);
        let mut flags = PRESENT;
        if self.captured {
            flags |= CAPTURED_FLAG;
        }
        if self.absent {
            flags |= ABSENT_FLAG;
        }
        if let Some(time) = self.dtime {
            flags |= DTIME_FLAG;
            out.extend_from_slice(&time.to_bytes());
        }
        flags |= push_number(out, self.mark) << MARK_SHIFT;
        flags |= push_number(out, self.percentage) << PERCENTAGE_SHIFT;
        if let Some(first) = out.get_mut(at) {
            *first = flags;
        }
    }

    /// Decodes a mark. Returns `None` for an empty slot.
    #[inline]
    pub(crate) fn decode(bytes: &[u8]) -> Result<Option<Mark>> {
        let cut = || Error::corrupt("a mark is damaged");
        let (&flags, mut rest) = bytes.split_first().ok_or_else(cut)?;
        if flags & PRESENT == 0 {
            return Ok(None);
        }
        let mut dtime = None;
        if flags & DTIME_FLAG != 0 {
            let (time, after) = rest.split_first_chunk().ok_or_else(cut)?;
            let time = DateTime::from_bytes(*time);
            if !time.is_valid() {
                return Err(cut());
            }
            dtime = Some(time);
            rest = after;
        }
        Ok(Some(Mark {
            captured: flags & CAPTURED_FLAG != 0,
            absent: flags & ABSENT_FLAG != 0,
            dtime,
            mark: take_number(&mut rest, flags >> MARK_SHIFT & 3).ok_or_else(cut)?,
            percentage: take_number(&mut rest, flags >> PERCENTAGE_SHIFT & 3).ok_or_else(cut)?,
        }))
    }
}

/// A mark of the most common shape: captured at a date and time, with a mark and possibly a
/// percentage, both in hundredths of at most 16 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommonMark {
    pub(crate) dtime: DateTime,
    pub(crate) hundredths: u32,
    pub(crate) percentage: Option<u32>,
}

impl CommonMark {
    const FLAGS: u8 = PRESENT | CAPTURED_FLAG | DTIME_FLAG | 1 << MARK_SHIFT;
    const PERCENTAGE: u8 = 1 << PERCENTAGE_SHIFT;

    /// Returns the mark at the start of these bytes, if it has this shape. Two bytes must
    /// follow a mark without a percentage; their content is ignored.
    #[inline]
    pub(crate) fn first(bytes: &[u8]) -> Option<CommonMark> {
        let [flags, a, b, c, d, e, m1, m2, p1, p2] = *bytes.first_chunk()?;
        let number = |low, high| u32::from(u16::from_le_bytes([low, high]));
        (flags & !Self::PERCENTAGE == Self::FLAGS).then(|| CommonMark {
            dtime: DateTime::from_bytes([a, b, c, d, e]),
            hundredths: number(m1, m2),
            percentage: (flags & Self::PERCENTAGE != 0).then(|| number(p1, p2)),
        })
    }
}

/// Writes a number in the shortest of the four encodings, and returns the index of that
/// encoding.
pub(crate) fn push_number(out: &mut Vec<u8>, number: Option<PackedDecimal>) -> u8 {
    let Some(number) = number else {
        return 0;
    };
    let hundredths = number.hundredths();
    if let Some(small) = hundredths.and_then(|h| u16::try_from(h).ok()) {
        out.extend_from_slice(&small.to_le_bytes());
        return 1;
    }
    if let Some(middling) = hundredths.and_then(|h| i32::try_from(h).ok()) {
        out.extend_from_slice(&middling.to_le_bytes());
        return 2;
    }
    out.extend_from_slice(&number.millionths().to_le_bytes());
    3
}

/// Reads a number in one of the four encodings. Returns `None` if the bytes are damaged, and
/// `Some(None)` for an absent number.
#[expect(clippy::option_option, reason = "damaged, or rightly absent")]
#[inline]
pub(crate) fn take_number(bytes: &mut &[u8], way: u8) -> Option<Option<PackedDecimal>> {
    let millionths = match way {
        0 => return Some(None),
        1 => {
            let (number, rest) = bytes.split_first_chunk()?;
            *bytes = rest;
            i64::from(u16::from_le_bytes(*number)) * 10_000
        }
        2 => {
            let (number, rest) = bytes.split_first_chunk()?;
            *bytes = rest;
            i64::from(i32::from_le_bytes(*number)) * 10_000
        }
        _ => {
            let (number, rest) = bytes.split_first_chunk()?;
            *bytes = rest;
            i64::from_le_bytes(*number)
        }
    };
    PackedDecimal::of_millionths(millionths).map(Some)
}

#[cfg(test)]
mod tests {
    use crate::record::kinds::mark::*;

    #[test]
    fn every_shape_of_a_mark_is_decoded_unchanged() -> Result<()> {
        let numbers = [
            "",
            "0",
            "11",
            "655.35",
            "655.36",
            "-1",
            "20000000",
            "99999999999.5",
            "0.000001",
        ];
        let time = DateTime::parse(b"2026-02-04 10:11:12");
        for mark in numbers.map(PackedDecimal::parse) {
            for percentage in numbers.map(PackedDecimal::parse) {
                for bits in 0..8 {
                    let whole = Mark {
                        captured: bits & 1 != 0,
                        absent: bits & 2 != 0,
                        dtime: time.filter(|_| bits & 4 != 0),
                        mark,
                        percentage,
                    };
                    let mut bytes = Vec::new();
                    whole.encode(&mut bytes);
                    let length = bytes.first().map_or(0, |flags| length(*flags));
                    assert_eq!(u32::try_from(bytes.len()), Ok(length));
                    assert_eq!(Mark::decode(&bytes)?, Some(whole));
                    let cut = bytes.get(..bytes.len() - 1).unwrap_or_default();
                    assert!(Mark::decode(cut).is_err() || cut.is_empty());
                }
            }
        }
        assert_eq!(Mark::decode(&[0])?, None);
        Ok(())
    }

    #[test]
    fn invalid_times_and_numbers_are_damage() {
        let with_time = |time: [u8; 5]| {
            let [a, b, c, d, e] = time;
            Mark::decode(&[PRESENT | DTIME_FLAG, a, b, c, d, e])
        };
        let time = DateTime::parse(b"2026-02-04 10:11:12").map_or([0; 5], DateTime::to_bytes);
        assert!(with_time(time).is_ok_and(|mark| mark.is_some()));
        assert!(with_time([0xff; 5]).is_err() && with_time([0; 5]).is_err());
        for (number, fits) in [
            (999_999_999_999_999_999_i64, true),
            (1_000_000_000_000_000_000, false),
            (-999_999_999_999_999_999, true),
            (i64::MIN, false),
        ] {
            let mut bytes = vec![PRESENT | 3 << MARK_SHIFT];
            bytes.extend_from_slice(&number.to_le_bytes());
            assert_eq!(Mark::decode(&bytes).is_ok(), fits, "{number}");
        }
    }

    #[test]
    fn a_common_mark_equals_the_decoded_mark() {
        let time = DateTime::parse(b"2026-02-04 10:11:12");
        for (mark, percentage, captured, absent, dtime, common) in [
            ("11", "", true, false, time, true),
            ("655.35", "0.01", true, false, time, true),
            ("655.36", "", true, false, time, false),
            ("1", "655.36", true, false, time, false),
            ("1", "", false, false, time, false),
            ("1", "", true, true, time, false),
            ("1", "", true, false, None, false),
            ("", "50", true, false, time, false),
        ] {
            let whole = Mark {
                captured,
                absent,
                dtime,
                mark: PackedDecimal::parse(mark),
                percentage: PackedDecimal::parse(percentage),
            };
            let mut bytes = Vec::new();
            whole.encode(&mut bytes);
            bytes.extend_from_slice(&[0xff; 2]);
            let found = CommonMark::first(&bytes);
            assert_eq!(found.is_some(), common, "{mark} {percentage}");
            if let Some(found) = found {
                let decimal =
                    |number: u32| PackedDecimal::from_millionths(i64::from(number) * 10_000);
                assert_eq!(Some(found.dtime), whole.dtime);
                assert_eq!(Some(decimal(found.hundredths)), whole.mark);
                assert_eq!(found.percentage.map(decimal), whole.percentage);
            }
        }
        assert_eq!(CommonMark::first(&[]), None);
    }
}
