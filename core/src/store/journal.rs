//! The journal: which records each commit touched, so that who has followed the store up
//! to a moment is told what to look at again.
//!
//! It lies in a table of its own, by area and number of the commit. Under the number 0,
//! which no commit has, stands the head of the area.

use super::digests::{self, Scope};
use super::history;
use super::journal_row;
use super::memo::Sources;
use super::partition::Partition;
use super::snapshot::Snapshot;
use super::tables::Definition;
use super::{collection::Collection, read::read_rows};
use crate::error::{Error, Failure, Result};
use redb::{AccessGuard, ReadableTable};

/// What commits touched, by area and number of the commit. A store without it has noted
/// nothing yet.
pub(super) const JOURNAL: Definition = Definition::new("journal");

/// Whether commits are noted. Nobody follows the browser's module, whose size counts.
pub(super) const IS_KEPT: bool = cfg!(any(test, all(feature = "sync", not(module))));

/// A record that a commit touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Touched {
    /// The number of its kind.
    pub(crate) kind: u8,
    /// The numbers of its key without the school, then 0. Of a kind that is a learner's own
    /// without saying so in its key the last number is the learner.
    pub(crate) words: [u64; Touched::WORDS],
}

impl Touched {
    pub(super) const WORDS: usize = 4;
}

/// What is followed by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Area {
    /// The records of no school.
    #[default]
    Global,
    /// The records of a school, itself included.
    School(u64),
}

const GLOBAL: u8 = 0;
const SCHOOL: u8 = 1;

impl Area {
    pub(super) const BYTES: usize = 9;

    /// What the keys of its rows begin with.
    pub(super) fn to_bytes(self) -> [u8; Self::BYTES] {
        let (tag, school) = match self {
            Area::Global => (GLOBAL, 0),
            Area::School(school) => (SCHOOL, school),
        };
        let mut bytes = [tag; Self::BYTES];
        let (_, number) = bytes.split_at_mut(1);
        number.copy_from_slice(&school.to_be_bytes());
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Area> {
        let (tag, school) = bytes.split_first()?;
        let school = u64::from_be_bytes(school.try_into().ok()?);
        match *tag {
            GLOBAL if school == 0 => Some(Area::Global),
            SCHOOL => Some(Area::School(school)),
            _ => None,
        }
    }
}

pub(super) type RowKey = [u8; Area::BYTES + 8];

/// The key of what a commit touched in an area; of its head if the number is 0.
pub(super) fn row_key(area: Area, sequence: u64) -> RowKey {
    let mut key = [0; Area::BYTES + 8];
    let (of, number) = key.split_at_mut(Area::BYTES);
    of.copy_from_slice(&area.to_bytes());
    number.copy_from_slice(&sequence.to_be_bytes());
    key
}

/// The number of the commit that a row is of.
pub(super) fn sequence_of(key: &[u8]) -> Result<u64> {
    let number = key
        .get(Area::BYTES..)
        .and_then(|number| number.try_into().ok());
    number.map(u64::from_be_bytes).ok_or_else(damaged)
}

pub(super) fn damaged() -> Failure {
    Error::corrupt("the journal of what was changed is damaged")
}

/// What is kept of an area beside its rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Head {
    /// After this commit all is told; before it, not.
    pub(super) floor: u64,
    /// What the rows take, about.
    pub(super) bytes: u64,
}

impl Head {
    pub(super) fn encode(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        let (floor, size) = bytes.split_at_mut(8);
        floor.copy_from_slice(&self.floor.to_le_bytes());
        size.copy_from_slice(&self.bytes.to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8]) -> Result<Head> {
        let (floor, size) = bytes.split_first_chunk().ok_or_else(damaged)?;
        Ok(Head {
            floor: u64::from_le_bytes(*floor),
            bytes: u64::from_le_bytes(size.try_into().map_err(|_| damaged())?),
        })
    }

    /// The head of an area of which nothing is noted yet says so.
    pub(super) fn read(
        journal: &impl ReadableTable<&'static [u8], &'static [u8]>,
        area: Area,
    ) -> Result<Head> {
        let row = journal.get(row_key(area, 0).as_slice())?;
        let row = row.as_ref().map(AccessGuard::value);
        row.map_or(Ok(Head::default()), Head::decode)
    }
}

/// What was found once while the store is open: all rows of an area.
struct RowsAreThere;

impl Snapshot {
    /// Whether any row of an area is there.
    pub(super) fn has_touched(&self, area: Area) -> Result<bool> {
        let Some(journal) = &self.journal else {
            return Ok(false);
        };
        let (first, last) = (row_key(area, 1), row_key(area, u64::MAX));
        let mut rows = journal.range::<&[u8]>(first.as_slice()..=last.as_slice())?;
        Ok(rows.next().transpose()?.is_some())
    }

    /// Makes sure, once while the store is open, that the rows of an area are all there.
    pub(super) fn check_journal(&self, area: Area) -> Result<()> {
        let (school, form) = match area {
            Area::Global => (0, 0),
            Area::School(school) => (school, 1),
        };
        let of = Partition::of(school, Collection::Schools);
        self.decoded(form, of, Sources::NONE, || {
            self.check_digest(Scope::Journal(area))?;
            Ok((RowsAreThere, 0))
        })
        .map(drop)
    }

    /// Makes sure that all of the journal is there and can be read, if anybody would.
    pub(crate) fn check_whole_journal(&self) -> Result<()> {
        if !IS_KEPT {
            return Ok(());
        }
        let areas = digests::journals(&self.digests)?;
        areas
            .into_iter()
            .try_for_each(|area| self.check_journal(area))?;
        let Some(journal) = &self.journal else {
            return Ok(());
        };
        read_rows(journal, &[], &mut |key, value| {
            let area = key.get(..Area::BYTES).and_then(Area::from_bytes);
            self.check_journal(area.ok_or_else(damaged)?)?;
            match sequence_of(key)? {
                0 => Head::decode(value).map(drop),
                _ => journal_row::each(value, &mut |_| Ok(())),
            }
        })?;
        history::check(&self.meta)
    }
}
