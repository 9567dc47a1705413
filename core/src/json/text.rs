//! Strings and numbers in the exact form of the API, written and parsed.

use crate::error::{Error, Failure, Result};
use memchr::memchr2;
use std::borrow::Cow;

/// The escape of each byte inside a JSON string: none (0), `\u00xx` (`u`), or a backslash and this
/// letter.
#[expect(clippy::indexing_slicing, reason = "computed when this is compiled")]
static ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    let mut control = 0;
    while control < 0x20 {
        table[control] = b'u';
        control += 1;
    }
    table[0x08] = b'b';
    table[0x09] = b't';
    table[0x0a] = b'n';
    table[0x0c] = b'f';
    table[0x0d] = b'r';
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table
};

/// Writes a string with its quotes.
pub(crate) fn push_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    push_escaped(out, text);
    out.push(b'"');
}

/// Writes the content of a string, without quotes.
pub(crate) fn push_escaped(out: &mut Vec<u8>, text: &str) {
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|&byte| escape(byte) != 0) {
        let (plain, special) = rest.split_at(at);
        out.extend_from_slice(plain);
        let Some((&byte, after)) = special.split_first() else {
            break;
        };
        match escape(byte) {
            b'u' => {
                let digit = |nibble: u8| {
                    if nibble < 10 {
                        b'0' + nibble
                    } else {
                        b'a' + nibble - 10
                    }
                };
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
            }
            letter => out.extend_from_slice(&[b'\\', letter]),
        }
        rest = after;
    }
    out.extend_from_slice(rest);
}

fn escape(byte: u8) -> u8 {
    ESCAPES.get(usize::from(byte)).copied().unwrap_or(0)
}

/// Writes an unsigned integer without quotes.
pub(crate) fn push_integer(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Writes an unsigned integer as a JSON string.
pub(crate) fn push_quoted_integer(out: &mut Vec<u8>, number: u64) {
    out.push(b'"');
    push_integer(out, number);
    out.push(b'"');
}

/// The members of an object in the form that this crate writes, in which every value is a string.
///
/// Iterates over names and values, both with escapes and without quotes.
pub(crate) struct TextMembers<'a> {
    rest: &'a [u8],
}

impl<'a> TextMembers<'a> {
    pub(crate) fn new(object: &'a [u8]) -> TextMembers<'a> {
        TextMembers {
            rest: object.strip_prefix(b"{").unwrap_or_default(),
        }
    }

    /// Returns the members of an object without its first brace.
    pub(crate) fn inside(members: &'a [u8]) -> TextMembers<'a> {
        TextMembers { rest: members }
    }

    fn string(&mut self) -> Option<&'a [u8]> {
        let inside = self.rest.strip_prefix(b"\"")?;
        let length = string_length(inside)?;
        self.rest = inside.get(length + 1..)?;
        inside.get(..length)
    }
}

impl<'a> Iterator for TextMembers<'a> {
    type Item = Result<(&'a [u8], &'a [u8])>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() || self.rest == b"}" {
            return None;
        }
        let mut member = || {
            self.rest = self.rest.strip_prefix(b",").unwrap_or(self.rest);
            let name = self.string()?;
            self.rest = self.rest.strip_prefix(b":")?;
            Some((name, self.string()?))
        };
        let read = member().ok_or_else(|| Error::corrupt("a record is not an object"));
        if read.is_err() {
            self.rest = &[];
        }
        Some(read)
    }
}

/// Returns the length of a string up to its closing quote.
fn string_length(inside: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', inside.get(at..)?)?;
        if inside.get(at) == Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// Returns the text of the content of a string.
pub(crate) fn unescape(escaped: &[u8]) -> Result<Cow<'_, str>> {
    let Some(first) = memchr::memchr(b'\\', escaped) else {
        let plain = std::str::from_utf8(escaped).map_err(|_| damaged())?;
        return Ok(Cow::Borrowed(plain));
    };
    let mut plain = Vec::with_capacity(escaped.len());
    let (before, mut rest) = escaped.split_at_checked(first).ok_or_else(damaged)?;
    plain.extend_from_slice(before);
    while let Some(at) = memchr::memchr(b'\\', rest) {
        plain.extend_from_slice(rest.get(..at).ok_or_else(damaged)?);
        let [letter, after @ ..] = rest.get(at + 1..).ok_or_else(damaged)? else {
            return Err(damaged());
        };
        rest = after;
        match letter {
            b'"' | b'\\' | b'/' => plain.push(*letter),
            b'b' => plain.push(0x08),
            b't' => plain.push(b'\t'),
            b'n' => plain.push(b'\n'),
            b'f' => plain.push(0x0c),
            b'r' => plain.push(b'\r'),
            b'u' => {
                let char = escaped_char(&mut rest).ok_or_else(damaged)?;
                plain.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
            }
            _ => return Err(damaged()),
        }
    }
    plain.extend_from_slice(rest);
    let plain = String::from_utf8(plain).map_err(|_| damaged())?;
    Ok(Cow::Owned(plain))
}

/// Consumes the digits after `\u`, and the second half of a surrogate pair.
fn escaped_char(rest: &mut &[u8]) -> Option<char> {
    let code = u32::from(escaped_code(rest)?);
    let Some(high) = code.checked_sub(0xd800).filter(|high| *high < 0x400) else {
        return char::from_u32(code);
    };
    *rest = rest.strip_prefix(b"\\u")?;
    let low = u32::from(escaped_code(rest)?).checked_sub(0xdc00)?;
    let code = 0x1_0000 + (high << 10) + low;
    char::from_u32(code).filter(|_| low < 0x400)
}

fn escaped_code(rest: &mut &[u8]) -> Option<u16> {
    let (digits, after) = rest.split_at_checked(4)?;
    *rest = after;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn damaged() -> Failure {
    Error::corrupt("a record contains a damaged string")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_below_a_thousand_are_decoded_unchanged_and_agree_with_serde_json() {
        let text: String = (0..1000)
            .filter_map(char::from_u32)
            .chain("é😀\u{301}/".chars())
            .collect();
        let mut written = Vec::new();
        push_string(&mut written, &text);
        assert_eq!(written, serde_json::to_vec(&text).unwrap_or_default());
        let inside = written.get(1..written.len() - 1).unwrap_or_default();
        assert_eq!(unescape(inside), Ok(Cow::Owned(text)));
    }

    #[test]
    fn members_of_an_object() {
        let read: Vec<_> = TextMembers::new(br#"{"a":"1","b\"":"\\","c":""}"#)
            .filter_map(Result::ok)
            .collect();
        let expected: [(&[u8], &[u8]); 3] = [(b"a", b"1"), (b"b\\\"", b"\\\\"), (b"c", b"")];
        assert_eq!(read, expected);
        assert_eq!(TextMembers::new(b"{}").count(), 0);
    }

    #[test]
    fn damage_is_an_error() {
        for damaged in [
            "{\"a\":1}",
            "{\"a\"",
            "{a}",
            "{\"a\":\"b",
            "{\"a\":\"b\\",
            "{\"a\":\"b\"x",
        ] {
            assert!(
                TextMembers::new(damaged.as_bytes()).any(|member| member.is_err()),
                "{damaged}"
            );
        }
        for damaged in ["\\", "\\x", "\\u12", "\\ud800", "\\udc00", "\\uzzzz"] {
            assert!(unescape(damaged.as_bytes()).is_err(), "{damaged}");
        }
        assert!(unescape(b"\xff").is_err());
    }
}
