//! Answers on their way out.

use crate::error::Result;
use rollbook::Status;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Takes an answer. The bytes are the module's memory: they are copied at once.
    pub type Sink;

    #[wasm_bindgen(method)]
    fn put(this: &Sink, status: u16, allow: Option<&str>, body: &[u8]);
}

/// Hands over what is written into a buffer.
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
