//! One run of sorted entries: written as blocks, each a row of a table, and read.
//!
//! The key of a row is the number of its run and that of the block, both u32 and
//! big-endian, so that a run is written one row behind the other. A block holds entries
//! in order:
//!
//! ```text
//! rank u32 · length of what the key shares with the one before in the block
//! length of the key's rest · length of the value · the rest of the key · the value
//! ```
//!
//! A length is a byte, or 255 and a u32.

use crate::error::{Error, Failure, Result};
use redb::{ReadableTable as _, Table};
use std::cmp::Ordering;

pub(super) type SpillTable<'t> = Table<'t, &'static [u8], &'static [u8]>;

/// A block is full at this size; redb gives it eight pages. One of each run lies in
/// memory while they are merged.
pub(super) const BLOCK_BYTES: usize = 32_000;

/// An entry: its key, its rank among those of the key, its value.
pub(super) type Entry<'a> = (&'a [u8], u32, &'a [u8]);

/// The first bytes of a key as a number that compares as they do. Keys of which none
/// begins another and that are no longer are equal if their numbers are.
pub(super) fn prefix(key: &[u8]) -> u128 {
    if let Some(first) = key.first_chunk() {
        return u128::from_be_bytes(*first);
    }
    let mut first = [0; size_of::<u128>()];
    for (to, from) in first.iter_mut().zip(key) {
        *to = *from;
    }
    u128::from_be_bytes(first)
}

/// Where a run lies.
#[derive(Clone, Copy)]
pub(super) struct Run {
    /// How often its entries were merged before.
    pub(super) level: u8,
    pub(super) number: u32,
    pub(super) blocks: u32,
}

pub(super) fn row_key(run: u32, block: u32) -> [u8; 8] {
    (u64::from(run) << 32 | u64::from(block)).to_be_bytes()
}

/// A run being written.
pub(super) struct Writer {
    number: u32,
    blocks: u32,
    block: Vec<u8>,
    /// The key of the last entry of the block.
    last: Vec<u8>,
}

impl Writer {
    pub(super) fn new(number: u32) -> Writer {
        Writer {
            number,
            blocks: 0,
            block: Vec::with_capacity(BLOCK_BYTES),
            last: Vec::new(),
        }
    }

    pub(super) fn push(
        &mut self,
        table: &mut SpillTable<'_>,
        (key, rank, value): Entry<'_>,
    ) -> Result<()> {
        if !self.block.is_empty() && self.block.len() + key.len() + value.len() > BLOCK_BYTES {
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

    /// The run, unless it has no entries.
    pub(super) fn finish(mut self, table: &mut SpillTable<'_>, level: u8) -> Result<Option<Run>> {
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

/// The place in one run.
pub(super) struct Cursor {
    run: Run,
    /// The block to be read next.
    block: u32,
    bytes: Vec<u8>,
    /// Where the next entry begins in them.
    at: usize,
    prefix: u128,
    key: Vec<u8>,
    rank: u32,
    /// Where the value of the entry at hand begins; it ends where the next entry begins.
    value: usize,
}

impl Cursor {
    pub(super) fn new(run: Run) -> Cursor {
        Cursor {
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

    /// Moves to the next entry; says whether there is one.
    pub(super) fn next(&mut self, table: &SpillTable<'_>) -> Result<bool> {
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

    pub(super) fn entry(&self) -> Entry<'_> {
        let value = self.bytes.get(self.value..self.at);
        (&self.key, self.rank, value.unwrap_or_default())
    }
}

impl Ord for Cursor {
    /// The heap hands out the greatest first, so the first entry is the greatest.
    fn cmp(&self, other: &Cursor) -> Ordering {
        let order = self.prefix.cmp(&other.prefix);
        let order = order.then_with(|| self.key.cmp(&other.key));
        order.then(self.rank.cmp(&other.rank)).reverse()
    }
}

impl PartialOrd for Cursor {
    fn partial_cmp(&self, other: &Cursor) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Cursor {
    fn eq(&self, other: &Cursor) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cursor {}

pub(super) fn cut() -> Failure {
    Error::corrupt("a staged entry is cut")
}

pub(super) fn too_many() -> Failure {
    Error::unsupported("a dataset of more than 2,147,483,648 entries: split it")
}
