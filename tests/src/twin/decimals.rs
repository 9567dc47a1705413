//! Exact decimals (`dataset.md`, "Values"; `decisions.md`, "Queries"), as whole millionths.

/// The scale of six digits after the point.
const SCALE: i128 = 1_000_000;

/// Parses `-?digits[.digits]`, with at most 12 digits before the point and 6 after it, as
/// millionths.
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

/// Returns the shortest exact text, without trailing zeros and without `-0`.
pub(crate) fn exact_text(millionths: i128) -> String {
    let sign = if millionths < 0 { "-" } else { "" };
    let (whole, fraction) = (millionths.abs() / SCALE, millionths.abs() % SCALE);
    let text = format!("{sign}{whole}.{fraction:06}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns the text with two decimals, rounded half away from zero. A value that rounds to zero is
/// `0.00`.
pub(crate) fn two_decimals(millionths: i128) -> String {
    hundredths_text(divide(millionths, SCALE / 100))
}

/// Returns `mark` ÷ `mark_out_of` × 100 with two decimals, rounded once, or `None` if `mark_out_of`
/// is zero.
pub(crate) fn percentage_of(mark: i128, mark_out_of: i128) -> Option<String> {
    (mark_out_of != 0).then(|| hundredths_text(divide(mark * 100 * 100, mark_out_of)))
}

/// Returns the quotient rounded to the nearest whole number, half away from zero.
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
