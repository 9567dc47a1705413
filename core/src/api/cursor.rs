//! Cursors: where a walk along a collection goes on (section 9, item 3).
//!
//! ```text
//! version u8 · digest of the question and its order, 8 bytes
//! instant of the first page, zigzag varint
//! position of the last record, varints; zeros at its end are left out
//! checksum, 4 bytes
//! ```
//!
//! In base64 without padding, of letters, digits, `-` and `_`. Nothing of it
//! depends on the engine or the machine, so a cursor outlives both.

use crate::query::{Identity, Position};
use crate::record::varint;
use base64ct::{Base64UrlUnpadded, Encoding};
use siphasher::sip::SipHasher13;

const VERSION: u8 = 1;
const CHECKSUM_BYTES: usize = 4;

/// What tells one walk from all others.
pub(super) type Walked = [u8; 8];

/// The digest of a question and the order in which it is walked.
pub(super) fn digest(mut identity: Identity, reverse: bool) -> Walked {
    identity.flag("reverse_order", reverse);
    SipHasher13::new().hash(identity.bytes()).to_le_bytes()
}

/// Where a walk goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cursor {
    /// The position of the last record.
    pub(super) position: Position,
    /// The instant of the walk's first page.
    pub(super) since: i64,
}

/// More than any cursor has, in bytes and in letters.
const MOST_BYTES: usize = 128;
const MOST_LETTERS: usize = 192;

impl Cursor {
    /// Adds the cursor's letters.
    pub(super) fn push(&self, walked: Walked, out: &mut Vec<u8>) {
        let mut bytes = Vec::with_capacity(MOST_BYTES);
        bytes.push(VERSION);
        bytes.extend_from_slice(&walked);
        varint::push(&mut bytes, zigzag(self.since));
        let used = self.position.iter().rposition(|number| *number != 0);
        for number in self.position.iter().take(used.map_or(0, |last| last + 1)) {
            varint::push(&mut bytes, *number);
        }
        let sum = checksum(&bytes);
        bytes.extend_from_slice(&sum);
        let mut letters = [0; MOST_LETTERS];
        let text = Base64UrlUnpadded::encode(&bytes, &mut letters);
        out.extend_from_slice(text.unwrap_or_default().as_bytes());
    }

    /// Reads a cursor; nothing if it is damaged or of another walk.
    pub(super) fn decode(text: &str, walked: Walked) -> Option<Cursor> {
        let mut bytes = [0; MOST_BYTES];
        let bytes = Base64UrlUnpadded::decode(text, &mut bytes).ok()?;
        let (payload, sum) = bytes.split_last_chunk::<CHECKSUM_BYTES>()?;
        let (version, rest) = payload.split_first()?;
        let (of, mut rest) = rest.split_first_chunk()?;
        if *version != VERSION || *of != walked || checksum(payload) != *sum {
            return None;
        }
        let since = unzigzag(varint::take(&mut rest).ok()?);
        let mut position = Position::default();
        for number in &mut position {
            if !rest.is_empty() {
                *number = varint::take(&mut rest).ok()?;
            }
        }
        rest.is_empty().then_some(Cursor { position, since })
    }
}

fn checksum(payload: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let sum = SipHasher13::new().hash(payload).to_le_bytes();
    sum.first_chunk().copied().unwrap_or_default()
}

/// Small numbers of either sign as small numbers.
fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WALKED: Walked = [1, 2, 3, 4, 5, 6, 7, 8];

    fn encoded(cursor: &Cursor) -> String {
        let mut out = Vec::new();
        cursor.push(WALKED, &mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    fn cursors() -> impl Iterator<Item = Cursor> {
        let positions = [
            [0; 7],
            [7, 0, 0, 0, 0, 0, 0],
            [2026, 9, 1, 7, 101, 5, 77],
            [u64::MAX; 7],
        ];
        positions.into_iter().flat_map(|position| {
            let instants = [0, 1_778_745_600, -1, i64::MIN, i64::MAX];
            instants.map(|since| Cursor { position, since })
        })
    }

    #[test]
    fn a_cursor_comes_back() {
        for cursor in cursors() {
            let text = encoded(&cursor);
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
            assert!(text.bytes().all(plain), "{text}");
            assert_eq!(Cursor::decode(&text, WALKED), Some(cursor));
            assert_eq!(Cursor::decode(&text, [0; 8]), None);
        }
    }

    #[test]
    fn any_change_is_seen() {
        let text = encoded(&Cursor {
            position: [2026, 9, 1, 7, 101, 5, 77],
            since: 1_778_745_600,
        });
        for place in 0..text.len() {
            for other in ['A', 'b', '0', '-', '_', '=', 'é', '+'] {
                let mut changed: Vec<char> = text.chars().collect();
                if let Some(character) = changed.get_mut(place) {
                    *character = other;
                }
                let changed: String = changed.into_iter().collect();
                let expected = (changed == text).then(|| Cursor::decode(&text, WALKED));
                assert_eq!(Cursor::decode(&changed, WALKED), expected.flatten());
            }
            let cut = text.get(..place).unwrap_or_default();
            assert_eq!(Cursor::decode(cut, WALKED), None);
            assert_eq!(Cursor::decode(&format!("{text}A"), WALKED), None);
        }
    }
}
