//! The commits that the journal covers, and the opening of the store in which each was made.
//!
//! A file can be restored from a copy, and then its commits get numbers that were used before.
//! Therefore each opening that writes is an *incarnation* with its own random number, and a commit
//! is identified by its incarnation and its number.

use crate::error::{Error, Failure, Result};
use crate::store::checksum;
use crate::store::rows::table_definitions::{INCARNATIONS_KEY, SEQUENCE_KEY};
use redb::ReadableTable;

/// The number of incarnations that are stored. For a follower whose position has an older one,
/// every record may have changed.
const MAX_INCARNATIONS: usize = 64;

/// The commits that are recorded in the journal without a gap.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct History {
    /// The incarnations with the first commit of each, the oldest first.
    incarnations: Vec<(u64, u64)>,
    /// The last commit, and the incarnation that made it, if it was recorded.
    pub(crate) last: (u64, Option<u64>),
}

impl History {
    pub(crate) fn read(meta: &impl ReadableTable<&'static [u8], &'static [u8]>) -> Result<History> {
        let mut history = History::default();
        if let Some(row) = meta.get(SEQUENCE_KEY)? {
            history.last = match row.value().as_chunks() {
                ([sequence], []) => (u64::from_le_bytes(*sequence), None),
                ([sequence, incarnation], []) => (
                    u64::from_le_bytes(*sequence),
                    Some(u64::from_le_bytes(*incarnation)),
                ),
                _ => return Err(damaged()),
            };
        }
        if let Some(row) = meta.get(INCARNATIONS_KEY)? {
            let (numbers, []) = row.value().as_chunks() else {
                return Err(damaged());
            };
            let (pairs, []) = numbers.as_chunks() else {
                return Err(damaged());
            };
            let pairs = pairs.iter().map(|pair| pair.map(u64::from_le_bytes));
            history.incarnations = pairs.map(|[number, first]| (number, first)).collect();
        }
        Ok(history)
    }

    /// Adds a commit that the journal records. Returns the list of incarnations in its stored
    /// form, if the commit changes it, and the first commit of the oldest incarnation.
    pub(crate) fn add(&mut self, incarnation: u64, sequence: u64) -> (Option<Vec<u8>>, u64) {
        let incarnations = &mut self.incarnations;
        // If the last commit was not recorded, the journal lacks the commits before this one.
        if self.last.1.is_none() {
            incarnations.clear();
        }
        let mut row = None;
        if incarnations.last().is_none_or(|last| last.0 != incarnation) {
            incarnations.push((incarnation, sequence));
            let surplus = incarnations.len().saturating_sub(MAX_INCARNATIONS);
            incarnations.drain(..surplus);
            let numbers = incarnations.iter();
            let numbers = numbers.flat_map(|(incarnation, first)| [*incarnation, *first]);
            row = Some(numbers.flat_map(u64::to_le_bytes).collect());
        }
        let oldest = incarnations.first();
        (row, oldest.map_or(sequence, |oldest| oldest.1))
    }

    /// Returns whether the journal covers all changes after a commit of an incarnation.
    pub(crate) fn covers(&self, incarnation: u64, sequence: u64) -> bool {
        let (last, last_incarnation) = self.last;
        let mut made = self.incarnations.iter().rev();
        let made = made.find(|(_, first)| *first <= sequence);
        last_incarnation.is_some()
            && sequence <= last
            && made.is_some_and(|made| made.0 == incarnation)
    }
}

fn damaged() -> Failure {
    Error::corrupt("the list of the store's openings is damaged")
}

/// Checks that the history can be read.
pub(crate) fn check(meta: &impl ReadableTable<&'static [u8], &'static [u8]>) -> Result<()> {
    History::read(meta).map(drop)
}

/// Returns the number of an incarnation. It is random because the seed is, and different for each
/// opening.
pub(crate) fn incarnation(seed: [u8; 16], opening: u64) -> u64 {
    checksum::compute(&seed, &opening.to_le_bytes()).max(1)
}

/// Returns the stored form of the number of a commit, with the incarnation if the commit is
/// recorded.
pub(crate) fn encode(sequence: u64, incarnation: Option<u64>) -> Vec<u8> {
    let numbers = [sequence].into_iter().chain(incarnation);
    numbers.flat_map(u64::to_le_bytes).collect()
}
