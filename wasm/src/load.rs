//! An incremental load of a dataset.

use crate::error::Result;
use crate::report;
use wasm_bindgen::prelude::*;

/// An incremental load of a dataset. The caller pushes pieces of bytes, then finishes or cancels it.
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

    /// Commits the load, and returns its summary as JSON.
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
