//! Decimals of a dataset, packed.
//!
//! They have at most 12 digits before the point and 6 after, so every one is a
//! whole number of millionths in 64 bits: so a store keeps it, and 128 bits hold what
//! rounding and dividing them needs.

use crate::date;
use crate::json::Chunks;

/// A decimal of a dataset, exact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Decimal(i64);

/// Digits after the point.
const SCALE: u32 = 6;
/// Millionths in one.
const ONE: u64 = 1_000_000;
/// Millionths in a hundredth.
const HUNDREDTH: u64 = 10_000;

impl Decimal {
    /// `-?digits[.digits]`, at most 12 digits before the point and 6 after, zeros
    /// counted.
    pub(crate) fn parse(text: &str) -> Option<Decimal> {
        let digits = text.strip_prefix('-');
        let (whole, fraction) = match digits.unwrap_or(text).split_once('.') {
            Some((whole, fraction)) => (whole, fraction),
            None => (digits.unwrap_or(text), "0"),
        };
        let whole = number(whole, 12)?;
        let places = u32::try_from(fraction.len()).ok()?;
        let fraction = number(fraction, SCALE)? * 10_i64.pow(SCALE - places);
        let millionths = whole * 10_i64.pow(SCALE) + fraction;
        Some(Decimal(match digits {
            Some(_) => -millionths,
            None => millionths,
        }))
    }

    #[cfg(test)]
    pub(crate) fn from_millionths(millionths: i64) -> Decimal {
        Decimal(millionths)
    }

    #[inline]
    pub(crate) fn of_hundredths(hundredths: u16) -> Decimal {
        Decimal(i64::from(hundredths) * 10_000)
    }

    /// Those of a decimal that a dataset may have.
    #[inline]
    pub(crate) fn of_millionths(millionths: i64) -> Option<Decimal> {
        const MOST: u64 = 1_000_000_000_000 * 1_000_000;
        (millionths.unsigned_abs() < MOST).then_some(Decimal(millionths))
    }

    pub(crate) fn millionths(self) -> i64 {
        self.0
    }

    /// The hundredths, if that is all there is.
    pub(crate) fn hundredths(self) -> Option<i64> {
        (self.0 % 10_000 == 0).then_some(self.0 / 10_000)
    }

    /// Hundredths without their sign, half away from zero.
    #[inline]
    fn rounded_hundredths(self) -> u64 {
        (self.0.unsigned_abs() + HUNDREDTH / 2) / HUNDREDTH
    }

    /// With two decimals, half away from zero.
    pub(crate) fn push_rounded(self, out: &mut Vec<u8>) {
        push_hundredths(out, self.0 < 0, u128::from(self.rounded_hundredths()));
    }

    /// As [`push_rounded`](Self::push_rounded) does, with many other parts.
    #[inline]
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn write_rounded(self, out: &mut Chunks<'_>) {
        match self.rounded() {
            Some((text, length)) => {
                out.window(8).words([text], length);
                out.keep(length);
            }
            None => self.write_great(out),
        }
    }

    /// The same as the bytes of a little-endian word, if it fits, and how many count.
    #[inline]
    pub(crate) fn rounded(self) -> Option<(u64, usize)> {
        let few = u32::try_from(self.rounded_hundredths()).ok();
        let few = few.filter(|few| self.0 >= 0 && *few < FEW);
        few.map(hundredths)
    }

    #[cold]
    fn write_great(self, out: &mut Chunks<'_>) {
        let mut text = Vec::new();
        self.push_rounded(&mut text);
        out.push(&text);
    }

    /// As short as it can be written exactly.
    pub(crate) fn push_exact(self, out: &mut Vec<u8>) {
        if self.0 < 0 {
            out.push(b'-');
        }
        let (whole, mut left) = (self.0.unsigned_abs() / ONE, self.0.unsigned_abs() % ONE);
        crate::json::push_integer(out, whole);
        if left > 0 {
            out.push(b'.');
        }
        let mut unit = ONE;
        while left > 0 {
            unit /= 10;
            out.push(b'0' + (left / unit).to_le_bytes()[0]);
            left %= unit;
        }
    }

    /// What it is of `whole`, as a percentage with two decimals, rounded once;
    /// nothing if `whole` is zero.
    #[inline]
    pub(crate) fn push_percentage_of(self, whole: Decimal, out: &mut Vec<u8>) {
        match self.hundredths_of(whole) {
            Some(hundredths) => {
                let negative = (self.0 < 0) != (whole.0 < 0);
                push_hundredths(out, negative, u128::from(hundredths));
            }
            None => self.push_great_percentage_of(whole, out),
        }
    }

    /// As [`push_percentage_of`](Self::push_percentage_of) does, with many other
    /// parts; says whether there is one.
    #[inline]
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn write_percentage_of(self, whole: Decimal, out: &mut Chunks<'_>) -> bool {
        let hundredths = self.hundredths_of(whole).map(u32::try_from);
        match hundredths {
            Some(Ok(few)) if few < FEW && self.0 >= 0 && whole.0 > 0 => write_few(few, out),
            _ => {
                let mut text = Vec::new();
                self.push_percentage_of(whole, &mut text);
                out.push(&text);
                return !text.is_empty();
            }
        }
        true
    }

    /// Hundredths of a percentage without its sign: 10,000 × part ÷ whole, plus one
    /// half. Marks are few enough to be multiplied in 64 bits.
    #[inline]
    fn hundredths_of(self, whole: Decimal) -> Option<u64> {
        let (part, divisor) = (self.0.unsigned_abs(), whole.0.unsigned_abs());
        let twice = part.checked_mul(20_000)?.checked_add(divisor)?;
        twice.checked_div(divisor.checked_mul(2)?)
    }

    #[cold]
    fn push_great_percentage_of(self, whole: Decimal, out: &mut Vec<u8>) {
        let (part, divisor) = (self.0.unsigned_abs(), whole.0.unsigned_abs());
        let twice = u128::from(part) * 20_000 + u128::from(divisor);
        if let Some(hundredths) = twice.checked_div(u128::from(divisor) * 2) {
            push_hundredths(out, (self.0 < 0) != (whole.0 < 0), hundredths);
        }
    }
}

/// One digit or more, but not more than these.
fn number(digits: &str, most: u32) -> Option<i64> {
    let is_one = (1..=most as usize).contains(&digits.len());
    let mut digits = digits.bytes();
    let digit = |number: i64, byte: u8| {
        let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'));
        digit.map(|digit| number * 10 + digit)
    };
    is_one.then(|| digits.try_fold(0, digit)).flatten()
}

/// How many hundredths are written in eight bytes at most, if fewer than these.
const FEW: u32 = 10_000_000;

#[inline]
#[cfg_attr(module, optimize(speed))]
fn write_few(few: u32, out: &mut Chunks<'_>) {
    let (text, length) = hundredths(few);
    out.window(8).words([text], length);
    out.keep(length);
}

/// A number below 100 with two decimals, of its hundredths, as [`hundredths`] gives it.
#[inline]
#[cfg_attr(module, optimize(speed))]
pub(crate) fn few_hundredths(number: u16) -> Option<(u64, usize)> {
    let number = u32::from(number);
    (number < 10_000).then(|| hundredths(number))
}

/// Fewer than [`FEW`] hundredths with two decimals: the bytes as a
/// little-endian word, and how many of them count.
#[inline]
#[cfg_attr(module, optimize(speed))]
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
    use rust_decimal::Decimal as Exact;

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
            "1_000",
            "1._5",
            "_1",
            "+0",
            "-+1",
            "0x1",
            "1e",
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

    /// With 28 digits: a ratio of two decimals lies either on the middle between two
    /// hundredths or further from it than what is lost behind the last one.
    fn reference(part: i64, whole: i64) -> Option<String> {
        let hundredfold = Exact::new(part, SCALE).checked_mul(Exact::ONE_HUNDRED)?;
        let mut percentage = hundredfold.checked_div(Exact::new(whole, SCALE))?;
        percentage.rescale(2);
        if percentage.is_zero() {
            percentage.set_sign_positive(true);
        }
        Some(percentage.to_string())
    }

    /// The digits of what is divided reach to the last that a decimal has; many ratios
    /// lie on the middle between two hundredths, or next to it.
    #[test]
    fn great_numbers_are_divided_as_exactly_as_small_ones() {
        const MOST: i64 = 999_999_999_999_999_999;
        let mut random = 1_u64;
        let mut next = |below: i64| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            i64::try_from(random >> 1).unwrap_or(0) % below
        };
        let mut pairs = vec![
            (MOST, 1),
            (MOST, MOST),
            (1, MOST),
            (-MOST, 7),
            (MOST - 1, -MOST),
        ];
        for digits in 1..=18 {
            for _ in 0..400 {
                let whole = 1 + next(10_i64.pow(digits));
                pairs.push((next(MOST), whole));
                // Beside each middle between two hundredths of a percentage.
                let middle = i128::from(whole) * i128::from(2 * next(20_000) + 1) / 20_000;
                let middle = i64::try_from(middle.min(i128::from(MOST) - 1)).unwrap_or(0);
                pairs.extend([(middle, whole), (middle + 1, whole), (-middle, whole)]);
            }
        }
        for (part, whole) in pairs {
            let (one, other) = (Decimal(part), Decimal(whole));
            let expected = reference(part, whole).unwrap_or_default();
            let great = written(|out| one.push_great_percentage_of(other, out));
            assert_eq!(great, expected, "{part} of {whole}");
            let any = written(|out| one.push_percentage_of(other, out));
            assert_eq!(any, expected, "{part} of {whole}");
            let among_others = written(|out| {
                assert!(one.write_percentage_of(other, &mut Chunks::new(out)));
            });
            assert_eq!(among_others, expected, "{part} of {whole}");
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
            let (part, whole) = (parse(part), parse(whole));
            let percentage = written(|out| part.push_percentage_of(whole, out));
            assert_eq!(percentage, expected, "{part:?} of {whole:?}");
            let mut out = Vec::new();
            let is_one = part.write_percentage_of(whole, &mut Chunks::new(&mut out));
            assert_eq!(
                (out == expected.as_bytes(), is_one),
                (true, !expected.is_empty())
            );
        }
    }
}
