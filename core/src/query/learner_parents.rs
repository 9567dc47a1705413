//! The parents of a learner (2.2): parent 1, then parent 2.

use super::View;
use super::key_lookup::KeyLookup;
use crate::error::Result;
use crate::json::{Chunks, Wire};
use crate::record::lanes::RENDERING;
use crate::record::learner::{PARENT1_TAG, PARENT2_TAG};
use crate::record::typed;
use crate::store::{Collection, Key, Partition, Reader, Run};

/// The parents of a school, if they are asked for.
pub(super) fn of(view: View<'_>, school: u64, wanted: bool) -> Result<Option<KeyLookup<'_>>> {
    if !wanted {
        return Ok(None);
    }
    let parents = Partition::of(school, Collection::Parents);
    Ok(Some(KeyLookup::new(view.snapshot.records(parents)?)))
}

/// Hands on the parents of a learner that have a record.
#[inline]
pub(super) fn each(
    learners: &Run<'_>,
    index: usize,
    parents: &mut KeyLookup<'_>,
    mut each: impl FnMut(&Run<'_>, usize) -> Result<()>,
) -> Result<()> {
    for tag in [PARENT1_TAG, PARENT2_TAG] {
        let Some(id) = learners.tag(tag, index)? else {
            continue;
        };
        if let Some((run, index)) = parents.find(Key::one(id))? {
            each(&run, index)?;
        }
    }
    Ok(())
}

/// Adds the array of a learner's parents.
pub(super) fn push(
    learners: &Run<'_>,
    index: usize,
    parents: &mut KeyLookup<'_>,
    wire: Wire,
    out: &mut Chunks<'_>,
) -> Result<()> {
    out.push(b"[");
    let empty = out.len();
    each(learners, index, parents, |run, index| match wire {
        Wire::V1 => {
            out.push(run.record(RENDERING, index)?);
            out.push(b",");
            Ok(())
        }
        Wire::V2 => typed::push_record(run, index, out),
    })?;
    if out.len() > empty {
        out.pop();
    }
    out.push(b"]");
    Ok(())
}
