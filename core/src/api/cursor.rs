//! Cursors: the position at which the next page of a collection begins (section 9, item 3).
//!
//! ```text
//! version u8
//! instant of the first page, zigzag varint
//! 0, or 1 and the school's year at the first page, varints
//! position of the last record, varints; zeros at its end are left out
//! tag, 16 bytes
//! ```
//!
//! A cursor is encoded in base64 without padding, with letters, digits, `-` and `_`. The tag is the
//! `SipHash-2-4` of all preceding bytes and of the question, with a key from the store. Therefore
//! only this store creates valid cursors, and a copy of the store accepts them too.

use crate::error::Result;
use crate::query::{Identity, RecordPosition};
use crate::store::CursorKey;
use crate::varint;
use base64ct::{Base64UrlUnpadded, Encoding};
use siphasher::sip128::{Hasher128, SipHasher24};
use std::hash::Hasher;

const VERSION: u8 = 3;
const TAG_BYTES: usize = 16;

/// Identifies a sequence of pages: the question, its order, and the key of the store.
pub(super) struct PageSequence<'a> {
    identity: Identity,
    key: &'a CursorKey,
}

impl PageSequence<'_> {
    pub(super) fn new(mut identity: Identity, reverse: bool, key: &CursorKey) -> PageSequence<'_> {
        identity.flag("reverse_order", reverse);
        PageSequence { identity, key }
    }

    /// Returns the tag of a payload. Tags are compared as one number, so that the duration of the
    /// comparison does not reveal where two differ.
    fn tag(&self, payload: &[u8]) -> u128 {
        let mut hasher = SipHasher24::new_with_key(self.key);
        // The length separates the payload from the question.
        hasher.write(&(payload.len() as u64).to_le_bytes());
        hasher.write(payload);
        hasher.write(self.identity.bytes());
        hasher.finish128().as_u128()
    }
}

/// The position at which a sequence of pages continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PageCursor {
    /// The position of the last record.
    pub(super) position: RecordPosition,
    /// The instant of the first page.
    pub(super) since: i64,
    /// The school's current year at the first page, which all pages use.
    pub(super) year: Option<u64>,
}

/// The size of the buffer for a cursor, in bytes. No cursor is longer.
const MAX_BYTES: usize = 128;
/// The size of the buffer for a cursor in base64, in bytes.
const MAX_LETTERS: usize = 192;

impl PageCursor {
    /// Appends the encoded cursor.
    pub(super) fn push(&self, walked: &PageSequence<'_>, out: &mut Vec<u8>) {
        let mut bytes = Vec::with_capacity(MAX_BYTES);
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
        let mut letters = [0; MAX_LETTERS];
        let text = Base64UrlUnpadded::encode(&bytes, &mut letters);
        out.extend_from_slice(text.unwrap_or_default().as_bytes());
    }

    /// Decodes a cursor. Returns `None` if it is damaged, or belongs to another sequence of pages
    /// than the one that `walked` returns.
    pub(super) fn decode<'a>(
        text: &str,
        walked: impl FnOnce(&PageCursor) -> Result<PageSequence<'a>>,
    ) -> Result<Option<PageCursor>> {
        let mut bytes = [0; MAX_BYTES];
        let bytes = Base64UrlUnpadded::decode(text, &mut bytes).unwrap_or_default();
        let Some((payload, tag)) = bytes.split_last_chunk::<TAG_BYTES>() else {
            return Ok(None);
        };
        let Some(cursor) = PageCursor::read(payload) else {
            return Ok(None);
        };
        // A fuzzer could not produce a valid tag.
        let is_ours = cfg!(fuzzing) || walked(&cursor)?.tag(payload) == u128::from_le_bytes(*tag);
        Ok(is_ours.then_some(cursor))
    }

    /// Decodes a payload, whose tag is not checked here.
    fn read(payload: &[u8]) -> Option<PageCursor> {
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
        let mut position = RecordPosition::default();
        for number in &mut position {
            if !rest.is_empty() {
                *number = varint::take(&mut rest).ok()?;
            }
        }
        let cursor = PageCursor {
            position,
            since,
            year,
        };
        rest.is_empty().then_some(cursor)
    }
}

/// Encodes integers of small magnitude, positive or negative, as small unsigned integers.
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

    fn walked(key: &CursorKey, school: u64) -> PageSequence<'_> {
        in_order(key, school, false)
    }

    fn in_order(key: &CursorKey, school: u64, reverse: bool) -> PageSequence<'_> {
        let identity = Identity::new(&format!("subjects of {school}"));
        PageSequence::new(identity, reverse, key)
    }

    fn encoded(cursor: &PageCursor) -> String {
        let mut out = Vec::new();
        cursor.push(&walked(&KEY, 1), &mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    fn cursors() -> impl Iterator<Item = PageCursor> {
        let positions = [
            [0; 7],
            [7, 0, 0, 0, 0, 0, 0],
            [2026, 9, 1, 7, 101, 5, 77],
            [u64::MAX; 7],
        ];
        positions.into_iter().flat_map(|position| {
            let instants = [0, 1_778_745_600, -1, i64::MIN, i64::MAX];
            instants.into_iter().flat_map(move |since| {
                [None, Some(0), Some(2026), Some(u64::MAX)].map(|year| PageCursor {
                    position,
                    since,
                    year,
                })
            })
        })
    }

    #[test]
    fn a_cursor_is_decoded_unchanged() {
        for cursor in cursors() {
            let text = encoded(&cursor);
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
            assert!(text.bytes().all(plain), "{text}");
            let decode = |of| PageCursor::decode(&text, |_| Ok(of)).ok().flatten();
            assert_eq!(decode(walked(&KEY, 1)), Some(cursor));
            assert_eq!(decode(walked(&KEY, 2)), None);
            assert_eq!(decode(walked(&[8; 16], 1)), None);
            assert_eq!(decode(in_order(&KEY, 1, true)), None);
        }
    }

    #[test]
    fn any_change_is_detected() {
        let decode = |text: &str| {
            PageCursor::decode(text, |_| Ok(walked(&KEY, 1)))
                .ok()
                .flatten()
        };
        let text = encoded(&PageCursor {
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
