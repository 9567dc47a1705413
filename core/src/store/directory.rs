//! The directory of a partition: which run holds which keys.

use super::partition::Key;
use crate::error::{Error, Result};

/// The runs of one partition, ascending by first key.
///
/// Held decoded, since a search in memory costs a fraction of one in the store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Directory {
    pub(crate) entries: Vec<Entry>,
    /// The number that the next new run gets. Numbers are never used twice
    /// while the partition lives.
    pub(crate) next_run: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) first: Key,
    pub(crate) run: u32,
    /// How many records the run holds.
    pub(crate) count: u32,
}

const ENTRY_BYTES: usize = Key::BYTES + 8;

impl Directory {
    pub(crate) fn decode(bytes: &[u8]) -> Result<Directory> {
        let damaged = || Error::corrupt("a directory of runs is cut");
        let (next_run, entries) = bytes.split_first_chunk().ok_or_else(damaged)?;
        let (entries, rest) = entries.as_chunks::<ENTRY_BYTES>();
        if !rest.is_empty() {
            return Err(damaged());
        }
        let entry = |bytes: &[u8; ENTRY_BYTES]| {
            let (high, rest) = bytes.split_first_chunk()?;
            let (low, rest) = rest.split_first_chunk()?;
            let (run, rest) = rest.split_first_chunk()?;
            Some(Entry {
                first: Key(u64::from_le_bytes(*high), u64::from_le_bytes(*low)),
                run: u32::from_le_bytes(*run),
                count: u32::from_le_bytes(*rest.first_chunk()?),
            })
        };
        Ok(Directory {
            entries: entries.iter().filter_map(entry).collect(),
            next_run: u32::from_le_bytes(*next_run),
        })
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = self.next_run.to_le_bytes().to_vec();
        for entry in &self.entries {
            bytes.extend_from_slice(&entry.first.0.to_le_bytes());
            bytes.extend_from_slice(&entry.first.1.to_le_bytes());
            bytes.extend_from_slice(&entry.run.to_le_bytes());
            bytes.extend_from_slice(&entry.count.to_le_bytes());
        }
        bytes
    }

    /// The place of the entry whose run would hold this key.
    #[inline]
    pub(crate) fn locate(&self, key: Key) -> usize {
        self.entries
            .partition_point(|entry| entry.first.number() <= key.number())
            .saturating_sub(1)
    }

    /// How many records the partition holds.
    pub(crate) fn records(&self) -> u64 {
        self.entries.iter().map(|e| u64::from(e.count)).sum()
    }

    /// What the decoded directory costs in memory.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Directory>() + self.entries.capacity() * size_of::<Entry>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_comes_back_and_finds_its_runs() {
        let entry = |first, run| Entry {
            first: Key(first, 7),
            run,
            count: 3,
        };
        let directory = Directory {
            entries: vec![entry(10, 5), entry(20, 2), entry(30, 9)],
            next_run: 10,
        };
        assert_eq!(
            Directory::decode(&directory.encode()),
            Ok(directory.clone())
        );
        for (key, place) in [(0, 0), (10, 0), (19, 0), (21, 1), (u64::MAX, 2)] {
            assert_eq!(directory.locate(Key(key, 7)), place, "{key}");
        }
        assert_eq!(directory.records(), 9);
        assert_eq!(Directory::default().locate(Key::MIN), 0);
        assert!(Directory::decode(&[0; 5]).is_err());
    }
}
