//! Lists of records whose answer is their pre-rendered form, in the order of their ids.

use crate::error::Result;
use crate::json::OutputBuffer;
use crate::query::{ArrayWriter, Outcome, PageWriter, View};
use crate::record::stored::columns::RENDERING;
use crate::record::stored::conversions;
use crate::store::{Block, Key, Partition, Reader};
use std::ops::Range;

/// The records of a partition, or one of them.
pub(crate) struct PartitionQuery {
    pub(crate) of: Partition,
    pub(crate) id: Option<u64>,
}

/// A callback that returns true if the answer contains a record. It is called in the order of
/// the answer.
pub(crate) type Takes<'a> = &'a mut dyn FnMut(&Block<'_>, usize) -> Result<bool>;

impl PartitionQuery {
    pub(crate) fn answer(
        &self,
        view: View<'_>,
        takes: Takes<'_>,
        out: &mut OutputBuffer<'_>,
    ) -> Result<Outcome> {
        let (from, to) = Key::range_of(self.id);
        let records = view.snapshot.records(self.of)?;
        let array = ArrayWriter::open(out);
        for pinned in records.between(from, to) {
            let (pinned, indices) = pinned?;
            let block = pinned.block()?;
            let mut start = indices.start;
            for index in indices.clone() {
                if !takes(&block, index)? {
                    push(&block, start..index, out)?;
                    start = index + 1;
                }
            }
            push(&block, start..indices.end, out)?;
        }
        Ok(array.close(Outcome::Found, out))
    }

    pub(crate) fn write(&self, takes: Takes<'_>, page: PageWriter<'_, '_>) -> Result<Outcome> {
        let PageWriter { version, .. } = page;
        let keys = Key::range_of(self.id);
        page.write(self.of, keys, &mut |_, block, index, out| {
            if takes(block, index)? {
                conversions::push_record(block, index, version, out)?;
            }
            Ok(())
        })
    }
}

/// Appends consecutive records of a block and a comma.
fn push(block: &Block<'_>, indices: Range<usize>, out: &mut OutputBuffer<'_>) -> Result<()> {
    if !indices.is_empty() {
        out.push(block.stretch(RENDERING, indices.start, indices.end)?);
        out.push(b",");
    }
    Ok(())
}
