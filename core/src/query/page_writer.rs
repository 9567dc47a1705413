//! Writes the records of a page.

use super::outcome::Outcome;
use super::view::View;
use super::walk::{RecordPosition, Walk};
use crate::error::Result;
use crate::json::{ApiVersion, OutputBuffer};
use crate::store::{Block, Key, Partition, Reader};

/// A page that is written: the view that is read, the form of the records, which records of the
/// collection are on the page, and the buffer to which they are appended.
pub(crate) struct PageWriter<'a, 'o> {
    pub(crate) view: View<'a>,
    pub(crate) version: ApiVersion,
    pub(crate) walk: &'a mut Walk,
    pub(crate) out: &'a mut OutputBuffer<'o>,
}

impl PageWriter<'_, '_> {
    /// Appends the records of a partition and a range of keys that are on the page, in the walk's
    /// direction. `push` appends a record and a comma, given the record's key, block and index in
    /// the block, or appends nothing if the answer does not contain the record.
    pub(super) fn write(
        self,
        of: Partition,
        (from, to): (Key, Key),
        push: &mut dyn FnMut(Key, &Block<'_>, usize, &mut OutputBuffer<'_>) -> Result<()>,
    ) -> Result<Outcome> {
        let PageWriter {
            view, walk, out, ..
        } = self;
        let at = |[first, second, ..]: &RecordPosition| Key(*first, *second);
        let Some(keys) = walk.slice_after_cursor(from, to, at) else {
            return Ok(Outcome::Found);
        };
        let records = view.snapshot.records(of)?;
        for pinned in walk.blocks(&records, keys) {
            let (pinned, indices) = pinned?;
            let block = pinned.block()?;
            for index in walk.in_order(indices) {
                let start = out.len();
                let key = block.key(index)?;
                push(key, &block, index, out)?;
                if out.len() == start {
                    continue;
                }
                let Key(first, second) = key;
                if !walk.take([first, second, 0, 0, 0, 0, 0]) {
                    out.truncate(start);
                    return Ok(Outcome::Found);
                }
            }
        }
        Ok(Outcome::Found)
    }
}
