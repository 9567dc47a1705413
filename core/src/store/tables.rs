//! The tables of the store's file and what its header row says.

use super::partition::Partition;
use crate::error::{Error, Result};
use redb::TableDefinition;

/// All tables have keys and values of one type: redb's code for another would
/// weigh 30 KB more in a browser.
pub(crate) type Definition = TableDefinition<'static, &'static [u8], &'static [u8]>;

/// Runs of records by partition and number. Values just below 64 KiB: redb
/// rounds a value up to a power of two pages.
pub(crate) const RUNS: Definition = TableDefinition::new("runs");

/// Directories by partition.
pub(crate) const DIRECTORIES: Definition = TableDefinition::new("directories");

/// Integrators and what schools have authorised them for, by user name.
pub(crate) const INTEGRATORS: Definition = TableDefinition::new("integrators");

/// What the store says of itself.
pub(crate) const META: Definition = TableDefinition::new("meta");

/// Records of a dataset that wait for its end, by load.
pub(crate) const STAGED_PREFIX: &str = "staged-";

/// The format that this version writes.
pub(crate) const FORMAT: u32 = 1;

pub(crate) const FORMAT_KEY: &[u8] = b"format";
pub(crate) const TOTALS_KEY: &[u8] = b"totals";
/// Counts commits, so that one whose end was not reported can be told from
/// one that did not happen.
pub(crate) const SEQUENCE_KEY: &[u8] = b"sequence";
/// The version by which records are rendered.
pub(crate) const RENDERED_KEY: &[u8] = b"rendered";
/// The key under which cursors are made. A copy of the store has it too.
pub(crate) const CURSOR_KEY: &[u8] = b"cursor-key";
pub(crate) type CursorKey = [u8; 16];
/// What came of a change, by the number of its commit.
pub(crate) const RECEIPT_PREFIX: &[u8] = b"receipt-";
pub(crate) const RENDER_PREFIX: &[u8] = b"rendered-";

/// The key under which a school's own version stands.
pub(crate) fn render_key(school: u64) -> Vec<u8> {
    [RENDER_PREFIX, &school.to_be_bytes()].concat()
}

/// A value just below a power of two pages: this many bytes fit beside redb's
/// header of a leaf page (16 bytes with one entry) and the key.
pub(crate) const RUN_BYTES: usize = 65_480;

/// What a value of this length costs in the file, about. Small ones share pages,
/// which are filled by four fifths; any other has pages of its own.
pub(crate) fn page_bytes(length: usize) -> u64 {
    const PAGE: usize = 4096;
    const OVERHEAD: usize = 16 + Partition::BYTES + 4;
    let bytes = length + OVERHEAD;
    if bytes <= PAGE / 2 {
        return (bytes + bytes / 4) as u64;
    }
    bytes.next_power_of_two().max(PAGE) as u64
}

/// Counts that are kept rather than counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Records by kind, in the order that the room above numbers its kinds.
    pub(crate) records: [u64; Totals::KINDS],
    /// What the runs and the directories cost in the file.
    pub(crate) live: u64,
}

impl Totals {
    pub(crate) const KINDS: usize = 17;

    pub(crate) fn encode(&self) -> Vec<u8> {
        let numbers = self.records.iter().chain([&self.live]);
        numbers.flat_map(|number| number.to_le_bytes()).collect()
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Totals> {
        let (numbers, rest) = bytes.as_chunks::<8>();
        let numbers: Vec<u64> = numbers.iter().map(|n| u64::from_le_bytes(*n)).collect();
        let decoded = || {
            let (records, live) = numbers.split_first_chunk()?;
            Some(Totals {
                records: *records,
                live: *live.first()?,
            })
        };
        match decoded() {
            Some(totals) if rest.is_empty() && numbers.len() == Totals::KINDS + 1 => Ok(totals),
            _ => Err(Error::corrupt("the counts of records are cut")),
        }
    }
}
