//! Edits of mark rows, sorted by row before they are carried out.

use crate::error::{Error, Result};
use crate::record::varint;

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
    pub(super) fn encode(self) -> Vec<u8> {
        let (operation, number, mark): (_, _, &[u8]) = match self {
            RowEdit::Enrol { subject } => (ENROL, subject, &[]),
            RowEdit::Leave { subject } => (LEAVE, subject, &[]),
            RowEdit::MoveIn { slot, mark } => (MOVE_IN, slot, mark),
            RowEdit::MoveOut { slot } => (MOVE_OUT, slot, &[]),
            RowEdit::Set { slot, mark } => (SET, slot, mark),
            RowEdit::Clear { slot } => (CLEAR, slot, &[]),
        };
        let mut edit = vec![operation];
        varint::push(&mut edit, number);
        edit.extend_from_slice(mark);
        edit
    }

    pub(super) fn decode(edit: &'a [u8]) -> Result<RowEdit<'a>> {
        let damaged = || Error::corrupt("an edit of marks is damaged");
        let (operation, mut mark) = edit.split_first().ok_or_else(damaged)?;
        let number = varint::take(&mut mark)?;
        let (subject, slot) = (number, number);
        Ok(match *operation {
            ENROL => RowEdit::Enrol { subject },
            LEAVE => RowEdit::Leave { subject },
            MOVE_IN => RowEdit::MoveIn { slot, mark },
            MOVE_OUT => RowEdit::MoveOut { slot },
            SET => RowEdit::Set { slot, mark },
            CLEAR => RowEdit::Clear { slot },
            _ => return Err(damaged()),
        })
    }
}
