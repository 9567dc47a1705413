//! Runs that a snapshot holds at hand: finding one in redb costs more than a small
//! question. Together they take no more than a part of the cache.

use redb::OwnedAccessGuard;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A run in memory. It keeps its read transaction alive, so it goes when the snapshot
/// does.
pub(crate) struct HeldRun {
    guard: OwnedAccessGuard<&'static [u8]>,
    room: Arc<Room>,
    taken: usize,
}

impl HeldRun {
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        self.guard.value()
    }
}

impl Debug for HeldRun {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "HeldRun({} bytes)", self.taken)
    }
}

impl Drop for HeldRun {
    fn drop(&mut self) {
        self.room.taken.fetch_sub(self.taken, Ordering::Relaxed);
    }
}

/// redb's smallest page.
const PAGE: usize = 4096;

/// The memory that held runs may take.
#[derive(Debug)]
pub(super) struct Room {
    bytes: usize,
    taken: AtomicUsize,
    /// How many runs are not held before others are asked to go again: what is being read
    /// may take all the room.
    patience: AtomicUsize,
}

/// Runs that are not held after none could go.
const PATIENCE: usize = 64;

impl Room {
    pub(super) fn of(bytes: usize) -> Arc<Room> {
        Arc::new(Room {
            bytes,
            taken: AtomicUsize::new(0),
            patience: AtomicUsize::new(0),
        })
    }

    /// Whether to have others go, if there is too much.
    pub(super) fn is_out_of_patience(&self) -> bool {
        let left = self.patience.load(Ordering::Relaxed);
        self.patience
            .store(left.saturating_sub(1), Ordering::Relaxed);
        left == 0
    }

    /// None could go.
    pub(super) fn be_patient(&self) {
        self.patience.store(PATIENCE, Ordering::Relaxed);
    }

    /// Whether a run of this size is held at all: a large one would be alone.
    pub(super) fn suits(&self, bytes: usize) -> bool {
        page_of(bytes) <= self.bytes / 4
    }

    /// Whether runs take more than there is.
    pub(super) fn is_over(&self) -> bool {
        self.taken.load(Ordering::Relaxed) > self.bytes
    }

    #[cfg(test)]
    pub(super) fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }

    /// Whether runs take more than half of it.
    pub(super) fn is_half_full(&self) -> bool {
        self.taken.load(Ordering::Relaxed) > self.bytes / 2
    }

    pub(super) fn take(self: &Arc<Room>, guard: OwnedAccessGuard<&'static [u8]>) -> HeldRun {
        let taken = page_of(guard.value().len());
        self.taken.fetch_add(taken, Ordering::Relaxed);
        HeldRun {
            guard,
            room: self.clone(),
            taken,
        }
    }
}

/// What the page takes in which so many bytes lie.
fn page_of(bytes: usize) -> usize {
    bytes.next_power_of_two().max(PAGE)
}

#[cfg(test)]
mod tests {
    use super::super::item::ItemBuffer;
    use super::super::{Collection, Decision, Edits, Item, Key, Partition, Reader, Snapshot};
    use super::super::{Location, Store, StoreOptions};
    use crate::error::Result;
    use std::collections::BTreeMap;
    use std::sync::Arc;

    type Model = BTreeMap<Key, Vec<u8>>;

    /// Puts records, in order.
    struct Puts(std::vec::IntoIter<(Key, Vec<u8>)>, Option<(Key, Vec<u8>)>);

    impl Puts {
        fn of(records: &Model) -> Puts {
            let records: Vec<_> = records.clone().into_iter().collect();
            let mut records = records.into_iter();
            let first = records.next();
            Puts(records, first)
        }
    }

    impl Edits for Puts {
        fn next_key(&mut self) -> Result<Option<Key>> {
            Ok(self.1.as_ref().map(|(key, _)| *key))
        }

        fn edit(&mut self, _: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Decision> {
            let (_, bytes) = self.1.take().unwrap_or((Key::MIN, Vec::new()));
            new.lanes[0].extend_from_slice(&bytes);
            self.1 = self.0.next();
            Ok(Decision::Put)
        }
    }

    fn all(snapshot: &Snapshot, of: Partition) -> Result<Model> {
        let mut found = Model::new();
        for pinned in snapshot.records(of)?.all() {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            for index in indices {
                found.insert(run.key(index)?, run.record(0, index)?.to_vec());
            }
        }
        Ok(found)
    }

    /// Each commit changes one of a few schools. Old snapshots are read beside the new one.
    #[test]
    fn what_is_held_is_of_its_snapshot_and_stays_within_its_room() -> Result<()> {
        let options = StoreOptions::for_test();
        let store = Arc::new(Store::open(Location::Memory, options)?);
        let of = |school| Partition::of(school, Collection::Parents);
        let mut models = vec![Model::new(); 5];
        let mut before = Vec::new();
        let mut most = 0;
        for round in 0..60_u64 {
            let school = round % 5;
            let records = (0..40_u64).map(|id| (id * 7 + round * 3) % 60);
            let length = |id: u64| usize::try_from(id * 90 + round * 10).unwrap_or(0);
            let byte = u8::try_from(round).unwrap_or(0);
            let records = records
                .map(|id| (Key::one(id), vec![byte; length(id)]))
                .collect();
            store.write(|write| write.merge(of(school), &mut Puts::of(&records)))?;
            for (number, model) in (0..).zip(&mut models) {
                if number == school {
                    model.extend(records.clone());
                }
            }
            store.read(|snapshot| {
                assert!(!before.is_empty() || snapshot.held_bytes() == 0);
                for (school, model) in (0..).zip(&models) {
                    // Read from redb, and then from what is held.
                    assert!(all(snapshot, of(school))? == *model);
                    assert!(all(snapshot, of(school))? == *model);
                    most = most.max(snapshot.held_bytes());
                }
                Ok(())
            })?;
            if round % 7 == 0 {
                before.push((store.lease()?, models.clone()));
            }
            for (lease, models) in &before {
                lease.read(|snapshot| {
                    for (school, model) in (0..).zip(models) {
                        assert!(all(snapshot, of(school))? == *model);
                    }
                    Ok(())
                })?;
            }
            if round % 21 == 20 {
                before.clear();
            }
        }
        before.clear();
        let room = options.held_bytes();
        assert!(most > room / 2 && most <= room, "{most} of {room}");
        store.compact()
    }
}
