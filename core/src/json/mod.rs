//! JSON: exact bytes out, objects in.
//!
//! - `text`: strings and numbers as the API writes them, and back.
//! - `chunks`: many small parts, written fast.
//! - `wire`: the types of v1 and v2.
//! - `object`: what somebody else wrote: an object's members in order, an array's elements.
//!   `plain`: the same as it is mostly written, read faster.

mod chunks;
mod object;
mod plain;
mod text;
mod wire;

pub(crate) use chunks::{Chunks, FEW, MOST, Padded, SOURCE_SLACK, word};
pub(crate) use object::{Object, elements, string};
pub(crate) use plain::Plain;
pub(crate) use text::{
    Members, push_escaped, push_integer, push_quoted_integer, push_string, unescape,
};
pub(crate) use wire::{Wire, is_number};
