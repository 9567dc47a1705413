//! Decoding of the target of a request: the segments of its path, and the names and values of its
//! query string.

use std::borrow::Cow;

/// Decodes the percent escapes in a segment of a path.
pub(crate) fn decode_path(segment: &str) -> Cow<'_, str> {
    decode(segment, false)
}

/// Decodes the escapes in the name of a parameter.
pub(crate) fn decode_parameter(name: &str) -> Cow<'_, str> {
    decode(name, true)
}

/// Replaces each `%xx` by its byte, and each `+` by a space if `plus_is_space` is true. An invalid
/// escape remains unchanged, and invalid UTF-8 becomes U+FFFD.
fn decode(text: &str, plus_is_space: bool) -> Cow<'_, str> {
    let special = |byte: u8| byte == b'%' || (plus_is_space && byte == b'+');
    if !text.bytes().any(special) {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    let hex = |digit: u8| char::from(digit).to_digit(16);
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if let (b'%', [high, low, after @ ..]) = (byte, after)
            && let (Some(high), Some(low)) = (hex(*high), hex(*low))
        {
            bytes.push((high * 16 + low).to_le_bytes()[0]);
            rest = after;
        } else {
            bytes.push(if plus_is_space && *byte == b'+' {
                b' '
            } else {
                *byte
            });
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

/// A query string.
#[derive(Clone, Copy)]
pub(crate) struct QueryString<'a>(pub(crate) &'a str);

impl<'a> QueryString<'a> {
    /// Returns the value of the last parameter with this name, or `None` if the parameter is
    /// missing or its value is empty.
    pub(crate) fn get(self, name: &str) -> Option<Cow<'a, str>> {
        self.given(name).filter(|value| !value.is_empty())
    }

    /// Returns the value of the last parameter with this name, which may be empty.
    pub(crate) fn given(self, name: &str) -> Option<Cow<'a, str>> {
        self.0.rsplit('&').find_map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(key, true) == name).then(|| decode(value, true))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        for (text, expected) in [
            ("a%20b+c", "a b c"),
            ("%zz%4", "%zz%4"),
            ("%C3%A9", "é"),
            ("%ff", "\u{fffd}"),
            ("100%", "100%"),
            ("%2", "%2"),
            ("%2b", "+"),
            ("%25%32%30", "%20"),
        ] {
            assert_eq!(decode(text, true), expected, "{text}");
        }
        assert_eq!(decode_path("a+b%2Fc"), "a+b/c");
    }

    #[test]
    fn the_last_value_of_a_name_is_used_and_an_empty_one_is_none() {
        let get = |query, name| QueryString(query).get(name).map(Cow::into_owned);
        assert_eq!(get("a=1&b=2&a=3", "a").as_deref(), Some("3"));
        assert_eq!(get("a=1&a=", "a"), None);
        assert_eq!(get("a=1&a", "a"), None);
        assert_eq!(get("%61=b=c", "a").as_deref(), Some("b=c"));
        assert_eq!(get("A=1;a=2", "a"), None);
        assert_eq!(get("", "a"), None);
    }
}
