//! What a store is opened with.

use super::collection::Collection;
use super::tables::CursorKey;
use crate::error::Result;
use std::time::Duration;

#[derive(Debug, Clone, Copy)]
pub(crate) struct StoreOptions {
    /// redb's page cache, in bytes.
    pub(crate) cache_bytes: usize,
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
    /// Whether to compact after loads.
    pub(crate) compact: bool,
}

/// Makes the lane of facts of what format 1 kept of a collection's record.
pub(crate) type FactsFromFormat1 = fn(Collection, &[u8], &mut Vec<u8>) -> Result<()>;

#[cfg(test)]
impl StoreOptions {
    /// As good as any.
    pub(crate) fn for_test() -> StoreOptions {
        StoreOptions {
            cache_bytes: 1 << 20,
            wait: Duration::ZERO,
            render_version: 1,
            highest_kind: u8::MAX,
            facts_from_format_1: |_, _, _| Ok(()),
            cursor_key: [7; 16],
            compact: true,
        }
    }
}
