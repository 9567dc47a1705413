//! Feeds of another store that are received.

use crate::engine::Engine;
use crate::error::Result;
use crate::report;
use wasm_bindgen::prelude::*;

/// A feed that is being received, into which its bytes are pushed.
#[wasm_bindgen]
pub struct Follow {
    follow: rollbook::Follow,
}

#[wasm_bindgen]
impl Engine {
    /// Begins to apply a feed of another store.
    pub fn follow(&self) -> Follow {
        let follow = self.engine.follow();
        Follow { follow }
    }

    /// Returns the position for requesting the next feed, if the store follows another one.
    pub fn followed(&self) -> Result<Option<String>> {
        Ok(self.engine.followed()?)
    }
}

#[wasm_bindgen]
impl Follow {
    /// Receives the next bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.follow.push(bytes)?)
    }

    /// Returns the number of lines that were read so far.
    #[expect(clippy::cast_precision_loss, reason = "no feed has 2^53 lines")]
    pub fn lines(&self) -> f64 {
        self.follow.progress().lines as f64
    }

    /// Ends the feed, and returns the summary as JSON.
    pub fn finish(self) -> Result<String> {
        Ok(report::summary(&self.follow.finish()?))
    }
}
