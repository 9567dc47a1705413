//! A feed of another store on its way in: forwarded.

use crate::engine::Engine;
use crate::error::Result;
use crate::report;
use wasm_bindgen::prelude::*;

/// A feed that bytes are pushed of.
#[wasm_bindgen]
pub struct Follow {
    follow: rollbook::Follow,
}

#[wasm_bindgen]
impl Engine {
    /// Begins to take a feed in.
    pub fn follow(&self) -> Follow {
        let follow = self.engine.follow();
        Follow { follow }
    }

    /// The position to ask for the next feed after.
    pub fn followed(&self) -> Result<Option<String>> {
        Ok(self.engine.followed()?)
    }
}

#[wasm_bindgen]
impl Follow {
    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.follow.push(bytes)?)
    }

    /// How many lines were read so far.
    #[expect(clippy::cast_precision_loss, reason = "no feed has 2^53 lines")]
    pub fn lines(&self) -> f64 {
        self.follow.progress().lines as f64
    }

    /// Ends the feed; its summary, as JSON.
    pub fn finish(self) -> Result<String> {
        Ok(report::summary(&self.follow.finish()?))
    }
}
