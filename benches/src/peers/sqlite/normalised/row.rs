//! Rows as they are read, and arrays as they are written.

use anyhow::{Result, bail};
use rusqlite::Row;
use rusqlite::types::ValueRef;
use serde::Serialize;
use std::borrow::Cow;

/// Columns of a row, borrowed from it.
pub(super) trait Columns {
    /// A text; empty if there is none.
    fn text(&self, column: usize) -> Result<Cow<'_, str>>;

    /// A number, if there is one.
    fn integer(&self, column: usize) -> Result<Option<i64>>;

    /// A number's digits; empty if there is none.
    fn digits<'d>(&self, column: usize, digits: &'d mut itoa::Buffer) -> Result<Cow<'d, str>> {
        Ok(match self.integer(column)? {
            Some(number) => digits.format(number).into(),
            None => "".into(),
        })
    }

    /// A number that is always there.
    fn number(&self, column: usize) -> Result<i64> {
        Ok(self.integer(column)?.unwrap_or(0))
    }
}

impl Columns for Row<'_> {
    #[inline]
    fn text(&self, column: usize) -> Result<Cow<'_, str>> {
        match self.get_ref(column)? {
            ValueRef::Text(text) => Ok(Cow::Borrowed(std::str::from_utf8(text)?)),
            ValueRef::Null => Ok(Cow::Borrowed("")),
            other => bail!("column {column} is {} instead of text", other.data_type()),
        }
    }

    #[inline]
    fn integer(&self, column: usize) -> Result<Option<i64>> {
        Ok(self.get_ref(column)?.as_i64_or_null()?)
    }
}

/// An array that is begun with its first element, so that nothing is written
/// if there is none.
pub(super) struct Array<'o>(&'o mut Vec<u8>);

impl<'o> Array<'o> {
    /// An array in an empty buffer.
    pub(super) fn open(out: &'o mut Vec<u8>) -> Array<'o> {
        Array(out)
    }

    pub(super) fn push(&mut self, element: &impl Serialize) -> Result<()> {
        self.0.push(if self.0.is_empty() { b'[' } else { b',' });
        Ok(serde_json::to_writer(&mut *self.0, element)?)
    }

    pub(super) fn close(self) {
        if !self.0.is_empty() {
            self.0.push(b']');
        }
    }
}
