//! The options of an engine, and the functions of JavaScript that provide the time and random
//! bytes.

use rollbook::{Clock, Entropy, Options};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = Date, js_name = now)]
    fn milliseconds() -> f64;

    #[wasm_bindgen(js_namespace = crypto, js_name = getRandomValues, catch)]
    fn fill(bytes: &mut [u8]) -> Result<JsValue, JsValue>;
}

/// The options of an engine.
#[wasm_bindgen(js_name = Settings)]
#[derive(Debug, Default)]
pub struct Settings {
    /// The limit of the cache for data that was read from the store, in bytes.
    #[wasm_bindgen(js_name = cacheBytes)]
    pub cache_bytes: Option<u32>,
    /// The number of records of a v2 page if a request contains no limit.
    #[wasm_bindgen(js_name = pageLimit)]
    pub page_limit: Option<u32>,
    /// The maximum number of records of a v2 page.
    #[wasm_bindgen(js_name = maxPageLimit)]
    pub max_page_limit: Option<u32>,
}

#[wasm_bindgen(js_class = Settings)]
impl Settings {
    /// Creates settings in which every option has its default.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Settings {
        Settings::default()
    }
}

impl Settings {
    pub(crate) fn options(&self) -> Options {
        let usual = Options::default();
        let bytes = |bytes| usize::try_from(bytes).unwrap_or(usize::MAX);
        Options {
            // Only feeds read the journal, and the package does not create any.
            journal_bytes: 0,
            cache_bytes: self.cache_bytes.map_or(usual.cache_bytes, bytes),
            page_limit: self.page_limit.map_or(usual.page_limit, u64::from),
            max_page_limit: self.max_page_limit.map_or(usual.max_page_limit, u64::from),
            clock: Clock::custom(now),
            entropy: Entropy::custom(|bytes| fill(bytes).is_ok()),
            ..usual
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "seconds fit")]
fn now() -> i64 {
    (milliseconds() / 1000.0).floor() as i64
}
