//! The text of JSON from other programs, which may begin with a byte order mark or contain bytes that
//! are not UTF-8.

use std::borrow::Cow;

/// The byte order mark of UTF-8, which some editors write at the start of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// An escape that stands for bytes which are not UTF-8, without its backslash. It is valid JSON in a
/// string, but is not the escape of a character.
const NO_CHARACTER: &str = "udfff";

/// Returns the bytes without a byte order mark at their start.
pub(crate) fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

/// Returns the bytes as text. Each sequence that is not UTF-8 is replaced by an unpaired surrogate
/// escape, so that only the string that contains it is invalid. Returns `None` if the text is longer
/// than `limit`.
pub(crate) fn lossy_text(bytes: &[u8], limit: usize) -> Option<Cow<'_, str>> {
    if bytes.len() > limit {
        return None;
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Some(Cow::Borrowed(text));
    }
    let replaced = bytes
        .utf8_chunks()
        .filter(|chunk| !chunk.invalid().is_empty());
    let length = bytes.len() + replaced.count() * (1 + NO_CHARACTER.len());
    if length > limit {
        return None;
    }
    let mut text = String::with_capacity(length);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            // A backslash before the sequence begins an escape, unless it is itself escaped.
            let backslashes = text.bytes().rev().take_while(|byte| *byte == b'\\').count();
            if backslashes % 2 == 0 {
                text.push('\\');
            }
            text.push_str(NO_CHARACTER);
        }
    }
    Some(Cow::Owned(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn a_byte_order_mark_is_removed_once_and_only_at_the_start() {
        for (bytes, expected) in [
            (b"\xef\xbb\xbf[]".as_slice(), b"[]".as_slice()),
            (b"\xef\xbb\xbf\xef\xbb\xbf[]", b"\xef\xbb\xbf[]"),
            (b" \xef\xbb\xbf[]", b" \xef\xbb\xbf[]"),
            (b"\xef\xbb", b"\xef\xbb"),
            (b"", b""),
        ] {
            assert_eq!(without_byte_order_mark(bytes), expected);
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_make_only_their_string_invalid() {
        let bytes = b"[\"a\xe9b\",\"\xc3\xa9\",\"\\\xff\",\"\\\\\xff\"]";
        assert_eq!(lossy_text(bytes, bytes.len() + 17), None);
        let text = lossy_text(bytes, bytes.len() + 18).unwrap_or_default();
        let expected = r#"["a\udfffb","é","\udfff","\\\udfff"]"#;
        assert_eq!(text, expected);
        let strings = json::elements(&text).map(|strings| strings.map(json::string).collect());
        let expected: Vec<Option<Cow<'_, str>>> =
            vec![None, Some(Cow::Borrowed("\u{e9}")), None, None];
        assert_eq!(strings, Some(expected));
        // Outside of a string, the bytes remain invalid.
        let outside = lossy_text(b"[\xff]", 100).unwrap_or_default();
        assert!(json::elements(&outside).is_none());
    }
}
