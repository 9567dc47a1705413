//! Exact decimals (`dataset.md`, "Values"; `decisions.md`, "Decimals"), as whole millionths.

/// Six digits after the point.
const SCALE: i128 = 1_000_000;

/// `-?digits[.digits]`, at most 12 digits before the point and 6 after, as millionths.
pub(crate) fn parse_decimal(text: &str) -> Option<i128> {
    let (negative, unsigned) = text
        .strip_prefix('-')
        .map_or((false, text), |rest| (true, rest));
    let (whole, fraction) = match unsigned.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (unsigned, None),
    };
    let digits = |part: &str, most: usize| {
        (1..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    if !digits(whole, 12) || !fraction.is_none_or(|part| digits(part, 6)) {
        return None;
    }
    let value: i128 = format!("{whole}{:0<6}", fraction.unwrap_or(""))
        .parse()
        .ok()?;
    Some(if negative { -value } else { value })
}

/// The shortest exact text: no trailing zeros, no `-0`.
pub(crate) fn exact_text(millionths: i128) -> String {
    let sign = if millionths < 0 { "-" } else { "" };
    let (whole, fraction) = (millionths.abs() / SCALE, millionths.abs() % SCALE);
    let text = format!("{sign}{whole}.{fraction:06}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Two decimals, half away from zero; what rounds to zero is `0.00`.
pub(crate) fn two_decimals(millionths: i128) -> String {
    hundredths_text(divide(millionths, SCALE / 100))
}

/// `mark` ÷ `mark_out_of` × 100 with two decimals, rounded once; none if `mark_out_of` is zero.
pub(crate) fn percentage_of(mark: i128, mark_out_of: i128) -> Option<String> {
    (mark_out_of != 0).then(|| hundredths_text(divide(mark * 100 * 100, mark_out_of)))
}

/// The quotient to the nearest whole number, half away from zero.
fn divide(dividend: i128, divisor: i128) -> i128 {
    let (over, under) = (dividend.abs(), divisor.abs());
    let rounded = over / under + i128::from(over % under * 2 >= under);
    if (dividend < 0) == (divisor < 0) {
        rounded
    } else {
        -rounded
    }
}

fn hundredths_text(hundredths: i128) -> String {
    let sign = if hundredths < 0 { "-" } else { "" };
    format!(
        "{sign}{}.{:02}",
        hundredths.abs() / 100,
        hundredths.abs() % 100
    )
}

#[cfg(test)]
mod tests {
    use super::{exact_text, parse_decimal, percentage_of, two_decimals};

    fn two(text: &str) -> String {
        two_decimals(parse_decimal(text).unwrap())
    }

    fn percent(mark: &str, out_of: &str) -> Option<String> {
        percentage_of(parse_decimal(mark).unwrap(), parse_decimal(out_of).unwrap())
    }

    #[test]
    fn decimals_have_one_form() {
        for (text, exact) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.000000", "0"),
            ("12.50", "12.5"),
            ("-3.25", "-3.25"),
            ("007.10", "7.1"),
            ("999999999999.999999", "999999999999.999999"),
            ("0.000001", "0.000001"),
            ("100", "100"),
            ("-999999999999", "-999999999999"),
        ] {
            assert_eq!(exact_text(parse_decimal(text).unwrap()), exact, "{text}");
        }
        for text in [
            "",
            "-",
            ".5",
            "5.",
            "+5",
            "1e2",
            "1 ",
            " 1",
            "--1",
            "1.2.3",
            "1000000000000",
            "0000000000001",
            "0.0000001",
            "1,5",
            "a",
            "١",
            "1.-5",
        ] {
            assert_eq!(parse_decimal(text), None, "{text:?}");
        }
    }

    #[test]
    fn two_decimals_round_half_away_from_zero() {
        for (text, rounded) in [
            ("0", "0.00"),
            ("0.005", "0.01"),
            ("-0.005", "-0.01"),
            ("0.004999", "0.00"),
            ("-0.004999", "0.00"),
            ("1.005", "1.01"),
            ("2.675", "2.68"),
            ("-2.675", "-2.68"),
            ("1.115", "1.12"),
            ("99.995", "100.00"),
            ("-99.994999", "-99.99"),
            ("120000", "120000.00"),
            ("999999999999.995", "1000000000000.00"),
        ] {
            assert_eq!(two(text), rounded, "{text}");
        }
    }

    #[test]
    fn a_quotient_is_rounded_once() {
        for (mark, out_of, expected) in [
            ("1", "3", "33.33"),
            ("2", "3", "66.67"),
            ("1", "8", "12.50"),
            ("-1", "3", "-33.33"),
            ("-2", "3", "-66.67"),
            ("1", "-3", "-33.33"),
            ("-1", "-3", "33.33"),
            ("0", "7", "0.00"),
            ("-0.000001", "1", "0.00"),
            // 0.00005 of 1 is 0.005 %; 0.000049 of 1 is 0.0049 %
            ("0.00005", "1", "0.01"),
            ("-0.00005", "1", "-0.01"),
            ("0.000049", "1", "0.00"),
            // 5.00499999…: 0.05005 would round up, this may not
            ("50049.999999", "1000000", "5.00"),
            ("50050", "1000000", "5.01"),
            ("50050", "-1000000", "-5.01"),
            // 1 of 999 is 0.1001001 %; 200 of 999 is 20.02002 %; 1.005 of 3 is 33.5 %
            ("1", "999", "0.10"),
            ("200", "999", "20.02"),
            ("1.005", "3", "33.50"),
            ("999999999999.999999", "0.000001", "99999999999999999900.00"),
        ] {
            assert_eq!(
                percent(mark, out_of).as_deref(),
                Some(expected),
                "{mark} of {out_of}"
            );
        }
        assert_eq!(percent("1", "0"), None);
        assert_eq!(percent("1", "-0.0"), None);
    }
}
