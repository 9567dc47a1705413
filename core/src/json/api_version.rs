//! The representation of values in the versions of the API. In v1 every value is a string, and in
//! v2 it has its own type (section 9, item 4).

use super::output_buffer::OutputBuffer;

/// A destination to which JSON is written.
pub(crate) trait Sink {
    fn put(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

impl Sink for OutputBuffer<'_> {
    fn put(&mut self, bytes: &[u8]) {
        self.push(bytes);
    }
}

/// The version of the API that JSON is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ApiVersion {
    V1,
    V2,
}

impl ApiVersion {
    /// Writes a number, which is in quotes in v1.
    pub(crate) fn push_number(self, out: &mut impl Sink, number: u64) {
        self.push_numeral(out, itoa::Buffer::new().format(number).as_bytes());
    }

    /// Writes a number that is given as text, such as a decimal. An empty text means that there is
    /// no number.
    pub(crate) fn push_numeral(self, out: &mut impl Sink, numeral: &[u8]) {
        match self {
            ApiVersion::V2 if !numeral.is_empty() => out.put(numeral),
            _ => self.push_text(out, numeral),
        }
    }

    /// Writes a string, which is given with escapes. An empty string is `null` in v2.
    pub(crate) fn push_text(self, out: &mut impl Sink, escaped: &[u8]) {
        if self == ApiVersion::V2 && escaped.is_empty() {
            out.put(b"null");
            return;
        }
        out.put(b"\"");
        out.put(escaped);
        out.put(b"\"");
    }

    /// Writes a reference, which is given with escapes. In v2 it is a number if the text is one.
    pub(crate) fn push_reference(self, out: &mut impl Sink, escaped: &[u8]) {
        match self {
            ApiVersion::V2 if is_number(escaped) => out.put(escaped),
            _ => self.push_text(out, escaped),
        }
    }
}

/// Returns whether a text is a JSON number without a fraction, of at most 2^64−1.
pub(crate) fn is_number(text: &[u8]) -> bool {
    match text {
        [b'0'] => true,
        [b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit) => {
            // If both have the same number of digits, the order of the texts is that of the
            // numbers.
            const HIGHEST: &[u8] = b"18446744073709551615";
            text.len() < HIGHEST.len() || text.len() == HIGHEST.len() && text <= HIGHEST
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_leading_zero_and_fit() {
        for number in [
            "0",
            "1",
            "40",
            "9999999999999999999",
            "18446744073709551615",
        ] {
            assert!(is_number(number.as_bytes()), "{number}");
        }
        for text in [
            "",
            "00",
            "040",
            "-1",
            "+1",
            "1.0",
            "1e3",
            " 1",
            "4a",
            "٤",
            "18446744073709551616",
            "100000000000000000000",
        ] {
            assert!(!is_number(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn each_version_has_its_types() {
        let written = |push: &dyn Fn(ApiVersion, &mut Vec<u8>)| {
            [ApiVersion::V1, ApiVersion::V2].map(|version| {
                let mut out = Vec::new();
                push(version, &mut out);
                String::from_utf8(out).unwrap_or_default()
            })
        };
        let text =
            |text: &'static str| written(&|version, out| version.push_text(out, text.as_bytes()));
        let reference = |text: &'static str| {
            written(&|version, out| version.push_reference(out, text.as_bytes()))
        };
        let numeral = |text: &'static str| {
            written(&|version, out| version.push_numeral(out, text.as_bytes()))
        };
        assert_eq!(
            written(&|version, out| version.push_number(out, 7)),
            ["\"7\"", "7"]
        );
        assert_eq!(text("7"), ["\"7\"", "\"7\""]);
        assert_eq!(text(""), ["\"\"", "null"]);
        assert_eq!(reference("40"), ["\"40\"", "40"]);
        assert_eq!(reference("040"), ["\"040\"", "\"040\""]);
        assert_eq!(reference(""), ["\"\"", "null"]);
        assert_eq!(numeral("1.50"), ["\"1.50\"", "1.50"]);
        assert_eq!(numeral(""), ["\"\"", "null"]);
    }
}
