//! Merging sorted edits into a partition: insert, replace, remove, split and
//! join are one walk over the runs that the edits touch.

use super::collection::Layout;
use super::directory::{Directory, RunEntry};
use super::item::{Item, ItemBuffer};
use super::partition::{Key, Partition};
use super::records::Reader;
use super::run::Run;
use super::run_builder::RunBuilder;
use super::tables::RUN_BYTES;
use super::write::Write;
use crate::error::Result;

/// What becomes of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    /// It stays as it is, or stays away.
    Keep,
    /// It becomes what was written into the buffer.
    Put,
    /// It goes.
    Remove,
}

/// Edits of records, ascending by key.
pub(crate) trait Edits {
    /// The key of the record to edit next, if there is one left.
    fn next_key(&mut self) -> Result<Option<Key>>;

    /// Edits that record, and moves on to the next.
    fn edit(&mut self, old: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Decision>;
}

/// A run that came out of a merge.
pub(super) struct Piece {
    first: Key,
    count: u32,
    bytes: Vec<u8>,
}

impl Write<'_> {
    /// Carries out the edits. Runs that none of them changes are not written.
    pub(crate) fn merge(&mut self, partition: Partition, edits: &mut dyn Edits) -> Result<()> {
        let before = self.directory(partition)?;
        let mut directory = (*before).clone();
        while let Some(key) = edits.next_key()? {
            let position = directory.locate(key);
            self.merge_run(partition, &mut directory, position, edits)?;
        }
        if *before != directory {
            self.put_directory(partition, &directory)?;
        }
        Ok(())
    }

    /// Carries out the edits that belong to the run at a position of the directory.
    fn merge_run(
        &mut self,
        partition: Partition,
        directory: &mut Directory,
        position: usize,
        edits: &mut dyn Edits,
    ) -> Result<()> {
        let layout = partition.collection.layout();
        let entry = directory.entries.get(position).copied();
        let until = directory.entries.get(position + 1).map(|next| next.first);
        let old = match entry {
            Some(_) => self.run_bytes(partition, directory, position)?,
            None => RunBuilder::new(layout).finish(),
        };
        let mut cutter = Cutter::new(layout);
        let mut written = Vec::new();
        let run = Run::open(&old, layout)?;
        let changed = merge_items(&run, until, edits, &mut |key, item| {
            cutter.push(key, item)?;
            // A first load brings a whole partition at once: all but the last
            // pieces, which may still be evened out, go to the store.
            while cutter.done.len() > 2 {
                let piece = cutter.done.remove(0);
                written.push(self.put_piece(partition, directory, None, &piece)?);
            }
            Ok(())
        })?;
        if !changed {
            return Ok(());
        }
        cutter.cut();
        let mut done = cutter.done;
        // Records that are added at the end fill one run after the other;
        // those added in the middle leave room on both sides.
        if until.is_some() {
            even_out(&mut done, layout)?;
        }
        let mut reused = entry.map(|entry| entry.run);
        for piece in &done {
            written.push(self.put_piece(partition, directory, reused.take(), piece)?);
        }
        if let Some(unused) = reused {
            self.remove_run(partition, unused)?;
        }
        let replaced =
            position..(position + usize::from(entry.is_some())).min(directory.entries.len());
        let small = matches!(&*done, [only] if only.bytes.len() < RUN_BYTES / 4);
        directory.entries.splice(replaced, written);
        if small && entry.is_some() {
            self.join(partition, directory, position)?;
        }
        Ok(())
    }

    pub(super) fn put_piece(
        &mut self,
        partition: Partition,
        directory: &mut Directory,
        run: Option<u32>,
        piece: &Piece,
    ) -> Result<RunEntry> {
        let run = match run {
            Some(run) => run,
            None => directory.number_run()?,
        };
        Ok(RunEntry {
            first: piece.first,
            run,
            count: piece.count,
            checksum: self.put_run(partition, run, &piece.bytes)?,
        })
    }

    /// Joins a small run with a neighbour, if both fit well into one.
    fn join(
        &mut self,
        partition: Partition,
        directory: &mut Directory,
        position: usize,
    ) -> Result<()> {
        let layout = partition.collection.layout();
        for left in position.saturating_sub(1)..=position {
            let pair = directory
                .entries
                .get(left..)
                .and_then(|pair| pair.first_chunk());
            let Some(&[first, second]) = pair else {
                continue;
            };
            let head = self.run_bytes(partition, directory, left)?;
            let tail = self.run_bytes(partition, directory, left + 1)?;
            if head.len() + tail.len() > RUN_BYTES * 3 / 4 {
                continue;
            }
            let mut builder = RunBuilder::new(layout);
            for bytes in [&head, &tail] {
                let run = Run::open(bytes, layout)?;
                for (index, key) in run.keys().enumerate() {
                    builder.push(key, &run.item(index)?)?;
                }
            }
            let count = u32::try_from(builder.len()).unwrap_or(u32::MAX);
            let checksum = self.put_run(partition, first.run, &builder.finish())?;
            self.remove_run(partition, second.run)?;
            let joined = RunEntry {
                count,
                checksum,
                ..first
            };
            directory.entries.splice(left..left + 2, [joined]);
            return Ok(());
        }
        Ok(())
    }
}

/// Walks a run and the edits before `until` side by side, and passes on every
/// record that there is afterwards, but none if none was changed. Says whether any was.
fn merge_items(
    old: &Run<'_>,
    until: Option<Key>,
    edits: &mut dyn Edits,
    keep: &mut dyn FnMut(Key, &Item<'_>) -> Result<()>,
) -> Result<bool> {
    let mut changed = false;
    let mut buffer = ItemBuffer::default();
    let mut index = 0;
    loop {
        let edited = edits
            .next_key()?
            .filter(|key| until.is_none_or(|until| *key < until));
        let kept = if index < old.len() {
            Some(old.key(index)?)
        } else {
            None
        };
        let key = match (edited, kept) {
            (None, None) => return Ok(changed),
            (Some(edited), None) => edited,
            (None, Some(kept)) => kept,
            (Some(edited), Some(kept)) => edited.min(kept),
        };
        let item = if kept == Some(key) {
            index += 1;
            Some(old.item(index - 1)?)
        } else {
            None
        };
        let decision = if edited == Some(key) {
            buffer.clear();
            edits.edit(item, &mut buffer)?
        } else {
            Decision::Keep
        };
        let changes = decision == Decision::Put || decision == Decision::Remove && item.is_some();
        if changes && !changed {
            changed = true;
            for before in 0..index - usize::from(item.is_some()) {
                keep(old.key(before)?, &old.item(before)?)?;
            }
        }
        match (decision, item) {
            (Decision::Keep, Some(item)) if changed => keep(key, &item)?,
            (Decision::Put, _) => keep(key, &buffer.item())?,
            _ => {}
        }
    }
}

/// Cuts records into runs as full as they may be. A record larger than a run
/// is a run alone.
pub(super) struct Cutter {
    builder: RunBuilder,
    first: Key,
    pub(super) done: Vec<Piece>,
}

impl Cutter {
    pub(super) fn new(layout: Layout) -> Cutter {
        Cutter {
            builder: RunBuilder::new(layout),
            first: Key::MIN,
            done: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, key: Key, item: &Item<'_>) -> Result<()> {
        if self.builder.bytes() + self.builder.cost(item) > RUN_BYTES {
            self.cut();
        }
        if self.builder.len() == 0 {
            self.first = key;
        }
        self.builder.push(key, item)
    }

    pub(super) fn cut(&mut self) {
        if self.builder.len() > 0 {
            self.done.push(Piece {
                first: self.first,
                count: u32::try_from(self.builder.len()).unwrap_or(u32::MAX),
                bytes: self.builder.finish(),
            });
        }
    }
}

/// Spreads the records of the last two runs evenly over both.
fn even_out(pieces: &mut Vec<Piece>, layout: Layout) -> Result<()> {
    let [.., left, right] = pieces.as_slice() else {
        return Ok(());
    };
    if left.bytes.len().max(right.bytes.len()) > RUN_BYTES {
        return Ok(());
    }
    let half = left.bytes.len().midpoint(right.bytes.len());
    let mut cutter = Cutter::new(layout);
    for piece in [left, right] {
        let run = Run::open(&piece.bytes, layout)?;
        for (index, key) in run.keys().enumerate() {
            cutter.push(key, &run.item(index)?)?;
            if cutter.done.is_empty() && cutter.builder.bytes() >= half {
                cutter.cut();
            }
        }
    }
    cutter.cut();
    pieces.truncate(pieces.len() - 2);
    pieces.append(&mut cutter.done);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::collection::Collection;
    use super::super::{Location, Store, StoreOptions};
    use super::*;
    use std::collections::BTreeMap;

    const LEARNERS: Partition = Partition::of(7, Collection::Learners);

    type Model = BTreeMap<Key, Vec<u8>>;

    /// Puts or removes whole records, in order.
    struct Batch(
        std::vec::IntoIter<(Key, Option<Vec<u8>>)>,
        Option<(Key, Option<Vec<u8>>)>,
    );

    impl Batch {
        fn of(edits: BTreeMap<Key, Option<Vec<u8>>>) -> Batch {
            let mut edits: std::vec::IntoIter<_> =
                edits.into_iter().collect::<Vec<_>>().into_iter();
            let first = edits.next();
            Batch(edits, first)
        }
    }

    impl Edits for Batch {
        fn next_key(&mut self) -> Result<Option<Key>> {
            Ok(self.1.as_ref().map(|(key, _)| *key))
        }

        fn edit(&mut self, old: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Decision> {
            let edit = self.1.take().and_then(|(_, edit)| edit);
            self.1 = self.0.next();
            let Some(bytes) = edit else {
                return Ok(Decision::Remove);
            };
            new.lanes[0].extend_from_slice(&bytes);
            let same = old.is_some_and(|old| old.lanes[0] == bytes);
            Ok(if same { Decision::Keep } else { Decision::Put })
        }
    }

    fn store() -> Result<Store> {
        Store::open(Location::Memory, StoreOptions::for_test())
    }

    /// What the partition holds must be the model, in runs that are neither
    /// empty nor too full, as its directory says.
    fn check(store: &Store, model: &Model) -> Result<usize> {
        store.read(|snapshot| {
            let directory = snapshot.directory(LEARNERS)?;
            let mut found = Model::new();
            let mut live = 0;
            for entry in &directory.entries {
                let pinned = snapshot.pin(LEARNERS, entry.run)?;
                let run = pinned.run()?;
                assert_eq!(
                    (run.len(), run.key(0)?),
                    (entry.count as usize, entry.first)
                );
                let mut builder = RunBuilder::new(LEARNERS.collection.layout());
                for (index, key) in run.keys().enumerate() {
                    found.insert(key, run.record(0, index)?.to_vec());
                    builder.push(key, &run.item(index)?)?;
                }
                assert!(builder.bytes() <= RUN_BYTES || run.len() == 1);
                live += super::super::tables::page_bytes(builder.bytes());
            }
            assert!(directory.entries.is_sorted_by(|a, b| a.first < b.first));
            if !directory.entries.is_empty() {
                live += super::super::tables::page_bytes(directory.encode().len());
            }
            assert!(found == *model);
            assert_eq!(directory.records(), model.len() as u64);
            assert_eq!(snapshot.totals()?.live, live);
            Ok(directory.entries.len())
        })
    }

    #[test]
    fn random_batches_agree_with_a_map() -> Result<()> {
        let mut seed = 1u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        let store = store()?;
        let mut model = Model::new();
        let (mut most, mut shrunk) = (0, 0);
        for round in 0..300u64 {
            // Growing, shrinking and small batches take turns.
            let (edits, removals) = match round / 8 % 4 {
                0 => (200, 1),
                1 => (200, 9),
                2 => (1, 5),
                _ => (30, 5),
            };
            let mut batch = BTreeMap::new();
            for _ in 0..=random(edits) {
                let key = Key(random(40), random(40));
                let length = match random(100) {
                    0 => 150_000,
                    1..20 => random(20_000),
                    _ => random(1500),
                };
                let byte = b'a' + u8::try_from(random(4)).unwrap_or(0);
                let bytes = vec![byte; usize::try_from(length).unwrap_or(0)];
                batch.insert(key, (random(10) >= removals).then_some(bytes));
            }
            for (key, edit) in &batch {
                match edit {
                    Some(bytes) => model.insert(*key, bytes.clone()),
                    None => model.remove(key),
                };
            }
            store.write(|write| write.merge(LEARNERS, &mut Batch::of(batch)))?;
            let runs = check(&store, &model)?;
            shrunk += usize::from(runs < most);
            most = most.max(runs);
        }
        assert!(most > 20 && shrunk > 50);
        let all = model.keys().map(|key| (*key, None)).collect();
        store.write(|write| write.merge(LEARNERS, &mut Batch::of(all)))?;
        assert_eq!(check(&store, &Model::new())?, 0);
        Ok(())
    }

    #[test]
    fn records_added_in_order_fill_their_runs() -> Result<()> {
        let store = store()?;
        let record = vec![b'x'; 700];
        let all: BTreeMap<_, _> = (0..2000)
            .map(|id| (Key::one(id), Some(record.clone())))
            .collect();
        store.write(|write| write.merge(LEARNERS, &mut Batch::of(all)))?;
        let model: Model = (0..2000).map(|id| (Key::one(id), record.clone())).collect();
        let runs = check(&store, &model)?;
        let bytes = 2000 * (700 + 16 + 12 + 1 + 56 + 2);
        assert!(runs <= bytes / RUN_BYTES + 2, "{runs}");
        Ok(())
    }

    #[test]
    fn what_changes_nothing_is_not_written() -> Result<()> {
        let store = store()?;
        let batch = || {
            (0..500)
                .map(|id| (Key::one(id), Some(vec![b'x'; 300])))
                .collect()
        };
        store.write(|write| write.merge(LEARNERS, &mut Batch::of(batch())))?;
        let before = store.read(|snapshot| snapshot.sequence())?;
        store.write(|write| write.merge(LEARNERS, &mut Batch::of(batch())))?;
        assert_eq!(store.read(|snapshot| snapshot.sequence())?, before);
        Ok(())
    }
}
