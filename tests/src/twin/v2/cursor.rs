//! Cursors: where a page ended, and of which walk it was. Their text is hexadecimal digits.

use std::fmt::Write as _;

/// What stays the same from the first page of a walk to its last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Walk {
    /// The instant of the first page.
    pub(crate) now: i64,
    /// The school's current year at the first page.
    pub(crate) year: Option<u64>,
}

/// What a cursor tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// What was asked: endpoint, school, parameters and order.
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

    /// None of a text that is no cursor.
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

/// FNV-1a.
fn checksum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
