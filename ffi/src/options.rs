//! How an engine is opened.

use rollbook::Clock;

/// How an engine is opened; each may be left out.
#[derive(Debug, Clone, Default, uniffi::Record)]
pub struct Options {
    /// For what was read of the store, in bytes. Unless given 32 MiB on Android and iOS,
    /// and 256 MiB elsewhere. It fills as data is read.
    #[uniffi(default)]
    pub cache_bytes: Option<u64>,
    /// What a store keeps of each school to tell what was changed since a moment, in bytes:
    /// 1 MiB unless given, and nothing with 0.
    #[uniffi(default)]
    pub journal_bytes: Option<u64>,
    /// A clock that stands still, in seconds since 1970-01-01T00:00:00Z; the
    /// system's clock unless given.
    #[uniffi(default)]
    pub fixed_clock: Option<i64>,
    /// How many records a page of v2 has where a request says nothing: 10 unless
    /// given.
    #[uniffi(default)]
    pub page_limit: Option<u64>,
    /// How many records a page of v2 has at most: 50 unless given.
    #[uniffi(default)]
    pub max_page_limit: Option<u64>,
}

impl From<Options> for rollbook::Options {
    fn from(given: Options) -> rollbook::Options {
        let usual = rollbook::Options::default();
        let bytes = |bytes| usize::try_from(bytes).unwrap_or(usize::MAX);
        rollbook::Options {
            cache_bytes: given.cache_bytes.map_or(usual.cache_bytes, bytes),
            journal_bytes: given.journal_bytes.unwrap_or(usual.journal_bytes),
            clock: given.fixed_clock.map_or(usual.clock, Clock::Fixed),
            page_limit: given.page_limit.unwrap_or(usual.page_limit),
            max_page_limit: given.max_page_limit.unwrap_or(usual.max_page_limit),
            ..rollbook::Options::default()
        }
    }
}
