//! A mark row that is being edited.

use super::mark_row::{MarkRow, cut, is_mark};
use crate::error::{Error, Failure, Result};
use crate::record::kinds::assessment::SLOTS;
use crate::record::kinds::mark;
use crate::varint;
use std::collections::BTreeSet;

/// A mark row that is being edited.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct EditedRow {
    subjects: BTreeSet<u64>,
    slots: Vec<OpenSlot>,
}

/// A mark followed by zeros, or only zeros for an empty slot. The first byte of a mark
/// determines its length.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct OpenSlot([u8; mark::MAX_BYTES]);

impl OpenSlot {
    fn from_mark(mark: &[u8]) -> Result<OpenSlot> {
        let mut slot = OpenSlot::default();
        let start = slot.0.get_mut(..mark.len()).ok_or_else(cut)?;
        start.copy_from_slice(mark);
        if slot.mark() == mark {
            Ok(slot)
        } else {
            Err(cut())
        }
    }

    fn is_empty(&self) -> bool {
        !is_mark(&self.0)
    }

    /// Returns the bytes of the mark, which are empty for an empty slot.
    fn mark(&self) -> &[u8] {
        let [flags, ..] = self.0;
        let length = if flags == 0 { 0 } else { mark::length(flags) };
        self.0.get(..length as usize).unwrap_or_default()
    }
}

impl EditedRow {
    pub(crate) fn open(bytes: &[u8]) -> Result<EditedRow> {
        let row = MarkRow::open(bytes)?;
        let slots = row.slots().map(|slot| match slot? {
            mark if is_mark(mark) => OpenSlot::from_mark(mark),
            _ => Ok(OpenSlot::default()),
        });
        let row = EditedRow {
            subjects: row.subjects().collect(),
            slots: slots.take(SLOTS + 1).collect::<Result<_>>()?,
        };
        if row.slots.len() > SLOTS {
            return Err(cut());
        }
        Ok(row)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.subjects.is_empty() && self.slots.iter().all(OpenSlot::is_empty)
    }

    /// Adds a subject that the learner did not take before.
    pub(crate) fn enrol(&mut self, subject: u64) -> Result<()> {
        self.subjects
            .insert(subject)
            .then_some(())
            .ok_or_else(astray)
    }

    /// Removes a subject that the learner took before.
    pub(crate) fn leave(&mut self, subject: u64) -> Result<()> {
        self.subjects
            .remove(&subject)
            .then_some(())
            .ok_or_else(astray)
    }

    /// Returns the mark in a slot, which is empty if there is none.
    pub(crate) fn mark(&self, slot: usize) -> &[u8] {
        self.slots.get(slot).map_or(&[], OpenSlot::mark)
    }

    /// Sets the mark of a slot, or clears the slot if `mark` is empty.
    pub(crate) fn set(&mut self, slot: usize, mark: &[u8]) -> Result<()> {
        if slot >= SLOTS {
            return Err(Error::corrupt("the slot of a mark is out of range"));
        }
        if slot >= self.slots.len() && !mark.is_empty() {
            self.slots.resize(slot + 1, OpenSlot::default());
        }
        if let Some(open_slot) = self.slots.get_mut(slot) {
            *open_slot = OpenSlot::from_mark(mark)?;
        }
        Ok(())
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        varint::push(out, self.subjects.len() as u64);
        let mut last = 0;
        for subject in &self.subjects {
            varint::push(out, subject.wrapping_sub(last));
            last = *subject;
        }
        let used = self.slots.iter().rposition(|slot| !slot.is_empty());
        for slot in self.slots.iter().take(used.map_or(0, |last| last + 1)) {
            if slot.is_empty() {
                out.push(0);
            } else {
                out.extend_from_slice(slot.mark());
            }
        }
    }
}

fn astray() -> Failure {
    Error::corrupt("a learner's subjects and its row of marks do not agree")
}
