//! Unsigned integers as text.

/// Parses one or more ASCII digits, at most 2^64−1. Leading zeros are allowed (`decisions.md`,
/// "Requests").
pub(crate) fn digits(text: &str) -> Option<u64> {
    let all_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if all_digits { text.parse().ok() } else { None }
}
