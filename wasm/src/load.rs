//! Loads of a dataset in pieces.

use crate::error::Result;
use crate::report;
use wasm_bindgen::prelude::*;

/// A dataset that is being loaded, into which its bytes are pushed.
#[wasm_bindgen]
pub struct Load {
    load: rollbook::Load,
}

#[wasm_bindgen]
impl Load {
    /// Receives the next bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.load.push(bytes)?)
    }

    /// Returns the number of lines that were read so far.
    #[expect(clippy::cast_precision_loss, reason = "no dataset has 2^53 lines")]
    pub fn lines(&self) -> f64 {
        self.load.progress().lines as f64
    }

    /// Ends the dataset, and returns the summary as JSON.
    pub fn finish(self) -> Result<String> {
        Ok(report::summary(&self.load.finish()?))
    }

    /// Discards the load.
    pub fn cancel(self) {
        self.load.cancel();
    }
}

impl From<rollbook::Load> for Load {
    fn from(load: rollbook::Load) -> Load {
        Load { load }
    }
}
