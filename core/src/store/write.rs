//! The write transaction: the tables open, and what it has changed.

use super::checksum::{self, Digest};
use super::collection::Collection;
use super::digests::{Added, DIGESTS, Scope};
use super::directory::Directory;
use super::history;
use super::journal::{self, Area, Touched};
use super::journal_write::Journaling;
use super::memo::Changes;
use super::partition::{Partition, run_key};
use super::read::{
    are_all_rendered_by, missing_run, next_sequence, read_cursor_key, read_directory, read_page,
    read_partitions, read_rendered_of, read_rows, read_synced,
};
use super::records::{EachRow, PinnedRun, Reader};
use super::snapshot::Snapshot;
use super::sorter::{Sorted, Sorter};
use super::tables::{
    CURSOR_KEY, CursorKey, DIRECTORIES, FORMAT, FORMAT_KEY, INTEGRATORS, META, RENDER_PREFIX,
    RENDERED_KEY, RUNS, SEQUENCE_KEY, STAGED_PREFIX, SYNCED_KEY, TOTALS_KEY, Totals, page_bytes,
    render_key,
};
use super::touches::Touches;
use crate::error::{Error, Result};
use redb::{AccessGuard, ReadableTable, Table, TableDefinition, WriteTransaction};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// A write transaction with its tables open.
pub(crate) struct Write<'t> {
    pub(super) transaction: &'t WriteTransaction,
    pub(super) runs: Table<'t, &'static [u8], &'static [u8]>,
    pub(super) directories: Table<'t, &'static [u8], &'static [u8]>,
    pub(super) integrators: Table<'t, &'static [u8], &'static [u8]>,
    pub(super) meta: Table<'t, &'static [u8], &'static [u8]>,
    digests: Table<'t, &'static [u8], &'static [u8]>,
    /// What this transaction adds to the digests.
    pub(super) added: Added,
    /// What it began from. Knows which rows were found to be all there.
    pub(super) before: Option<Arc<Snapshot>>,
    totals: Totals,
    totals_before: Totals,
    pub(super) changes: Changes,
    spilled: Vec<String>,
    pub(super) journaling: Option<Journaling>,
    pub(super) touches: Touches,
    /// Directories that were read, as they are now.
    known: RefCell<HashMap<Partition, Arc<Directory>>>,
}

/// What is done in a write transaction.
pub(super) type WriteWork<'a> = dyn FnMut(&mut Write<'_>) -> Result<()> + 'a;

/// How many directories are held; beyond, all are forgotten.
const MOST_KNOWN: usize = 1024;

impl<'t> Write<'t> {
    pub(super) fn new(
        transaction: &'t WriteTransaction,
        before: Option<Arc<Snapshot>>,
    ) -> Result<Write<'t>> {
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
            digests: transaction.open_table(DIGESTS)?,
            added: Added::default(),
            before,
            totals_before: totals.clone(),
            totals,
            changes: Changes::default(),
            spilled: Vec::new(),
            journaling: None,
            touches: Touches::default(),
            known: RefCell::default(),
        })
    }

    /// Has the commit noted in the journal.
    pub(super) fn journaled(self, journaling: Option<Journaling>) -> Write<'t> {
        Write {
            touches: journaling.map_or_else(Touches::default, |_| Touches::on()),
            journaling,
            ..self
        }
    }

    /// Marks a fresh file as a store of this format.
    pub(super) fn initialise(&mut self, render_version: u32) -> Result<()> {
        self.set_format()?;
        self.set_rendered(render_version)
    }

    /// Says that the store is of this format.
    pub(super) fn set_format(&mut self) -> Result<()> {
        self.put_meta(FORMAT_KEY, &FORMAT.to_le_bytes())
    }

    /// Writes a row of what the store says of itself.
    pub(super) fn put_meta(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let old = self.meta.insert(key, value)?;
        let old = old.as_ref().map(AccessGuard::value);
        self.added.replaced(Scope::Meta, key, old, Some(value));
        Ok(())
    }

    /// Gives the store the key under which its cursors are made.
    pub(super) fn set_cursor_key(&mut self, key: &CursorKey) -> Result<()> {
        self.put_meta(CURSOR_KEY, key)?;
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
            self.put_meta(TOTALS_KEY, &self.totals.encode())?;
            self.changes.other();
        }
        let sequence = next_sequence(&self.meta)?;
        if !self.changes.is_empty() {
            let generation = if journal::IS_KEPT {
                self.note_touched(sequence)?
            } else {
                None
            };
            self.put_meta(SEQUENCE_KEY, &history::encode(sequence, generation))?;
        }
        self.added.write(&mut self.digests)?;
        Ok((self.changes, sequence))
    }

    /// What takes down which records are touched, also while one of them is merged.
    pub(crate) fn touches(&self) -> Touches {
        self.touches.clone()
    }

    /// A record is touched, for who follows the store. One that is as it was does no harm.
    #[expect(dead_code, reason = "records are touched by their commit")]
    pub(crate) fn touch(&mut self, area: Area, touched: Touched) {
        self.touches.touch(area, touched);
    }

    /// Any record of an area may be touched.
    #[expect(dead_code, reason = "records are touched by their commit")]
    pub(crate) fn touch_all(&mut self, area: Area) {
        self.touches.touch_all(area);
    }

    /// What was seen of a school changes.
    pub(crate) fn touch_coverage(&mut self, school: u64) {
        self.touches.touch_coverage(school);
    }

    /// Counts records of a kind in or out.
    pub(crate) fn count(&mut self, kind: u8, added: u64, removed: u64) {
        let count = self.totals.of(kind);
        let count = count.saturating_add(added).saturating_sub(removed);
        self.totals.set(kind, count);
    }

    /// Counts rows of a digest out that were not copied.
    pub(super) fn leave_out(&mut self, of: Scope, rows: Digest) {
        self.added.left_out(of, rows);
    }

    /// Writes a run; gives its checksum.
    pub(super) fn put_run(&mut self, partition: Partition, run: u32, bytes: &[u8]) -> Result<u64> {
        let key = run_key(partition, run);
        let replaced = self.runs.insert(key.as_slice(), bytes)?;
        let replaced = replaced.map(|old| old.value().len());
        self.reckon(replaced, Some(bytes.len()));
        self.changes.partition(partition);
        Ok(checksum::of(&key, bytes))
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
        let row = match kept {
            Some(_) => self.directories.insert(key.as_slice(), bytes.as_slice())?,
            None => self.directories.remove(key.as_slice())?,
        };
        let old = row.as_ref().map(AccessGuard::value);
        let new = kept.map(|_| bytes.as_slice());
        let school = Scope::School(partition.school);
        self.added.replaced(school, &key, old, new);
        let replaced = old.map(<[u8]>::len);
        drop(row);
        self.reckon(replaced, kept);
        self.changes.partition(partition);
        Ok(())
    }

    /// Reckons what a value costs that replaced another.
    fn reckon(&mut self, before: Option<usize>, after: Option<usize>) {
        let [before, after] = [before, after].map(|length| length.map_or(0, page_bytes));
        self.totals.live = self
            .totals
            .live
            .saturating_add(after)
            .saturating_sub(before);
    }

    pub(crate) fn put_integrator_row(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let old = self.integrators.insert(key, value)?;
        let old = old.as_ref().map(AccessGuard::value);
        self.added
            .replaced(Scope::Integrators, key, old, Some(value));
        self.changes.integrators();
        Ok(())
    }

    pub(crate) fn remove_integrator_row(&mut self, key: &[u8]) -> Result<()> {
        let old = self.integrators.remove(key)?;
        let old = old.as_ref().map(AccessGuard::value);
        self.added.replaced(Scope::Integrators, key, old, None);
        self.changes.integrators();
        Ok(())
    }

    /// Notes that all records are rendered by this version.
    pub(crate) fn set_rendered(&mut self, version: u32) -> Result<()> {
        self.thin_out(RENDER_PREFIX, 0)?;
        self.put_meta(RENDERED_KEY, &version.to_le_bytes())?;
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
            let old = self.meta.remove(key.as_slice())?;
            let old = old.as_ref().map(AccessGuard::value);
            self.added.replaced(Scope::Meta, &key, old, None);
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
        self.put_meta(&key, &version.to_le_bytes())?;
        self.changes.other();
        Ok(())
    }

    /// The key under which cursors are made.
    pub(crate) fn cursor_key(&self) -> Result<CursorKey> {
        let key = read_cursor_key(&self.meta)?;
        key.ok_or_else(|| Error::corrupt("the key of cursors is missing"))
    }

    /// Whether any school is synced.
    pub(crate) fn has_synced(&self) -> Result<bool> {
        Ok(!read_synced(&self.meta)?.is_empty())
    }

    /// Whether a school is synced.
    pub(crate) fn is_synced(&self, school: u64) -> Result<bool> {
        Ok(read_synced(&self.meta)?.binary_search(&school).is_ok())
    }

    /// Says whether a school is synced.
    pub(crate) fn set_synced(&mut self, school: u64, is_synced: bool) -> Result<()> {
        let mut schools = read_synced(&self.meta)?;
        match (schools.binary_search(&school), is_synced) {
            (Err(at), true) => schools.insert(at, school),
            (Ok(at), false) => drop(schools.remove(at)),
            (Ok(_), true) | (Err(_), false) => return Ok(()),
        }
        self.touch_coverage(school);
        let row: Vec<u8> = schools.into_iter().flat_map(u64::to_le_bytes).collect();
        // It decides whether what was seen counts.
        self.changes
            .partition(Partition::of(school, Collection::Coverage));
        self.put_meta(SYNCED_KEY, &row)
    }

    /// Whether anything lies by a school.
    pub(crate) fn has_records_of(&self, school: u64) -> Result<bool> {
        let (first, last) = (
            school.to_be_bytes(),
            [school.to_be_bytes(), [u8::MAX; 8]].concat(),
        );
        let mut rows = self
            .directories
            .range::<&[u8]>(first.as_slice()..=last.as_slice())?;
        Ok(rows.next().transpose()?.is_some())
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
        if let Some(before) = &self.before {
            before.check_directories(partition.school)?;
        }
        let directory = Arc::new(read_directory(&self.directories, partition)?);
        let mut known = self.known.borrow_mut();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(partition, directory.clone());
        Ok(directory)
    }

    fn pin(&self, partition: Partition, run: u32) -> Result<PinnedRun<'_>> {
        read_page(&self.runs, partition, run)
    }

    fn partitions(&self, from: Partition, to: Partition) -> Result<Vec<Partition>> {
        if let Some(before) = &self.before {
            before.check_directories_between(from.school, to.school)?;
        }
        read_partitions(&self.directories, from, to)
    }

    fn integrator_rows(&self, prefix: &[u8], each: &mut EachRow<'_>) -> Result<()> {
        if let Some(before) = &self.before {
            before.check_integrators()?;
        }
        read_rows(&self.integrators, prefix, each)
    }

    fn integrator_row(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        if let Some(before) = &self.before {
            before.check_integrators()?;
        }
        Ok(self.integrators.get(key)?.map(|row| row.value().to_vec()))
    }
}

impl Write<'_> {
    /// The bytes of the run at a position of a directory, to be rebuilt. What is
    /// written anew must have been right.
    pub(super) fn run_bytes(
        &self,
        partition: Partition,
        directory: &Directory,
        position: usize,
    ) -> Result<Vec<u8>> {
        let entry = directory.entries.get(position).ok_or_else(missing_run)?;
        let guard = self.runs.get(run_key(partition, entry.run).as_slice())?;
        let bytes = guard.ok_or_else(missing_run)?.value().to_vec();
        directory.check(partition, position, &bytes)?;
        Ok(bytes)
    }
}
