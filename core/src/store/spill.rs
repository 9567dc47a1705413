//! Sorted entries that lie in a table of the store: runs, merged while they are read.

use super::spilled_run::{Cursor, Entry, Run, SpillTable, Writer, row_key, too_many};
use crate::error::{Error, Result};
use redb::ReadableTableMetadata as _;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// So many runs of a level become one of the next, so that few have to be merged
/// however many entries there are.
const FAN_IN: usize = 128;

/// The runs of one sorter.
#[derive(Default)]
pub(super) struct Runs {
    runs: Vec<Run>,
    next: u32,
    fan_in: Option<usize>,
}

impl Runs {
    /// Runs of which so many become one.
    #[cfg(test)]
    pub(super) fn merged_by(fan_in: usize) -> Runs {
        Runs {
            fan_in: Some(fan_in),
            ..Runs::default()
        }
    }

    /// Writes entries that are sorted.
    pub(super) fn write<'a>(
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

    /// The level of the last run, if it has as many as are merged.
    fn full_level(&self) -> Option<u8> {
        let level = self.runs.last()?.level;
        let runs = self.runs.iter().filter(|run| run.level == level).count();
        (runs >= self.fan_in.unwrap_or(FAN_IN)).then_some(level)
    }

    fn merge_level(&mut self, table: &mut SpillTable<'_>, level: u8) -> Result<()> {
        self.check_whole(table)?;
        let mut writer = Writer::new(self.number()?);
        let runs = std::mem::take(&mut self.runs).into_iter();
        let (merged, kept): (Vec<Run>, Vec<Run>) = runs.partition(|run| run.level == level);
        let mut merge = Merge::of(&merged, table)?;
        while let Some(entry) = merge.current(table)? {
            writer.push(table, entry)?;
            merge.advance();
        }
        for run in merged {
            for block in 0..run.blocks {
                table.remove(row_key(run.number, block).as_slice())?;
            }
        }
        self.runs = kept;
        self.runs.extend(writer.finish(table, level + 1)?);
        Ok(())
    }

    /// All entries in order.
    pub(super) fn merged(&self, table: &SpillTable<'_>) -> Result<Merge> {
        self.check_whole(table)?;
        Merge::of(&self.runs, table)
    }

    /// Fails as cancelled if rows are missing: a table that was not synced is gone when
    /// the store was opened anew since, and with it a part of the dataset.
    fn check_whole(&self, table: &SpillTable<'_>) -> Result<()> {
        let blocks: u64 = self.runs.iter().map(|run| u64::from(run.blocks)).sum();
        if table.len()? != blocks {
            return Err(Error::Cancelled.into());
        }
        Ok(())
    }
}

/// Runs being read, their entries in order.
pub(super) struct Merge {
    cursors: BinaryHeap<Cursor>,
    /// The first entry was handed on and passed.
    is_passed: bool,
}

impl Merge {
    fn of(runs: &[Run], table: &SpillTable<'_>) -> Result<Merge> {
        let mut cursors = Vec::with_capacity(runs.len());
        for run in runs {
            let mut cursor = Cursor::new(*run);
            if cursor.next(table)? {
                cursors.push(cursor);
            }
        }
        Ok(Merge {
            cursors: cursors.into(),
            is_passed: false,
        })
    }

    /// The entry at hand.
    pub(super) fn current(&mut self, table: &SpillTable<'_>) -> Result<Option<Entry<'_>>> {
        if std::mem::take(&mut self.is_passed)
            && let Some(mut first) = self.cursors.peek_mut()
            && !first.next(table)?
        {
            PeekMut::pop(first);
        }
        Ok(self.cursors.peek().map(Cursor::entry))
    }

    pub(super) fn advance(&mut self) {
        self.is_passed = true;
    }
}

#[cfg(test)]
mod tests {
    use super::super::spilled_run::BLOCK_BYTES;
    use super::*;
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

    /// Lengths around those that take more room, and entries larger than a block.
    #[test]
    fn entries_of_any_length_come_back() -> Result<()> {
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

    /// However many runs are written, few have to be merged, and those that were are gone.
    #[test]
    fn runs_become_one_before_they_are_many() -> Result<()> {
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

    /// What is staged is small, and few rows, whatever the number of entries.
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
            // Ten bytes of value, four of rank, three lengths, and what is new in the key.
            let bytes = 100_000 * 19;
            assert!(
                table.len()? <= bytes / BLOCK_BYTES as u64 + 1,
                "{}",
                table.len()?
            );
            Ok(())
        })
    }

    #[test]
    fn a_block_that_is_cut_or_gone_is_noticed() -> Result<()> {
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
            let gone = read(&runs, table).err();
            assert_eq!(gone.map(|error| error.code()), Some("cancelled"));
            Ok(())
        })
    }
}
