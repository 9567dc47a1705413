//! What the world around gives: the time and random bytes.

use rollbook::{Clock, Entropy, Options};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = Date, js_name = now)]
    fn milliseconds() -> f64;

    #[wasm_bindgen(js_namespace = crypto, js_name = getRandomValues, catch)]
    fn fill(bytes: &mut [u8]) -> Result<JsValue, JsValue>;
}

/// What an engine is opened with.
#[wasm_bindgen(js_name = Settings)]
#[derive(Debug, Default)]
pub struct Settings {
    /// For what was read of the store, in bytes.
    #[wasm_bindgen(js_name = cacheBytes)]
    pub cache_bytes: Option<u32>,
    /// How many records a page of v2 has unless its request says.
    #[wasm_bindgen(js_name = pageLimit)]
    pub page_limit: Option<u32>,
    /// How many records a page of v2 has at most.
    #[wasm_bindgen(js_name = maxPageLimit)]
    pub max_page_limit: Option<u32>,
}

#[wasm_bindgen(js_class = Settings)]
impl Settings {
    /// None given.
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
            // The package hands out no feeds, which alone read the journal.
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
