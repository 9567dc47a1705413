//! Finds runs. The key of a run is that of its last row. Therefore a row can only be in the first
//! run whose key is not less than that of the row.

use super::key::Key;
use super::run::{RowKey, Run};
use super::store::Snapshot;
use crate::peers::rendered::{Table, push_row};
use anyhow::Result;
use std::ops::{ControlFlow, Range};

/// Less than or equal to the key of every row.
pub(super) const FIRST: RowKey = (0, 0);
/// Greater than or equal to the key of every row.
pub(super) const LAST: RowKey = (u64::MAX, u64::MAX);

/// The rows of a partition between two keys, both included.
pub(super) struct Span<'a> {
    pub(super) table: Table,
    pub(super) partition: &'a [u64],
    pub(super) from: RowKey,
    pub(super) to: RowKey,
}

impl Span<'_> {
    /// Calls `each` for each run that contains some of the rows, with their indices.
    #[inline]
    pub(super) fn each(
        &self,
        snapshot: &Snapshot<'_>,
        mut each: impl FnMut(&Run<'_>, Range<usize>) -> Result<()>,
    ) -> Result<()> {
        let from = run_key(self.partition, self.from);
        let to = run_key(self.partition, LAST);
        snapshot.scan(self.table, &from, &to, |_, value| {
            let run = Run::open(value, self.table)?;
            let indices = run.between(self.from, self.to);
            if !indices.is_empty() {
                each(&run, indices)?;
            }
            Ok(if run.last() >= self.to {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })
    }

    /// Adds all of the rows.
    #[inline]
    pub(super) fn push(&self, snapshot: &Snapshot<'_>, out: &mut Vec<u8>) -> Result<()> {
        self.each(snapshot, |run, indices| {
            push_row(run.rows(indices), out);
            Ok(())
        })
    }
}

/// Returns the key of the run whose last row has this key.
#[inline]
pub(super) fn run_key(partition: &[u64], (first, second): RowKey) -> Key {
    Key::new(partition).with(&[first, second])
}
