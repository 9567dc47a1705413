//! The tables of the store's file and what its header row says.

use super::partition::Partition;
use crate::error::{Error, Result};
use redb::TableDefinition;
use std::collections::BTreeMap;

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
pub(crate) const FORMAT: u32 = 2;

pub(crate) const FORMAT_KEY: &[u8] = b"format";
pub(crate) const TOTALS_KEY: &[u8] = b"totals";
/// Counts commits, so that one whose end was not reported can be told from
/// one that did not happen. Behind it stands the generation, if the journal tells of it.
pub(crate) const SEQUENCE_KEY: &[u8] = b"sequence";
/// The version by which records are rendered.
pub(crate) const RENDERED_KEY: &[u8] = b"rendered";
/// The key under which cursors are made, and digests of what is not to be kept itself. A
/// copy of the store has it too.
pub(crate) const CURSOR_KEY: &[u8] = b"cursor-key";
pub(crate) type CursorKey = [u8; 16];
/// The schools that are synced, ascending, as u64.
pub(crate) const SYNCED_KEY: &[u8] = b"synced";
/// The generations that the journal tells of, with the first commit of each.
pub(crate) const GENERATIONS_KEY: &[u8] = b"generations";
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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Records by the number of their kind; none if there are none.
    records: BTreeMap<u64, u64>,
    /// What the runs and the directories cost in the file.
    pub(crate) live: u64,
}

impl Totals {
    /// The number under which `live` stands, which no kind has.
    const LIVE: u64 = u64::MAX;

    /// How many records of a kind there are.
    pub(crate) fn of(&self, kind: u8) -> u64 {
        self.records.get(&u64::from(kind)).copied().unwrap_or(0)
    }

    pub(super) fn set(&mut self, kind: u8, count: u64) {
        if count == 0 {
            self.records.remove(&u64::from(kind));
        } else {
            self.records.insert(u64::from(kind), count);
        }
    }

    /// Numbers of kinds with their counts, as pairs of u64.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let kinds = self.records.iter().map(|(kind, count)| (*kind, *count));
        let pairs = kinds.chain([(Self::LIVE, self.live)]);
        let numbers = pairs.flat_map(|(kind, count)| [kind, count]);
        numbers.flat_map(u64::to_le_bytes).collect()
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Totals> {
        let mut totals = Totals::default();
        let (pairs, rest) = bytes.as_chunks::<16>();
        if !rest.is_empty() {
            return Err(Error::corrupt("the counts of records are cut"));
        }
        for pair in pairs {
            let ([kind, count], _) = pair.as_chunks::<8>() else {
                continue;
            };
            match [kind, count].map(|number| u64::from_le_bytes(*number)) {
                [Self::LIVE, live] => totals.live = live,
                [_, 0] => {}
                [kind, count] => drop(totals.records.insert(kind, count)),
            }
        }
        Ok(totals)
    }

    /// Fails as `newer_format` if there are records of a kind above the highest known.
    pub(super) fn check(&self, highest: u8) -> Result<()> {
        match self.records.last_key_value() {
            Some((kind, _)) if *kind > u64::from(highest) => {
                let found = u32::try_from(*kind).unwrap_or(u32::MAX);
                Err(Error::newer("kind", found, u32::from(highest)))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_come_back_and_only_records_of_unknown_kinds_are_newer() -> Result<()> {
        let mut totals = Totals {
            live: 9,
            ..Totals::default()
        };
        totals.set(3, 5);
        let pair = |kind: u64, count: u64| [kind, count].map(u64::to_le_bytes).concat();
        let with = |more: Vec<u8>| [totals.encode(), more].concat();
        assert_eq!(Totals::decode(&with(Vec::new()))?, totals);
        assert_eq!(Totals::decode(&with(pair(17, 0)))?, totals);
        let code = |bytes: &[u8]| {
            let checked = Totals::decode(bytes).and_then(|totals| totals.check(16));
            checked.map_err(|error| error.code())
        };
        assert_eq!(code(&with(Vec::new())), Ok(()));
        assert_eq!(code(&with(pair(17, 1))), Err("newer_format"));
        assert_eq!(code(&with(vec![0])), Err("corrupt"));
        Ok(())
    }
}
