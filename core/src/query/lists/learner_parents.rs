//! The parents of a learner (2.2): parent 1, then parent 2.

use crate::error::Result;
use crate::json::{ApiVersion, OutputBuffer};
use crate::query::View;
use crate::query::decoded::key_lookup::KeyLookup;
use crate::record::kinds::learner::{PARENT1_COLUMN, PARENT2_COLUMN};
use crate::record::stored::conversions;
use crate::store::{Block, Collection, Key, Partition, Reader};

/// Returns a reader for the parents of a school, or `None` if they are not requested.
pub(crate) fn open(view: View<'_>, school: u64, wanted: bool) -> Result<Option<KeyLookup<'_>>> {
    if !wanted {
        return Ok(None);
    }
    let parents = Partition::new(school, Collection::Parents);
    Ok(Some(KeyLookup::new(view.snapshot.records(parents)?)))
}

/// Passes each parent of a learner that has a record to `each`.
#[inline]
pub(crate) fn each(
    learners: &Block<'_>,
    index: usize,
    parents: &mut KeyLookup<'_>,
    mut each: impl FnMut(&Block<'_>, usize) -> Result<()>,
) -> Result<()> {
    for column in [PARENT1_COLUMN, PARENT2_COLUMN] {
        let Some(id) = learners.filter_column(column, index)? else {
            continue;
        };
        if let Some((block, index)) = parents.find(Key::one(id))? {
            each(&block, index)?;
        }
    }
    Ok(())
}

/// Appends the array of a learner's parents.
pub(crate) fn push(
    learners: &Block<'_>,
    index: usize,
    parents: &mut KeyLookup<'_>,
    version: ApiVersion,
    out: &mut OutputBuffer<'_>,
) -> Result<()> {
    out.push(b"[");
    let empty = out.len();
    each(learners, index, parents, |block, index| {
        conversions::push_record(block, index, version, out)
    })?;
    if out.len() > empty {
        out.pop();
    }
    out.push(b"]");
    Ok(())
}
