//! Reads rows and writes arrays.

use super::decimal;
use anyhow::{Context as _, Result, bail};
use rusqlite::Row;
use rusqlite::types::ValueRef;
use serde::Serialize;
use std::borrow::Cow;

/// The columns of a row, which are borrowed from it.
pub(super) trait Columns {
    /// Returns a text, which is empty if the column is null.
    fn text(&self, column: usize) -> Result<&str>;

    /// Returns a number, if the column is not null.
    fn integer(&self, column: usize) -> Result<Option<i64>>;

    /// Returns a number of a column that is never null.
    fn number(&self, column: usize) -> Result<i64> {
        Ok(self.integer(column)?.unwrap_or(0))
    }

    /// Returns millionths as a text with two decimals, which is empty if the column is null.
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

/// Returns a text, which is empty if the value is null.
#[inline]
fn text(value: ValueRef<'_>) -> Result<&str> {
    match value {
        ValueRef::Text(text) => Ok(std::str::from_utf8(text)?),
        ValueRef::Null => Ok(""),
        other => bail!("{} instead of text", other.data_type()),
    }
}

/// Returns the columns of a row one after the other, as texts. `digits` are buffers for the digits
/// of numbers.
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

/// Returns the columns of a row from `first` on, as texts that do not borrow from the row.
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

/// An array. Its opening bracket is written with the first element, so that nothing is written if
/// there is none.
pub(super) struct Array<'o>(&'o mut Vec<u8>);

impl<'o> Array<'o> {
    /// Creates an array in an empty buffer.
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
