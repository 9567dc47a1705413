//! What an engine is opened with.

use crate::{Clock, Entropy};
use std::time::Duration;

/// What an engine is opened with. The defaults suit a phone.
///
/// ```
/// use rollbook::{Clock, Options};
/// let options = Options { clock: Clock::Fixed(1_778_745_600), ..Options::default() };
/// assert_eq!(options.cache_bytes, 32 << 20);
/// ```
#[derive(Debug, Clone)]
pub struct Options {
    /// The store's page cache, in bytes: 32 MiB unless told otherwise.
    pub cache_bytes: usize,
    /// Where the time comes from.
    pub clock: Clock,
    /// Where random bytes come from.
    pub entropy: Entropy,
    /// Whether space that loads leave free is given back by itself.
    pub compaction: Compaction,
    /// How long a change waits for another one before it fails as `busy`: five
    /// seconds unless told otherwise.
    pub writer_wait: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            cache_bytes: 32 << 20,
            clock: Clock::default(),
            entropy: Entropy::default(),
            compaction: Compaction::default(),
            writer_wait: Duration::from_secs(5),
        }
    }
}

/// When free space is given back to the file system.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
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
