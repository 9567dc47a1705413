//! Which commits the journal tells of, and in which opening of the store each was made.
//!
//! A file can be put back from a copy, and then goes on with numbers of commits that were
//! given before. So each opening that writes is a *generation* with a random number of its
//! own: a commit is told by its generation and its number.

use super::checksum;
use super::read::next_sequence;
use super::tables::{GENERATIONS_KEY, JOURNALED_KEY};
use super::write::Write;
use crate::error::{Error, Failure, Result};
use redb::{AccessGuard, ReadableTable};

/// How many generations are told apart; a follower of an older one begins anew.
const MOST_GENERATIONS: usize = 64;

/// What is kept of the commits that were noted, without a gap.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct History {
    /// The generations with the first commit of each, oldest first.
    pub(super) generations: Vec<(u64, u64)>,
    /// The last commit that was noted. A later one was made by who notes nothing.
    pub(super) journaled: u64,
}

impl History {
    pub(super) fn read(meta: &impl ReadableTable<&'static [u8], &'static [u8]>) -> Result<History> {
        let journaled = meta.get(JOURNALED_KEY)?;
        let journaled = journaled.as_ref().map(AccessGuard::value);
        let journaled = journaled.map(|row| row.try_into().map_err(|_| damaged()));
        let mut history = History {
            journaled: journaled.transpose()?.map_or(0, u64::from_le_bytes),
            ..History::default()
        };
        if let Some(row) = meta.get(GENERATIONS_KEY)? {
            let (numbers, []) = row.value().as_chunks::<8>() else {
                return Err(damaged());
            };
            let (pairs, []) = numbers.as_chunks::<2>() else {
                return Err(damaged());
            };
            let pairs = pairs.iter().map(|pair| pair.map(u64::from_le_bytes));
            history.generations = pairs
                .map(|[generation, first]| (generation, first))
                .collect();
        }
        Ok(history)
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

impl Write<'_> {
    /// Notes that this commit is one that the journal tells of; says which is the first of
    /// those.
    pub(super) fn note_commit(&mut self, generation: u64) -> Result<u64> {
        let sequence = next_sequence(&self.meta)?;
        let mut history = History::read(&self.meta)?;
        // Whoever followed until then would miss what went by unnoted.
        if history.journaled.checked_add(1) != Some(sequence) {
            history.generations.clear();
        }
        let generations = &mut history.generations;
        if generations.last().map(|last| last.0) != Some(generation) {
            generations.push((generation, sequence));
            let surplus = generations.len().saturating_sub(MOST_GENERATIONS);
            generations.drain(..surplus);
            let numbers = generations
                .iter()
                .flat_map(|(number, first)| [*number, *first]);
            let row: Vec<u8> = numbers.flat_map(u64::to_le_bytes).collect();
            self.put_meta(GENERATIONS_KEY, &row)?;
        }
        self.put_meta(JOURNALED_KEY, &sequence.to_le_bytes())?;
        Ok(history
            .generations
            .first()
            .map_or(sequence, |oldest| oldest.1))
    }
}
