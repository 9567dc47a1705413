//! The options of an engine.

use crate::api::Limits;
use crate::clock::Clock;
use crate::entropy::Entropy;
use crate::error::{Error, Result};
use std::time::Duration;

/// The options of an engine. The defaults suit the device: a phone and a browser have less memory
/// available than a desktop or a server.
///
/// ```
/// use rollbook::{Clock, Options};
/// let options = Options { clock: Clock::Fixed(1_778_745_600), ..Options::default() };
/// assert!([32 << 20, 256 << 20].contains(&options.cache_bytes));
/// ```
#[derive(Debug, Clone)]
pub struct Options {
    /// The limit of the cache for data that was read from the store, in bytes. The default is 32
    /// MiB on Android, on iOS, in WebAssembly and on 32-bit systems, and 256 MiB elsewhere. The
    /// cache fills as data is read: a school of 1,000 learners with the marks of a year takes 10
    /// MB. A part of the limit is used for writing. A store in memory uses at most 32 MiB of it,
    /// because the cache is a second copy of data that is already in memory.
    pub cache_bytes: usize,
    /// The limit of the decoded cache, in bytes. The default is 8 MiB. Values that do not fit are
    /// decoded each time they are needed, which is slower.
    pub decoded_bytes: usize,
    /// The limit of the journal of each school, in bytes. The default is 1 MiB. The journal records
    /// which records have changed. Followers whose position is older than the journal receive
    /// everything again. With 0, nothing is recorded, and followers always receive everything.
    pub journal_bytes: u64,
    /// The source of the current time.
    pub clock: Clock,
    /// The source of random bytes.
    pub entropy: Entropy,
    /// Whether free space that loads leave in the file is returned automatically.
    pub compaction: Compaction,
    /// The number of records of a v2 page if a request contains no limit. The default is 10.
    pub page_limit: u64,
    /// The maximum number of records of a v2 page. The default is 50.
    pub max_page_limit: u64,
    /// How long a change waits for another one before it fails with `busy`, and how long an
    /// erasure, [`compact`](crate::Engine::compact) or [`suspend`](crate::Engine::suspend) waits
    /// for exports and feeds before it ends them with `reader_ended`. The default is five seconds.
    pub writer_wait: Duration,
}

/// Whether the device is a phone, has 32-bit addresses, or the memory belongs to a browser.
const HAS_LITTLE_MEMORY: bool = cfg!(any(
    target_os = "android",
    target_os = "ios",
    target_family = "wasm",
    target_pointer_width = "32",
));

impl Default for Options {
    fn default() -> Options {
        Options {
            cache_bytes: if HAS_LITTLE_MEMORY { 32 } else { 256 } << 20,
            decoded_bytes: 8 << 20,
            journal_bytes: 1 << 20,
            clock: Clock::default(),
            entropy: Entropy::default(),
            compaction: Compaction::default(),
            page_limit: 10,
            max_page_limit: 50,
            writer_wait: Duration::from_secs(5),
        }
    }
}

impl Options {
    /// Returns the options for a store in memory, with a limited cache. The cache is a second copy
    /// of the data, but a small one is useful: cached data need not be copied from the pages of the
    /// store.
    pub(super) fn in_memory(self) -> Options {
        const MAX_CACHE_BYTES: usize = 32 << 20;
        Options {
            cache_bytes: self.cache_bytes.min(MAX_CACHE_BYTES),
            ..self
        }
    }

    /// Returns the limits of pages, or fails if they are invalid.
    pub(super) fn limits(&self) -> Result<Limits> {
        let (usual, most) = (self.page_limit, self.max_page_limit);
        if usual == 0 || usual > most {
            return Err(Error::unsupported(&format!(
                "page_limit is {usual} and max_page_limit is {most}: give at least 1, and not more than the maximum"
            )));
        }
        Ok(Limits { usual, most })
    }
}

/// When free space is returned to the file system.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compaction {
    /// After a load that leaves more than 40 % of the file unused. Queries wait meanwhile. A small
    /// change never causes a compaction.
    #[default]
    Auto,
    /// Only when [`compact`](crate::Engine::compact) is called.
    Manual,
}

/// Whether a copy of the store's data contains the integrators and their password hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Credentials {
    /// The copy contains them, so that it can be opened or loaded with them.
    Keep,
    /// The copy does not contain them.
    LeaveOut,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_in_memory_has_a_small_cache() {
        for (given, taken) in [
            (256 << 20, 32 << 20),
            (usize::MAX, 32 << 20),
            (5 << 20, 5 << 20),
        ] {
            let options = Options {
                cache_bytes: given,
                ..Options::default()
            };
            assert_eq!(options.in_memory().cache_bytes, taken);
        }
    }
}
