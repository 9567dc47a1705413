//! Passes answers to JavaScript.

use crate::error::Result;
use rollbook::Status;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Receives an answer. The body is memory of the module, so JavaScript must copy it at once.
    pub type Sink;

    #[wasm_bindgen(method)]
    fn put(this: &Sink, status: u16, allow: Option<&str>, body: &[u8]);
}

/// Passes an answer to JavaScript. `ask` writes its body to the buffer.
pub(crate) fn put(
    sink: &Sink,
    buffer: &mut Vec<u8>,
    ask: impl FnOnce(&mut Vec<u8>) -> rollbook::Result<Status>,
) -> Result<()> {
    let status = ask(buffer)?;
    sink.put(status.code, status.allow, buffer);
    Ok(())
}

pub(crate) fn put_bytes(sink: &Sink, bytes: &[u8]) {
    sink.put(200, None, bytes);
}
