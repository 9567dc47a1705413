//! Sorted runs of entries in a table of the store, and their merge.

use super::spilled_run::{Entry, Run, SpillCursor, SpillTable, Writer, row_key, too_many};
use crate::error::{Error, Result};
use redb::ReadableTableMetadata as _;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// The number of runs of a level that are merged into one run of the next level. This limits the
/// number of runs in the final merge.
const FAN_IN: usize = 128;

/// The runs of one sorter.
#[derive(Default)]
pub(crate) struct Runs {
    runs: Vec<Run>,
    next: u32,
    fan_in: Option<usize>,
}

impl Runs {
    /// Creates a set of runs with another number of runs per merge.
    #[cfg(test)]
    pub(crate) fn merged_by(fan_in: usize) -> Runs {
        Runs {
            fan_in: Some(fan_in),
            ..Runs::default()
        }
    }

    /// Writes sorted entries as a new run.
    pub(crate) fn write<'a>(
        &mut self,
        table: &mut SpillTable<'_>,
        entries: impl Iterator<Item = Result<Entry<'a>>>,
    ) -> Result<()> {
        let mut writer = Writer::new(self.number()?);
        for entry in entries {
            writer.push(table, entry?)?;
        }
        self.runs.extend(writer.finish(table, 0)?);
        while let Some(level) = self.full_level() {
            self.merge_level(table, level)?;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<u32> {
        let number = self.next;
        self.next = number.checked_add(1).ok_or_else(too_many)?;
        Ok(number)
    }

    /// Returns the level of the last run, if there are enough runs of this level to merge them.
    fn full_level(&self) -> Option<u8> {
        let level = self.runs.last()?.level;
        let runs = self.runs.iter().filter(|run| run.level == level).count();
        (runs >= self.fan_in.unwrap_or(FAN_IN)).then_some(level)
    }

    fn merge_level(&mut self, table: &mut SpillTable<'_>, level: u8) -> Result<()> {
        self.check_whole(table)?;
        let mut writer = Writer::new(self.number()?);
        let runs = std::mem::take(&mut self.runs).into_iter();
        let (merged, others): (Vec<Run>, Vec<Run>) = runs.partition(|run| run.level == level);
        let mut merge = Merge::new(&merged, table)?;
        while let Some(entry) = merge.current(table)? {
            writer.push(table, entry)?;
            merge.advance();
        }
        for run in merged {
            for block in 0..run.blocks {
                table.remove(row_key(run.number, block).as_slice())?;
            }
        }
        self.runs = others;
        self.runs.extend(writer.finish(table, level + 1)?);
        Ok(())
    }

    /// Returns all entries in order.
    pub(crate) fn merged(&self, table: &SpillTable<'_>) -> Result<Merge> {
        self.check_whole(table)?;
        Merge::new(&self.runs, table)
    }

    /// Fails as `cancelled` if rows are missing. A table that was not synced is lost when the
    /// store is reopened, and a part of the dataset with it.
    fn check_whole(&self, table: &SpillTable<'_>) -> Result<()> {
        let blocks: u64 = self.runs.iter().map(|run| u64::from(run.blocks)).sum();
        if table.len()? != blocks {
            return Err(Error::Cancelled.into());
        }
        Ok(())
    }
}

/// A merge of runs, which returns their entries in order.
pub(crate) struct Merge {
    cursors: BinaryHeap<SpillCursor>,
    /// Whether [`advance`](Self::advance) was called, so that the next entry must be read.
    is_passed: bool,
}

impl Merge {
    fn new(runs: &[Run], table: &SpillTable<'_>) -> Result<Merge> {
        let mut cursors = Vec::with_capacity(runs.len());
        for run in runs {
            let mut cursor = SpillCursor::new(*run);
            if cursor.next(table)? {
                cursors.push(cursor);
            }
        }
        Ok(Merge {
            cursors: cursors.into(),
            is_passed: false,
        })
    }

    /// Returns the current entry.
    pub(crate) fn current(&mut self, table: &SpillTable<'_>) -> Result<Option<Entry<'_>>> {
        if std::mem::take(&mut self.is_passed)
            && let Some(mut first) = self.cursors.peek_mut()
            && !first.next(table)?
        {
            PeekMut::pop(first);
        }
        Ok(self.cursors.peek().map(SpillCursor::entry))
    }

    pub(crate) fn advance(&mut self) {
        self.is_passed = true;
    }
}

#[cfg(test)]
mod tests {
    use crate::store::sort::spill::*;
    use crate::store::sort::spilled_run::SPILL_BLOCK_BYTES;
    use redb::ReadableTable as _;
    use redb::backends::InMemoryBackend;
    use redb::{Database, TableDefinition};

    type Owned = (Vec<u8>, u32, Vec<u8>);

    const TABLE: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("staged-test");

    fn with_table(work: impl FnOnce(&mut SpillTable<'_>) -> Result<()>) -> Result<()> {
        let database = Database::builder().create_with_backend(InMemoryBackend::new())?;
        let transaction = database.begin_write()?;
        work(&mut transaction.open_table(TABLE)?)?;
        Ok(transaction.abort()?)
    }

    fn write(runs: &mut Runs, table: &mut SpillTable<'_>, entries: &[Owned]) -> Result<()> {
        runs.write(
            table,
            entries
                .iter()
                .map(|(key, rank, value)| Ok((key.as_slice(), *rank, value.as_slice()))),
        )
    }

    fn read(runs: &Runs, table: &SpillTable<'_>) -> Result<Vec<Owned>> {
        let mut merge = runs.merged(table)?;
        let mut all = Vec::new();
        while let Some((key, rank, value)) = merge.current(table)? {
            all.push((key.to_vec(), rank, value.to_vec()));
            merge.advance();
        }
        Ok(all)
    }

    /// Tests lengths around the limits of the encoding, and entries larger than a block.
    #[test]
    fn entries_of_any_length_are_read_back() -> Result<()> {
        with_table(|table| {
            let lengths = [0, 1, 15, 16, 17, 253, 254, 255, 256, 70_000];
            let entry = |run: u32, length: usize| {
                let mut key = b"the same beginning ".repeat(15);
                key.push(2);
                key.extend_from_slice(&u32::try_from(length).map_or([0; 4], u32::to_be_bytes));
                key.resize(key.len() + length, 7);
                (key, run, vec![9; length])
            };
            let mut expected = Vec::new();
            let mut runs = Runs::default();
            for number in 0..3 {
                let entries = lengths.map(|length| entry(number, length));
                write(&mut runs, table, &entries)?;
                expected.extend(entries);
            }
            expected.sort();
            assert_eq!(read(&runs, table)?, expected);
            Ok(())
        })
    }

    /// The number of runs remains small, and merged runs are removed.
    #[test]
    fn runs_are_merged_before_they_are_many() -> Result<()> {
        with_table(|table| {
            let mut runs = Runs::merged_by(3);
            for number in 0..26u32 {
                let key = number.wrapping_mul(11) % 26;
                write(
                    &mut runs,
                    table,
                    &[(vec![key.to_le_bytes()[0]], number, vec![])],
                )?;
                assert!(runs.runs.len() <= 6 && table.len()? == runs.runs.len() as u64);
            }
            let keys = read(&runs, table)?.into_iter().map(|(key, ..)| key);
            assert!(keys.eq((0..26).map(|key| vec![key])));
            Ok(())
        })
    }

    /// The entries are compact and take few rows.
    #[test]
    fn many_entries_are_few_rows() -> Result<()> {
        with_table(|table| {
            let entries = (0..100_000u32).map(|number| {
                let key = [&[2, 16, 2, 3, 232, 3][..], &number.to_be_bytes()].concat();
                (key, number, vec![1; 10])
            });
            let entries: Vec<_> = entries.collect();
            let mut runs = Runs::default();
            write(&mut runs, table, &entries)?;
            // Ten bytes of the value, four of the rank, three lengths, and less than two new bytes
            // of the key on average.
            let bytes = 100_000 * 19;
            assert!(
                table.len()? <= bytes / SPILL_BLOCK_BYTES as u64 + 1,
                "{}",
                table.len()?
            );
            Ok(())
        })
    }

    #[test]
    fn a_truncated_or_missing_block_is_detected() -> Result<()> {
        with_table(|table| {
            let mut runs = Runs::default();
            write(&mut runs, table, &[(b"key".to_vec(), 5, b"value".to_vec())])?;
            let key = row_key(0, 0);
            let whole = table.get(key.as_slice())?.map(|row| row.value().to_vec());
            let whole = whole.unwrap_or_default();
            for length in 0..whole.len() {
                table.insert(key.as_slice(), whole.get(..length).unwrap_or_default())?;
                assert!(read(&runs, table).is_err(), "{length}");
            }
            table.remove(key.as_slice())?;
            let missing = read(&runs, table).err();
            assert_eq!(missing.map(|error| error.code()), Some("cancelled"));
            Ok(())
        })
    }
}
