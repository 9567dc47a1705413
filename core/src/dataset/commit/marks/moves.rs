//! Moves marks together with their assessment when it is added, removed or moved.

use super::PendingMarks;
use super::merged_edits::MergedEdits;
use super::row_edit::RowEdit;
use crate::error::{Error, Result};
use crate::record::address::{GradeTerm, SlotAddress, mark_address};
use crate::record::stored::mark_row::MarkRow;
use crate::store::{Collection, Key, Partition, Reader, Write};
use crate::varint;

/// A callback for each record. It receives the edits of rows, and the key and the first column of
/// the record.
type Each<'a> = dyn FnMut(&mut MergedEdits, Key, &[u8]) -> Result<()> + 'a;

/// An assessment that leaves a slot, and the address to which its marks move.
struct Leaving {
    slot: u64,
    assessment: u64,
    to: SlotAddress,
}

/// The maximum number of assessments whose marks leave a term at once. Each row is read once for
/// all of them.
const AT_ONCE: usize = 1 << 16;

impl PendingMarks {
    /// Moves the marks of an assessment from their current address, which is a slot of rows or the
    /// waiting marks, to a new one. The old slot is free afterwards.
    pub(in crate::dataset::commit) fn move_marks_of_assessment(
        &mut self,
        write: &mut Write<'_>,
        [school, id]: [u64; 2],
        from: SlotAddress,
        to: SlotAddress,
    ) -> Result<()> {
        self.has_moves = true;
        let Some((at, slot)) = from else {
            let waiting = Partition::new(school, Collection::WaitingMarks);
            let keys = (Key(id, 0), Key(id, u64::MAX));
            return self.each_record(write, waiting, keys, &mut |edits, Key(_, learner), mark| {
                move_mark(edits, [school, id, learner], from, to, mark)
            });
        };
        self.slots.release(write, school, at, slot)?;
        let rows = at.partition(school, Collection::MarkRows);
        let edit = encode(id, to);
        self.moves.push(rows, Key(at.term, slot), &edit)?;
        self.moves.spill(write)
    }

    /// Moves the marks that are in rows. The rows of the store must not have been edited before.
    pub(in crate::dataset::commit) fn merge_moves(&mut self, write: &mut Write<'_>) -> Result<()> {
        let mut moves = self.moves.sorted(write)?;
        while let Some((rows, Key(term, _))) = moves.address()? {
            let mut leaving = Vec::new();
            while let Some(Key(_, slot)) = moves.key_in(rows)?.filter(|key| key.0 == term) {
                if leaving.len() == AT_ONCE {
                    break;
                }
                moves.each(|edit| {
                    let (assessment, to) = decode(edit)?;
                    leaving.push(Leaving {
                        slot,
                        assessment,
                        to,
                    });
                    Ok(())
                })?;
            }
            self.move_rows(write, rows, term, &leaving)?;
        }
        Ok(())
    }

    /// Moves the marks of assessments of one term. `leaving` must be in ascending order of slots.
    fn move_rows(
        &mut self,
        write: &mut Write<'_>,
        rows: Partition,
        term: u64,
        leaving: &[Leaving],
    ) -> Result<()> {
        let school = rows.school;
        let from = GradeTerm {
            grade: rows.first,
            year: rows.second,
            term,
        };
        let keys = (Key(term, 0), Key(term, u64::MAX));
        self.each_record(write, rows, keys, &mut |edits, Key(_, learner), row| {
            let mut leaving = leaving.iter().peekable();
            for mark in MarkRow::open(row)?.marks() {
                let (slot, mark) = mark?;
                while let Some(one) = leaving.next_if(|one| one.slot <= slot) {
                    if one.slot == slot {
                        let key = [school, one.assessment, learner];
                        move_mark(edits, key, Some((from, slot)), one.to, mark)?;
                    }
                }
                if leaving.peek().is_none() {
                    break;
                }
            }
            Ok(())
        })
    }

    /// Passes the records from the first key to the last, and the edits of rows, to `each`. Edits
    /// that fill memory are moved to the store between two blocks.
    fn each_record(
        &mut self,
        write: &mut Write<'_>,
        partition: Partition,
        (first, last): (Key, Key),
        each: &mut Each<'_>,
    ) -> Result<()> {
        let mut position = write.records(partition)?.locate(first);
        loop {
            let Some(pinned) = write.records(partition)?.pin(position)? else {
                break;
            };
            let block = pinned.block()?;
            for index in block.lower_bound(first)..block.len() {
                let key = block.key(index)?;
                if key > last {
                    break;
                }
                each(&mut self.rows, key, block.record(0, index)?)?;
            }
            let beyond = block.len() == 0 || block.key(block.len() - 1)? > last;
            drop(pinned);
            self.rows.spill(write)?;
            if beyond {
                break;
            }
            position += 1;
        }
        Ok(())
    }
}

/// Moves a mark. The old slot is cleared before any mark is put into a slot, because it may already
/// belong to another assessment.
fn move_mark(
    edits: &mut MergedEdits,
    [school, assessment, learner]: [u64; 3],
    from: SlotAddress,
    to: SlotAddress,
    mark: &[u8],
) -> Result<()> {
    let (partition, key, slot) = mark_address(school, assessment, learner, from);
    edits.push_first(partition, key, RowEdit::MoveOut { slot })?;
    let (partition, key, slot) = mark_address(school, assessment, learner, to);
    edits.push(partition, key, RowEdit::MoveIn { slot, mark })
}

fn encode(assessment: u64, to: SlotAddress) -> Vec<u8> {
    let mut edit = Vec::new();
    varint::push(&mut edit, assessment);
    if let Some((at, slot)) = to {
        for number in [at.grade, at.year, at.term, slot] {
            varint::push(&mut edit, number);
        }
    }
    edit
}

fn decode(mut edit: &[u8]) -> Result<(u64, SlotAddress)> {
    let assessment = varint::take(&mut edit)?;
    if edit.is_empty() {
        return Ok((assessment, None));
    }
    let mut next = || varint::take(&mut edit);
    let at = GradeTerm {
        grade: next()?,
        year: next()?,
        term: next()?,
    };
    let slot = next()?;
    if edit.is_empty() {
        Ok((assessment, Some((at, slot))))
    } else {
        Err(Error::corrupt("a move of marks is damaged"))
    }
}
