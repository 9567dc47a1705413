//! A parser for JSON in its most common form, without whitespace and without escapes.

/// A position in a text. Any other JSON must be parsed by a complete parser.
pub(crate) struct Plain<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Plain<'a> {
    pub(crate) fn new(text: &'a str) -> Plain<'a> {
        Plain { text, at: 0 }
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// Returns the next byte.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    /// Consumes these bytes if they are next. Returns whether they are.
    pub(crate) fn take(&mut self, expected: &[u8]) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    /// Consumes the name of a member and its colon if they are next. Returns whether they are.
    pub(crate) fn take_name(&mut self, name: &str) -> bool {
        let value = (|| {
            let rest = self.rest().strip_prefix(b"\"")?;
            let rest = rest.strip_prefix(name.as_bytes())?;
            rest.strip_prefix(b"\":")
        })();
        if let Some(value) = value {
            self.at = self.text.len() - value.len();
        }
        value.is_some()
    }

    /// Consumes a string and returns its content.
    pub(crate) fn string(&mut self) -> Option<&'a str> {
        let inside = self.rest().strip_prefix(b"\"")?;
        let length = plain_length(inside);
        if inside.get(length) != Some(&b'"') {
            return None;
        }
        let start = self.at + 1;
        self.at = start + length + 1;
        self.text.get(start..start + length)
    }

    /// Consumes a number without an exponent and returns its text.
    pub(crate) fn number(&mut self) -> Option<&'a str> {
        let number = self.rest();
        let mut rest = number.strip_prefix(b"-").unwrap_or(number);
        let whole = digits(&mut rest);
        if whole == 0 || (whole > 1 && number.get(number.len() - rest.len() - whole) == Some(&b'0'))
        {
            return None;
        }
        if let Some(fraction) = rest.strip_prefix(b".") {
            rest = fraction;
            if digits(&mut rest) == 0 {
                return None;
            }
        }
        if let Some(b'e' | b'E') = rest.first() {
            return None;
        }
        let start = self.at;
        self.at = self.text.len() - rest.len();
        self.text.get(start..self.at)
    }

    /// Returns whether only whitespace is left.
    pub(crate) fn is_at_end(&self) -> bool {
        let mut rest = self.rest().iter();
        rest.all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
    }
}

/// Consumes digits and returns their number.
fn digits(bytes: &mut &[u8]) -> usize {
    let count = bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    *bytes = bytes.get(count..).unwrap_or_default();
    count
}

/// Returns the number of bytes before the first one that ends a string, starts an escape or is a
/// control character.
fn plain_length(bytes: &[u8]) -> usize {
    let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    bytes.iter().position(special).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_end_at_their_quote_and_escapes_are_refused() {
        for length in 0..40 {
            let inside: String = "aé~\u{7f}0 ".chars().cycle().take(length).collect();
            let text = format!("\"{inside}\",\"\\ ");
            let mut plain = Plain::new(&text);
            assert_eq!(plain.string(), Some(inside.as_str()));
            assert!(plain.take(b",\""));
            for special in ["\\n", "\u{0}", "\u{1f}", "\n", ""] {
                let text = format!("\"{inside}{special}");
                assert_eq!(Plain::new(&text).string(), None, "{text:?}");
                let text = format!("\"{inside}{special}{inside}\"");
                let expected = special.is_empty().then(|| inside.repeat(2));
                assert_eq!(Plain::new(&text).string(), expected.as_deref(), "{text:?}");
            }
        }
    }

    /// Every text that it accepts as a number is a JSON number.
    #[test]
    fn numbers_are_those_of_json() {
        for text in ["0", "7", "-7", "10.50", "-0.0", "18446744073709551616"] {
            let text = format!("{text},");
            let mut plain = Plain::new(&text);
            let number = plain.number().unwrap_or_default();
            assert!(plain.take(b",") && plain.is_at_end(), "{text}");
            let same: Option<&serde_json::value::RawValue> = serde_json::from_str(number).ok();
            assert_eq!(
                same.map(serde_json::value::RawValue::get),
                text.strip_suffix(',')
            );
        }
        for text in ["", "-", "01", "-01", "1.", ".5", "1e5", "1.5E5", "x", "+1"] {
            assert_eq!(Plain::new(text).number(), None, "{text}");
        }
    }

    #[test]
    fn names_are_compared_completely() {
        let mut plain = Plain::new(r#""mark_out_of":5"#);
        assert!(!plain.take_name("mark") && !plain.take_name("mark_out_of_"));
        assert!(plain.take_name("mark_out_of"));
        assert_eq!((plain.peek(), plain.number()), (Some(b'5'), Some("5")));
    }
}
