//! Marks go along with their assessment when it comes, goes or moves.

use super::Marks;
use super::address::{GradeTerm, SlotAddress, mark_address};
use super::edit::RowEdit;
use super::gathered::Gathered;
use crate::error::{Error, Result};
use crate::record::mark_row::{MarkRow, is_mark};
use crate::record::varint;
use crate::store::{Collection, Key, Partition, Reader, Write};

/// What takes the edits of rows, and the key and the facts of each record.
type Each<'a> = dyn FnMut(&mut Gathered, Key, &[u8]) -> Result<()> + 'a;

/// An assessment that leaves a slot.
struct Leaving {
    slot: u64,
    assessment: u64,
    to: SlotAddress,
}

/// How many assessments leave a term at once: a row is walked once for all of
/// them.
const AT_ONCE: usize = 1 << 16;

impl Marks {
    /// Takes the marks of an assessment from where they are, rows or waiting,
    /// to where they belong now. Its old slot is free afterwards.
    pub(in crate::dataset::commit) fn follow(
        &mut self,
        write: &mut Write<'_>,
        [school, id]: [u64; 2],
        from: SlotAddress,
        to: SlotAddress,
    ) -> Result<()> {
        self.has_moves = true;
        let Some((at, slot)) = from else {
            let waiting = Partition::of(school, Collection::WaitingMarks);
            let keys = (Key(id, 0), Key(id, u64::MAX));
            return self.each_kept(write, waiting, keys, &mut |edits, Key(_, learner), mark| {
                move_mark(edits, [school, id, learner], from, to, mark)
            });
        };
        self.slots.release(write, school, at, slot)?;
        let rows = at.partition(school, Collection::MarkRows);
        let edit = encode(id, to);
        self.moves.push(rows, Key(at.term, slot), &edit)?;
        self.moves.spill(write)
    }

    /// Takes along the marks that lie in rows. Nothing may have edited the rows
    /// of the store until here.
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

    /// Takes along the marks of assessments of one term, in the order of their
    /// slots.
    fn move_rows(
        &mut self,
        write: &mut Write<'_>,
        rows: Partition,
        term: u64,
        leaving: &[Leaving],
    ) -> Result<()> {
        let school = rows.school;
        let from = GradeTerm {
            grade: rows.a,
            year: rows.b,
            term,
        };
        let keys = (Key(term, 0), Key(term, u64::MAX));
        self.each_kept(write, rows, keys, &mut |edits, Key(_, learner), row| {
            let mut leaving = leaving.iter().peekable();
            for (slot, mark) in (0..).zip(MarkRow::open(row)?.slots()) {
                let mark = mark?;
                while let Some(one) = leaving.next_if(|one| one.slot <= slot) {
                    if one.slot == slot && is_mark(mark) {
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

    /// Hands on the records from one key to another, and the edits of rows.
    /// Between two runs, edits that fill memory leave it.
    fn each_kept(
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
            let run = pinned.run()?;
            for index in run.lower_bound(first)..run.len() {
                let key = run.key(index)?;
                if key > last {
                    break;
                }
                each(&mut self.rows, key, run.record(0, index)?)?;
            }
            let beyond = run.len() == 0 || run.key(run.len() - 1)? > last;
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

/// Takes a mark along. It leaves before any comes: its slot may be another
/// assessment's by now.
fn move_mark(
    edits: &mut Gathered,
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
