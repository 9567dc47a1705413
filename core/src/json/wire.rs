//! The two makes of JSON: v1 answers every value as a string, v2 with its type
//! (section 9, item 4).

use super::chunks::Chunks;

/// What JSON is written to.
pub(crate) trait Sink {
    fn put(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

impl Sink for Chunks<'_> {
    fn put(&mut self, bytes: &[u8]) {
        self.push(bytes);
    }
}

/// The version of the API that JSON is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Wire {
    V1,
    V2,
}

impl Wire {
    /// A number: in quotes for v1.
    pub(crate) fn push_number(self, out: &mut impl Sink, number: u64) {
        self.push_numeral(out, itoa::Buffer::new().format(number).as_bytes());
    }

    /// A number that is written already, such as a decimal; nothing if there is
    /// none.
    pub(crate) fn push_numeral(self, out: &mut impl Sink, numeral: &[u8]) {
        match self {
            Wire::V2 if !numeral.is_empty() => out.put(numeral),
            _ => self.push_text(out, numeral),
        }
    }

    /// A string, given escaped; v2 answers `null` for an empty one.
    pub(crate) fn push_text(self, out: &mut impl Sink, escaped: &[u8]) {
        if self == Wire::V2 && escaped.is_empty() {
            out.put(b"null");
            return;
        }
        out.put(b"\"");
        out.put(escaped);
        out.put(b"\"");
    }

    /// A reference, given escaped: for v2 a number if it is one.
    pub(crate) fn push_reference(self, out: &mut impl Sink, escaped: &[u8]) {
        match self {
            Wire::V2 if is_number(escaped) => out.put(escaped),
            _ => self.push_text(out, escaped),
        }
    }
}

/// Whether a text is a JSON number of at most 2^64−1 without fraction.
pub(crate) fn is_number(text: &[u8]) -> bool {
    match text {
        [b'0'] => true,
        [b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit) => {
            // Of as many digits as the highest, the greater text is too great.
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
        let written = |push: &dyn Fn(Wire, &mut Vec<u8>)| {
            [Wire::V1, Wire::V2].map(|wire| {
                let mut out = Vec::new();
                push(wire, &mut out);
                String::from_utf8(out).unwrap_or_default()
            })
        };
        let text = |text: &'static str| written(&|wire, out| wire.push_text(out, text.as_bytes()));
        let reference =
            |text: &'static str| written(&|wire, out| wire.push_reference(out, text.as_bytes()));
        let numeral =
            |text: &'static str| written(&|wire, out| wire.push_numeral(out, text.as_bytes()));
        assert_eq!(
            written(&|wire, out| wire.push_number(out, 7)),
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
