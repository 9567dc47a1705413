//! The storage backend for a file of JavaScript: a sync access handle of the origin's private file
//! system, or a file of Node.

use rollbook::backend::StorageBackend;
use std::cell::RefCell;
use std::io::{self, Error, ErrorKind};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// An open file. Numbers are in bytes.
    pub type File;

    #[wasm_bindgen(method, catch)]
    fn size(this: &File) -> Result<f64, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn read(this: &File, into: &mut [u8], at: f64) -> Result<f64, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn write(this: &File, from: &[u8], at: f64) -> Result<f64, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn truncate(this: &File, size: f64) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    fn flush(this: &File) -> Result<(), JsValue>;
}

thread_local! {
    /// The file of this instance. It is not a field of [`Backend`], because a backend must be
    /// `Send`, and a JavaScript value is not.
    static FILE: RefCell<Option<File>> = const { RefCell::new(None) };
}

/// The storage in the file of this instance. It neither locks nor closes the file: JavaScript
/// opened the file, and does both.
#[derive(Debug)]
pub(crate) struct Backend;

impl Backend {
    pub(crate) fn on(file: File) -> Backend {
        FILE.set(Some(file));
        Backend
    }
}

fn on_file<T>(work: impl FnOnce(&File) -> Result<T, JsValue>) -> io::Result<T> {
    FILE.with_borrow(|file| match file {
        Some(file) => work(file).map_err(|thrown| Error::other(text(&thrown))),
        None => Err(Error::from(ErrorKind::NotConnected)),
    })
}

fn text(thrown: &JsValue) -> String {
    let text = thrown.as_string();
    text.unwrap_or_else(|| "the file failed".to_owned())
}

/// Conversion of offsets and lengths to and from the numbers of JavaScript, which are exact below
/// 2^53.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "no file of a browser has 2^53 bytes"
)]
mod number {
    pub(super) fn to_js_number(bytes: u64) -> f64 {
        bytes as f64
    }

    pub(super) fn from(number: f64) -> u64 {
        number as u64
    }
}

/// Returns how many of these bytes were transferred.
fn count(transferred: f64, of: usize) -> usize {
    usize::try_from(number::from(transferred)).map_or(of, |count| count.min(of))
}

impl StorageBackend for Backend {
    fn len(&self) -> io::Result<u64> {
        on_file(|file| file.size().map(number::from))
    }

    /// Fills the buffer. A file may return fewer bytes than requested, and none at its end.
    fn read(&self, offset: u64, mut out: &mut [u8]) -> io::Result<()> {
        let mut at = offset;
        while !out.is_empty() {
            let read = count(
                on_file(|file| file.read(out, number::to_js_number(at)))?,
                out.len(),
            );
            if read == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            at += read as u64;
            out = out.split_at_mut(read).1;
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        on_file(|file| file.truncate(number::to_js_number(len)))
    }

    fn sync_data(&self) -> io::Result<()> {
        on_file(File::flush)
    }

    fn write(&self, offset: u64, mut data: &[u8]) -> io::Result<()> {
        let mut at = offset;
        while !data.is_empty() {
            let written = on_file(|file| file.write(data, number::to_js_number(at)))?;
            let written = count(written, data.len());
            if written == 0 {
                return Err(ErrorKind::WriteZero.into());
            }
            at += written as u64;
            data = data.split_at(written).1;
        }
        Ok(())
    }
}
