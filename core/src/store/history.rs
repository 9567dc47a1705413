//! Which commits the journal tells of, and in which opening of the store each was made.
//!
//! A file can be put back from a copy, and then goes on with numbers of commits that were
//! given before. So each opening that writes is a *generation* with a random number of its
//! own: a commit is told by its generation and its number.

use super::checksum;
use super::tables::{GENERATIONS_KEY, SEQUENCE_KEY};
use super::write::Write;
use crate::error::{Error, Failure, Result};
use redb::ReadableTable;

/// How many generations are told apart; a follower of an older one begins anew.
const MOST_GENERATIONS: usize = 64;

/// What is kept of the commits that were noted, without a gap.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct History {
    /// The generations with the first commit of each, oldest first.
    generations: Vec<(u64, u64)>,
    /// The last commit, and the generation that made it, if it was noted.
    pub(super) last: (u64, Option<u64>),
}

impl History {
    pub(super) fn read(meta: &impl ReadableTable<&'static [u8], &'static [u8]>) -> Result<History> {
        let mut history = History::default();
        if let Some(row) = meta.get(SEQUENCE_KEY)? {
            history.last = match row.value().as_chunks() {
                ([sequence], []) => (u64::from_le_bytes(*sequence), None),
                ([sequence, generation], []) => (
                    u64::from_le_bytes(*sequence),
                    Some(u64::from_le_bytes(*generation)),
                ),
                _ => return Err(damaged()),
            };
        }
        if let Some(row) = meta.get(GENERATIONS_KEY)? {
            let (numbers, []) = row.value().as_chunks() else {
                return Err(damaged());
            };
            let (pairs, []) = numbers.as_chunks() else {
                return Err(damaged());
            };
            let pairs = pairs.iter().map(|pair| pair.map(u64::from_le_bytes));
            history.generations = pairs.map(|[number, first]| (number, first)).collect();
        }
        Ok(history)
    }

    /// Whether the journal tells of what came after a commit of a generation.
    pub(super) fn knows(&self, generation: u64, sequence: u64) -> bool {
        let (last, noted) = self.last;
        let mut made = self.generations.iter().rev();
        let made = made.find(|(_, first)| *first <= sequence);
        noted.is_some() && sequence <= last && made.is_some_and(|made| made.0 == generation)
    }
}

fn damaged() -> Failure {
    Error::corrupt("the list of the store's openings is damaged")
}

/// Makes sure that it can be read.
pub(super) fn check(meta: &impl ReadableTable<&'static [u8], &'static [u8]>) -> Result<()> {
    History::read(meta).map(drop)
}

/// The number of a generation: random, as the seed of who opens the store is, and another
/// for each opening.
pub(super) fn generation(seed: [u8; 16], opening: u64) -> u64 {
    checksum::of(&seed, &opening.to_le_bytes()).max(1)
}

/// The number of a commit as it is kept, with the generation if it is noted.
pub(super) fn encode(sequence: u64, generation: Option<u64>) -> Vec<u8> {
    let numbers = [sequence].into_iter().chain(generation);
    numbers.flat_map(u64::to_le_bytes).collect()
}

impl Write<'_> {
    /// Has this commit be one that the journal tells of; says which is the first of those.
    pub(super) fn go_on(&mut self, generation: u64, sequence: u64) -> Result<u64> {
        let mut history = History::read(&self.meta)?;
        let generations = &mut history.generations;
        // Whoever followed until then would miss what went by unnoted.
        if history.last.1.is_none() {
            generations.clear();
        }
        if generations.last().is_none_or(|last| last.0 != generation) {
            generations.push((generation, sequence));
            let surplus = generations.len().saturating_sub(MOST_GENERATIONS);
            generations.drain(..surplus);
            let numbers = generations.iter();
            let numbers = numbers.flat_map(|(generation, first)| [*generation, *first]);
            let row: Vec<u8> = numbers.flat_map(u64::to_le_bytes).collect();
            self.put_meta(GENERATIONS_KEY, &row)?;
        }
        let oldest = history.generations.first();
        Ok(oldest.map_or(sequence, |oldest| oldest.1))
    }
}
