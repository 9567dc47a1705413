//! Rows as they are read, and arrays as they are written.

use super::decimal;
use anyhow::{Context as _, Result, bail};
use rusqlite::Row;
use rusqlite::types::ValueRef;
use serde::Serialize;
use std::borrow::Cow;

/// Columns of a row, borrowed from it.
pub(super) trait Columns {
    /// A text; empty if there is none.
    fn text(&self, column: usize) -> Result<&str>;

    /// A number, if there is one.
    fn integer(&self, column: usize) -> Result<Option<i64>>;

    /// A number that is always there.
    fn number(&self, column: usize) -> Result<i64> {
        Ok(self.integer(column)?.unwrap_or(0))
    }

    /// Millionths with two decimals; empty if there are none.
    fn decimal(&self, column: usize) -> Result<String> {
        let mut decimal = String::new();
        if let Some(millionths) = self.integer(column)? {
            decimal::push(&mut decimal, millionths);
        }
        Ok(decimal)
    }
}

impl Columns for Row<'_> {
    #[inline]
    fn text(&self, column: usize) -> Result<&str> {
        text(self.get_ref(column)?)
    }

    #[inline]
    fn integer(&self, column: usize) -> Result<Option<i64>> {
        Ok(self.get_ref(column)?.as_i64_or_null()?)
    }
}

/// A text; empty if there is none.
#[inline]
fn text(value: ValueRef<'_>) -> Result<&str> {
    match value {
        ValueRef::Text(text) => Ok(std::str::from_utf8(text)?),
        ValueRef::Null => Ok(""),
        other => bail!("{} instead of text", other.data_type()),
    }
}

/// The columns of a row one after the other, as texts; the digits of the numbers
/// among them stand in these buffers.
#[inline]
pub(super) fn texts<'r>(
    row: &'r Row<'_>,
    digits: &'r mut [itoa::Buffer],
) -> impl FnMut() -> Result<Cow<'r, str>> {
    let mut next = 0;
    let mut digits = digits.iter_mut();
    move || {
        let column = next;
        next += 1;
        Ok(Cow::Borrowed(match row.get_ref(column)? {
            ValueRef::Integer(number) => {
                let digits = digits.next().context("more numbers than buffers")?;
                digits.format(number)
            }
            other => text(other)?,
        }))
    }
}

/// The columns of a row from this one on, as texts that outlive it.
pub(super) fn owned(row: &Row<'_>, first: usize) -> impl FnMut() -> Result<Cow<'static, str>> {
    let mut next = first;
    move || {
        let column = next;
        next += 1;
        Ok(Cow::Owned(match row.get_ref(column)? {
            ValueRef::Integer(number) => number.to_string(),
            other => text(other)?.to_owned(),
        }))
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
