//! How far a follower has come: a moment of its source, and what it holds of it.

use super::scope::{Kinds, Scope, Whom};
use crate::error::{Error, Result};
use crate::store::{Collection, Key, Moment, Partition, Reader, Records, Sources};
use crate::varint;
use base64ct::{Base64UrlUnpadded, Encoding};
use std::collections::BTreeSet;

/// The version of the encoding.
const VERSION: u8 = 1;

/// A moment of a source, and what a follower holds of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) moment: Moment,
    pub(crate) held: Scope,
    /// More was to come with it: it is the position of no feed's end.
    pub(crate) is_amid: bool,
}

impl Position {
    fn push(&self, out: &mut Vec<u8>) {
        out.push(VERSION);
        out.extend_from_slice(&self.moment.generation.to_le_bytes());
        varint::push(out, self.moment.sequence);
        varint::push(out, u64::from(self.is_amid));
        self.held.encode(out);
    }

    fn take(bytes: &mut &[u8]) -> Result<Position> {
        let (version, rest) = bytes.split_first().ok_or_else(cut)?;
        if *version != VERSION {
            return Err(Error::newer(
                "position",
                u32::from(*version),
                u32::from(VERSION),
            ));
        }
        let (generation, rest) = rest.split_first_chunk().ok_or_else(cut)?;
        *bytes = rest;
        Ok(Position {
            moment: Moment {
                generation: u64::from_le_bytes(*generation),
                sequence: varint::take(bytes)?,
            },
            is_amid: varint::take(bytes)? > 0,
            held: Scope::decode(bytes)?,
        })
    }

    /// As text of letters, digits, `-` and `_`.
    pub(crate) fn to_text(&self) -> String {
        let mut bytes = Vec::new();
        self.push(&mut bytes);
        let mut letters = vec![0; Base64UrlUnpadded::encoded_len(&bytes)];
        let text = Base64UrlUnpadded::encode(&bytes, &mut letters);
        text.unwrap_or_default().to_owned()
    }

    /// Reads the text; nothing if it is none.
    pub(crate) fn from_text(text: &str) -> Option<Position> {
        let mut bytes = vec![0; text.len()];
        let mut bytes = Base64UrlUnpadded::decode(text, &mut bytes).ok()?;
        let position = Position::take(&mut bytes).ok()?;
        bytes.is_empty().then_some(position)
    }
}

/// What a store follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Followed {
    pub(crate) position: Position,
    /// The schools of which the source told what it has seen: it follows or syncs them
    /// itself. Of the others it has all there is.
    pub(crate) told: BTreeSet<u64>,
    /// Schools that are to come anew, as they were until then: they are answered meanwhile.
    pub(crate) kept: Scope,
}

impl Followed {
    /// What it is made from.
    pub(crate) const SOURCES: Sources = Sources::of(&[Collection::Followed]);

    pub(crate) const PARTITION: Partition = Partition::global(Collection::Followed);

    pub(crate) const KEY: Key = Key::MIN;

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.position.push(&mut out);
        varint::push(&mut out, self.told.len() as u64);
        for school in &self.told {
            varint::push(&mut out, *school);
        }
        self.kept.encode(&mut out);
        out
    }

    /// What the store holds of a school.
    pub(crate) fn held(&self, school: u64) -> Option<(&Whom, Kinds)> {
        let mut scopes = [&self.position.held, &self.kept].into_iter();
        scopes.find_map(|scope| Some((scope.whom(school)?, scope.kinds)))
    }

    /// The schools of which it holds anything.
    pub(crate) fn schools(&self) -> impl Iterator<Item = u64> {
        let scopes = [&self.position.held, &self.kept].into_iter();
        scopes.flat_map(|scope| scope.schools.keys().copied())
    }

    fn decode(mut bytes: &[u8]) -> Result<Followed> {
        let position = Position::take(&mut bytes)?;
        let mut told = BTreeSet::new();
        for _ in 0..varint::take(&mut bytes)? {
            told.insert(varint::take(&mut bytes)?);
        }
        let kept = Scope::decode(&mut bytes)?;
        Ok(Followed {
            position,
            told,
            kept,
        })
    }

    /// What a store follows, if it does.
    pub(crate) fn read(reader: &dyn Reader) -> Result<Option<Followed>> {
        let records = Records::open(reader, Followed::PARTITION)?;
        let Some((pinned, index)) = records.get(Followed::KEY)? else {
            return Ok(None);
        };
        Followed::decode(pinned.run()?.record(0, index)?).map(Some)
    }
}

fn cut() -> crate::error::Failure {
    Error::corrupt("a position is cut")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_come_back_as_text() {
        let position = Position {
            moment: Moment {
                generation: u64::MAX - 1,
                sequence: 300,
            },
            held: Scope::default().learners(1000, [1, 2]),
            is_amid: true,
        };
        let text = position.to_text();
        assert!(text.len() < 50, "{text}");
        assert_eq!(Position::from_text(&text), Some(position));
        for bad in ["", "AA", "****", &text[1..], &format!("{text}AAAA")] {
            assert_eq!(Position::from_text(bad), None, "{bad}");
        }
    }
}
