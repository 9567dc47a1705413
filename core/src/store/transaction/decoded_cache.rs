//! The cache of decoded values that the readers of a snapshot share, limited in bytes.
//!
//! Each snapshot has its own map, so that a reader of an older snapshot never adds an outdated
//! value to a newer one. The map is divided into shards by school. Snapshots share a shard until
//! one of them changes it. Therefore a commit examines only the shards of the schools that it
//! changed, however many values there are, or all shards if it changed data that all schools
//! share.

use crate::error::Result;
use crate::store::blocks::block_index::BlockIndex;
use crate::store::blocks::cached_block::{CacheBudget, CachedBlock};
use crate::store::blocks::partition::Partition;
use crate::store::changes::change_bits::{ChangedSources, Sources};
use crate::store::transaction::row_set_checksums::Checked;
use std::any::{Any, TypeId};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The key of a decoded value: its type, its form, and the partition or school that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct DecodedKey {
    what: TypeId,
    form: u64,
    of: Partition,
}

/// The form of a block index before its last change.
const FORMER: u64 = 1;

impl DecodedKey {
    pub(crate) fn new<T: Any>(form: u64, of: Partition) -> DecodedKey {
        let what = TypeId::of::<T>();
        DecodedKey { what, form, of }
    }

    /// Returns the key of the block index of a partition.
    pub(crate) fn block_index(of: Partition) -> DecodedKey {
        DecodedKey::new::<BlockIndex>(0, of)
    }

    /// Returns the key of the block index of a partition before its last change.
    pub(crate) fn former_block_index(of: Partition) -> DecodedKey {
        DecodedKey::new::<BlockIndex>(FORMER, of)
    }
}

/// The decoded values of one snapshot, by key.
pub(crate) struct DecodedCache {
    entries: RwLock<Entries>,
    /// The partitions whose block indexes cache blocks, in the order in which they started to. It
    /// is locked after the entries.
    block_caches: Mutex<VecDeque<Partition>>,
    limit: usize,
    /// The memory budget of the blocks that block indexes cache.
    pub(crate) budget: Arc<CacheBudget>,
    pub(crate) checked: Arc<Checked>,
}

const SHARDS: usize = 256;

type Shard = HashMap<DecodedKey, CacheEntry, foldhash::fast::RandomState>;

struct Entries {
    shards: Vec<Arc<Shard>>,
    bytes: usize,
    /// Whether there is a newer snapshot. Then no more blocks are cached for this one, because the
    /// newer one shares its block indexes.
    is_superseded: bool,
}

#[derive(Clone)]
struct CacheEntry {
    value: Arc<dyn Any + Send + Sync>,
    bytes: usize,
    sources: Sources,
}

impl DecodedCache {
    /// Creates a cache for at most `limit` bytes of values, and `block_cache_bytes` of cached
    /// blocks.
    pub(crate) fn new(limit: usize, block_cache_bytes: usize) -> DecodedCache {
        DecodedCache {
            entries: RwLock::new(Entries {
                shards: vec![Arc::default(); SHARDS],
                bytes: 0,
                is_superseded: false,
            }),
            block_caches: Mutex::default(),
            limit,
            budget: CacheBudget::new(block_cache_bytes),
            checked: Arc::default(),
        }
    }

    /// Returns the limit for all values, in bytes.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Returns the decoded cache of the next snapshot, with all values that the changes do not
    /// invalidate. Cached blocks belong to the transaction of this snapshot, so the next one does
    /// not have them.
    pub(crate) fn after(&self, changes: &ChangedSources) -> DecodedCache {
        let mut entries = self.write();
        entries.is_superseded = true;
        let mut next = Entries {
            shards: entries.shards.clone(),
            bytes: entries.bytes,
            is_superseded: false,
        };
        for partition in self.block_caches().iter() {
            next.empty_block_index(*partition);
        }
        next.invalidate(changes);
        DecodedCache {
            entries: RwLock::new(next),
            block_caches: Mutex::default(),
            limit: self.limit,
            budget: self.budget.clone(),
            checked: self.checked.clone(),
        }
    }

    /// Returns the value of a key, and creates it if it does not exist. `make` also returns the
    /// size of the value. A value that is larger than the limit is not cached.
    pub(crate) fn get<T: Any + Send + Sync>(
        &self,
        key: DecodedKey,
        sources: Sources,
        make: impl FnOnce() -> Result<(T, usize)>,
    ) -> Result<Arc<T>> {
        if let Some(value) = self.find(&key) {
            return Ok(value);
        }
        let (value, bytes) = make()?;
        let value = Arc::new(value);
        // The hash table may have twice as many slots as entries.
        let bytes = bytes.saturating_add(2 * size_of::<(DecodedKey, CacheEntry)>());
        if bytes <= self.limit {
            let entry = CacheEntry {
                value: value.clone(),
                bytes,
                sources,
            };
            self.insert(key, entry);
        }
        Ok(value)
    }

    fn insert(&self, key: DecodedKey, entry: CacheEntry) {
        let mut entries = self.write();
        entries.put(key, entry);
        if entries.bytes <= self.limit {
            return;
        }
        while entries.bytes > self.limit {
            // Evicts every second value in arbitrary order, but not the newest one. At least one
            // value is evicted, unless the newest is the only one.
            let mut is_retained = true;
            entries.retain(|other| {
                is_retained = !is_retained || *other == key;
                is_retained
            });
        }
        self.block_caches().retain(|of| entries.caches_blocks(*of));
    }

    #[inline]
    pub(crate) fn find<T: Any + Send + Sync>(&self, key: &DecodedKey) -> Option<Arc<T>> {
        let entries = self.read();
        let entry = entries.shard(key.of.school)?.get(key)?;
        entry.value.clone().downcast().ok()
    }

    /// Removes a value and returns it.
    pub(crate) fn take<T: Any + Send + Sync>(&self, key: &DecodedKey) -> Option<Arc<T>> {
        let value = self.find(key)?;
        self.write().remove(key);
        Some(value)
    }

    /// Caches a block in its block index, if there is space or other blocks can be evicted.
    pub(crate) fn cache_block(
        &self,
        of: Partition,
        block_index: &BlockIndex,
        position: usize,
        block: &Arc<CachedBlock>,
    ) {
        if !self.budget.accepts(block.bytes().len()) {
            return;
        }
        if self.budget.is_over() && self.budget.should_evict() {
            self.evict_blocks();
        }
        // The entries remain locked until the block is cached, so that the next snapshot sees that
        // this block index caches blocks.
        let entries = self.read();
        if !self.budget.is_over()
            && !entries.is_superseded
            && block_index.cache(position, block.clone())
        {
            self.block_caches().push_back(of);
        }
    }

    /// Removes the cached blocks of one block index after another, until half of the budget is
    /// free.
    fn evict_blocks(&self) {
        let mut entries = self.write();
        let mut block_caches = self.block_caches();
        while self.budget.is_half_full()
            && let Some(partition) = block_caches.pop_front()
        {
            entries.empty_block_index(partition);
        }
        if self.budget.is_half_full() {
            self.budget.postpone_eviction();
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Entries> {
        self.entries.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Entries> {
        self.entries.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn block_caches(&self) -> MutexGuard<'_, VecDeque<Partition>> {
        self.block_caches
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl CacheEntry {
    fn block_index(&self) -> Option<&BlockIndex> {
        self.value.downcast_ref()
    }
}

/// Returns the index of the shard for the values of a school.
fn shard_of(school: u64) -> usize {
    let [high, ..] = school.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes();
    usize::from(high) % SHARDS
}

impl Entries {
    #[inline]
    fn shard(&self, school: u64) -> Option<&Shard> {
        self.shards.get(shard_of(school)).map(|shard| &**shard)
    }

    /// Returns the shard of a school in order to change it.
    fn shard_mut(&mut self, school: u64) -> Option<&mut Shard> {
        self.shards.get_mut(shard_of(school)).map(Arc::make_mut)
    }

    fn put(&mut self, key: DecodedKey, entry: CacheEntry) {
        let bytes = entry.bytes;
        if let Some(shard) = self.shard_mut(key.of.school) {
            let replaced = shard.insert(key, entry);
            self.bytes += bytes;
            self.bytes -= replaced.map_or(0, |replaced| replaced.bytes);
        }
    }

    fn remove(&mut self, key: &DecodedKey) -> Option<CacheEntry> {
        let removed = self.shard_mut(key.of.school)?.remove(key)?;
        self.bytes -= removed.bytes;
        Some(removed)
    }

    fn retain(&mut self, mut is_retained: impl FnMut(&DecodedKey) -> bool) {
        let bytes = &mut self.bytes;
        for shard in &mut self.shards {
            if !shard.is_empty() {
                Arc::make_mut(shard).retain(|key, entry| {
                    let is_retained = is_retained(key);
                    if !is_retained {
                        *bytes -= entry.bytes;
                    }
                    is_retained
                });
            }
        }
    }

    /// Removes the values that the changes invalidate. A block index remains as a former one.
    fn invalidate(&mut self, changes: &ChangedSources) {
        let global = changes.is_global().then_some(0);
        let shards: BTreeSet<_> = if changes.has_shared() {
            (0..SHARDS).collect()
        } else {
            changes.schools().chain(global).map(shard_of).collect()
        };
        for shard in shards {
            let entries = self
                .shards
                .get(shard)
                .into_iter()
                .flat_map(|all| all.iter());
            let changed =
                entries.filter(|(key, entry)| changes.affects_value(key.of, entry.sources));
            let changed: Vec<_> = changed.map(|(key, _)| *key).collect();
            for key in changed {
                let removed = self.remove(&key);
                if key == DecodedKey::block_index(key.of)
                    && let Some(entry) = removed
                {
                    let sources = Sources::NONE;
                    let key = DecodedKey::former_block_index(key.of);
                    self.put(key, CacheEntry { sources, ..entry });
                }
            }
        }
    }

    fn caches_blocks(&self, of: Partition) -> bool {
        let entry = self
            .shard(of.school)
            .and_then(|shard| shard.get(&DecodedKey::block_index(of)));
        entry
            .and_then(CacheEntry::block_index)
            .is_some_and(BlockIndex::has_cached)
    }

    /// Replaces a block index by a copy that caches no blocks.
    fn empty_block_index(&mut self, of: Partition) {
        let entry = self
            .shard_mut(of.school)
            .and_then(|shard| shard.get_mut(&DecodedKey::block_index(of)));
        if let Some(entry) = entry
            && let Some(block_index) = entry.block_index()
        {
            entry.value = Arc::new(block_index.emptied());
        }
    }
}

#[cfg(test)]
mod tests;
