//! Records that are answered as they are kept, in the order of their ids.

use super::walk::Walk;
use super::{Array, Outcome, View};
use crate::error::Result;
use crate::json::Chunks;
use crate::record::lanes::RENDERING;
use crate::record::typed;
use crate::store::{Key, Partition, Reader, Run};
use std::ops::Range;

/// The records of a partition, or one of them.
pub(super) struct Listed {
    pub(super) of: Partition,
    pub(super) id: Option<u64>,
}

/// Says whether a record of a run is answered. It is asked in the order of the answer.
pub(super) type Takes<'a> = &'a mut dyn FnMut(&Run<'_>, usize) -> Result<bool>;

impl Listed {
    fn keys(&self) -> (Key, Key) {
        match self.id {
            Some(id) => (Key::one(id), Key::one(id)),
            None => (Key::MIN, Key::MAX),
        }
    }

    pub(super) fn answer(
        &self,
        view: View<'_>,
        takes: Takes<'_>,
        out: &mut Chunks<'_>,
    ) -> Result<Outcome> {
        let (from, to) = self.keys();
        let records = view.snapshot.records(self.of)?;
        let array = Array::open(out);
        for pinned in records.between(from, to) {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            let mut start = indices.start;
            for index in indices.clone() {
                if !takes(&run, index)? {
                    push(&run, start..index, out)?;
                    start = index + 1;
                }
            }
            push(&run, start..indices.end, out)?;
        }
        Ok(array.close(out))
    }

    pub(super) fn walk(
        &self,
        view: View<'_>,
        takes: Takes<'_>,
        walk: &mut Walk,
        out: &mut Chunks<'_>,
    ) -> Result<Outcome> {
        let (from, to) = self.keys();
        let Some(keys) = walk.rest(from, to, |[id, ..]| Key::one(*id)) else {
            return Ok(Outcome::Found);
        };
        let records = view.snapshot.records(self.of)?;
        for pinned in walk.runs(&records, keys) {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            for index in walk.in_order(indices) {
                if !takes(&run, index)? {
                    continue;
                }
                let Key(id, _) = run.key(index)?;
                if !walk.take([id, 0, 0, 0, 0, 0, 0]) {
                    return Ok(Outcome::Found);
                }
                typed::push_record(&run, index, out)?;
            }
        }
        Ok(Outcome::Found)
    }
}

/// Adds neighbouring records of a run, and a comma.
fn push(run: &Run<'_>, indices: Range<usize>, out: &mut Chunks<'_>) -> Result<()> {
    if !indices.is_empty() {
        out.push(run.stretch(RENDERING, indices.start, indices.end)?);
        out.push(b",");
    }
    Ok(())
}
