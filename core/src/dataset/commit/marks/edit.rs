//! Edits of mark rows, sorted by row before they are carried out.

use crate::error::{Error, Failure, Result};
use crate::record::{mark, varint};

/// What becomes of a row, or of a mark without an assessment, whose slot is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowEdit<'a> {
    /// The learner takes a subject.
    Enrol { subject: u64 },
    /// The learner takes a subject no more.
    Leave { subject: u64 },
    /// A mark that is kept already comes here.
    MoveIn { slot: u64, mark: &'a [u8] },
    /// A mark that stays kept leaves here.
    MoveOut { slot: u64 },
    /// The dataset gives a mark.
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
    /// Writes it behind others of the same row.
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

    /// The bytes of it alone.
    pub(super) fn encode(self) -> Vec<u8> {
        let mut edit = Vec::new();
        self.push(&mut edit);
        edit
    }

    /// Takes one off the front.
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

    /// Hands on edits that were written one behind the other.
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

/// A mark's first byte tells its length.
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
