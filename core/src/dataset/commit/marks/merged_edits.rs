//! Merges edits of one row that follow soon after each other into one edit, before they are sorted.

use super::row_edit::RowEdit;
use crate::dataset::commit::pending_edits::{Deferred, InOrder};
use crate::error::Result;
use crate::store::{Key, Partition, Write};

/// Edits of mark rows and waiting marks.
pub(super) struct MergedEdits {
    sorter: Deferred,
    /// The rows with edits that were not passed to the sorter yet. Rows from index `used` on are
    /// empty, and are retained only so that their memory is used again.
    rows: Vec<BufferedRow>,
    used: usize,
    /// The index of the row that was edited last.
    last: usize,
}

struct BufferedRow {
    address: (Partition, Key),
    edits: Vec<u8>,
}

/// The maximum number of rows in memory, which is more than a learner has in a year.
const ROWS: usize = 16;

/// The maximum number of bytes of edits of one row in memory.
const MAX_BYTES: usize = 16 << 10;

impl MergedEdits {
    pub(super) fn new(sorter: Deferred) -> MergedEdits {
        MergedEdits {
            sorter,
            rows: Vec::new(),
            used: 0,
            last: 0,
        }
    }

    /// Adds an edit after all others of its row.
    pub(super) fn push(&mut self, partition: Partition, key: Key, edit: RowEdit<'_>) -> Result<()> {
        let address = (partition, key);
        let mut pending = self.rows.iter().take(self.used);
        let found = match self.rows.get(self.last) {
            Some(row) if self.last < self.used && row.address == address => Some(self.last),
            _ => pending.position(|row| row.address == address),
        };
        let index = match found {
            Some(index) => index,
            None => self.begin(address)?,
        };
        self.last = index;
        if let Some(row) = self.rows.get_mut(index) {
            edit.push(&mut row.edits);
            if row.edits.len() > MAX_BYTES {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Adds an edit that is applied before all edits added with [`push`](Self::push).
    pub(super) fn push_first(
        &mut self,
        partition: Partition,
        key: Key,
        edit: RowEdit<'_>,
    ) -> Result<()> {
        self.sorter.push_first(partition, key, &edit.encode())
    }

    /// Adds a row without edits, and returns its index.
    fn begin(&mut self, address: (Partition, Key)) -> Result<usize> {
        if self.used == ROWS {
            self.flush()?;
        }
        match self.rows.get_mut(self.used) {
            Some(row) => row.address = address,
            None => self.rows.push(BufferedRow {
                address,
                edits: Vec::new(),
            }),
        }
        self.used += 1;
        Ok(self.used - 1)
    }

    /// Passes all edits in memory to the sorter.
    fn flush(&mut self) -> Result<()> {
        for row in self.rows.iter_mut().take(self.used) {
            let (partition, key) = row.address;
            self.sorter.push(partition, key, &row.edits)?;
            row.edits.clear();
        }
        self.used = 0;
        Ok(())
    }

    /// Returns whether [`spill`](Self::spill) should be called.
    pub(super) fn is_full(&self) -> bool {
        self.sorter.is_full()
    }

    pub(super) fn spill(&mut self, write: &mut Write<'_>) -> Result<()> {
        self.sorter.spill(write)
    }

    /// Removes all edits and returns them in order.
    pub(super) fn sorted<'t>(&mut self, write: &mut Write<'t>) -> Result<InOrder<'t>> {
        self.flush()?;
        self.sorter.sorted(write)
    }
}
