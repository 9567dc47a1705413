//! What an engine is opened with.

use crate::api::Limits;
use crate::clock::Clock;
use crate::entropy::Entropy;
use crate::error::{Error, Result};
use std::time::Duration;

/// What an engine is opened with. The defaults suit the device: a phone and a browser
/// have less memory to spare than a desktop or a server.
///
/// ```
/// use rollbook::{Clock, Options};
/// let options = Options { clock: Clock::Fixed(1_778_745_600), ..Options::default() };
/// assert!([32 << 20, 256 << 20].contains(&options.cache_bytes));
/// ```
#[derive(Debug, Clone)]
pub struct Options {
    /// For what was read of the store, in bytes. Unless told otherwise 32 MiB on Android,
    /// on iOS and in WebAssembly, and 256 MiB elsewhere. It fills as data is read: a school
    /// of 1,000 learners with a year's marks takes 10 MB. A part of it serves writing.
    /// A store in memory takes 32 MiB of it at most: the cache holds what it has already.
    pub cache_bytes: usize,
    /// For what is held decoded beside that, in bytes: 8 MiB unless told otherwise. What
    /// finds no room is decoded whenever it is needed, which takes time.
    pub decoded_bytes: usize,
    /// What a store keeps of each school to tell what was changed since a moment, in bytes:
    /// 1 MiB unless told otherwise. Who asks of an earlier moment than that reaches back to
    /// is to look at everything. With 0 nothing is kept, and nothing told.
    pub journal_bytes: u64,
    /// Where the time comes from.
    pub clock: Clock,
    /// Where random bytes come from.
    pub entropy: Entropy,
    /// Whether space that loads leave free is given back by itself.
    pub compaction: Compaction,
    /// How many records a page of v2 has where a request says nothing: 10
    /// unless told otherwise.
    pub page_limit: u64,
    /// How many it has at most: 50 unless told otherwise.
    pub max_page_limit: u64,
    /// How long a change waits for another one before it fails as `busy`: five
    /// seconds unless told otherwise.
    pub writer_wait: Duration,
}

/// Whether the device is a phone, or memory is a browser's to give.
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
    /// The same for a store in memory, of which a cache is a second copy. A small one is
    /// worth it: what it holds need not be taken out of the store's pages.
    pub(super) fn in_memory(self) -> Options {
        const MOST_CACHE_BYTES: usize = 32 << 20;
        Options {
            cache_bytes: self.cache_bytes.min(MOST_CACHE_BYTES),
            ..self
        }
    }

    /// The limits of pages.
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

/// When free space is given back to the file system.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compaction {
    /// After a load that leaves more than 40 % of the file unused. Queries wait
    /// meanwhile. A small change never compacts.
    #[default]
    Auto,
    /// Only when [`compact`](crate::Engine::compact) is called.
    Manual,
}

/// Whether a copy of the store's data holds the integrators and their password
/// hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Credentials {
    /// They are in it, so that it can be opened or loaded with them.
    Keep,
    /// They are left out.
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
