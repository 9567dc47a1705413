//! The tables of the file, and the rows of the table `meta`.

use crate::error::{Error, Result};
use crate::store::blocks::partition::Partition;
use redb::TableDefinition;
use std::collections::BTreeMap;

/// The type of all tables. Keys and values have the same type in all of them, because the code of
/// redb for another type would add 30 KB to the WebAssembly module.
pub(crate) type Definition = TableDefinition<'static, &'static [u8], &'static [u8]>;

/// The blocks, by partition and number. A value is just below 64 KiB, because redb rounds the size
/// of a value up to a power of two of pages.
pub(crate) const BLOCKS: Definition = TableDefinition::new("blocks");

/// The block indexes, by partition.
pub(crate) const BLOCK_INDEXES: Definition = TableDefinition::new("block_indexes");

/// The integrators, and the authorisations by schools, by user name.
pub(crate) const INTEGRATORS: Definition = TableDefinition::new("integrators");

/// Data about the store itself.
pub(crate) const META: Definition = TableDefinition::new("meta");

/// The prefix of the tables with sorted entries of a load that is not finished.
pub(crate) const STAGED_PREFIX: &str = "staged-";

/// The format that this version writes.
pub(crate) const FORMAT: u32 = 1;

pub(crate) const FORMAT_KEY: &[u8] = b"format";
pub(crate) const TOTALS_KEY: &[u8] = b"totals";
/// The number of the last commit, followed by its incarnation if the journal records it. By this
/// number, a commit whose result was not reported is distinguished from one that did not happen.
pub(crate) const SEQUENCE_KEY: &[u8] = b"sequence";
/// The render version of the records.
pub(crate) const RENDERED_KEY: &[u8] = b"rendered";
/// The secret key of cursors, and of digests of values that are not stored themselves. A copy of
/// the store has the same key.
pub(crate) const CURSOR_KEY: &[u8] = b"cursor-key";
pub(crate) type CursorKey = [u8; 16];
/// The owners of schools that the app does not own.
pub(crate) const OWNERS_KEY: &[u8] = b"owners";
/// This row exists while the file may contain data of a person who was erased.
pub(crate) const ERASING_KEY: &[u8] = b"erasing";
/// The incarnations that the journal covers, with the first commit of each.
pub(crate) const INCARNATIONS_KEY: &[u8] = b"incarnations";
/// The prefix of idempotency records, by the number of the commit.
pub(crate) const IDEMPOTENCY_PREFIX: &[u8] = b"idempotency-";
pub(crate) const RENDER_PREFIX: &[u8] = b"rendered-";

/// Returns the key of the render version of a school.
pub(crate) fn render_key(school: u64) -> Vec<u8> {
    [RENDER_PREFIX, &school.to_be_bytes()].concat()
}

/// Returns the approximate space that a value of this length uses in the file. Small values share
/// pages, which are filled to four fifths on average. Other values have their own pages.
pub(crate) fn page_bytes(length: usize) -> u64 {
    const PAGE: usize = 4096;
    const OVERHEAD: usize = 16 + Partition::BYTES + 4;
    let bytes = length + OVERHEAD;
    if bytes <= PAGE / 2 {
        return (bytes + bytes / 4) as u64;
    }
    bytes.next_power_of_two().max(PAGE) as u64
}

/// The stored numbers of records, which need not be counted again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// The number of records by the number of their kind, for kinds that have any.
    records: BTreeMap<u64, u64>,
    /// The space that the blocks and the block indexes use in the file.
    pub(crate) live: u64,
}

impl Totals {
    /// The number under which `live` is stored. No kind has it.
    const LIVE: u64 = u64::MAX;

    /// Returns the number of records of a kind.
    pub(crate) fn get(&self, kind: u8) -> u64 {
        self.records.get(&u64::from(kind)).copied().unwrap_or(0)
    }

    pub(crate) fn set(&mut self, kind: u8, count: u64) {
        if count == 0 {
            self.records.remove(&u64::from(kind));
        } else {
            self.records.insert(u64::from(kind), count);
        }
    }

    /// Encodes the numbers of the kinds and their counts, as pairs of u64.
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
            return Err(Error::corrupt("the counts of records are truncated"));
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

    /// Fails as `newer_format` if there are records of a kind with a number above `highest`.
    pub(crate) fn check(&self, highest: u8) -> Result<()> {
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
    use crate::store::rows::table_definitions::*;

    #[test]
    fn counts_are_decoded_and_only_records_of_unknown_kinds_are_newer() -> Result<()> {
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
