//! The write transaction, with its open tables and the changes that it has made.

use crate::error::Result;
use crate::store::blocks::block_index::BlockIndex;
use crate::store::blocks::collection::Collection;
use crate::store::blocks::partition::{Partition, block_key};
use crate::store::blocks::records::{EachInRange, PinnedBlock, Reader};
use crate::store::changes::change_bits::ChangedSources;
use crate::store::changes::changed_keys::{ChangedKeys, Journaling};
use crate::store::checksum::{self, Digest};
use crate::store::rows::read::{
    is_render_version_uniform, missing_block, pin_block, read_block_index, read_cursor_key,
    read_partitions, read_render_version, scan_prefix, scan_range,
};
use crate::store::rows::table_definitions::{
    BLOCK_INDEXES, BLOCKS, CURSOR_KEY, CursorKey, ERASING_KEY, FORMAT, FORMAT_KEY, INTEGRATORS,
    META, OWNERS_KEY, RENDER_PREFIX, RENDERED_KEY, STAGED_PREFIX, TOTALS_KEY, Totals, page_bytes,
    render_key,
};
use crate::store::sort::external_sort::{Sorted, Sorter};
use crate::store::transaction::row_set_checksums::{ChecksumChanges, DIGESTS, RowSet};
use crate::store::transaction::school_owner::{SchoolOwner, SchoolOwners};
use crate::store::transaction::snapshot::Snapshot;
use redb::{AccessGuard, ReadableTable, Table, TableDefinition, WriteTransaction};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// A write transaction with its tables open.
pub(crate) struct Write<'t> {
    pub(crate) transaction: &'t WriteTransaction,
    pub(crate) blocks: Table<'t, &'static [u8], &'static [u8]>,
    pub(crate) block_indexes: Table<'t, &'static [u8], &'static [u8]>,
    pub(crate) integrators: Table<'t, &'static [u8], &'static [u8]>,
    pub(crate) meta: Table<'t, &'static [u8], &'static [u8]>,
    digests: Table<'t, &'static [u8], &'static [u8]>,
    /// The changes of the row-set checksums.
    pub(crate) added: ChecksumChanges,
    /// The snapshot before this transaction. It records which row sets were already checked.
    pub(crate) before: Option<Arc<Snapshot>>,
    totals: Totals,
    totals_before: Totals,
    pub(crate) changes: ChangedSources,
    spilled: Vec<String>,
    pub(crate) journaling: Option<Journaling>,
    pub(crate) changed_keys: ChangedKeys,
    owners: SchoolOwners,
    has_new_owners: bool,
    /// The block indexes that were read, in their current state.
    known: RefCell<HashMap<Partition, Arc<BlockIndex>>>,
}

/// The work that is done in a write transaction.
pub(crate) type WriteWork<'a> = dyn FnMut(&mut Write<'_>) -> Result<()> + 'a;

/// The number of block indexes that are cached. When it is reached, all of them are discarded.
const MAX_KNOWN: usize = 1024;

impl<'t> Write<'t> {
    pub(crate) fn new(
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
            blocks: transaction.open_table(BLOCKS)?,
            block_indexes: transaction.open_table(BLOCK_INDEXES)?,
            integrators: transaction.open_table(INTEGRATORS)?,
            digests: transaction.open_table(DIGESTS)?,
            owners: SchoolOwners::read(&meta)?,
            has_new_owners: false,
            meta,
            added: ChecksumChanges::default(),
            before,
            totals_before: totals.clone(),
            totals,
            changes: ChangedSources::default(),
            spilled: Vec::new(),
            journaling: None,
            changed_keys: ChangedKeys::default(),
            known: RefCell::default(),
        })
    }

    /// Makes the journal record this commit.
    pub(crate) fn journaled(self, journaling: Option<Journaling>) -> Write<'t> {
        Write {
            changed_keys: journaling.map_or_else(ChangedKeys::default, |_| ChangedKeys::on()),
            journaling,
            ..self
        }
    }

    /// Marks a new file as a store of this format.
    pub(crate) fn initialise(&mut self, render_version: u32) -> Result<()> {
        self.set_format()?;
        self.set_rendered(render_version)
    }

    /// Records the format of the store.
    pub(crate) fn set_format(&mut self) -> Result<()> {
        self.put_meta(FORMAT_KEY, &FORMAT.to_le_bytes())
    }

    /// Stores a row of the table `meta`.
    pub(crate) fn put_meta(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let old = self.meta.insert(key, value)?;
        let old = old.as_ref().map(AccessGuard::value);
        self.added.replaced(RowSet::Meta, key, old, Some(value));
        Ok(())
    }

    /// Records that the file may contain data of a person who was erased, until
    /// [`Store::erase_leftovers`](crate::store::Store::erase_leftovers) has erased it.
    pub(crate) fn mark_for_erasure(&mut self) -> Result<()> {
        self.put_meta(ERASING_KEY, &[1])?;
        self.changes.other();
        Ok(())
    }

    /// Stores the key with which cursors are made.
    pub(crate) fn set_cursor_key(&mut self, key: &CursorKey) -> Result<()> {
        self.put_meta(CURSOR_KEY, key)?;
        self.changes.other();
        Ok(())
    }

    /// Deletes the spilled entries, and writes the owners and the totals.
    pub(crate) fn write_totals(&mut self) -> Result<()> {
        for name in std::mem::take(&mut self.spilled) {
            self.transaction.delete_table(spill_table(&name))?;
        }
        if self.has_new_owners {
            self.put_meta(OWNERS_KEY, &self.owners.encode())?;
        }
        if self.totals != self.totals_before {
            self.put_meta(TOTALS_KEY, &self.totals.encode())?;
            self.changes.other();
        }
        Ok(())
    }

    /// Writes the row-set checksums. Returns the changes of the transaction, which the caller commits.
    pub(crate) fn write_checksums(mut self) -> Result<ChangedSources> {
        self.added.write(&mut self.digests)?;
        Ok(self.changes)
    }

    /// Returns the collector of the keys that this transaction changes. It can be used while a
    /// partition is merged.
    pub(crate) fn changed_keys(&self) -> ChangedKeys {
        self.changed_keys.clone()
    }

    /// Records that a partition was changed. The keys of changed records are recorded by the
    /// callers that know them.
    fn note_change(&mut self, partition: Partition) {
        if partition.collection == Collection::Coverage {
            self.changed_keys.record_coverage(partition.school);
        }
        self.changes.partition(partition);
    }

    /// Adjusts the number of records of a kind.
    pub(crate) fn count(&mut self, kind: u8, added: u64, removed: u64) {
        let count = self.totals.get(kind);
        let count = count.saturating_add(added).saturating_sub(removed);
        self.totals.set(kind, count);
    }

    /// Returns the number of records of a kind.
    pub(crate) fn records_of_kind(&self, kind: u8) -> u64 {
        self.totals.get(kind)
    }

    /// Subtracts rows that were not copied from a row-set checksum.
    pub(crate) fn subtract_omitted(&mut self, of: RowSet, rows: Digest) {
        self.added.subtract(of, rows);
    }

    /// Writes a block, and returns its checksum.
    pub(crate) fn put_block(
        &mut self,
        partition: Partition,
        block: u32,
        bytes: &[u8],
    ) -> Result<u64> {
        let key = block_key(partition, block);
        let replaced = self.blocks.insert(key.as_slice(), bytes)?;
        let replaced = replaced.map(|old| old.value().len());
        self.update_live_bytes(replaced, Some(bytes.len()));
        self.note_change(partition);
        Ok(checksum::compute(&key, bytes))
    }

    pub(crate) fn remove_block(&mut self, partition: Partition, block: u32) -> Result<()> {
        let removed = self.blocks.remove(block_key(partition, block).as_slice())?;
        let removed = removed.map(|old| old.value().len());
        self.update_live_bytes(removed, None);
        self.note_change(partition);
        Ok(())
    }

    pub(crate) fn put_block_index(
        &mut self,
        partition: Partition,
        block_index: &BlockIndex,
    ) -> Result<()> {
        let key = partition.to_bytes();
        self.known.borrow_mut().remove(&partition);
        let bytes = block_index.encode();
        let length = Some(bytes.len()).filter(|_| !block_index.entries.is_empty());
        let row = match length {
            Some(_) => self
                .block_indexes
                .insert(key.as_slice(), bytes.as_slice())?,
            None => self.block_indexes.remove(key.as_slice())?,
        };
        let old = row.as_ref().map(AccessGuard::value);
        let new = length.map(|_| bytes.as_slice());
        let school = RowSet::School(partition.school);
        self.added.replaced(school, &key, old, new);
        let replaced = old.map(<[u8]>::len);
        drop(row);
        self.update_live_bytes(replaced, length);
        self.note_change(partition);
        Ok(())
    }

    /// Updates the estimate of used space after a value was replaced.
    fn update_live_bytes(&mut self, before: Option<usize>, after: Option<usize>) {
        let [before, after] = [before, after].map(|length| length.map_or(0, page_bytes));
        self.totals.live = self
            .totals
            .live
            .saturating_add(after)
            .saturating_sub(before);
    }

    /// Stores a row of an integrator or, if `school` is given, of an authorisation by this school.
    /// The row is removed if `value` is `None`.
    pub(crate) fn set_integrator_row(
        &mut self,
        school: Option<u64>,
        key: &[u8],
        value: Option<&[u8]>,
    ) -> Result<()> {
        let old = match value {
            Some(value) => self.integrators.insert(key, value)?,
            None => self.integrators.remove(key)?,
        };
        let old = old.as_ref().map(AccessGuard::value);
        self.added.replaced(RowSet::Integrators, key, old, value);
        self.changes.integrator_row(school);
        Ok(())
    }

    /// Records that all records have this render version.
    pub(crate) fn set_rendered(&mut self, version: u32) -> Result<()> {
        self.remove_all_but_last(RENDER_PREFIX, 0)?;
        self.put_meta(RENDERED_KEY, &version.to_le_bytes())?;
        self.changes.other();
        Ok(())
    }

    /// Removes all rows of `meta` whose keys start with `prefix`, except the last `count` ones.
    /// Removing a range with redb would add more code to the WebAssembly module.
    pub(crate) fn remove_all_but_last(&mut self, prefix: &[u8], count: usize) -> Result<()> {
        let mut keys = Vec::new();
        scan_prefix(&self.meta, prefix, &mut |key, _| {
            keys.push(key.to_vec());
            Ok(())
        })?;
        let surplus = keys.len().saturating_sub(count);
        for key in keys.into_iter().take(surplus) {
            let old = self.meta.remove(key.as_slice())?;
            let old = old.as_ref().map(AccessGuard::value);
            self.added.replaced(RowSet::Meta, &key, old, None);
        }
        Ok(())
    }

    /// Returns the render version of the records of a school.
    pub(crate) fn rendered_of(&self, school: u64) -> Result<u32> {
        read_render_version(&self.meta, school)
    }

    /// Returns whether every record has this render version.
    pub(crate) fn all_rendered_by(&self, version: u32) -> Result<bool> {
        is_render_version_uniform(&self.meta, version)
    }

    pub(crate) fn set_school_rendered(&mut self, school: u64, version: u32) -> Result<()> {
        let key = render_key(school);
        self.put_meta(&key, &version.to_le_bytes())?;
        self.changes.other();
        Ok(())
    }

    /// Returns the key with which cursors are made.
    pub(crate) fn cursor_key(&self) -> Result<CursorKey> {
        read_cursor_key(&self.meta)
    }

    /// Returns the owners of schools, including the changes of this transaction.
    pub(crate) fn owners(&self) -> &SchoolOwners {
        &self.owners
    }

    /// Changes the owner of a school. The change is written at the end of the transaction.
    pub(crate) fn set_owner(&mut self, school: u64, owner: SchoolOwner) {
        if self.owners.set(school, owner) {
            self.has_new_owners = true;
            // The owner of a school decides whether its coverage is used.
            self.note_change(Partition::new(school, Collection::Coverage));
        }
    }

    /// Returns whether the store has any records of a school.
    pub(crate) fn has_records_of(&self, school: u64) -> Result<bool> {
        let (first, last) = (
            school.to_be_bytes(),
            [school.to_be_bytes(), [u8::MAX; 8]].concat(),
        );
        let mut rows = self
            .block_indexes
            .range::<&[u8]>(first.as_slice()..=last.as_slice())?;
        Ok(rows.next().transpose()?.is_some())
    }

    /// Moves the entries of a sorter into its table. If it has no table yet, `name` is the end of
    /// the name of its table.
    pub(crate) fn spill(&mut self, sorter: &mut Sorter, name: &str) -> Result<()> {
        let name = match sorter.spilled() {
            Some(name) => name.to_owned(),
            None => format!("{STAGED_PREFIX}{name}"),
        };
        sorter.spill(self.transaction, &name)
    }

    /// Returns all entries of a sorter in order. The table with its spilled entries is deleted at
    /// the end of the transaction.
    pub(crate) fn sorted(&mut self, sorter: Sorter) -> Result<Sorted<'t>> {
        self.spilled.extend(sorter.spilled().map(str::to_owned));
        sorter.sorted(self.transaction)
    }
}

pub(crate) fn spill_table(name: &str) -> TableDefinition<'_, &'static [u8], &'static [u8]> {
    TableDefinition::new(name)
}

impl Reader for Write<'_> {
    fn block_index(&self, partition: Partition) -> Result<Arc<BlockIndex>> {
        if let Some(known) = self.known.borrow().get(&partition) {
            return Ok(known.clone());
        }
        if let Some(before) = &self.before {
            before.check_block_indexes(partition.school)?;
        }
        let block_index = Arc::new(read_block_index(&self.block_indexes, partition)?);
        let mut known = self.known.borrow_mut();
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(partition, block_index.clone());
        Ok(block_index)
    }

    fn pin(&self, partition: Partition, block: u32) -> Result<PinnedBlock<'_>> {
        pin_block(&self.blocks, partition, block)
    }

    fn partitions(&self, from: Partition, to: Partition) -> Result<Vec<Partition>> {
        if let Some(before) = &self.before {
            before.check_block_indexes_between(from.school, to.school)?;
        }
        read_partitions(&self.block_indexes, from, to)
    }

    fn integrator_range(
        &self,
        range: (&[u8], &[u8]),
        reverse: bool,
        each: &mut EachInRange<'_>,
    ) -> Result<()> {
        if let Some(before) = &self.before {
            before.check_integrators()?;
        }
        scan_range(&self.integrators, range, reverse, each)
    }

    fn integrator_row(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        if let Some(before) = &self.before {
            before.check_integrators()?;
        }
        Ok(self.integrators.get(key)?.map(|row| row.value().to_vec()))
    }
}

impl Write<'_> {
    /// Returns the bytes of the block at a position of a block index, in order to rebuild the
    /// block. They are verified first, because a rewritten block gets a new checksum.
    pub(crate) fn read_block_for_rewrite(
        &self,
        partition: Partition,
        block_index: &BlockIndex,
        position: usize,
    ) -> Result<Vec<u8>> {
        let entry = block_index
            .entries
            .get(position)
            .ok_or_else(missing_block)?;
        let guard = self
            .blocks
            .get(block_key(partition, entry.block).as_slice())?;
        let bytes = guard.ok_or_else(missing_block)?.value().to_vec();
        block_index.check(partition, position, &bytes)?;
        Ok(bytes)
    }
}
