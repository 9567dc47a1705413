//! JSON: exact bytes out, objects in.
//!
//! - `text`: strings and numbers as the API writes them, and back.
//! - `object`: an object that somebody else wrote, its members in order.

mod object;
mod text;

pub(crate) use object::Object;
pub(crate) use text::{
    Members, push_escaped, push_integer, push_quoted_integer, push_string, unescape,
};
