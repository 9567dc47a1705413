//! Unsigned integers as text.

/// One or more ASCII digits, at most 2^64−1; leading zeros allowed (`decisions.md`, "Requests").
pub(crate) fn digits(text: &str) -> Option<u64> {
    let all_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if all_digits { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn only_ascii_digits_up_to_the_limit() {
        assert_eq!(digits("0"), Some(0));
        assert_eq!(digits("0040"), Some(40));
        assert_eq!(digits("18446744073709551615"), Some(u64::MAX));
        assert_eq!(
            digits("0000000000000000000000018446744073709551615"),
            Some(u64::MAX)
        );
        for text in [
            "",
            "+1",
            "-1",
            " 1",
            "1 ",
            "1.0",
            "١",
            "18446744073709551616",
            "0x1",
            "1_0",
        ] {
            assert_eq!(digits(text), None, "{text:?}");
        }
    }
}
