//! Decimals as whole millionths, and their text in answers: two decimals, rounded half away from
//! zero.

/// Parses `-?digits[.digits]` as millionths, with at most 12 digits before the point and 6 after
/// it.
pub(super) fn parse(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    if !(1..=12).contains(&whole.len()) || !(1..=6).contains(&fraction.len()) {
        return None;
    }
    let scale = 10i64.pow(u32::try_from(6 - fraction.len()).ok()?);
    let millionths = whole.parse::<i64>().ok()? * 1_000_000 + fraction.parse::<i64>().ok()? * scale;
    Some(if negative { -millionths } else { millionths })
}

/// Adds the text of millionths.
pub(super) fn push(out: &mut String, millionths: i64) {
    let hundredths = (millionths.unsigned_abs() + 5_000) / 10_000;
    push_hundredths(out, millionths < 0, hundredths);
}

/// Adds `part` as a percentage of `whole`, rounded once, or nothing if `whole` is zero. The limits
/// in the schema ensure that this does not overflow 64 bits.
pub(super) fn push_percentage(out: &mut String, part: i64, whole: i64) {
    let negative = (part < 0) != (whole < 0);
    let (part, whole) = (part.unsigned_abs(), whole.unsigned_abs());
    // The result in hundredths is 10,000 × part ÷ whole, plus one half.
    if let Some(hundredths) = (part * 20_000 + whole).checked_div(2 * whole) {
        push_hundredths(out, negative, hundredths);
    }
}

fn push_hundredths(out: &mut String, negative: bool, hundredths: u64) {
    if negative && hundredths > 0 {
        out.push('-');
    }
    out.push_str(itoa::Buffer::new().format(hundredths / 100));
    let cents = u8::try_from(hundredths % 100).unwrap_or(0);
    out.push('.');
    out.push(char::from(b'0' + cents / 10));
    out.push(char::from(b'0' + cents % 10));
}
