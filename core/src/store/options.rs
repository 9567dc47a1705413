//! What a store is opened with.

use super::collection::Collection;
use super::history;
use super::journal;
use super::journal_write::Journaling;
use super::tables::CursorKey;
use crate::error::Result;
use std::time::Duration;

#[derive(Debug, Clone, Copy)]
pub(crate) struct StoreOptions {
    /// For what was read of the file, in bytes.
    pub(crate) cache_bytes: usize,
    /// For what is held decoded, in bytes.
    pub(crate) decoded_bytes: usize,
    /// How long a writer waits for another one.
    pub(crate) wait: Duration,
    /// The version by which the room above renders records.
    pub(crate) render_version: u32,
    /// The highest number of a kind that the room above knows.
    pub(crate) highest_kind: u8,
    /// How the facts of a record are kept now that format 1 kept otherwise.
    pub(crate) facts_from_format_1: FactsFromFormat1,
    /// What a store gets that has no key for its cursors.
    pub(crate) cursor_key: CursorKey,
    /// What the journal of an area may take, in bytes; 0 for none.
    pub(crate) journal_bytes: u64,
    /// What the numbers of generations are made of, with the number of the opening.
    pub(crate) generation_seed: [u8; 16],
    pub(crate) opening: u64,
    /// Whether to compact after loads.
    pub(crate) compact: bool,
}

impl StoreOptions {
    /// The part of the cache that redb gets, which writes need too: three quarters, up to
    /// what a load of any size has enough of.
    pub(super) fn page_cache_bytes(&self) -> usize {
        const ENOUGH: usize = 48 << 20;
        (self.cache_bytes / 4 * 3).min(ENOUGH)
    }

    /// The page cache of a second database on the same bytes, which checks them.
    pub(super) fn checking_cache_bytes(&self) -> usize {
        self.page_cache_bytes() / 3
    }

    /// How the journal is kept, if it is.
    pub(super) fn journaling(&self) -> Option<Journaling> {
        if !journal::IS_KEPT {
            return None;
        }
        let bytes = self.journal_bytes;
        let generation = history::generation(self.generation_seed, self.opening);
        (bytes > 0).then_some(Journaling { bytes, generation })
    }

    /// The part for runs that are held at hand.
    pub(super) fn held_bytes(&self) -> usize {
        self.cache_bytes - self.page_cache_bytes()
    }
}

/// Makes the lane of facts of what format 1 kept of a collection's record.
pub(crate) type FactsFromFormat1 = fn(Collection, &[u8], &mut Vec<u8>) -> Result<()>;

#[cfg(test)]
impl StoreOptions {
    /// As good as any.
    pub(crate) fn for_test() -> StoreOptions {
        StoreOptions {
            cache_bytes: 1 << 20,
            decoded_bytes: 1 << 20,
            wait: Duration::ZERO,
            render_version: 1,
            highest_kind: u8::MAX,
            facts_from_format_1: |_, _, _| Ok(()),
            cursor_key: [7; 16],
            journal_bytes: 1 << 20,
            generation_seed: [5; 16],
            opening: 0,
            compact: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_divided_and_no_more_of_it_is_given_than_there_is() {
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
            let both = options.page_cache_bytes() + options.held_bytes();
            assert_eq!(both, cache_bytes);
        }
    }
}
