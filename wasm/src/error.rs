//! Errors as JavaScript catches them.

use wasm_bindgen::JsValue;

/// Code and text: `busy`, a line feed, what to do.
#[derive(Debug)]
pub struct Error(String);

pub(crate) type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn bad_argument(text: &str) -> Error {
        Error(format!("bad_argument\n{text}"))
    }

    pub(crate) fn unsupported(text: &str) -> Error {
        Error(format!("unsupported\n{text}"))
    }
}

impl From<rollbook::Error> for Error {
    fn from(error: rollbook::Error) -> Error {
        Error(format!("{}\n{error}", error.code()))
    }
}

impl From<Error> for JsValue {
    fn from(error: Error) -> JsValue {
        JsValue::from_str(&error.0)
    }
}
