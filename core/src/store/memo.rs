//! What a snapshot holds decoded, bounded in bytes.

use super::collection::Collection;
use super::directory::Directory;
use super::held_run::Room;
use super::partition::Partition;
use crate::error::Result;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The name of a decoded value: its type, which of its forms it has, and of which
/// partition or school it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct MemoKey {
    what: TypeId,
    form: u64,
    of: Partition,
}

/// The form of a directory as it was before it changed.
const FORMER: u64 = 1;

impl MemoKey {
    pub(super) fn new<T: Any>(form: u64, of: Partition) -> MemoKey {
        let what = TypeId::of::<T>();
        MemoKey { what, form, of }
    }

    /// The directory of a partition,
    pub(super) fn directory(of: Partition) -> MemoKey {
        MemoKey::new::<Directory>(0, of)
    }

    /// and as it was before it changed.
    pub(super) fn former_directory(of: Partition) -> MemoKey {
        MemoKey::new::<Directory>(FORMER, of)
    }
}

/// What a decoded value or an answer was made from, so that it goes when that changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sources {
    /// Bits of the collections; those divided by school count for the school
    /// that it is about.
    pub(crate) collections: u64,
    /// Whether integrators and their authorisations went into it.
    pub(crate) integrators: bool,
}

impl Sources {
    pub(crate) const fn of(collections: &[Collection]) -> Sources {
        let mut bits = 0;
        let mut rest = collections;
        while let [first, others @ ..] = rest {
            bits |= first.bit();
            rest = others;
        }
        Sources {
            collections: bits,
            integrators: false,
        }
    }

    /// What was found stays so as long as the store is open.
    pub(crate) const NONE: Sources = Sources::of(&[]);

    pub(crate) const INTEGRATORS: Sources = Sources {
        collections: 0,
        integrators: true,
    };

    /// All that a dataset has, and what was seen of it.
    #[cfg(all(feature = "sync", not(target_family = "wasm")))]
    pub(crate) const RECORDS: Sources = Sources {
        collections: !Sources::of(&[Collection::Ledger, Collection::Told, Collection::Wishes])
            .collections,
        integrators: false,
    };

    /// These and others.
    pub(crate) const fn and(self, others: Sources) -> Sources {
        Sources {
            collections: self.collections | others.collections,
            integrators: self.integrators | others.integrators,
        }
    }

    /// These, and others if something is so.
    pub(crate) const fn and_if(self, is_so: bool, others: Sources) -> Sources {
        if is_so { self.and(others) } else { self }
    }
}

/// What a commit changed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Changes {
    /// Bits of the changed collections, by school; global ones under 0.
    schools: HashMap<u64, u64>,
    global: u64,
    integrators: bool,
    other: bool,
}

impl Changes {
    pub(crate) fn partition(&mut self, partition: Partition) {
        if partition.collection.is_global() {
            self.global |= partition.collection.bit();
        } else {
            *self.schools.entry(partition.school).or_default() |= partition.collection.bit();
        }
    }

    pub(crate) fn integrators(&mut self) {
        self.integrators = true;
    }

    /// Something that no decoded value is made from.
    pub(crate) fn other(&mut self) {
        self.other = true;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.schools.is_empty() && self.global == 0 && !self.integrators && !self.other
    }

    /// Whether any of these was changed, of one school or of all.
    pub(super) fn touch(&self, school: Option<u64>, sources: Sources) -> bool {
        let of_schools = match school {
            Some(school) => self.schools.get(&school).copied().unwrap_or(0),
            None => self.schools.values().fold(0, |all, bits| all | bits),
        };
        (of_schools | self.global) & sources.collections != 0
            || (self.integrators && sources.integrators)
    }
}

/// Decoded values by name. One of them belongs to one snapshot for good, so a
/// reader of an older snapshot never leaves an outdated value in a newer one.
pub(crate) struct Memo {
    entries: RwLock<Entries>,
    limit: usize,
    /// For the runs that directories hold.
    pub(super) room: Arc<Room>,
}

#[derive(Default)]
struct Entries {
    by_key: HashMap<MemoKey, Memoized, foldhash::fast::RandomState>,
    bytes: usize,
    /// How many directories were emptied, one after the other.
    emptied: usize,
}

#[derive(Clone)]
struct Memoized {
    value: Arc<dyn Any + Send + Sync>,
    bytes: usize,
    sources: Sources,
}

impl Memo {
    /// One of at most so many bytes, and beside them so many of runs.
    pub(crate) fn new(limit: usize, held_bytes: usize) -> Memo {
        Memo {
            entries: RwLock::default(),
            limit,
            room: Room::of(held_bytes),
        }
    }

    /// How many bytes all values may have.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// The memo of the next snapshot: all that these changes left standing.
    pub(crate) fn after(&self, changes: &Changes) -> Memo {
        let mut kept = Entries::default();
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        for (key, entry) in &entries.by_key {
            let (mut key, mut entry) = (*key, entry.clone());
            // What it holds is of the transaction that ends.
            entry.let_go();
            let current = MemoKey::directory(key.of);
            if changes.touch(Some(key.of.school), entry.sources) {
                if key != current {
                    continue;
                }
                key.form = FORMER;
                entry.sources = Sources::NONE;
            } else if key == MemoKey::former_directory(key.of)
                && entries.by_key.contains_key(&current)
            {
                continue;
            }
            kept.bytes += entry.bytes;
            kept.by_key.insert(key, entry);
        }
        Memo {
            entries: RwLock::new(kept),
            limit: self.limit,
            room: self.room.clone(),
        }
    }

    /// The value of this name, made if it is not there. `make` also says how
    /// many bytes it costs; if they are more than all values may, it is not kept.
    pub(crate) fn get<T: Any + Send + Sync>(
        &self,
        key: MemoKey,
        sources: Sources,
        make: impl FnOnce() -> Result<(T, usize)>,
    ) -> Result<Arc<T>> {
        if let Some(value) = self.find(&key) {
            return Ok(value);
        }
        let (value, bytes) = make()?;
        let value = Arc::new(value);
        // The table has room for as many again.
        let bytes = bytes + 2 * size_of::<(MemoKey, Memoized)>();
        if bytes > self.limit {
            return Ok(value);
        }
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        let entry = Memoized {
            value: value.clone(),
            bytes,
            sources,
        };
        entries.bytes += bytes;
        if let Some(replaced) = entries.by_key.insert(key, entry) {
            entries.bytes -= replaced.bytes;
        }
        while entries.bytes > self.limit {
            entries.halve(&key);
        }
        Ok(value)
    }

    /// Makes room for a run of this size that was taken in. Says whether there is.
    pub(super) fn make_room(&self, bytes: usize) -> bool {
        if !self.room.suits(bytes) {
            return false;
        }
        if self.room.is_over() && self.room.is_out_of_patience() {
            let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
            entries.empty_directories(&self.room);
            if self.room.is_half_full() {
                self.room.be_patient();
            }
        }
        !self.room.is_over()
    }

    #[inline]
    pub(super) fn find<T: Any + Send + Sync>(&self, key: &MemoKey) -> Option<Arc<T>> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        entries.by_key.get(key)?.value.clone().downcast().ok()
    }
}

impl Memoized {
    fn directory(&self) -> Option<&Directory> {
        self.value.downcast_ref()
    }

    /// If it is a directory: a copy of its own, which holds no runs.
    fn let_go(&mut self) {
        if let Some(directory) = self.directory() {
            self.value = Arc::new(directory.emptied());
        }
    }
}

impl Entries {
    /// Has directories let go of the runs that they hold, in turns, until half the room
    /// is free.
    fn empty_directories(&mut self, room: &Room) {
        let first = self.emptied % self.by_key.len().max(1);
        for turn in [first..usize::MAX, 0..first] {
            for (position, entry) in self.by_key.values_mut().enumerate() {
                let holds_any = || entry.directory().is_some_and(Directory::holds_any);
                if !turn.contains(&position) || !holds_any() {
                    continue;
                }
                entry.let_go();
                self.emptied = position + 1;
                if !room.is_half_full() {
                    return;
                }
            }
        }
    }

    /// Forgets every other value, whichever come first, but the newest. At least
    /// one goes, unless the newest is alone.
    fn halve(&mut self, newest: &MemoKey) {
        let mut keep = true;
        let bytes = &mut self.bytes;
        self.by_key.retain(|key, entry| {
            keep = !keep || key == newest;
            if !keep {
                *bytes -= entry.bytes;
            }
            keep
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(school: u64, form: u64) -> MemoKey {
        MemoKey::new::<u32>(form, Partition::of(school, Collection::Learners))
    }

    fn number(memo: &Memo, key: MemoKey, sources: Sources, fresh: u32) -> u32 {
        memo.get(key, sources, || Ok((fresh, 100)))
            .map_or(0, |value| *value)
    }

    #[test]
    fn a_value_lives_until_what_it_was_made_from_changes() {
        let learners = Sources::of(&[Collection::Learners, Collection::Schools]);
        let memo = Memo::new(1 << 20, 0);
        assert_eq!(number(&memo, key(1, 0), learners, 1), 1);
        assert_eq!(number(&memo, key(1, 0), learners, 2), 1);
        assert_eq!(number(&memo, key(1, 1), Sources::INTEGRATORS, 7), 7);

        let mut changes = Changes::default();
        assert!(changes.is_empty());
        changes.partition(Partition::of(2, Collection::Learners));
        changes.partition(Partition::of(1, Collection::Parents));
        let memo = memo.after(&changes);
        assert_eq!(number(&memo, key(1, 0), learners, 3), 1);

        changes.partition(Partition::global(Collection::Schools));
        let next = memo.after(&changes);
        assert_eq!(number(&next, key(1, 0), learners, 4), 4);
        assert_eq!(number(&next, key(1, 1), Sources::INTEGRATORS, 8), 7);

        changes.integrators();
        let next = next.after(&changes);
        assert_eq!(number(&next, key(1, 1), Sources::INTEGRATORS, 9), 9);
    }

    #[test]
    fn the_bound_holds_and_the_newest_stays() {
        let memo = Memo::new(10_000, 0);
        for school in 0..1000 {
            let sources = Sources::of(&[Collection::Learners]);
            let fresh = u32::try_from(school).unwrap_or(0);
            number(&memo, key(school, 0), sources, fresh);
            assert_eq!(number(&memo, key(school, 0), sources, 5000), fresh);
            let held = memo.entries.read().map_or(0, |entries| entries.bytes);
            assert!(held <= 10_000, "{held}");
        }
    }

    /// One value that takes nearly all, or more than all, leaves the bound as it is.
    #[test]
    fn the_bound_holds_for_large_values() {
        let sources = Sources::of(&[Collection::Learners]);
        for large in [9000, 10_000, 1 << 40] {
            let memo = Memo::new(10_000, 0);
            for school in 0..50 {
                let bytes = if school % 7 == 3 { large } else { 300 };
                let key = MemoKey::new::<u64>(0, Partition::of(school, Collection::Learners));
                let value = memo.get(key, sources, || Ok((school, bytes)));
                assert_eq!(value.map(|value| *value), Ok(school));
                let (held, counted) = memo.entries.read().map_or((0, 0), |entries| {
                    let all = entries.by_key.values().map(|entry| entry.bytes);
                    (entries.bytes, all.sum())
                });
                assert!(held <= 10_000 && held == counted, "{held} {counted}");
            }
        }
    }
}
