//! The position of a follower: a change position of its source, and the scope that the follower
//! has.

use super::scope::{Audience, Kinds, Scope};
use crate::error::{Error, Result};
use crate::store::{ChangePosition, Collection, Key, Partition, Reader, Records, Sources};
use crate::varint;

/// The version of the encoding.
pub(crate) const VERSION: u8 = 1;

/// A change position of a source, and the scope that a follower has of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FollowerPosition {
    pub(crate) change_position: ChangePosition,
    /// The number of feed parts that were applied. It distinguishes all positions of a
    /// follower.
    pub(crate) parts: u64,
    pub(crate) scope: Scope,
    /// Whether the feed that led to this position has further parts.
    pub(crate) is_incomplete: bool,
    /// Whether the next feed must contain checksums of the records, so that the follower can
    /// compare its data with that of its source.
    pub(crate) wants_checksums: bool,
}

/// The first part of a position, which all of its encodings share.
pub(crate) struct PositionHead {
    pub(crate) change_position: ChangePosition,
    pub(crate) parts: u64,
    pub(crate) is_amid: bool,
    pub(crate) wants_sums: bool,
}

impl FollowerPosition {
    /// Returns the position that the source computes for the end of a feed.
    pub(crate) fn without_checksums(&self) -> FollowerPosition {
        FollowerPosition {
            wants_checksums: false,
            ..self.clone()
        }
    }

    pub(crate) fn push_head(&self, out: &mut Vec<u8>) {
        out.push(VERSION);
        out.extend_from_slice(&self.change_position.incarnation.to_le_bytes());
        varint::push(out, self.change_position.sequence);
        let flags = u64::from(self.wants_checksums) << 1 | u64::from(self.is_incomplete);
        varint::push(out, self.parts << 2 | flags);
    }

    fn push(&self, out: &mut Vec<u8>) {
        self.push_head(out);
        self.scope.encode(out);
    }

    fn take(bytes: &mut &[u8]) -> Result<FollowerPosition> {
        let PositionHead {
            change_position,
            parts,
            is_amid,
            wants_sums,
        } = take_head(bytes)?;
        Ok(FollowerPosition {
            change_position,
            parts,
            is_incomplete: is_amid,
            wants_checksums: wants_sums,
            scope: Scope::decode(bytes)?,
        })
    }
}

pub(crate) fn take_head(bytes: &mut &[u8]) -> Result<PositionHead> {
    let (version, rest) = bytes.split_first().ok_or_else(cut)?;
    if *version != VERSION {
        let [found, highest] = [*version, VERSION].map(u32::from);
        return Err(Error::newer("position", found, highest));
    }
    let (incarnation, rest) = rest.split_first_chunk().ok_or_else(cut)?;
    *bytes = rest;
    let change_position = ChangePosition {
        incarnation: u64::from_le_bytes(*incarnation),
        sequence: varint::take(bytes)?,
    };
    let parts = varint::take(bytes)?;
    Ok(PositionHead {
        change_position,
        parts: parts >> 2,
        is_amid: parts & 1 == 1,
        wants_sums: parts >> 1 & 1 == 1,
    })
}

/// The state of a store that follows another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FollowerState {
    pub(crate) position: FollowerPosition,
    /// The scope of schools that are waiting to be sent again completely. Until then, questions
    /// are answered from their old data.
    pub(crate) awaiting_resend: Scope,
    /// The number of records that feeds have changed since the last comparison with the source.
    pub(crate) unchecked: u64,
    /// Whether all data was requested again after a difference from the source was found, and
    /// no comparison has taken place since.
    pub(crate) asked_again: bool,
}

impl FollowerState {
    /// The collections from which the value is decoded.
    pub(crate) const SOURCES: Sources = Sources::new(&[Collection::Followed]);

    pub(crate) const PARTITION: Partition = Partition::global(Collection::Followed);

    pub(crate) const KEY: Key = Key::MIN;

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.position.push(&mut out);
        self.awaiting_resend.encode(&mut out);
        varint::push(&mut out, self.unchecked);
        varint::push(&mut out, u64::from(self.asked_again));
        out
    }

    /// Returns the audience and the kinds that the store has of a school.
    pub(crate) fn audience(&self, school: u64) -> Option<(&Audience, Kinds)> {
        let mut scopes = [&self.position.scope, &self.awaiting_resend].into_iter();
        scopes.find_map(|scope| Some((scope.audience(school)?, scope.kinds)))
    }

    /// Returns the schools of which the store has any data.
    pub(crate) fn schools(&self) -> impl Iterator<Item = u64> {
        let scopes = [&self.position.scope, &self.awaiting_resend].into_iter();
        scopes.flat_map(|scope| scope.schools.keys().copied())
    }

    fn decode(mut bytes: &[u8]) -> Result<FollowerState> {
        let position = FollowerPosition::take(&mut bytes)?;
        let awaiting_resend = Scope::decode(&mut bytes)?;
        let unchecked = varint::take(&mut bytes)?;
        let asked_again = varint::take(&mut bytes)? > 0;
        Ok(FollowerState {
            position,
            awaiting_resend,
            unchecked,
            asked_again,
        })
    }

    /// Reads the state of a follower. Returns `None` if the store follows no other store.
    pub(crate) fn read(reader: &dyn Reader) -> Result<Option<FollowerState>> {
        let records = Records::open(reader, FollowerState::PARTITION)?;
        let record = records.get(FollowerState::KEY)?;
        record
            .map(|record| FollowerState::decode(record.column(0)?))
            .transpose()
    }
}

pub(crate) fn cut() -> crate::error::Failure {
    Error::corrupt("a position is truncated")
}
