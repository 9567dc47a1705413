//! The options of an engine.

use rollbook::Clock;

/// The options of an engine. Each of them can be omitted.
#[derive(Debug, Clone, Default, uniffi::Record)]
pub struct Options {
    /// The limit of the cache for data that was read from the store, in bytes. The default is 32
    /// MiB on Android, on iOS and on 32-bit systems, and 256 MiB elsewhere. The cache fills as data
    /// is read.
    #[uniffi(default)]
    pub cache_bytes: Option<u64>,
    /// The limit of the journal of each school, in bytes. The default is 1 MiB. The journal records
    /// which records have changed, for followers. With 0, nothing is recorded, and followers always
    /// receive everything.
    #[uniffi(default)]
    pub journal_bytes: Option<u64>,
    /// A fixed time, in seconds since 1970-01-01T00:00:00Z. The default is the system's clock.
    #[uniffi(default)]
    pub fixed_clock: Option<i64>,
    /// The number of records of a v2 page if a request contains no limit. The default is 10.
    #[uniffi(default)]
    pub page_limit: Option<u64>,
    /// The maximum number of records of a v2 page. The default is 50.
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
