//! Blocks that a snapshot caches, because finding a block through redb costs more than a small
//! query. Their total size is limited.

use redb::OwnedAccessGuard;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A cached block. Its read transaction cannot end before it is dropped, so it is dropped with
/// its snapshot.
pub(crate) struct CachedBlock {
    guard: OwnedAccessGuard<&'static [u8]>,
    budget: Arc<CacheBudget>,
    /// The number of bytes by which the block counts towards the budget.
    size: usize,
}

impl CachedBlock {
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        self.guard.value()
    }
}

impl Debug for CachedBlock {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "CachedBlock({} bytes)", self.size)
    }
}

impl Drop for CachedBlock {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.size, Ordering::Relaxed);
    }
}

/// The size of the smallest page of redb.
const PAGE: usize = 4096;

/// The memory budget of cached blocks.
#[derive(Debug)]
pub(crate) struct CacheBudget {
    bytes: usize,
    used: AtomicUsize,
    /// The number of blocks that are not cached before eviction is tried again. Eviction has no
    /// effect if the whole budget is used by blocks that are being read.
    skips_left: AtomicUsize,
}

/// The number of blocks that are not cached after an eviction without effect.
const EVICTION_PAUSE: usize = 64;

impl CacheBudget {
    pub(crate) fn new(bytes: usize) -> Arc<CacheBudget> {
        Arc::new(CacheBudget {
            bytes,
            used: AtomicUsize::new(0),
            skips_left: AtomicUsize::new(0),
        })
    }

    /// Returns whether to try an eviction now, and counts this attempt.
    pub(crate) fn should_evict(&self) -> bool {
        let left = self.skips_left.load(Ordering::Relaxed);
        self.skips_left
            .store(left.saturating_sub(1), Ordering::Relaxed);
        left == 0
    }

    /// Postpones the next eviction, because the last one had no effect.
    pub(crate) fn postpone_eviction(&self) {
        self.skips_left.store(EVICTION_PAUSE, Ordering::Relaxed);
    }

    /// Returns whether a block of this size can be cached. A larger one would evict too many
    /// others.
    pub(crate) fn accepts(&self, bytes: usize) -> bool {
        page_of(bytes) <= self.bytes / 4
    }

    /// Returns whether the budget is exceeded.
    pub(crate) fn is_over(&self) -> bool {
        self.used.load(Ordering::Relaxed) > self.bytes
    }

    #[cfg(test)]
    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Returns whether more than half of the budget is used.
    pub(crate) fn is_half_full(&self) -> bool {
        self.used.load(Ordering::Relaxed) > self.bytes / 2
    }

    /// Counts the size of a block as used until the returned block is dropped.
    pub(crate) fn count_block(
        self: &Arc<CacheBudget>,
        guard: OwnedAccessGuard<&'static [u8]>,
    ) -> CachedBlock {
        let size = page_of(guard.value().len());
        self.used.fetch_add(size, Ordering::Relaxed);
        CachedBlock {
            guard,
            budget: self.clone(),
            size,
        }
    }
}

/// Returns the size of the page for a value of this length.
fn page_of(bytes: usize) -> usize {
    bytes.next_power_of_two().max(PAGE)
}

#[cfg(test)]
mod tests {
    use crate::error::Result;
    use crate::store::blocks::item::ItemBuffer;
    use crate::store::{Collection, Decision, Edits, Item, Key, Partition, Reader, Snapshot};
    use crate::store::{Location, Store, StoreOptions};
    use std::collections::BTreeMap;
    use std::sync::Arc;

    type Model = BTreeMap<Key, Vec<u8>>;

    /// Edits that store records, in order.
    struct Puts(std::vec::IntoIter<(Key, Vec<u8>)>, Option<(Key, Vec<u8>)>);

    impl Puts {
        fn new(records: &Model) -> Puts {
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
            new.columns[0].extend_from_slice(&bytes);
            self.1 = self.0.next();
            Ok(Decision::Put)
        }
    }

    fn all(snapshot: &Snapshot, of: Partition) -> Result<Model> {
        let mut found = Model::new();
        let mut records = snapshot.records(of)?.all();
        while let Some(record) = records.next()? {
            found.insert(record.key()?, record.column(0)?.to_vec());
        }
        Ok(found)
    }

    /// Each commit changes one of a few schools. Old snapshots are read beside the new one.
    #[test]
    fn cached_blocks_belong_to_their_snapshot_and_stay_within_the_budget() -> Result<()> {
        let options = StoreOptions::for_test();
        let store = Arc::new(Store::open(Location::Memory, options)?);
        let of = |school| Partition::new(school, Collection::Parents);
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
            store.write(|write| write.merge(of(school), &mut Puts::new(&records)))?;
            for (number, model) in (0..).zip(&mut models) {
                if number == school {
                    model.extend(records.clone());
                }
            }
            store.read(|snapshot| {
                assert!(!before.is_empty() || snapshot.block_cache_bytes() == 0);
                for (school, model) in (0..).zip(&models) {
                    // The first pass reads from redb, and the second one from the cached blocks.
                    assert!(all(snapshot, of(school))? == *model);
                    assert!(all(snapshot, of(school))? == *model);
                    most = most.max(snapshot.block_cache_bytes());
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
        let budget = options.block_cache_bytes();
        assert!(most > budget / 2 && most <= budget, "{most} of {budget}");
        store.compact()
    }
}
