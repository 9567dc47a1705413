//! The write transaction: the tables open, and what it has changed.

use super::directory::Directory;
use super::memo::Changes;
use super::partition::{Partition, run_key};
use super::records::{EachRow, Page, Reader};
use super::run::Run;
use super::snapshot::{
    are_all_rendered_by, next_sequence, read_directory, read_page, read_partitions,
    read_rendered_of, read_rows,
};
use super::sorter::{Sorted, Sorter};
use super::tables::{
    CURSOR_KEY, CursorKey, DIRECTORIES, FORMAT, FORMAT_KEY, INTEGRATORS, META, RENDER_PREFIX,
    RENDERED_KEY, RUNS, SEQUENCE_KEY, STAGED_PREFIX, TOTALS_KEY, Totals, page_bytes, render_key,
};
use crate::error::{Error, Result};
use redb::{ReadableTable, Table, TableDefinition, WriteTransaction};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// A write transaction with its tables open.
pub(crate) struct Write<'t> {
    transaction: &'t WriteTransaction,
    pub(super) runs: Table<'t, &'static [u8], &'static [u8]>,
    directories: Table<'t, &'static [u8], &'static [u8]>,
    integrators: Table<'t, &'static [u8], &'static [u8]>,
    pub(super) meta: Table<'t, &'static [u8], &'static [u8]>,
    totals: Totals,
    totals_before: Totals,
    changes: Changes,
    spilled: Vec<String>,
    /// Directories that were read, as they are now.
    known: RefCell<HashMap<Partition, Arc<Directory>>>,
}

/// How many directories are held; beyond, all are forgotten.
const MOST_KNOWN: usize = 1024;

impl<'t> Write<'t> {
    pub(crate) fn new(transaction: &'t WriteTransaction) -> Result<Write<'t>> {
        let meta = transaction.open_table(META)?;
        let totals = match meta.get(TOTALS_KEY)? {
            Some(row) => Totals::decode(row.value())?,
            None => Totals::default(),
        };
        Ok(Write {
            transaction,
            runs: transaction.open_table(RUNS)?,
            directories: transaction.open_table(DIRECTORIES)?,
            integrators: transaction.open_table(INTEGRATORS)?,
            meta,
            totals,
            totals_before: totals,
            changes: Changes::default(),
            spilled: Vec::new(),
            known: RefCell::default(),
        })
    }

    /// Marks a fresh file as a store of this format.
    pub(super) fn initialise(&mut self, render_version: u32) -> Result<()> {
        self.meta
            .insert(FORMAT_KEY, FORMAT.to_le_bytes().as_slice())?;
        self.set_rendered(render_version)
    }

    /// Gives the store the key under which its cursors are made.
    pub(super) fn set_cursor_key(&mut self, key: &CursorKey) -> Result<()> {
        self.meta.insert(CURSOR_KEY, key.as_slice())?;
        self.changes.other();
        Ok(())
    }

    /// Writes what is kept beside the records; says what was changed, and the
    /// number of this commit.
    pub(crate) fn finish(mut self) -> Result<(Changes, u64)> {
        for name in std::mem::take(&mut self.spilled) {
            self.transaction.delete_table(spill_table(&name))?;
        }
        if self.totals != self.totals_before {
            self.meta
                .insert(TOTALS_KEY, self.totals.encode().as_slice())?;
            self.changes.other();
        }
        let sequence = next_sequence(&self.meta)?;
        if !self.changes.is_empty() {
            let row = sequence.to_le_bytes();
            self.meta.insert(SEQUENCE_KEY, row.as_slice())?;
        }
        Ok((self.changes, sequence))
    }

    /// Counts records of a kind in or out.
    pub(crate) fn count(&mut self, kind: usize, added: u64, removed: u64) {
        if let Some(count) = self.totals.records.get_mut(kind) {
            *count = count.saturating_add(added).saturating_sub(removed);
        }
    }

    pub(crate) fn put_run(&mut self, partition: Partition, run: u32, bytes: &[u8]) -> Result<()> {
        let key = run_key(partition, run);
        let replaced = self.runs.insert(key.as_slice(), bytes)?;
        let replaced = replaced.map(|old| old.value().len());
        self.reckon(replaced, Some(bytes.len()));
        self.changes.partition(partition);
        Ok(())
    }

    pub(crate) fn remove_run(&mut self, partition: Partition, run: u32) -> Result<()> {
        let removed = self.runs.remove(run_key(partition, run).as_slice())?;
        let removed = removed.map(|old| old.value().len());
        self.reckon(removed, None);
        self.changes.partition(partition);
        Ok(())
    }

    pub(crate) fn put_directory(
        &mut self,
        partition: Partition,
        directory: &Directory,
    ) -> Result<()> {
        let key = partition.to_bytes();
        self.known.borrow_mut().remove(&partition);
        let bytes = directory.encode();
        let kept = Some(bytes.len()).filter(|_| !directory.entries.is_empty());
        let replaced = match kept {
            Some(_) => self.directories.insert(key.as_slice(), bytes.as_slice())?,
            None => self.directories.remove(key.as_slice())?,
        };
        let replaced = replaced.map(|old| old.value().len());
        self.reckon(replaced, kept);
        self.changes.partition(partition);
        Ok(())
    }

    /// Reckons what a value costs that came in the place of another.
    fn reckon(&mut self, before: Option<usize>, after: Option<usize>) {
        let [before, after] = [before, after].map(|length| length.map_or(0, page_bytes));
        self.totals.live = self
            .totals
            .live
            .saturating_add(after)
            .saturating_sub(before);
    }

    pub(crate) fn put_integrator_row(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.integrators.insert(key, value)?;
        self.changes.integrators();
        Ok(())
    }

    pub(crate) fn remove_integrator_row(&mut self, key: &[u8]) -> Result<()> {
        self.integrators.remove(key)?;
        self.changes.integrators();
        Ok(())
    }

    /// Notes that all records are rendered by this version.
    pub(crate) fn set_rendered(&mut self, version: u32) -> Result<()> {
        self.thin_out(RENDER_PREFIX, 0)?;
        self.meta
            .insert(RENDERED_KEY, version.to_le_bytes().as_slice())?;
        self.changes.other();
        Ok(())
    }

    /// Leaves the last so many of the rows of `meta` that begin like this. To have
    /// redb remove a range would weigh more in a browser.
    pub(super) fn thin_out(&mut self, prefix: &[u8], kept: usize) -> Result<()> {
        let mut keys = Vec::new();
        read_rows(&self.meta, prefix, &mut |key, _| {
            keys.push(key.to_vec());
            Ok(())
        })?;
        let surplus = keys.len().saturating_sub(kept);
        for key in keys.into_iter().take(surplus) {
            self.meta.remove(key.as_slice())?;
        }
        Ok(())
    }

    /// The version by which a school's records are rendered.
    pub(crate) fn rendered_of(&self, school: u64) -> Result<u32> {
        read_rendered_of(&self.meta, school)
    }

    /// Whether every record is rendered by this version.
    pub(crate) fn all_rendered_by(&self, version: u32) -> Result<bool> {
        are_all_rendered_by(&self.meta, version)
    }

    pub(crate) fn set_school_rendered(&mut self, school: u64, version: u32) -> Result<()> {
        let key = render_key(school);
        self.meta
            .insert(key.as_slice(), version.to_le_bytes().as_slice())?;
        self.changes.other();
        Ok(())
    }

    /// Moves a sorter's entries into a table, of this name if it has none yet.
    pub(crate) fn spill(&mut self, sorter: &mut Sorter, name: &str) -> Result<()> {
        let name = match sorter.spilled() {
            Some(name) => name.to_owned(),
            None => format!("{STAGED_PREFIX}{name}"),
        };
        sorter.spill(self.transaction, &name)
    }

    /// All entries of a sorter in order. What it spilled goes with the
    /// transaction's end.
    pub(crate) fn sorted(&mut self, sorter: Sorter) -> Result<Sorted<'t>> {
        self.spilled.extend(sorter.spilled().map(str::to_owned));
        sorter.sorted(self.transaction)
    }
}

pub(super) fn spill_table(name: &str) -> TableDefinition<'_, &'static [u8], &'static [u8]> {
    TableDefinition::new(name)
}

impl Reader for Write<'_> {
    fn directory(&self, partition: Partition) -> Result<Arc<Directory>> {
        if let Some(known) = self.known.borrow().get(&partition) {
            return Ok(known.clone());
        }
        let directory = Arc::new(read_directory(&self.directories, partition)?);
        let mut known = self.known.borrow_mut();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(partition, directory.clone());
        Ok(directory)
    }

    fn page(&self, partition: Partition, run: u32) -> Result<Page<'_>> {
        read_page(&self.runs, partition, run)
    }

    fn partitions(&self, from: Partition, to: Partition) -> Result<Vec<Partition>> {
        read_partitions(&self.directories, from, to)
    }

    fn integrator_rows(&self, prefix: &[u8], each: &mut EachRow<'_>) -> Result<()> {
        read_rows(&self.integrators, prefix, each)
    }

    fn integrator_row(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(self.integrators.get(key)?.map(|row| row.value().to_vec()))
    }
}

impl Write<'_> {
    /// The bytes of the run at a place of a directory, to be rebuilt. What is
    /// written anew must have been right.
    pub(super) fn run_bytes(
        &self,
        partition: Partition,
        directory: &Directory,
        place: usize,
    ) -> Result<Vec<u8>> {
        let missing = || Error::corrupt("a run of records is missing");
        let entry = directory.entries.get(place).ok_or_else(missing)?;
        let guard = self.runs.get(run_key(partition, entry.run).as_slice())?;
        let bytes = guard.ok_or_else(missing)?.value().to_vec();
        directory.check(place, &Run::open(&bytes, partition.collection.layout())?)?;
        Ok(bytes)
    }
}
