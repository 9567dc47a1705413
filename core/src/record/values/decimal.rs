//! Decimals of a dataset in the form in which they are stored, and their arithmetic.
//!
//! A decimal of a dataset has at most 12 digits before the point and 6 after it, so it is a whole
//! number of millionths in 64 bits. Percentages and rounding are computed with
//! [`rust_decimal::Decimal`]. Its 28 digits suffice to round a ratio of two such decimals once: a
//! ratio that is not half-way between two hundredths is further from it than the last digit.

use crate::date;
use crate::json::OutputBuffer;
use rust_decimal::Decimal;

/// A decimal of a dataset, as a number of millionths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PackedDecimal(i64);

/// The number of digits after the point.
const SCALE: u32 = 6;
/// Millionths in one.
const ONE: u64 = 1_000_000;
/// Millionths in a hundredth.
const HUNDREDTH: u64 = 10_000;

impl From<PackedDecimal> for Decimal {
    fn from(packed: PackedDecimal) -> Decimal {
        Decimal::new(packed.0, SCALE)
    }
}

impl PackedDecimal {
    /// Parses `-?digits[.digits]`, with at most 12 digits before the point and 6 after it, including
    /// zeros.
    pub(crate) fn parse(text: &str) -> Option<PackedDecimal> {
        let digits = text.strip_prefix('-');
        let (whole, fraction) = match digits.unwrap_or(text).split_once('.') {
            Some((whole, fraction)) => (whole, fraction),
            None => (digits.unwrap_or(text), "0"),
        };
        let whole = number(whole, 12)?;
        let places = u32::try_from(fraction.len()).ok()?;
        let fraction = number(fraction, SCALE)? * 10_i64.pow(SCALE - places);
        let millionths = whole * 10_i64.pow(SCALE) + fraction;
        Some(PackedDecimal(match digits {
            Some(_) => -millionths,
            None => millionths,
        }))
    }

    #[cfg(test)]
    pub(crate) fn from_millionths(millionths: i64) -> PackedDecimal {
        PackedDecimal(millionths)
    }

    #[inline]
    pub(crate) fn of_hundredths(hundredths: u16) -> PackedDecimal {
        PackedDecimal(i64::from(hundredths) * 10_000)
    }

    /// Returns the decimal of a number of millionths, if a dataset can contain it.
    #[inline]
    pub(crate) fn of_millionths(millionths: i64) -> Option<PackedDecimal> {
        const MOST: u64 = 1_000_000_000_000 * 1_000_000;
        (millionths.unsigned_abs() < MOST).then_some(PackedDecimal(millionths))
    }

    pub(crate) fn millionths(self) -> i64 {
        self.0
    }

    /// Returns the number of hundredths, if it is whole.
    pub(crate) fn hundredths(self) -> Option<i64> {
        (self.0 % 10_000 == 0).then_some(self.0 / 10_000)
    }

    /// Appends the decimal with two places, rounded half away from zero.
    #[inline]
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn write_rounded(self, out: &mut OutputBuffer<'_>) {
        let millionths = u64::try_from(self.0).ok();
        let few = millionths.map(|millionths| (millionths + HUNDREDTH / 2) / HUNDREDTH);
        match few.map(u32::try_from) {
            Some(Ok(few)) if few < FEW => write_few(few, out),
            _ => write_two_places(self.into(), out),
        }
    }

    /// Appends to a vector like [`write_rounded`](Self::write_rounded).
    pub(crate) fn push_rounded(self, out: &mut Vec<u8>) {
        self.write_rounded(&mut OutputBuffer::new(out));
    }

    /// Appends the shortest text that is exactly the decimal.
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

    /// Appends this decimal as a percentage of `whole` with two places, rounded once. Returns `false`
    /// and appends nothing if `whole` is zero.
    pub(crate) fn write_percentage_of(
        self,
        whole: PackedDecimal,
        out: &mut OutputBuffer<'_>,
    ) -> bool {
        if let Some(few) = self.few_hundredths_of(whole) {
            write_few(few, out);
            return true;
        }
        let hundredfold = Decimal::new(self.0, SCALE - 2);
        let percentage = hundredfold.checked_div(whole.into());
        percentage
            .map(|percentage| write_two_places(percentage, out))
            .is_some()
    }

    /// Returns the hundredths of this decimal as a percentage of `whole`, if they are fewer than
    /// [`FEW`] and both decimals are small and positive, as those of marks are. A page of marks takes
    /// an eighth fewer instructions than with a division of decimals.
    #[inline]
    #[cfg_attr(module, optimize(speed))]
    fn few_hundredths_of(self, whole: PackedDecimal) -> Option<u32> {
        let [part, whole] = [self, whole].map(|decimal| u64::try_from(decimal.0).ok());
        let (part, whole) = (part?, whole?);
        let twice = part.checked_mul(20_000)?.checked_add(whole)?;
        let hundredths = twice.checked_div(whole.checked_mul(2)?)?;
        u32::try_from(hundredths).ok().filter(|few| *few < FEW)
    }
}

/// Appends a decimal with two places, rounded half away from zero. Zero has no sign.
fn write_two_places(mut decimal: Decimal, out: &mut OutputBuffer<'_>) {
    decimal.rescale(2);
    match u32::try_from(decimal.mantissa()) {
        Ok(few) if few < FEW => write_few(few, out),
        _ => out.push(decimal.to_string().as_bytes()),
    }
}

/// Parses from one to `most` digits.
fn number(digits: &str, most: u32) -> Option<i64> {
    let is_one = (1..=most as usize).contains(&digits.len());
    let mut digits = digits.bytes();
    let digit = |number: i64, byte: u8| {
        let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'));
        digit.map(|digit| number * 10 + digit)
    };
    is_one.then(|| digits.try_fold(0, digit)).flatten()
}

/// A number of hundredths below this one takes at most eight bytes.
const FEW: u32 = 10_000_000;

#[inline]
#[cfg_attr(module, optimize(speed))]
fn write_few(few: u32, out: &mut OutputBuffer<'_>) {
    let (text, length) = hundredths(few);
    out.window(8).words([text], length);
    out.advance(length);
}

/// Returns what [`hundredths`] returns, if the number is below 100.
#[inline]
#[cfg_attr(module, optimize(speed))]
pub(crate) fn few_hundredths(number: u16) -> Option<(u64, usize)> {
    let number = u32::from(number);
    (number < 10_000).then(|| hundredths(number))
}

/// Returns a number of hundredths below [`FEW`] as text with two places: its bytes as a little-endian
/// word, and their number.
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

#[cfg(test)]
mod tests {
    use crate::record::values::decimal::*;

    fn written(push: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        push(&mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    fn rounded(text: &str) -> Option<String> {
        PackedDecimal::parse(text).map(|decimal| written(|out| decimal.push_rounded(out)))
    }

    #[test]
    fn small_numbers_are_written_as_words() {
        for number in (0..120_000).chain([999_999, 1_000_000, 1_000_001, FEW - 1]) {
            let (word, length) = hundredths(number);
            let text = word.to_le_bytes();
            let expected = format!("{}.{:02}", number / 100, number % 100);
            assert_eq!(text.get(..length), Some(expected.as_bytes()), "{number}");
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
            ("99999.99", "99999.99"),
            ("99999.995", "100000.00"),
            ("-12", "-12.00"),
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
            assert_eq!(PackedDecimal::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_exact_text_is_short_and_is_parsed_back() {
        for (text, expected) in [
            ("11.50", "11.5"),
            ("-3.250000", "-3.25"),
            ("0.000001", "0.000001"),
            ("-0.0", "0"),
            ("12", "12"),
            ("100.10", "100.1"),
        ] {
            let decimal = PackedDecimal::parse(text).unwrap_or(PackedDecimal(7));
            let exact = written(|out| decimal.push_exact(out));
            assert_eq!(
                (exact.as_str(), PackedDecimal::parse(&exact)),
                (expected, Some(decimal))
            );
        }
    }

    /// Computes the percentage with integers, rounded half away from zero.
    fn reference(part: i64, whole: i64) -> String {
        let [part, whole] = [part, whole].map(i128::from);
        let is_negative = (part < 0) != (whole < 0);
        let (part, whole) = (part.unsigned_abs(), whole.unsigned_abs());
        let hundredths = (part * 20_000 + whole) / (2 * whole);
        let sign = if is_negative && hundredths > 0 {
            "-"
        } else {
            ""
        };
        format!("{sign}{}.{:02}", hundredths / 100, hundredths % 100)
    }

    /// Many of these ratios are half-way between two hundredths, or next to it.
    #[test]
    fn percentages_of_all_magnitudes_are_exact() {
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
                // The ratio is next to the middle between two hundredths of a percentage.
                let middle = i128::from(whole) * i128::from(2 * next(20_000) + 1) / 20_000;
                let middle = i64::try_from(middle.min(i128::from(MOST) - 1)).unwrap_or(0);
                pairs.extend([(middle, whole), (middle + 1, whole), (-middle, whole)]);
            }
        }
        for (part, whole) in pairs {
            let (one, other) = (PackedDecimal(part), PackedDecimal(whole));
            let percentage = written(|out| {
                assert!(one.write_percentage_of(other, &mut OutputBuffer::new(out)));
            });
            assert_eq!(percentage, reference(part, whole), "{part} of {whole}");
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
            // The percentage is exactly 0.12345, and is rounded up; a slightly smaller one is not.
            ("12345", "10000000", "0.12"),
            ("0.5", "10000", "0.01"),
            ("0.499999", "10000", "0.00"),
            ("999999999999.999999", "0.000001", "99999999999999999900.00"),
            ("999999999999.99", "0.000007", "14285714285714142857.14"),
            ("0.000001", "999999999999.999999", "0.00"),
            ("999999999999", "999999999999.999999", "100.00"),
        ] {
            let parse = |text| PackedDecimal::parse(text).unwrap_or(PackedDecimal(7));
            let (part, whole) = (parse(part), parse(whole));
            let mut out = Vec::new();
            let is_one = part.write_percentage_of(whole, &mut OutputBuffer::new(&mut out));
            assert_eq!(
                (String::from_utf8_lossy(&out).as_ref(), is_one),
                (expected, !expected.is_empty()),
                "{part:?} of {whole:?}"
            );
        }
    }
}
