//! Writing of JSON with exact bytes, and parsing of JSON.
//!
//! - `text`: strings and numbers in the form of the API, written and parsed.
//! - `output_buffer`: a buffer to which many small parts are written fast.
//! - `api_version`: the representation of values in v1 and v2.
//! - `object`: JSON from other sources: the members of an object in order, and the elements of an
//!   array. `foreign_text`: the text of a body that may not be valid UTF-8.
//! - `plain_json`: a faster parser for the most common form of JSON.

mod api_version;
mod foreign_text;
mod object;
mod output_buffer;
mod plain_json;
mod text;

pub(crate) use api_version::{ApiVersion, is_number};
pub(crate) use foreign_text::{lossy_text, without_byte_order_mark};
pub(crate) use object::{Object, elements, string};
pub(crate) use output_buffer::{FEW, MOST, OutputBuffer, Padded, SOURCE_SLACK};
pub(crate) use plain_json::Plain;
pub(crate) use text::{
    TextMembers, push_escaped, push_integer, push_quoted_integer, push_string, unescape,
};
