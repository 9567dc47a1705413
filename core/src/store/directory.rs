//! The directory of a partition: which run holds which keys.
//!
//! ```text
//! number of the next new run u32
//! for each run: first key 2 × u64 · number u32 · count of records u32 · checksum u64
//! ```
//!
//! All numbers little-endian.

use super::checksum;
use super::held_run::HeldRun;
use super::partition::{Key, Partition, run_key};
use super::run::Run;
use crate::error::{Error, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The runs of one partition, ascending by first key.
///
/// Held decoded, since a search in memory costs a fraction of one in the store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Directory {
    pub(crate) entries: Vec<RunEntry>,
    /// The number that the next new run gets. Numbers are never used twice
    /// while the partition lives.
    pub(crate) next_run: u32,
    known: Known,
}

/// What is known of the runs, by the position of their entry. No part of what the
/// directory says.
#[derive(Debug, Default)]
struct Known(Vec<KnownRun>);

#[derive(Debug, Default)]
struct KnownRun {
    /// It was checked.
    sound: AtomicBool,
    /// The run itself, which was checked before it was held.
    held: OnceLock<Arc<HeldRun>>,
}

impl Clone for Known {
    /// A copy is made to be changed, and knows nothing of the runs to come.
    fn clone(&self) -> Known {
        Known::default()
    }
}

impl PartialEq for Known {
    fn eq(&self, _: &Known) -> bool {
        true
    }
}

impl Eq for Known {}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RunEntry {
    pub(crate) first: Key,
    pub(crate) run: u32,
    /// How many records the run holds.
    pub(crate) count: u32,
    /// The checksum of its key and its bytes. It stands here and not with them, so
    /// that bytes of an older commit do not fit either.
    pub(crate) checksum: u64,
}

const ENTRY_BYTES: usize = Key::BYTES + 16;

impl Directory {
    pub(crate) fn decode(bytes: &[u8]) -> Result<Directory> {
        let damaged = || Error::corrupt("a directory of runs is damaged");
        let (next_run, entries) = bytes.split_first_chunk().ok_or_else(damaged)?;
        let (entries, rest) = entries.as_chunks::<ENTRY_BYTES>();
        if !rest.is_empty() {
            return Err(damaged());
        }
        let entry = |bytes: &[u8; ENTRY_BYTES]| {
            let (high, rest) = bytes.split_first_chunk()?;
            let (low, rest) = rest.split_first_chunk()?;
            let (run, rest) = rest.split_first_chunk()?;
            let (count, rest) = rest.split_first_chunk()?;
            Some(RunEntry {
                first: Key(u64::from_le_bytes(*high), u64::from_le_bytes(*low)),
                run: u32::from_le_bytes(*run),
                count: u32::from_le_bytes(*count),
                checksum: u64::from_le_bytes(*rest.first_chunk()?),
            })
        };
        let next_run = u32::from_le_bytes(*next_run);
        let entries: Vec<RunEntry> = entries.iter().filter_map(entry).collect();
        let numbered = entries.iter().all(|e| e.run < next_run && e.count > 0);
        if !numbered || !entries.is_sorted_by(|a, b| a.first < b.first) {
            return Err(damaged());
        }
        let known = Known(entries.iter().map(|_| KnownRun::default()).collect());
        Ok(Directory {
            entries,
            next_run,
            known,
        })
    }

    /// The run at a position, if it is held.
    #[inline]
    pub(super) fn held(&self, position: usize) -> Option<&Arc<HeldRun>> {
        self.known.0.get(position)?.held.get()
    }

    /// Holds the run at a position, which was checked.
    pub(super) fn hold(&self, position: usize, run: Arc<HeldRun>) {
        if let Some(known) = self.known.0.get(position) {
            // Another thread may have been faster, with the same run.
            let _ = known.held.set(run);
        }
    }

    /// Whether it holds any run.
    pub(super) fn holds_any(&self) -> bool {
        self.known.0.iter().any(|known| known.held.get().is_some())
    }

    /// The directory without the runs that it holds.
    pub(super) fn emptied(&self) -> Directory {
        let known = self.known.0.iter().map(|known| KnownRun {
            sound: AtomicBool::new(known.sound.load(Ordering::Relaxed)),
            held: OnceLock::new(),
        });
        Directory {
            entries: self.entries.clone(),
            next_run: self.next_run,
            known: Known(known.collect()),
        }
    }

    /// Makes sure that the bytes are those of the run that the entry at this position
    /// tells of, and that every number of its head fits it. They are looked at once.
    #[inline]
    pub(crate) fn check(&self, partition: Partition, position: usize, bytes: &[u8]) -> Result<()> {
        match self.known.0.get(position) {
            Some(known) if known.sound.load(Ordering::Relaxed) => Ok(()),
            _ => self.check_now(partition, position, bytes),
        }
    }

    #[cold]
    fn check_now(&self, partition: Partition, position: usize, bytes: &[u8]) -> Result<()> {
        let another = || Error::corrupt("a run is not the one that its directory names");
        let entry = self.entries.get(position).ok_or_else(another)?;
        if checksum::of(&run_key(partition, entry.run), bytes) != entry.checksum {
            return Err(another());
        }
        let run = Run::open(bytes, partition.collection.layout())?;
        run.check()?;
        let next = self.entries.get(position + 1);
        let fits = run.len() == entry.count as usize && run.keys().next() == Some(entry.first);
        let last = run.len().checked_sub(1).map(|last| run.key(last));
        let before = |next: &RunEntry| matches!(&last, Some(Ok(last)) if *last < next.first);
        if !fits || !next.is_none_or(before) {
            return Err(another());
        }
        self.set_sound(position);
        Ok(())
    }

    fn set_sound(&self, position: usize) {
        if let Some(known) = self.known.0.get(position) {
            known.sound.store(true, Ordering::Relaxed);
        }
    }

    /// Takes over which runs were checked from the directory as it was before: those
    /// that did not change, and whose neighbours did not.
    pub(crate) fn inherit(&self, before: &Directory) {
        for (position, entry) in self.entries.iter().enumerate() {
            let first = |entry: &RunEntry| entry.first.number();
            let Ok(then) = before.entries.binary_search_by_key(&first(entry), first) else {
                continue;
            };
            let known = before.known.0.get(then);
            let same = |at: usize, then: usize| self.entries.get(at) == before.entries.get(then);
            if known.is_some_and(|known| known.sound.load(Ordering::Relaxed))
                && same(position, then)
                && same(position + 1, then + 1)
            {
                self.set_sound(position);
            }
        }
    }

    /// The number of a new run.
    pub(crate) fn number_run(&mut self) -> Result<u32> {
        let fresh = self.next_run;
        let next = fresh.checked_add(1);
        self.next_run = next.ok_or_else(|| Error::corrupt("a directory counts too many runs"))?;
        Ok(fresh)
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = self.next_run.to_le_bytes().to_vec();
        for entry in &self.entries {
            bytes.extend_from_slice(&entry.first.0.to_le_bytes());
            bytes.extend_from_slice(&entry.first.1.to_le_bytes());
            bytes.extend_from_slice(&entry.run.to_le_bytes());
            bytes.extend_from_slice(&entry.count.to_le_bytes());
            bytes.extend_from_slice(&entry.checksum.to_le_bytes());
        }
        bytes
    }

    /// The position of the entry whose run would hold this key.
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
        size_of::<Directory>()
            + self.entries.capacity() * size_of::<RunEntry>()
            + self.known.0.capacity() * size_of::<KnownRun>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_comes_back_and_finds_its_runs() {
        let entry = |first, run| RunEntry {
            first: Key(first, 7),
            run,
            count: 3,
            checksum: first * 3,
        };
        let directory = Directory {
            entries: vec![entry(10, 5), entry(20, 2), entry(30, 9)],
            next_run: 10,
            known: Known::default(),
        };
        assert_eq!(
            Directory::decode(&directory.encode()),
            Ok(directory.clone())
        );
        for (key, position) in [(0, 0), (10, 0), (19, 0), (21, 1), (u64::MAX, 2)] {
            assert_eq!(directory.locate(Key(key, 7)), position, "{key}");
        }
        assert_eq!(directory.records(), 9);
        assert_eq!(Directory::default().locate(Key::MIN), 0);
        assert!(Directory::decode(&[0; 5]).is_err());
    }

    #[test]
    fn what_was_checked_counts_for_runs_that_did_not_change() -> Result<()> {
        let of = |checksums: [u64; 4]| {
            let entry = |(run, checksum): (u32, u64)| RunEntry {
                first: Key::one(u64::from(run) * 10),
                run,
                count: 1,
                checksum,
            };
            let directory = Directory {
                entries: (0..).zip(checksums).map(entry).collect(),
                next_run: 4,
                known: Known::default(),
            };
            Directory::decode(&directory.encode())
        };
        let sound = |directory: &Directory| {
            let known = directory.known.0.iter();
            known
                .map(|known| known.sound.load(Ordering::Relaxed))
                .collect::<Vec<_>>()
        };
        let before = of([1, 2, 3, 4])?;
        (0..3).for_each(|position| before.set_sound(position));
        // The last record of the run before one that changed may lie elsewhere now.
        let after = of([1, 2, 9, 4])?;
        after.inherit(&before);
        assert_eq!(sound(&after), [true, false, false, false]);
        let after = of([1, 2, 3, 4])?;
        after.inherit(&before);
        assert_eq!(sound(&after), [true, true, true, false]);
        Ok(())
    }

    #[test]
    fn entries_out_of_order_and_runs_that_cannot_be_are_refused() {
        let of = |entries: &[(u64, u32, u32)], next_run| {
            let entry = |(first, run, count): &(u64, u32, u32)| RunEntry {
                first: Key::one(*first),
                run: *run,
                count: *count,
                checksum: 0,
            };
            let directory = Directory {
                entries: entries.iter().map(entry).collect(),
                next_run,
                known: Known::default(),
            };
            Directory::decode(&directory.encode()).is_ok()
        };
        assert!(of(&[(10, 5, 1), (20, 2, 1)], 6));
        assert!(!of(&[(10, 5, 1), (20, 2, 1)], 5));
        assert!(!of(&[(20, 5, 1), (10, 2, 1)], 6));
        assert!(!of(&[(10, 5, 1), (10, 2, 1)], 6));
        assert!(!of(&[(10, 5, 0)], 6));
        let mut last = Directory {
            next_run: u32::MAX,
            ..Directory::default()
        };
        assert!(last.number_run().is_err());
    }
}
