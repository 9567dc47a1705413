//! The errors that are thrown to JavaScript.

use wasm_bindgen::JsValue;

/// An error, as a string: the code, for example `busy`, then a line feed and the message.
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
