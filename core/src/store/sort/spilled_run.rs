//! One run of sorted entries, which is written in blocks. Each block is a row of a table.
//!
//! The key of a row consists of the numbers of its run and of its block, both u32 and big-endian,
//! so that the rows of a run are written in order. A block contains entries in order:
//!
//! ```text
//! rank u32 · length of what the key shares with the one before in the block
//! length of the key's rest · length of the value · the rest of the key · the value
//! ```
//!
//! A length is one byte, or the byte 255 followed by a u32.

use crate::error::{Error, Failure, Result};
use redb::{ReadableTable as _, Table};
use std::cmp::Ordering;

pub(crate) type SpillTable<'t> = Table<'t, &'static [u8], &'static [u8]>;

/// The maximum size of a block, for which redb uses eight pages. While runs are merged, one block
/// of each is in memory.
pub(crate) const SPILL_BLOCK_BYTES: usize = 32_000;

/// An entry: its key, its rank among the entries with this key, and its value.
pub(crate) type Entry<'a> = (&'a [u8], u32, &'a [u8]);

/// Returns the first bytes of a key as a number that has the same order. Two keys that fit into
/// the number and of which neither is a prefix of the other are equal if their numbers are equal.
pub(crate) fn prefix(key: &[u8]) -> u128 {
    if let Some(first) = key.first_chunk() {
        return u128::from_be_bytes(*first);
    }
    let mut first = [0; size_of::<u128>()];
    for (to, from) in first.iter_mut().zip(key) {
        *to = *from;
    }
    u128::from_be_bytes(first)
}

/// A run in a table.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    /// How often its entries were merged.
    pub(crate) level: u8,
    pub(crate) number: u32,
    pub(crate) blocks: u32,
}

pub(crate) fn row_key(run: u32, block: u32) -> [u8; 8] {
    (u64::from(run) << 32 | u64::from(block)).to_be_bytes()
}

/// Writes a run.
pub(crate) struct Writer {
    number: u32,
    blocks: u32,
    block: Vec<u8>,
    /// The key of the last entry of the block.
    last: Vec<u8>,
}

impl Writer {
    pub(crate) fn new(number: u32) -> Writer {
        Writer {
            number,
            blocks: 0,
            block: Vec::with_capacity(SPILL_BLOCK_BYTES),
            last: Vec::new(),
        }
    }

    pub(crate) fn push(
        &mut self,
        table: &mut SpillTable<'_>,
        (key, rank, value): Entry<'_>,
    ) -> Result<()> {
        if !self.block.is_empty() && self.block.len() + key.len() + value.len() > SPILL_BLOCK_BYTES
        {
            self.end_block(table)?;
        }
        let equal = key.iter().zip(&self.last).take_while(|(a, b)| a == b);
        let shared = equal.count();
        let rest = key.get(shared..).unwrap_or_default();
        self.block.extend_from_slice(&rank.to_le_bytes());
        for length in [shared, rest.len(), value.len()] {
            push_length(&mut self.block, length)?;
        }
        self.block.extend_from_slice(rest);
        self.block.extend_from_slice(value);
        self.last.truncate(shared);
        self.last.extend_from_slice(rest);
        Ok(())
    }

    fn end_block(&mut self, table: &mut SpillTable<'_>) -> Result<()> {
        let key = row_key(self.number, self.blocks);
        table.insert(key.as_slice(), self.block.as_slice())?;
        self.blocks = self.blocks.checked_add(1).ok_or_else(too_many)?;
        self.block.clear();
        self.last.clear();
        Ok(())
    }

    /// Writes the last block. Returns the run, or `None` if it has no entries.
    pub(crate) fn finish(mut self, table: &mut SpillTable<'_>, level: u8) -> Result<Option<Run>> {
        if !self.block.is_empty() {
            self.end_block(table)?;
        }
        let run = Run {
            level,
            number: self.number,
            blocks: self.blocks,
        };
        Ok((run.blocks > 0).then_some(run))
    }
}

const LONG: u8 = u8::MAX;

fn push_length(out: &mut Vec<u8>, length: usize) -> Result<()> {
    match u8::try_from(length) {
        Ok(short) if short < LONG => out.push(short),
        _ => {
            let length = u32::try_from(length).map_err(|_| too_many())?;
            out.push(LONG);
            out.extend_from_slice(&length.to_le_bytes());
        }
    }
    Ok(())
}

fn take_length(bytes: &mut &[u8]) -> Option<usize> {
    let (short, rest) = bytes.split_first()?;
    *bytes = rest;
    if *short < LONG {
        return Some(usize::from(*short));
    }
    let (length, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    usize::try_from(u32::from_le_bytes(*length)).ok()
}

/// A position in a run.
pub(crate) struct SpillCursor {
    run: Run,
    /// The number of the next block to read.
    block: u32,
    bytes: Vec<u8>,
    /// The offset of the next entry in `bytes`.
    at: usize,
    prefix: u128,
    key: Vec<u8>,
    rank: u32,
    /// The offset of the value of the current entry, which ends at the next entry.
    value: usize,
}

impl SpillCursor {
    pub(crate) fn new(run: Run) -> SpillCursor {
        SpillCursor {
            run,
            block: 0,
            bytes: Vec::new(),
            at: 0,
            prefix: 0,
            key: Vec::new(),
            rank: 0,
            value: 0,
        }
    }

    /// Moves to the next entry. Returns whether there is one.
    pub(crate) fn next(&mut self, table: &SpillTable<'_>) -> Result<bool> {
        if self.at == self.bytes.len() {
            if self.block == self.run.blocks {
                return Ok(false);
            }
            let key = row_key(self.run.number, self.block);
            let row = table.get(key.as_slice())?.ok_or_else(cut)?;
            row.value().clone_into(&mut self.bytes);
            self.block += 1;
            self.at = 0;
            self.key.clear();
        }
        self.read().ok_or_else(cut)?;
        Ok(true)
    }

    fn read(&mut self) -> Option<()> {
        let mut rest = self.bytes.get(self.at..)?;
        let (rank, after) = rest.split_first_chunk()?;
        rest = after;
        let shared = take_length(&mut rest)?;
        let key = take_length(&mut rest)?;
        let value = take_length(&mut rest)?;
        let (key, rest) = rest.split_at_checked(key)?;
        if shared > self.key.len() {
            return None;
        }
        self.key.truncate(shared);
        self.key.extend_from_slice(key);
        self.prefix = prefix(&self.key);
        self.rank = u32::from_le_bytes(*rank);
        self.value = self.bytes.len() - rest.len();
        self.at = self.value + value;
        (self.at <= self.bytes.len()).then_some(())
    }

    pub(crate) fn entry(&self) -> Entry<'_> {
        let value = self.bytes.get(self.value..self.at);
        (&self.key, self.rank, value.unwrap_or_default())
    }
}

impl Ord for SpillCursor {
    /// Reverses the order, because a heap returns its greatest element first.
    fn cmp(&self, other: &SpillCursor) -> Ordering {
        let order = self.prefix.cmp(&other.prefix);
        let order = order.then_with(|| self.key.cmp(&other.key));
        order.then(self.rank.cmp(&other.rank)).reverse()
    }
}

impl PartialOrd for SpillCursor {
    fn partial_cmp(&self, other: &SpillCursor) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for SpillCursor {
    fn eq(&self, other: &SpillCursor) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for SpillCursor {}

pub(crate) fn cut() -> Failure {
    Error::corrupt("a staged entry is truncated")
}

pub(crate) fn too_many() -> Failure {
    Error::unsupported("a dataset of more than 2,147,483,648 entries: split it")
}
