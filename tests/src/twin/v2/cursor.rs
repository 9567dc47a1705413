//! Cursors, which contain the end of a page and identify the walk. Their text consists of
//! hexadecimal digits.

use std::fmt::Write as _;

/// The properties that are the same for all pages of a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Walk {
    /// The instant of the first page.
    pub(crate) now: i64,
    /// The school's current year at the first page.
    pub(crate) year: Option<u64>,
}

/// The content of a cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// The identity of the request: endpoint, school, parameters and order.
    pub(crate) identity: String,
    /// The place of the last record.
    pub(crate) after: Vec<u64>,
    pub(crate) walk: Walk,
}

impl Cursor {
    pub(crate) fn text(&self) -> String {
        let place: Vec<String> = self.after.iter().map(u64::to_string).collect();
        let year = self
            .walk
            .year
            .map_or("-".to_owned(), |year| year.to_string());
        let content = format!(
            "{} {year} {} {}",
            self.walk.now,
            place.join(","),
            self.identity
        );
        let mut text = format!("{:016x}", checksum(&content));
        for byte in content.bytes() {
            write!(text, "{byte:02x}").expect("a string takes any text");
        }
        text
    }

    /// Decodes a cursor. Returns `None` if the text is not one.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut bytes = Vec::new();
        for pair in text.get(16..)?.as_bytes().chunks(2) {
            let pair = std::str::from_utf8(pair).ok()?;
            bytes.push(u8::from_str_radix(pair, 16).ok()?);
        }
        let content = String::from_utf8(bytes).ok()?;
        let mut parts = content.splitn(4, ' ');
        let now = parts.next()?.parse().ok()?;
        let year = parts.next()?.parse().ok();
        let place: Option<Vec<u64>> = parts
            .next()?
            .split(',')
            .map(|number| number.parse().ok())
            .collect();
        let cursor = Self {
            identity: parts.next()?.to_owned(),
            after: place?,
            walk: Walk { now, year },
        };
        (cursor.text() == text).then_some(cursor)
    }
}

/// Returns the FNV-1a checksum.
fn checksum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
