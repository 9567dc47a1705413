//! Exact decimals, counted in millionths.
//!
//! A dataset's decimal has at most 12 digits before the point and 6 after, so
//! every one is a whole number of millionths in 64 bits, sums and roundings
//! are integer arithmetic, and a quotient is rounded once, from the exact
//! ratio.

use crate::date;
use crate::json::Chunks;

/// A decimal of a dataset, exact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Decimal(i64);

const MILLION: u64 = 1_000_000;
/// Millionths in a hundredth.
const HUNDREDTH: u64 = MILLION / 100;

impl Decimal {
    /// `-?digits[.digits]`, at most 12 digits before the point and 6 after.
    pub(crate) fn parse(text: &str) -> Option<Decimal> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        if !(1..=12).contains(&whole.len()) || !(1..=6).contains(&fraction.len()) {
            return None;
        }
        let number = |digits: &str| {
            digits.bytes().try_fold(0i64, |number, byte| {
                byte.is_ascii_digit()
                    .then(|| number * 10 + i64::from(byte - b'0'))
            })
        };
        let scale = i64::pow(10, u32::try_from(6 - fraction.len()).ok()?);
        let millionths = number(whole)? * 1_000_000 + number(fraction)? * scale;
        Some(Decimal(if negative { -millionths } else { millionths }))
    }

    pub(crate) fn from_millionths(millionths: i64) -> Decimal {
        Decimal(millionths)
    }

    /// Those of a decimal that a dataset may have.
    #[inline]
    pub(crate) fn of_millionths(millionths: i64) -> Option<Decimal> {
        const MOST: u64 = 1_000_000_000_000 * MILLION;
        (millionths.unsigned_abs() < MOST).then_some(Decimal(millionths))
    }

    pub(crate) fn millionths(self) -> i64 {
        self.0
    }

    /// The hundredths, if that is all there is.
    pub(crate) fn hundredths(self) -> Option<i64> {
        (self.0 % 10_000 == 0).then_some(self.0 / 10_000)
    }

    /// With two decimals, half away from zero.
    pub(crate) fn push_rounded(self, out: &mut Vec<u8>) {
        let hundredths = (self.0.unsigned_abs() + HUNDREDTH / 2) / HUNDREDTH;
        push_hundredths(out, self.0 < 0, u128::from(hundredths));
    }

    /// As [`push_rounded`](Self::push_rounded) does, with many other parts.
    #[inline]
    pub(crate) fn write_rounded(self, out: &mut Chunks<'_>) {
        let rounded = (self.0.unsigned_abs() + HUNDREDTH / 2) / HUNDREDTH;
        match u32::try_from(rounded) {
            Ok(few) if self.0 >= 0 && few < FEW => {
                let (text, length) = hundredths(few);
                out.window(8).words([text], length);
                out.keep(length);
            }
            _ => {
                let mut text = Vec::new();
                self.push_rounded(&mut text);
                out.push(&text);
            }
        }
    }

    /// As short as it can be written exactly.
    pub(crate) fn push_exact(self, out: &mut Vec<u8>) {
        let millionths = self.0.unsigned_abs();
        if self.0 < 0 {
            out.push(b'-');
        }
        crate::json::push_integer(out, millionths / MILLION);
        let mut fraction = millionths % MILLION;
        if fraction == 0 {
            return;
        }
        out.push(b'.');
        let mut unit = MILLION / 10;
        while fraction > 0 {
            out.push(b'0' + (fraction / unit).to_le_bytes()[0]);
            fraction %= unit;
            unit /= 10;
        }
    }

    /// What it is of `whole`, as a percentage with two decimals, rounded once;
    /// nothing if `whole` is zero.
    #[inline]
    pub(crate) fn push_percentage_of(self, whole: Decimal, out: &mut Vec<u8>) {
        let (part, divisor) = (self.0.unsigned_abs(), whole.0.unsigned_abs());
        if divisor == 0 {
            return;
        }
        let negative = (self.0 < 0) != (whole.0 < 0);
        // A percentage in hundredths: 10,000 × part ÷ whole, plus one half.
        match part
            .checked_mul(20_000)
            .and_then(|twice| twice.checked_add(divisor))
        {
            Some(twice) if divisor < u64::MAX / 2 => {
                push_hundredths(out, negative, u128::from(twice / (2 * divisor)));
            }
            _ => {
                let twice = u128::from(part) * 20_000 + u128::from(divisor);
                push_hundredths(out, negative, twice / (2 * u128::from(divisor)));
            }
        }
    }
}

/// How many hundredths are written in eight bytes at most, if fewer than these.
const FEW: u32 = 10_000_000;

/// Fewer than [`FEW`] hundredths with two decimals: the bytes as a
/// little-endian word, and how many of them count.
#[inline]
pub(crate) fn hundredths(number: u32) -> (u64, usize) {
    let (whole, part) = (number / 100, number % 100);
    let end = u64::from(b'.') | u64::from(date::two_digits(part)) << 8;
    if whole < 100 {
        let word = u64::from(date::two_digits(whole)) | end << 16;
        let one_digit = whole < 10;
        (
            word >> (8 * u32::from(one_digit)),
            5 - usize::from(one_digit),
        )
    } else {
        let (high, low) = (whole / 100, whole % 100);
        let (thousands, hundreds) = (high / 100, high % 100);
        let word = u64::from(b'0' | thousands.to_le_bytes()[0])
            | u64::from(date::two_digits(hundreds)) << 8
            | u64::from(date::two_digits(low)) << 24
            | end << 40;
        let zeros = u32::from(high < 10) + u32::from(high < 100);
        (word >> (8 * zeros), 8 - zeros as usize)
    }
}

/// Two decimals; the sign only where something is left to bear it.
#[inline]
pub(crate) fn push_hundredths(out: &mut Vec<u8>, negative: bool, hundredths: u128) {
    if negative && hundredths > 0 {
        out.push(b'-');
    }
    let cents = match u64::try_from(hundredths) {
        Ok(small) => {
            crate::json::push_integer(out, small / 100);
            small % 100
        }
        Err(_) => {
            out.extend_from_slice((hundredths / 100).to_string().as_bytes());
            u64::try_from(hundredths % 100).unwrap_or(0)
        }
    };
    let [tens, ones] = crate::date::digits(cents.to_le_bytes()[0]);
    out.extend_from_slice(&[b'.', tens, ones]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(push: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        push(&mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    fn rounded(text: &str) -> Option<String> {
        Decimal::parse(text).map(|decimal| written(|out| decimal.push_rounded(out)))
    }

    #[test]
    fn small_numbers_are_written_alike_in_both_ways() {
        for number in (0..120_000).chain([999_999, 1_000_000, 1_000_001, FEW - 1]) {
            let (word, length) = hundredths(number);
            let text = word.to_le_bytes();
            let expected = written(|out| push_hundredths(out, false, u128::from(number)));
            assert_eq!(text.get(..length), Some(expected.as_bytes()), "{number}");
        }
        for text in [
            "-0.005",
            "-0.004",
            "99999.99",
            "99999.995",
            "100000",
            "-12",
            "7.125",
        ] {
            let decimal = Decimal::parse(text).unwrap_or(Decimal(0));
            let mut out = Vec::new();
            decimal.write_rounded(&mut Chunks::new(&mut out));
            assert_eq!(
                out,
                written(|out| decimal.push_rounded(out)).as_bytes(),
                "{text}"
            );
        }
    }

    #[test]
    fn two_decimals_half_away_from_zero() {
        for (text, expected) in [
            ("0", "0.00"),
            ("-0", "0.00"),
            ("1.005", "1.01"),
            ("-1.005", "-1.01"),
            ("1.004999", "1.00"),
            ("-0.004", "0.00"),
            ("-0.005", "-0.01"),
            ("99.995", "100.00"),
            ("007.5", "7.50"),
            ("999999999999.999999", "1000000000000.00"),
            ("120000", "120000.00"),
        ] {
            assert_eq!(rounded(text).as_deref(), Some(expected), "{text}");
        }
        for bad in [
            "",
            "-",
            ".5",
            "5.",
            "1e3",
            "+1",
            " 1",
            "1 ",
            "1.2.3",
            "1.2345678",
            "1234567890123",
            "１",
            "0000000000001",
            "--1",
            "1,5",
            "NaN",
        ] {
            assert_eq!(Decimal::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_exact_text_is_short_and_comes_back() {
        for (text, expected) in [
            ("11.50", "11.5"),
            ("-3.250000", "-3.25"),
            ("0.000001", "0.000001"),
            ("-0.0", "0"),
            ("12", "12"),
            ("100.10", "100.1"),
        ] {
            let decimal = Decimal::parse(text).unwrap_or(Decimal(7));
            let exact = written(|out| decimal.push_exact(out));
            assert_eq!(
                (exact.as_str(), Decimal::parse(&exact)),
                (expected, Some(decimal))
            );
        }
    }

    #[test]
    fn a_percentage_is_rounded_once() {
        for (part, whole, expected) in [
            ("11", "20", "55.00"),
            ("1", "3", "33.33"),
            ("2", "3", "66.67"),
            ("1", "0", ""),
            ("0", "7", "0.00"),
            ("-1", "3", "-33.33"),
            ("1", "-3", "-33.33"),
            ("-1", "-3", "33.33"),
            ("-0.000001", "1000", "0.00"),
            // 0.12345 exactly: the half is rounded up; a hair less is not.
            ("12345", "10000000", "0.12"),
            ("0.5", "10000", "0.01"),
            ("0.499999", "10000", "0.00"),
            ("999999999999.999999", "0.000001", "99999999999999999900.00"),
            ("999999999999.99", "0.000007", "14285714285714142857.14"),
            ("0.000001", "999999999999.999999", "0.00"),
            ("999999999999", "999999999999.999999", "100.00"),
        ] {
            let parse = |text| Decimal::parse(text).unwrap_or(Decimal(7));
            let percentage = written(|out| parse(part).push_percentage_of(parse(whole), out));
            assert_eq!(percentage, expected, "{part} of {whole}");
        }
    }
}
