//! Exports of a store as a dataset, in pieces.

use crate::answer::{Sink, put_bytes};
use crate::error::Result;
use wasm_bindgen::prelude::*;

/// The minimum size of a piece except the last one, in bytes. A piece ends with the line that
/// reaches it.
const PIECE_BYTES: usize = 64 << 10;

/// An export that is being read.
#[wasm_bindgen]
pub struct Export {
    export: rollbook::Export,
    piece: Vec<u8>,
}

#[wasm_bindgen]
impl Export {
    /// Passes the next lines to JavaScript. Returns false at the end.
    pub fn read(&mut self, sink: &Sink) -> Result<bool> {
        self.piece.clear();
        while self.piece.len() < PIECE_BYTES {
            let Some(line) = self.export.next() else {
                break;
            };
            self.piece.extend_from_slice(line?.as_bytes());
            self.piece.push(b'\n');
        }
        put_bytes(sink, &self.piece);
        Ok(!self.piece.is_empty())
    }
}

impl From<rollbook::Export> for Export {
    fn from(export: rollbook::Export) -> Export {
        Export {
            export,
            piece: Vec::new(),
        }
    }
}
