//! Cursors: where a walk along a collection goes on (section 9, item 3).
//!
//! ```text
//! version u8
//! instant of the first page, zigzag varint
//! 0, or 1 and the school's year at the first page, varints
//! position of the last record, varints; zeros at its end are left out
//! tag, 16 bytes
//! ```
//!
//! In base64 without padding, of letters, digits, `-` and `_`. The tag is
//! `SipHash-2-4` of all that and of the question, under a key that lies in the
//! store: nobody else makes a cursor, and a copy of the store takes it as well.

use crate::error::Result;
use crate::query::{Identity, Position};
use crate::record::varint;
use crate::store::CursorKey;
use base64ct::{Base64UrlUnpadded, Encoding};
use siphasher::sip128::{Hasher128, SipHasher24};
use std::hash::Hasher;

const VERSION: u8 = 3;
const TAG_BYTES: usize = 16;

/// What tells one walk from all others: the question, its order, and the store.
pub(super) struct Walked<'a> {
    identity: Identity,
    key: &'a CursorKey,
}

impl Walked<'_> {
    pub(super) fn new(mut identity: Identity, reverse: bool, key: &CursorKey) -> Walked<'_> {
        identity.flag("reverse_order", reverse);
        Walked { identity, key }
    }

    /// Compared as one number, so that the time says nothing of where two differ.
    fn tag(&self, payload: &[u8]) -> u128 {
        let mut hasher = SipHasher24::new_with_key(self.key);
        // Its length keeps the payload apart from the question.
        hasher.write(&(payload.len() as u64).to_le_bytes());
        hasher.write(payload);
        hasher.write(self.identity.bytes());
        hasher.finish128().as_u128()
    }
}

/// Where a walk goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cursor {
    /// The position of the last record.
    pub(super) position: Position,
    /// The instant of the walk's first page.
    pub(super) since: i64,
    /// The year in which the walk stays.
    pub(super) year: Option<u64>,
}

/// More than any cursor has, in bytes and in letters.
const MOST_BYTES: usize = 128;
const MOST_LETTERS: usize = 192;

impl Cursor {
    /// Adds the cursor's letters.
    pub(super) fn push(&self, walked: &Walked<'_>, out: &mut Vec<u8>) {
        let mut bytes = Vec::with_capacity(MOST_BYTES);
        bytes.push(VERSION);
        varint::push(&mut bytes, zigzag(self.since));
        bytes.push(u8::from(self.year.is_some()));
        if let Some(year) = self.year {
            varint::push(&mut bytes, year);
        }
        let used = self.position.iter().rposition(|number| *number != 0);
        for number in self.position.iter().take(used.map_or(0, |last| last + 1)) {
            varint::push(&mut bytes, *number);
        }
        let tag = walked.tag(&bytes);
        bytes.extend_from_slice(&tag.to_le_bytes());
        let mut letters = [0; MOST_LETTERS];
        let text = Base64UrlUnpadded::encode(&bytes, &mut letters);
        out.extend_from_slice(text.unwrap_or_default().as_bytes());
    }

    /// Reads a cursor; nothing if it is damaged or of another walk than the one that
    /// such a cursor is to be of.
    pub(super) fn decode<'a>(
        text: &str,
        walked: impl FnOnce(&Cursor) -> Result<Walked<'a>>,
    ) -> Result<Option<Cursor>> {
        let mut bytes = [0; MOST_BYTES];
        let bytes = Base64UrlUnpadded::decode(text, &mut bytes).unwrap_or_default();
        let Some((payload, tag)) = bytes.split_last_chunk::<TAG_BYTES>() else {
            return Ok(None);
        };
        let Some(cursor) = Cursor::read(payload) else {
            return Ok(None);
        };
        // A fuzzer would never get past the tag.
        let is_ours = cfg!(fuzzing) || walked(&cursor)?.tag(payload) == u128::from_le_bytes(*tag);
        Ok(is_ours.then_some(cursor))
    }

    /// What a payload says, whoever wrote it.
    fn read(payload: &[u8]) -> Option<Cursor> {
        let (version, mut rest) = payload.split_first()?;
        if *version != VERSION {
            return None;
        }
        let since = unzigzag(varint::take(&mut rest).ok()?);
        let year = match rest.split_off_first()? {
            0 => None,
            1 => Some(varint::take(&mut rest).ok()?),
            _ => return None,
        };
        let mut position = Position::default();
        for number in &mut position {
            if !rest.is_empty() {
                *number = varint::take(&mut rest).ok()?;
            }
        }
        let cursor = Cursor {
            position,
            since,
            year,
        };
        rest.is_empty().then_some(cursor)
    }
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
    const KEY: CursorKey = [7; 16];

    fn walked(key: &CursorKey, school: u64) -> Walked<'_> {
        in_order(key, school, false)
    }

    fn in_order(key: &CursorKey, school: u64, reverse: bool) -> Walked<'_> {
        let identity = Identity::of(&format!("subjects of {school}"));
        Walked::new(identity, reverse, key)
    }

    fn encoded(cursor: &Cursor) -> String {
        let mut out = Vec::new();
        cursor.push(&walked(&KEY, 1), &mut out);
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
            instants.into_iter().flat_map(move |since| {
                [None, Some(0), Some(2026), Some(u64::MAX)].map(|year| Cursor {
                    position,
                    since,
                    year,
                })
            })
        })
    }

    #[test]
    fn a_cursor_comes_back() {
        for cursor in cursors() {
            let text = encoded(&cursor);
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
            assert!(text.bytes().all(plain), "{text}");
            let decode = |of| Cursor::decode(&text, |_| Ok(of)).ok().flatten();
            assert_eq!(decode(walked(&KEY, 1)), Some(cursor));
            assert_eq!(decode(walked(&KEY, 2)), None);
            assert_eq!(decode(walked(&[8; 16], 1)), None);
            assert_eq!(decode(in_order(&KEY, 1, true)), None);
        }
    }

    #[test]
    fn any_change_is_seen() {
        let decode = |text: &str| Cursor::decode(text, |_| Ok(walked(&KEY, 1))).ok().flatten();
        let text = encoded(&Cursor {
            position: [2026, 9, 1, 7, 101, 5, 77],
            since: 1_778_745_600,
            year: Some(2026),
        });
        for index in 0..text.len() {
            for other in ['A', 'b', '0', '-', '_', '=', 'é', '+'] {
                let mut changed: Vec<char> = text.chars().collect();
                if let Some(character) = changed.get_mut(index) {
                    *character = other;
                }
                let changed: String = changed.into_iter().collect();
                let expected = (changed == text).then(|| decode(&text));
                assert_eq!(decode(&changed), expected.flatten());
            }
            let cut = text.get(..index).unwrap_or_default();
            assert_eq!(decode(cut), None);
            assert_eq!(decode(&format!("{text}A")), None);
        }
    }
}
