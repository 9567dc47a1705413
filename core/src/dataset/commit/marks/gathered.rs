//! Edits of rows on their way to be sorted: those of one row that come soon after each
//! other are sorted as one.

use super::edit::RowEdit;
use crate::dataset::commit::deferred::{Deferred, InOrder};
use crate::error::Result;
use crate::store::{Key, Partition, Write};

/// Edits of mark rows and waiting marks.
pub(super) struct Gathered {
    sorter: Deferred,
    /// The rows at hand; those beyond `used` only lend their memory.
    rows: Vec<RowAtHand>,
    used: usize,
    /// The row that was edited last.
    last: usize,
}

struct RowAtHand {
    address: (Partition, Key),
    edits: Vec<u8>,
}

/// How many rows are at hand: more than a learner has in a year.
const ROWS: usize = 16;

/// How many bytes of edits of one row are gathered.
const MOST_BYTES: usize = 16 << 10;

impl Gathered {
    pub(super) fn new(sorter: Deferred) -> Gathered {
        Gathered {
            sorter,
            rows: Vec::new(),
            used: 0,
            last: 0,
        }
    }

    /// Adds an edit behind all others of its row.
    pub(super) fn push(&mut self, partition: Partition, key: Key, edit: RowEdit<'_>) -> Result<()> {
        let address = (partition, key);
        let mut at_hand = self.rows.iter().take(self.used);
        let found = match self.rows.get(self.last) {
            Some(row) if self.last < self.used && row.address == address => Some(self.last),
            _ => at_hand.position(|row| row.address == address),
        };
        let index = match found {
            Some(index) => index,
            None => self.begin(address)?,
        };
        self.last = index;
        if let Some(row) = self.rows.get_mut(index) {
            edit.push(&mut row.edits);
            if row.edits.len() > MOST_BYTES {
                self.hand_over()?;
            }
        }
        Ok(())
    }

    /// Adds an edit before all that are not added so.
    pub(super) fn push_first(
        &mut self,
        partition: Partition,
        key: Key,
        edit: RowEdit<'_>,
    ) -> Result<()> {
        self.sorter.push_first(partition, key, &edit.encode())
    }

    fn begin(&mut self, address: (Partition, Key)) -> Result<usize> {
        if self.used == ROWS {
            self.hand_over()?;
        }
        match self.rows.get_mut(self.used) {
            Some(row) => row.address = address,
            None => self.rows.push(RowAtHand {
                address,
                edits: Vec::new(),
            }),
        }
        self.used += 1;
        Ok(self.used - 1)
    }

    fn hand_over(&mut self) -> Result<()> {
        for row in self.rows.iter_mut().take(self.used) {
            let (partition, key) = row.address;
            self.sorter.push(partition, key, &row.edits)?;
            row.edits.clear();
        }
        self.used = 0;
        Ok(())
    }

    /// Whether it is time to [`spill`](Self::spill).
    pub(super) fn is_full(&self) -> bool {
        self.sorter.is_full()
    }

    pub(super) fn spill(&mut self, write: &mut Write<'_>) -> Result<()> {
        self.sorter.spill(write)
    }

    /// All edits in order; none are left here.
    pub(super) fn sorted<'t>(&mut self, write: &mut Write<'t>) -> Result<InOrder<'t>> {
        self.hand_over()?;
        self.sorter.sorted(write)
    }
}
