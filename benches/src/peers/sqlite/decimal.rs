//! Decimals as whole millionths, and how they are answered: two decimals, half
//! away from zero.

/// `-?digits[.digits]` in millionths, with at most 12 digits before the point
/// and 6 after.
pub(super) fn parse(text: &str) -> Option<i64> {
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
    let scale = 10i64.pow(u32::try_from(6 - fraction.len()).ok()?);
    let millionths = number(whole)? * 1_000_000 + number(fraction)? * scale;
    Some(if negative { -millionths } else { millionths })
}

/// Adds millionths.
pub(super) fn push(out: &mut String, millionths: i64) {
    let hundredths = (millionths.unsigned_abs() + 5_000) / 10_000;
    push_hundredths(out, millionths < 0, hundredths.into());
}

/// Adds what the part is of the whole, as a percentage that is rounded once;
/// nothing if the whole is zero.
pub(super) fn push_percentage(out: &mut String, part: i64, whole: i64) {
    let negative = (part < 0) != (whole < 0);
    let (part, whole) = (part.unsigned_abs(), whole.unsigned_abs());
    if whole == 0 {
        return;
    }
    // In hundredths 10,000 × part ÷ whole, plus one half.
    let hundredths = match part.checked_mul(20_000) {
        Some(twice) if whole < u64::MAX / 4 => {
            u128::from(twice.saturating_add(whole) / (2 * whole))
        }
        _ => (u128::from(part) * 20_000 + u128::from(whole)) / (2 * u128::from(whole)),
    };
    push_hundredths(out, negative, hundredths);
}

fn push_hundredths(out: &mut String, negative: bool, hundredths: u128) {
    if negative && hundredths > 0 {
        out.push('-');
    }
    let mut digits = itoa::Buffer::new();
    match u64::try_from(hundredths / 100) {
        Ok(whole) => out.push_str(digits.format(whole)),
        Err(_) => out.push_str(digits.format(hundredths / 100)),
    }
    let cents = u8::try_from(hundredths % 100).unwrap_or(0);
    out.push('.');
    out.push(char::from(b'0' + cents / 10));
    out.push(char::from(b'0' + cents % 10));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_rounded_half_away_from_zero() {
        for (text, expected) in [
            ("0", "0.00"),
            ("1.005", "1.01"),
            ("-1.005", "-1.01"),
            ("1.004999", "1.00"),
            ("-0.004", "0.00"),
            ("999999999999.999999", "1000000000000.00"),
        ] {
            let mut out = String::new();
            push(&mut out, parse(text).unwrap_or(7));
            assert_eq!(out, expected, "{text}");
        }
        for bad in ["", "-", ".5", "5.", "1e3", "1.2345678", "1234567890123"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_percentage_is_rounded_once() {
        for (part, whole, expected) in [
            ("11", "20", "55.00"),
            ("2", "3", "66.67"),
            ("1", "0", ""),
            ("-1", "3", "-33.33"),
            ("-0.000001", "1000", "0.00"),
            ("999999999999.99", "0.000007", "14285714285714142857.14"),
            ("999999999999", "999999999999.999999", "100.00"),
        ] {
            let mut out = String::new();
            let number = |text| parse(text).unwrap_or(7);
            push_percentage(&mut out, number(part), number(whole));
            assert_eq!(out, expected, "{part} of {whole}");
        }
    }
}
