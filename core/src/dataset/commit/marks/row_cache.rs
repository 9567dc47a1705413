//! A cache of stored mark rows, which shows whether a mark is stored already and needs no edit.

use crate::error::Result;
use crate::record::stored::mark_row::{MarkRow, is_mark};
use crate::store::{Key, Partition, Reader, Write};

/// The rows that were read last. Marks are staged by learner, and a learner has few rows.
#[derive(Default)]
pub(super) struct StoredRows {
    rows: Vec<StoredRow>,
    /// The index of the row that was used last.
    last: usize,
    /// The index of the row that is replaced next.
    oldest: usize,
}

const ROWS: usize = 16;

/// The maximum number of slots of a row that are cached.
const MAX_SLOTS: usize = 4096;

struct StoredRow {
    address: (Partition, Key),
    marks: Vec<u8>,
    /// The end of the mark of each slot in `marks`.
    ends: Vec<usize>,
}

impl StoredRows {
    /// Returns whether a slot of a row is known to contain this mark.
    pub(super) fn contains(
        &mut self,
        write: &Write<'_>,
        address: (Partition, Key),
        slot: u64,
        mark: &[u8],
    ) -> Result<bool> {
        let slot = usize::try_from(slot).unwrap_or(usize::MAX);
        let row = self.row(write, address)?;
        Ok(row.is_some_and(|row| !mark.is_empty() && row.mark(slot) == Some(mark)))
    }

    /// Returns a row, and reads it into the cache if necessary.
    fn row(&mut self, write: &Write<'_>, address: (Partition, Key)) -> Result<Option<&StoredRow>> {
        let is_wanted = |row: &StoredRow| row.address == address;
        if !self.rows.get(self.last).is_some_and(is_wanted) {
            self.last = match self.rows.iter().position(is_wanted) {
                Some(found) => found,
                None => self.read(write, address)?,
            };
        }
        Ok(self.rows.get(self.last))
    }

    /// Reads a row into the cache and returns its index.
    fn read(&mut self, write: &Write<'_>, address: (Partition, Key)) -> Result<usize> {
        let (partition, key) = address;
        let mut row = StoredRow {
            address,
            marks: Vec::new(),
            ends: Vec::new(),
        };
        if let Some(record) = write.records(partition)?.get(key)? {
            let stored = MarkRow::open(record.column(0)?)?;
            for mark in stored.slots().take(MAX_SLOTS) {
                let mark = mark?;
                if is_mark(mark) {
                    row.marks.extend_from_slice(mark);
                }
                row.ends.push(row.marks.len());
            }
        }
        if self.rows.len() < ROWS {
            self.rows.push(row);
            return Ok(self.rows.len() - 1);
        }
        let position = self.oldest;
        self.oldest = (position + 1) % ROWS;
        if let Some(oldest) = self.rows.get_mut(position) {
            *oldest = row;
        }
        Ok(position)
    }
}

impl StoredRow {
    fn mark(&self, slot: usize) -> Option<&[u8]> {
        let start = match slot.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.marks.get(start..*self.ends.get(slot)?)
    }
}

#[cfg(test)]
mod tests {
    use crate::error::Error;
    use crate::{Credentials, Engine, Options};

    /// Returns a dataset with two assessments in these terms, and a mark of each for two learners.
    fn dataset(terms: [u64; 2], marks: [u64; 2]) -> String {
        let of = |assessment: u64, term: u64, mark: u64| {
            let assessment = format!(r#""school_id":1,"assessment_id":{assessment}"#);
            let belongs = format!(
                r#""grade_id":9,"year":2026,"term":{term},"subject_id":3,"learning_outcome_id":5,"assessment_date":"2026-02-03","weight":10"#
            );
            let head =
                format!("{{\"type\":\"assessment\",{assessment},{belongs},\"mark_out_of\":20}}\n");
            [7, 8].iter().fold(head, |all, learner| {
                all + &format!(
                    "{{\"type\":\"mark\",{assessment},\"learner_id\":{learner},\"mark\":{mark}}}\n"
                )
            })
        };
        let [one, other] = terms;
        let [first, second] = marks;
        let school = "{\"type\":\"school\",\"school_id\":1,\"current_year\":2026}\n";
        school.to_owned() + &of(10, one, first) + &of(11, other, second)
    }

    fn apply(engine: &Engine, dataset: &str) -> Result<[u64; 3], Error> {
        let total = engine.apply(dataset.as_bytes())?.total();
        Ok([total.added, total.changed, total.unchanged])
    }

    /// Once an assessment has moved, its marks are no longer at the address at which they were
    /// stored.
    #[test]
    fn repeated_marks_move_with_their_assessments() -> Result<(), Error> {
        let engine = Engine::memory(Options::default())?;
        assert_eq!(apply(&engine, &dataset([1, 2], [5, 5]))?, [7, 0, 0]);
        for (terms, marks, counts) in [
            ([1, 2], [5, 5], [0, 0, 7]),
            ([1, 2], [5, 6], [0, 2, 5]),
            ([2, 1], [5, 6], [0, 2, 5]),
            ([2, 2], [5, 6], [0, 1, 6]),
            ([3, 3], [6, 5], [0, 6, 1]),
        ] {
            assert_eq!(apply(&engine, &dataset(terms, marks))?, counts, "{terms:?}");
            let fresh = Engine::memory(Options::default())?;
            apply(&fresh, &dataset(terms, marks))?;
            let export = |engine: &Engine| {
                engine
                    .export(Credentials::Keep)?
                    .collect::<Result<Vec<_>, _>>()
            };
            assert_eq!(export(&engine)?, export(&fresh)?, "{terms:?}");
        }
        Ok(())
    }
}
