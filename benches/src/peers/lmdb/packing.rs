//! Packs rows into runs.

use super::run::RunBuilder;
use super::span::run_key;
use super::store::Put;
use crate::peers::rendered::{Row, Table};
use anyhow::Result;

/// The maximum length in bytes of a run of several rows. With its key and header, it fits a page of
/// 64 KiB.
const FULL: usize = 65_400;

/// Fills the runs of a partition one after the other.
pub(super) struct Packer {
    table: Table,
    partition: Vec<u64>,
    run: RunBuilder,
}

impl Packer {
    pub(super) fn new() -> Packer {
        Packer {
            table: Table::Learners,
            partition: Vec::new(),
            run: RunBuilder::default(),
        }
    }

    pub(super) fn push(&mut self, row: &Row<'_>, put: &mut Put<'_>) -> Result<()> {
        let same = self.table == row.table && self.partition == row.partition;
        if !same || self.run.bytes_with(row) > FULL {
            self.close(put)?;
            self.table = row.table;
            self.partition = row.partition.to_vec();
        }
        self.run.push(row)
    }

    /// Writes the current run, unless it is empty.
    pub(super) fn close(&mut self, put: &mut Put<'_>) -> Result<()> {
        let run = std::mem::take(&mut self.run);
        let Some(last) = run.last() else {
            return Ok(());
        };
        let key = run_key(&self.partition, last);
        put(self.table, &key, &run.finish()?)
    }
}
