//! Where runs are found. The key of a run is that of its last row, so that the
//! first run not before a row is the one that may hold it.

use super::key::Key;
use super::run::{RowKey, Run};
use super::store::Moment;
use crate::peers::rendered::{Table, push_row};
use anyhow::Result;
use std::ops::{ControlFlow, Range};

/// Below all rows.
pub(super) const FIRST: RowKey = (0, 0);
/// Above all rows.
pub(super) const LAST: RowKey = (u64::MAX, u64::MAX);

/// The rows of a partition between two keys, both included.
pub(super) struct Span<'a> {
    pub(super) table: Table,
    pub(super) partition: &'a [u64],
    pub(super) from: RowKey,
    pub(super) to: RowKey,
}

impl Span<'_> {
    /// Hands on each run that holds some of the rows, with their indices.
    #[inline]
    pub(super) fn each(
        &self,
        moment: &Moment<'_>,
        mut each: impl FnMut(&Run<'_>, Range<usize>) -> Result<()>,
    ) -> Result<()> {
        let from = run_key(self.partition, self.from);
        let to = run_key(self.partition, LAST);
        moment.scan(self.table, &from, &to, |_, value| {
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
    pub(super) fn push(&self, moment: &Moment<'_>, out: &mut Vec<u8>) -> Result<()> {
        self.each(moment, |run, indices| {
            push_row(run.rows(indices), out);
            Ok(())
        })
    }
}

/// The key of the run that ends in a row.
#[inline]
pub(super) fn run_key(partition: &[u64], (first, second): RowKey) -> Key {
    Key::new(partition).with(&[first, second])
}
