//! Edits of mark rows, which are sorted by row before they are applied.

use crate::error::{Error, Failure, Result};
use crate::record::kinds::mark;
use crate::varint;

/// An edit of a mark row, or of a mark without an assessment, whose slot is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowEdit<'a> {
    /// The learner takes a subject.
    Enrol { subject: u64 },
    /// The learner no longer takes a subject.
    Leave { subject: u64 },
    /// A stored mark is moved into the row.
    MoveIn { slot: u64, mark: &'a [u8] },
    /// A stored mark is moved out of the row.
    MoveOut { slot: u64 },
    /// The dataset contains a mark.
    Set { slot: u64, mark: &'a [u8] },
    /// The dataset removes a mark.
    Clear { slot: u64 },
}

const ENROL: u8 = 0;
const LEAVE: u8 = 1;
const MOVE_IN: u8 = 2;
const MOVE_OUT: u8 = 3;
const SET: u8 = 4;
const CLEAR: u8 = 5;

impl<'a> RowEdit<'a> {
    /// Appends the edit to others of the same row.
    pub(super) fn push(self, edits: &mut Vec<u8>) {
        let (operation, number, mark): (_, _, &[u8]) = match self {
            RowEdit::Enrol { subject } => (ENROL, subject, &[]),
            RowEdit::Leave { subject } => (LEAVE, subject, &[]),
            RowEdit::MoveIn { slot, mark } => (MOVE_IN, slot, mark),
            RowEdit::MoveOut { slot } => (MOVE_OUT, slot, &[]),
            RowEdit::Set { slot, mark } => (SET, slot, mark),
            RowEdit::Clear { slot } => (CLEAR, slot, &[]),
        };
        edits.push(operation);
        varint::push(edits, number);
        edits.extend_from_slice(mark);
    }

    /// Returns the encoding of this edit alone.
    pub(super) fn encode(self) -> Vec<u8> {
        let mut edit = Vec::new();
        self.push(&mut edit);
        edit
    }

    /// Decodes the first edit and advances past it.
    fn take(edits: &mut &'a [u8]) -> Result<RowEdit<'a>> {
        let (operation, rest) = edits.split_first().ok_or_else(damaged)?;
        *edits = rest;
        let number = varint::take(edits)?;
        let (subject, slot) = (number, number);
        Ok(match *operation {
            ENROL => RowEdit::Enrol { subject },
            LEAVE => RowEdit::Leave { subject },
            MOVE_IN => RowEdit::MoveIn {
                slot,
                mark: take_mark(edits)?,
            },
            MOVE_OUT => RowEdit::MoveOut { slot },
            SET => RowEdit::Set {
                slot,
                mark: take_mark(edits)?,
            },
            CLEAR => RowEdit::Clear { slot },
            _ => return Err(damaged()),
        })
    }

    /// Decodes consecutive edits and passes each to `each`.
    pub(super) fn each(
        mut edits: &'a [u8],
        mut each: impl FnMut(RowEdit<'a>) -> Result<()>,
    ) -> Result<()> {
        while !edits.is_empty() {
            each(RowEdit::take(&mut edits)?)?;
        }
        Ok(())
    }
}

/// Takes a mark from the front. Its length follows from its first byte.
fn take_mark<'a>(edits: &mut &'a [u8]) -> Result<&'a [u8]> {
    let flags = edits.first().ok_or_else(damaged)?;
    let split = edits.split_at_checked(mark::length(*flags) as usize);
    let (mark, rest) = split.ok_or_else(damaged)?;
    *edits = rest;
    Ok(mark)
}

fn damaged() -> Failure {
    Error::corrupt("an edit of marks is damaged")
}
