//! The options with which a store is opened.

use super::rows::table_definitions::CursorKey;
use crate::store::changes::changed_keys::Journaling;
use crate::store::changes::incarnation;
use std::time::Duration;

#[derive(Debug, Clone, Copy)]
pub(crate) struct StoreOptions {
    /// The limit for data that was read from the file, in bytes.
    pub(crate) cache_bytes: usize,
    /// The limit for decoded values, in bytes.
    pub(crate) decoded_bytes: usize,
    /// How long a writer waits for another one.
    pub(crate) wait: Duration,
    /// The version with which the layers above render records.
    pub(crate) render_version: u32,
    /// The highest number of a kind that the layers above know.
    pub(crate) highest_kind: u8,
    /// The key for cursors of a new store.
    pub(crate) cursor_key: CursorKey,
    /// The limit of the journal of a log partition, in bytes. There is no journal if it is 0.
    pub(crate) journal_bytes: u64,
    /// The seed of the numbers of incarnations. Together with `opening`, it gives the incarnation.
    pub(crate) incarnation_seed: [u8; 16],
    pub(crate) opening: u64,
    /// Whether to compact after loads.
    pub(crate) compact: bool,
}

impl StoreOptions {
    /// The part of the cache that redb gets, which writes need too. It is three quarters, up to a
    /// size that is enough for any load.
    pub(super) fn page_cache_bytes(&self) -> usize {
        const ENOUGH: usize = 48 << 20;
        (self.cache_bytes / 4 * 3).min(ENOUGH)
    }

    /// The page cache of a second database on the same bytes, which checks them.
    pub(super) fn checking_cache_bytes(&self) -> usize {
        self.page_cache_bytes() / 3
    }

    /// The options of the journal, if there is a journal.
    pub(super) fn journaling(&self) -> Option<Journaling> {
        let bytes = self.journal_bytes;
        let incarnation = incarnation::incarnation(self.incarnation_seed, self.opening);
        (bytes > 0).then_some(Journaling { bytes, incarnation })
    }

    /// The part of the cache for cached blocks.
    pub(super) fn block_cache_bytes(&self) -> usize {
        self.cache_bytes - self.page_cache_bytes()
    }
}

#[cfg(test)]
impl StoreOptions {
    /// Options for tests that do not depend on them.
    pub(crate) fn for_test() -> StoreOptions {
        StoreOptions {
            cache_bytes: 1 << 20,
            decoded_bytes: 1 << 20,
            wait: Duration::ZERO,
            render_version: 1,
            highest_kind: u8::MAX,
            cursor_key: [7; 16],
            journal_bytes: 1 << 20,
            incarnation_seed: [5; 16],
            opening: 0,
            compact: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_the_cache_add_up_to_its_size() {
        for (cache_bytes, page_cache_bytes) in [
            (0, 0),
            (1 << 16, 3 << 14),
            (32 << 20, 24 << 20),
            (64 << 20, 48 << 20),
            (128 << 20, 48 << 20),
            (256 << 20, 48 << 20),
            (usize::MAX, 48 << 20),
        ] {
            let options = StoreOptions {
                cache_bytes,
                ..StoreOptions::for_test()
            };
            assert_eq!(options.page_cache_bytes(), page_cache_bytes);
            let both = options.page_cache_bytes() + options.block_cache_bytes();
            assert_eq!(both, cache_bytes);
        }
    }
}
