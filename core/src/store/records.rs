//! Reading the records of a partition, run by run.

use super::collection::Layout;
use super::directory::Directory;
use super::held_run::HeldRun;
use super::partition::{Key, Partition};
use super::run::Run;
use crate::error::Result;
use redb::AccessGuard;
use std::ops::Range;
use std::sync::Arc;

/// What takes the key and the value of each row.
pub(crate) type EachRow<'a> = dyn FnMut(&[u8], &[u8]) -> Result<()> + 'a;

/// What can be read from: a snapshot, or a transaction that sees its own work.
pub(crate) trait Reader {
    /// The directory of a partition; an unknown one has no runs.
    fn directory(&self, partition: Partition) -> Result<Arc<Directory>>;

    /// Holds one run of a partition in the cache.
    fn pin(&self, partition: Partition, run: u32) -> Result<PinnedRun<'_>>;

    /// The same for a run that is not held, at a position of its directory: it is checked.
    fn pin_checked(
        &self,
        partition: Partition,
        directory: &Directory,
        position: usize,
        run: u32,
    ) -> Result<PinnedRun<'_>> {
        let pinned = self.pin(partition, run)?;
        directory.check(partition, position, pinned.bytes())?;
        Ok(pinned)
    }

    /// The partitions that exist, from the first key to the last, in order.
    fn partitions(&self, from: Partition, to: Partition) -> Result<Vec<Partition>>;

    /// The integrators' rows whose keys start so, in order.
    fn integrator_rows(&self, prefix: &[u8], each: &mut EachRow<'_>) -> Result<()>;

    /// One row of the integrators.
    fn integrator_row(&self, key: &[u8]) -> Result<Option<Vec<u8>>>;

    /// The records of a partition.
    fn records(&self, partition: Partition) -> Result<Records<'_>>
    where
        Self: Sized,
    {
        Records::open(self, partition)
    }
}

/// The bytes of one run, held in the store's cache while this lives.
pub(crate) struct PinnedRun<'a> {
    bytes: RunBytes<'a>,
    layout: Layout,
}

enum RunBytes<'a> {
    Read(AccessGuard<'a, &'static [u8]>),
    Held(Arc<HeldRun>),
}

impl<'a> PinnedRun<'a> {
    pub(super) fn read(guard: AccessGuard<'a, &'static [u8]>, layout: Layout) -> PinnedRun<'a> {
        let bytes = RunBytes::Read(guard);
        PinnedRun { bytes, layout }
    }

    #[inline]
    pub(super) fn held(run: Arc<HeldRun>, layout: Layout) -> PinnedRun<'a> {
        let bytes = RunBytes::Held(run);
        PinnedRun { bytes, layout }
    }

    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.bytes {
            RunBytes::Read(guard) => guard.value(),
            RunBytes::Held(run) => run.bytes(),
        }
    }

    pub(crate) fn run(&self) -> Result<Run<'_>> {
        Run::open(self.bytes(), self.layout)
    }
}

/// The records of one partition.
pub(crate) struct Records<'a> {
    reader: &'a dyn Reader,
    partition: Partition,
    directory: Arc<Directory>,
}

impl<'a> Records<'a> {
    pub(crate) fn open(reader: &'a dyn Reader, partition: Partition) -> Result<Records<'a>> {
        Ok(Records {
            reader,
            partition,
            directory: reader.directory(partition)?,
        })
    }

    /// How many runs there are.
    pub(crate) fn runs(&self) -> usize {
        self.directory.entries.len()
    }

    /// The position of the run that would hold a key.
    pub(crate) fn locate(&self, key: Key) -> usize {
        self.directory.locate(key)
    }

    /// The first key of the run at a position.
    pub(crate) fn first(&self, position: usize) -> Option<Key> {
        self.directory
            .entries
            .get(position)
            .map(|entry| entry.first)
    }

    /// Holds the run at a position in the cache.
    #[inline]
    pub(crate) fn pin(&self, position: usize) -> Result<Option<PinnedRun<'a>>> {
        let Some(entry) = self.directory.entries.get(position) else {
            return Ok(None);
        };
        if let Some(held) = self.directory.held(position) {
            let layout = self.partition.collection.layout();
            return Ok(Some(PinnedRun::held(held.clone(), layout)));
        }
        let (partition, directory) = (self.partition, &self.directory);
        let pinned = self
            .reader
            .pin_checked(partition, directory, position, entry.run)?;
        Ok(Some(pinned))
    }

    /// The run that holds a record, and its index there.
    #[inline]
    pub(crate) fn get(&self, key: Key) -> Result<Option<(PinnedRun<'a>, usize)>> {
        let Some(pinned) = self.pin(self.locate(key))? else {
            return Ok(None);
        };
        let found = pinned.run()?.find(key);
        Ok(found.map(|index| (pinned, index)))
    }

    /// The runs that hold records from one key to another, both included, with
    /// the indices of those records.
    pub(crate) fn between(
        &self,
        from: Key,
        to: Key,
    ) -> impl Iterator<Item = Result<(PinnedRun<'a>, Range<usize>)>> {
        let entries = &self.directory.entries;
        let mut position = self.locate(from);
        std::iter::from_fn(move || {
            if entries.get(position)?.first > to {
                return None;
            }
            position += 1;
            self.part(position - 1, from, to).transpose()
        })
    }

    /// As [`between`](Self::between), the last run first if `reverse` is set.
    pub(crate) fn toward(
        &self,
        reverse: bool,
        from: Key,
        to: Key,
    ) -> impl Iterator<Item = Result<(PinnedRun<'a>, Range<usize>)>> {
        let first = self.locate(from);
        let entries = self.directory.entries.iter().skip(first);
        let count = entries.take_while(|entry| entry.first <= to).count();
        (0..count).filter_map(move |step| {
            let position = if reverse { count - 1 - step } else { step };
            self.part(first + position, from, to).transpose()
        })
    }

    /// The run at a position, with the indices of its records from one key to another.
    fn part(
        &self,
        position: usize,
        from: Key,
        to: Key,
    ) -> Result<Option<(PinnedRun<'a>, Range<usize>)>> {
        let entries = &self.directory.entries;
        let (Some(entry), Some(pinned)) = (entries.get(position), self.pin(position)?) else {
            return Ok(None);
        };
        // Mostly the directory tells already: its counts were checked.
        let begins_within = from <= entry.first;
        let next = entries.get(position + 1);
        let ends_within = to == Key::MAX || next.is_some_and(|next| next.first <= to);
        if begins_within && ends_within {
            return Ok(Some((pinned, 0..entry.count as usize)));
        }
        let run = pinned.run()?;
        if from == to {
            let found = run.find(from).map_or(0..0, |index| index..index + 1);
            return Ok(Some((pinned, found)));
        }
        let first = if begins_within {
            0
        } else {
            run.lower_bound(from)
        };
        let end = if ends_within {
            run.len()
        } else {
            run.end_of(first, to)
        };
        Ok(Some((pinned, first..end)))
    }

    /// All runs, with the indices of all their records.
    pub(crate) fn all(&self) -> impl Iterator<Item = Result<(PinnedRun<'a>, Range<usize>)>> {
        self.between(Key::MIN, Key::MAX)
    }
}
